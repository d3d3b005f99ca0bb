package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokWord   tokenKind = iota
	tokNumber           // begins with a digit: 3, 9:30, 4th, 2026-12-04
	tokPunct
	tokQuote // what stands inside quotation marks, without them
)

// token is one piece of a sentence or of a value.
type token struct {
	text string // as written
	low  string // in small letters, without a possessive ending
	kind tokenKind
	poss bool // ended in 's
}

func (t token) capital() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return unicode.IsUpper(r)
}

// tokens cuts s. bad is the first thing that no honest sentence holds outside a
// quotation, such as a digit of another script or a quotation that does not close.
func tokens(s string, out []token) (ts []token, bad string) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == ' ' || r == '\u00a0':
			i += size
		case r >= '0' && r <= '9':
			end := numberEnd(s, i)
			out = append(out, token{text: s[i:end], low: lower(s[i:end]), kind: tokNumber})
			i = end
		case unicode.IsLetter(r):
			end := wordEnd(s, i)
			out = append(out, word(s[i:end]))
			i = end
		case r == '“' || r == '"':
			end, after := quoteEnd(s, i+size, r)
			if end < 0 {
				return out, s[i:]
			}
			out = append(out, token{text: s[i+size : end], kind: tokQuote})
			i = after
		case strings.ContainsRune(".,;:!?()-–—…&/+'’%£€$", r):
			out = append(out, token{text: s[i : i+size], low: s[i : i+size], kind: tokPunct})
			i += size
		default:
			return out, s[i : i+size]
		}
	}
	return out, ""
}

// quoteEnd finds the mark that closes a quotation. Another double mark inside it
// is a quotation that somebody tried to close or to open.
func quoteEnd(s string, i int, open rune) (end, after int) {
	for j, r := range s[i:] {
		switch {
		case open == '“' && r == '”', open == '"' && r == '"':
			return i + j, i + j + utf8.RuneLen(r)
		case isDoubleQuote(r):
			return -1, 0
		}
	}
	return -1, 0
}

func isDoubleQuote(r rune) bool {
	switch r {
	case '"', '“', '”', '„', '‟', '«', '»', '″', '〝', '〞', '〟', '＂', '❝', '❞', '‹', '›', '「', '」', '『', '』', '《', '》':
		return true
	}
	return false
}

func numberEnd(s string, i int) int {
	for i < len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
			i++
		case strings.IndexByte(",.:-+", c) >= 0 && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
			i++
		default:
			return i
		}
	}
	return i
}

// wordEnd takes letters, marks and digits, and an apostrophe or a hyphen between them.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if inWord(r) {
			i += size
			continue
		}
		if r == '\'' || r == '’' || r == '-' {
			if next, _ := utf8.DecodeRuneInString(s[i+size:]); inWord(next) && i+size < len(s) {
				i += size
				continue
			}
		}
		return i
	}
	return i
}

func inWord(r rune) bool {
	return r >= '0' && r <= '9' || unicode.IsLetter(r) || unicode.Is(unicode.Mn, r)
}

func word(s string) token {
	t := token{text: s, kind: tokWord, low: lower(s)}
	if strings.Contains(t.low, "’") {
		t.low = strings.ReplaceAll(t.low, "’", "'")
	}
	if base, ok := strings.CutSuffix(t.low, "'s"); ok && base != "" {
		t.low, t.poss = base, true
	}
	return t
}

// lower is strings.ToLower, which gives a text back as it is where it can.
func lower(s string) string { return strings.ToLower(s) }

// stem takes an ending of the plural off, so that "lessons" is "lesson".
func stem(w string) string {
	switch n := len(w); {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes")):
		return w[:n-2]
	case n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
		return w[:n-1]
	}
	return w
}
