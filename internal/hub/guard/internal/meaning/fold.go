package meaning

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lookalike maps letters of other alphabets, and styled ones that compatibility
// decomposition leaves alone, to the Latin letter that a reader takes them for.
var lookalike = func() map[rune]byte {
	const pairs = "аa еe вb кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl ьb ԍg гr дd пn иu яr зz лl цu чc шw ґr єe їi ўy қk " +
		"ңh ҳx ҙz әa өo ўy αa βb γy δd εe ζz ηn θo ιi κk λl μm νv ξx οo πn ρp σo ςs τt υu φo χx ψy ωw ϲc ϳj " +
		"ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ǫq ɑa ɡg ɩi ıi ȷj đd ħh ŧt ɓb ɗd ɖd " +
		"ɨi ʉu ƒf ɹr ʇt ʌv ʍw ǝe ɐa ɔc ɯm ʎy ʞk ʃs ɾr ɣy ɛe ɘe ʂs ʋv օo սu ոn հh զq ցg յj ⅼl"
	m := make(map[rune]byte, 160)
	for pair := range strings.FieldsSeq(pairs) {
		r, n := utf8.DecodeRuneInString(pair)
		m[r] = pair[n]
	}
	return m
}()

// capitals are the Greek capitals that look like Latin ones while their small letters look
// like others or like none.
var capitals = map[rune]byte{'Η': 'h', 'Ν': 'n', 'Υ': 'y', 'Ρ': 'p', 'Χ': 'x', 'Ζ': 'z', 'Ω': 'o'}

// digraph holds the letters that fold to more than one.
var digraph = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ð': "d", 'ŋ': "n", 'ł': "l", 'ø': "o"}

// folded is a question in plain small letters; at[i] is where byte i came from.
type folded struct {
	text []byte
	at   []int32
	tmp  []byte
}

// fold brings a question to small letters without marks, hidden characters or disguises.
func (f *folded) fold(q string) {
	f.text, f.at = f.text[:0], f.at[:0]
	for i := 0; i < len(q); {
		c := q[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c == '`' {
				c = '\''
			}
			f.put(c, i)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(q[i:])
		f.rune(r, q[i:i+n], i)
		i += n
	}
}

func (f *folded) put(c byte, at int) {
	f.text = append(f.text, c)
	f.at = append(f.at, int32(at))
}

func (f *folded) rune(r rune, s string, at int) {
	switch {
	case r == '’' || r == '‘' || r == 'ʼ' || r == '´' || r == '′' || r == '＇':
		f.put('\'', at)
		return
	case r == '“' || r == '”' || r == '„' || r == '«' || r == '»' || r == '‟':
		f.put('"', at)
		return
	case r == '–' || r == '—' || r == '―':
		f.put(',', at)
		return
	case r == '…' || r == '。' || r == '।':
		f.put('.', at)
		return
	case 0x1F1E6 <= r && r <= 0x1F1FF: // regional letters
		f.put(byte(r-0x1F1E6)+'a', at)
		return
	case 0x1F130 <= r && r <= 0x1F149:
		f.put(byte(r-0x1F130)+'a', at)
		return
	case 0x1F150 <= r && r <= 0x1F169:
		f.put(byte(r-0x1F150)+'a', at)
		return
	case 0x1F170 <= r && r <= 0x1F189:
		f.put(byte(r-0x1F170)+'a', at)
		return
	case hidden(r):
		return
	}
	f.tmp = norm.NFKD.AppendString(f.tmp[:0], s)
	for j := 0; j < len(f.tmp); {
		d, n := utf8.DecodeRune(f.tmp[j:])
		j += n
		if hidden(d) {
			continue
		}
		if to, ok := capitals[d]; ok {
			f.put(to, at)
			continue
		}
		d = unicode.ToLower(d)
		if two, ok := digraph[d]; ok {
			for k := range len(two) {
				f.put(two[k], at)
			}
			continue
		}
		if to, ok := lookalike[d]; ok {
			f.put(to, at)
			continue
		}
		if d < utf8.RuneSelf {
			f.put(byte(d), at)
			continue
		}
		if !unicode.IsLetter(d) && !unicode.IsDigit(d) {
			f.put(' ', at)
			continue
		}
		var b [utf8.UTFMax]byte
		for _, c := range b[:utf8.EncodeRune(b[:], d)] {
			f.put(c, at)
		}
	}
}

// hidden is whether a character shows nothing: marks, zero-width, direction, tags.
func hidden(r rune) bool {
	if r < 0xAD {
		return false
	}
	return r == 0xAD || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) || unicode.Is(unicode.Cf, r) ||
		r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800 || r == 0x17B4 || r == 0x17B5
}
