package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// contextToken is the text that stands for what the page that asked is about.
const contextToken = "@context"

// trim takes the surrounding space away, as JavaScript's trim does: the next-line
// control character is no space there, the byte order mark is.
func trim(text string) string {
	if text != "" && isPlain(text[0]) && isPlain(text[len(text)-1]) {
		return text
	}
	return strings.TrimFunc(text, isSpace)
}

// isPlain says that a byte is neither a space nor a part of one.
func isPlain(c byte) bool { return c > ' ' && c < 0x7f }

func isSpace(r rune) bool {
	return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r)
}

func hasControl(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c == 0x7f || c == 0xc2 && i+1 < len(text) && text[i+1] < 0xa0 {
			return true
		}
	}
	return false
}

// looksLikeReference says whether text begins with @r and a digit, in any case.
func looksLikeReference(text string) bool {
	if len(text) < 3 || text[0] != '@' || text[1]|0x20 != 'r' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[2:])
	return unicode.IsDigit(r)
}

// looksLikeContext says whether text is the context token, in any case.
func looksLikeContext(text string) bool { return strings.EqualFold(text, contextToken) }

// parseReference reads @r1.name. from counts from 1. ok is false for whatever is
// not written exactly so.
func parseReference(text string) (from int, output string, ok bool) {
	if len(text) < 5 || text[:2] != "@r" || text[2] < '1' || text[2] > '0'+MaxCalls || text[3] != '.' {
		return 0, "", false
	}
	return int(text[2] - '0'), text[4:], true
}

// reference is the text that names an output of the call at position from.
func reference(from int, output string) string {
	return "@r" + string(rune('0'+from)) + "." + output
}

// isOutputName says whether text is written as an output's name is.
func isOutputName(text string) bool {
	if text == "" || len(text) > 40 || text[0] < 'a' || text[0] > 'z' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
