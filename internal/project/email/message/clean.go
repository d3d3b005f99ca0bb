package message

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/pattern"
)

// Clean makes one line of s without control, invisible and direction-turning
// characters, with each link replaced by "(link)", of at most that many code points.
func Clean(s string, most int) string {
	// What a letter stands for is settled first, so that a wide slash is a slash.
	s = norm.NFKC.String(strings.ToValidUTF8(s, "\ufffd"))
	var b strings.Builder
	marks, n, space := 0, 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = true
			continue
		case hidden(r):
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > 2 {
				continue
			}
		default:
			marks = 0
		}
		if space && n > 0 {
			b.WriteByte(' ')
			n++
		}
		space = false
		if n >= most {
			break
		}
		b.WriteRune(r)
		n++
	}
	out := strings.TrimSpace(b.String())
	if strings.ContainsAny(out, ":/") || strings.Contains(strings.ToLower(out), "www.") {
		out = strings.TrimSpace(link().ReplaceAllString(out, "(link)"))
	}
	return out
}

// hidden is a character that shows nothing or turns the order of letters.
func hidden(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u034f', '\u17b4', '\u17b5', '\ufffd', '\ufffc':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector) || !unicode.IsGraphic(r)
}

var link = pattern.Lazy(`(?i)[<(\[]?\b(?:[a-z][a-z0-9+.-]{1,15}://|www\.|mailto:|tel:|data:|javascript:)[^\s>)\]]*[>)\]]?|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/[^\s>)\]]+`)

var tag = pattern.Lazy(`</?[a-zA-Z!][^<>]*>`)

// dropped are characters that are markup or that would end a quotation.
const dropped = "*_`~|{}[]\\^<>#\"“”„‟«»"

// Quote is s fit to stand between “ and ” within one spoken sentence, of at most
// that many code points; a cut is shown by "…". It is empty where nothing of s is fit.
func Quote(s string, most int) string {
	if utf8.RuneCountInString(s) > most*4 { // no more than that is ever looked at
		s = string([]rune(s)[:most*4])
	}
	s = tag().ReplaceAllString(Clean(s, most*4), " ")
	var safe strings.Builder // without whole words that look like a path or a key
	for w := range strings.FieldsSeq(s) {
		if ask.CheckSafe(w) == nil {
			safe.WriteString(w)
			safe.WriteByte(' ')
		}
	}
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(dropped, r) {
			return ' '
		}
		return r
	}, safe.String())
	var words []string
	n := 0
	for w := range strings.FieldsSeq(s) {
		w = strings.Trim(w, "&=")
		if w == "" || !fit(w) {
			continue
		}
		size := utf8.RuneCountInString(w)
		if n+size > most-1 {
			words = append(words, "…")
			break
		}
		n += size + 1
		words = append(words, w)
	}
	out := strings.Join(words, " ")
	out = strings.ReplaceAll(out, " …", "…")
	if out == "…" || !fit(out) {
		return ""
	}
	return out
}

func fit(s string) bool { return ask.CheckSentence("It says “"+s+"” there.", true) == nil }

// Fold is s for searching: lower case, without accents, words with one space around.
func Fold(s string) string {
	if s == "" {
		return ""
	}
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(' ')
	gap := true
	write := func(r rune) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
			gap = false
		case unicode.In(r, unicode.Mn) || r == '\'' || r == '’':
		case !gap:
			b.WriteByte(' ')
			gap = true
		}
	}
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
	}
	if plain {
		for i := range len(s) {
			write(rune(s[i]))
		}
	} else {
		for _, r := range norm.NFKD.String(s) {
			write(r)
		}
	}
	if !gap {
		b.WriteByte(' ')
	}
	return b.String()
}
