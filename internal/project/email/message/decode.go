package message

import (
	"encoding/base64"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-message/charset"
	"golang.org/x/text/encoding/charmap"

	"github.com/askhub/askhub/internal/pattern"
)

var encodedWord = pattern.Lazy(`=\?([^?\s]{1,40})\?([bBqQ])\?([^?]*)\?=`)

// DecodeWords decodes the encoded words of a header value. Words that follow each
// other in one character set are joined before they are decoded, because some
// senders break them in the middle of a letter.
func DecodeWords(s string) string {
	found := encodedWord().FindAllStringSubmatchIndex(s, -1)
	if found == nil {
		return toUTF8([]byte(s), "")
	}
	var out strings.Builder
	var pending []byte
	set, end := "", 0
	flush := func() {
		out.WriteString(toUTF8(pending, set))
		pending = nil
	}
	for _, m := range found {
		between := s[end:m[0]]
		name, _, _ := strings.Cut(strings.ToLower(s[m[2]:m[3]]), "*") // "utf-8*en" names a language too
		adjacent := end > 0 && strings.TrimSpace(between) == ""
		if !adjacent || name != set {
			flush()
		}
		if !adjacent {
			out.WriteString(toUTF8([]byte(between), ""))
		}
		set, end = name, m[1]
		if text := s[m[6]:m[7]]; s[m[4]]|0x20 == 'b' {
			pending = append(pending, fromBase64([]byte(text))...)
		} else {
			pending = append(pending, fromQuoted([]byte(strings.ReplaceAll(text, "_", " ")), false)...)
		}
	}
	flush()
	out.WriteString(toUTF8([]byte(s[end:]), ""))
	return out.String()
}

// DecodeParam finds a parameter such as a file name among the parameters of a body
// structure, in any of its forms: plain, encoded, with a character set, in pieces.
func DecodeParam(params map[string]string, name string) string {
	if v := params[name]; v != "" {
		return DecodeWords(v)
	}
	if v := params[name+"*"]; v != "" {
		set, text := extended(v)
		return toUTF8(percent(text), set)
	}
	var all []byte
	set := ""
	for i := range 20 {
		key := name + "*" + string(rune('0'+i%10))
		if i >= 10 {
			key = name + "*1" + string(rune('0'+i%10))
		}
		if v, ok := params[key]; ok {
			all = append(all, v...)
		} else if v, ok := params[key+"*"]; ok {
			if i == 0 {
				set, v = extended(v)
			}
			all = append(all, percent(v)...)
		} else {
			break
		}
	}
	return toUTF8(all, set)
}

// extended splits "utf-8'en'na%C3%AFve".
func extended(v string) (set, text string) {
	set, rest, found := strings.Cut(v, "'")
	if !found {
		return "", v
	}
	if _, text, found = strings.Cut(rest, "'"); !found {
		return "", v
	}
	return strings.ToLower(set), text
}

func percent(s string) []byte {
	if out, err := url.PathUnescape(s); err == nil {
		return []byte(out)
	}
	return []byte(s)
}

// DecodeText is the text of a part, of which the end may be missing.
func DecodeText(raw []byte, encoding, set string) string {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		raw = fromBase64(raw)
	case "quoted-printable":
		raw = fromQuoted(raw, true)
	}
	return toUTF8(raw, set)
}

// fromBase64 decodes what can be decoded and passes over what is none of it.
func fromBase64(raw []byte) []byte {
	kept := make([]byte, 0, len(raw))
	for _, c := range raw {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
			kept = append(kept, c)
		case c == '=':
			for len(kept)%4 != 0 { // padding in the middle: another piece follows
				kept = append(kept, 'A')
			}
		}
	}
	if len(kept)%4 == 1 {
		kept = kept[:len(kept)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(kept)))
	n, _ := base64.RawStdEncoding.Decode(out, kept)
	for n > 0 && out[n-1] == 0 { // what stood for padding
		n--
	}
	return out[:n]
}

func fromQuoted(raw []byte, body bool) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '=' {
			out = append(out, raw[i])
			continue
		}
		if i+2 < len(raw) || !body && i+2 == len(raw)-1 {
			if hi, lo := unhex(raw[i+1]), unhex(raw[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		if body { // a soft line break, with or without spaces before the end of the line
			j := i + 1
			for j < len(raw) && (raw[j] == ' ' || raw[j] == '\t' || raw[j] == '\r') {
				j++
			}
			if j == len(raw) || raw[j] == '\n' {
				i = j
				continue
			}
		}
		out = append(out, '=')
	}
	return out
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// toUTF8 decodes bytes of a character set. One that is unknown, or plainly wrong, is
// guessed: UTF-8 where the bytes are that, else Windows-1252, which can be anything.
func toUTF8(raw []byte, set string) string {
	switch set = strings.ToLower(strings.Trim(set, " \"'")); set {
	case "", "utf-8", "utf8", "us-ascii", "ascii", "unknown-8bit", "x-unknown":
	default:
		if r, err := charset.Reader(set, strings.NewReader(string(raw))); err == nil {
			if out, err := io.ReadAll(r); err == nil {
				return string(out)
			}
		}
	}
	if utf8.Valid(raw) {
		return string(raw)
	}
	if whole := trimCut(raw); utf8.Valid(whole) && !isASCII(whole) {
		return string(whole)
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(raw)
	if err != nil {
		return strings.ToValidUTF8(string(raw), "\ufffd")
	}
	return string(out)
}

// trimCut takes away a letter of UTF-8 that the end has cut.
func trimCut(raw []byte) []byte {
	for i := len(raw) - 1; i >= 0 && i >= len(raw)-3; i-- {
		if utf8.RuneStart(raw[i]) {
			if raw[i] >= 0xc0 && !utf8.FullRune(raw[i:]) {
				return raw[:i]
			}
			break
		}
	}
	return raw
}

func isASCII(raw []byte) bool {
	for _, c := range raw {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
