package admin

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// run is a stretch of a text as a page shows it.
type run struct {
	// Text is what is shown: of an odd character its number, and the character too where it
	// can be seen.
	Text string
	// Odd is a character that is not what it looks like; Says is what it is.
	Odd  bool
	Says string
}

// mark takes a text apart so that nothing in it can deceive the eye: characters that are
// not seen, that turn the direction, that are other spaces than the usual one, and
// letters that look like others each stand alone and are named. Everything else stays as it is.
func mark(text string) []run {
	var out []run
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, run{Text: plain.String()})
			plain.Reset()
		}
	}
	letters, before := lookAlikes(text), rune(0)
	for at, r := range text {
		says := hidden(r)
		if r == joiner && !unicode.Is(unicode.So, before) && !unicode.Is(unicode.Sk, before) && before != 0xfe0f {
			says = "cannot be seen"
		}
		before = r
		if says == "" && letters[at] {
			says = "looks like another letter"
		}
		if says == "" || r == unicode.ReplacementChar {
			plain.WriteRune(r)
			continue
		}
		flush()
		shown := fmt.Sprintf("[U+%04X]", r)
		if strings.HasPrefix(says, "looks like") {
			shown = string(r) + shown
		}
		out = append(out, run{Text: shown, Odd: true, Says: says})
	}
	flush()
	return out
}

// joiner is the zero-width joiner.
const joiner = 0x200d

// hidden says what is wrong with a character whatever stands beside it; empty where nothing is.
func hidden(r rune) string {
	switch {
	case r == '\n' || r == ' ':
		return ""
	case r == '\t':
		return "a tab"
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return "turns the direction of the text"
	case r == joiner:
		return "" // within an emoji it joins the parts
	case unicode.IsControl(r):
		return "a control character"
	case unicode.Is(unicode.Cf, r), r == 0x034f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x2800:
		return "cannot be seen"
	case r >= 0xfe00 && r <= 0xfe0e, r >= 0xe0100 && r <= 0xe01ef:
		return "cannot be seen"
	case unicode.Is(unicode.Zs, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return "an unusual space"
	case unicode.Is(unicode.Co, r), !unicode.IsGraphic(r) && r != 0xfe0f:
		return "no known character"
	case r > unicode.MaxASCII && r != '…' && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsPunct(r)) && ascii(norm.NFKC.String(string(r))):
		return "looks like a plain letter, digit or mark"
	}
	return ""
}

// ascii says whether s is letters, digits and marks of ASCII alone.
func ascii(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// twins are letters of other scripts that look like Latin ones.
const twins = "аАВсСԁеЕѐёЁɡԌһНіІїЇјЈКМоОрРԛԚѕЅТуУԝԜхХԍьЬЗбӀӏ" + // Cyrillic
	"αΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιυρκγτχωϲϳ" + // Greek
	"օՕսոհցզԼ" // Armenian

// lookAlikes are the places of letters that pass for others: in a word with Latin letters
// those of other scripts, and all of a word that is made of nothing but Latin's twins.
func lookAlikes(text string) map[int]bool {
	found := map[int]bool{}
	var places []int
	var latin, other, twin int
	end := func() {
		if other > 0 && (latin > 0 || twin == other) {
			for _, at := range places {
				found[at] = true
			}
		}
		places, latin, other, twin = places[:0], 0, 0, 0
	}
	for at, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && r != joiner:
			end()
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu):
			other++
			places = append(places, at)
			if strings.ContainsRune(twins, r) {
				twin++
			}
		}
	}
	end()
	return found
}
