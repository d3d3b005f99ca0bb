// Package spoken makes what strangers wrote fit to be quoted in a sentence that is
// read out: a page's text, a device's name, a reply of somebody else's server. What
// it says is never followed, and nothing in it can end the quotation.
package spoken

import (
	"errors"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
)

// looked is how much of a text is looked at for one character that is wanted.
const looked = 4

// maxStops is how many full stops a sentence has at most, those of abbreviations included.
const maxStops = 20

// Clean is s as one line of plain words: without tags, links, quotation marks,
// markup, characters that nobody sees, and whatever looks like a path or a key. It
// has at most most code points; what is cut ends in "…", between two words.
func Clean(s string, most int) string {
	s = plain(s, most*looked)
	var out strings.Builder
	n := 0
	for word := range strings.FieldsSeq(s) {
		if !fit(word) {
			continue
		}
		if n > 0 {
			word = " " + word
		}
		size := utf8.RuneCountInString(word)
		if n+size > most-1 {
			if n > 0 {
				out.WriteString("…")
			}
			break
		}
		out.WriteString(word)
		n += size
	}
	// Words that are fit one by one may not be together.
	if whole := out.String(); ask.CheckSafe(whole) == nil {
		return whole
	}
	return ""
}

// Sentence is the first sentence of what Clean makes of s.
func Sentence(s string, most int) string {
	s = Clean(s, most*2)
	stops := 0
	for i, r := range s {
		if r != '.' && r != '!' && r != '?' || !strings.HasPrefix(strings.TrimLeft(s[i+1:], ")"), " ") {
			continue
		}
		// Each is looked at from the beginning, and a stranger can write nothing but stops.
		if stops++; stops > maxStops {
			return ""
		}
		next, _, _ := strings.Cut(strings.TrimLeft(s[i+1:], " .!?)"), " ")
		if next != "" && errors.Is(ask.CheckSentence(s[:i+1]+" "+next, true), ask.ErrTwoSentences) {
			s = s[:i+1]
			break
		}
	}
	return Clean(s, most)
}

// Quote is the first sentence of s in quotation marks, or "" where nothing is left of it.
func Quote(s string, most int) string {
	s = Sentence(s, most)
	if s == "" || ask.CheckSentence(`It says "`+s+`"`, true) != nil {
		return ""
	}
	return `"` + s + `"`
}

// Host is the name of a page's site as people say it, or "" where the address is none.
func Host(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	host, _, _ = strings.Cut(host, "#")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	for _, prefix := range []string{"www.", "en.", "m."} {
		if shorter := strings.TrimPrefix(host, prefix); strings.Contains(shorter, ".") {
			host = shorter
		}
	}
	if len(host) > 60 || !strings.Contains(host, ".") || strings.ContainsFunc(host, notOfHost) || ask.CheckSentence(host, false) != nil {
		return ""
	}
	return host
}

func notOfHost(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '-'
}

// plain is s, or its first most code points, without tags and without characters that
// are none of its words.
func plain(s string, most int) string {
	s = strings.ToValidUTF8(s, " ")
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most])
	}
	// An entity may hide a tag, and a tag an entity.
	s = links(tags(html.UnescapeString(tags(html.UnescapeString(s)))))
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector):
			return -1
		case strings.ContainsRune("\"“”„«»‹›*_`|{}[]<>#~\\^=", r):
			return ' '
		}
		return r
	}, s)
}

// links takes out each address whole, so that no piece of it is left as a word.
func links(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	words := strings.Fields(s)
	for i, w := range words {
		if strings.Contains(w, "://") {
			text, _, marked := strings.Cut(w, "](") // [text](address)
			if words[i] = ""; marked && !strings.Contains(text, "://") {
				words[i] = text
			}
		}
	}
	return strings.Join(words, " ")
}

// tags takes out what stands between < and > where that begins like a tag.
func tags(s string) string {
	var out strings.Builder
	for {
		open := strings.IndexByte(s, '<')
		if open < 0 || open+1 == len(s) {
			break
		}
		end := strings.IndexByte(s[open:], '>')
		next := s[open+1]
		if end < 0 || !(next == '/' || next == '!' || next|0x20 >= 'a' && next|0x20 <= 'z') {
			out.WriteString(s[:open])
			out.WriteByte(' ')
			s = s[open+1:]
			continue
		}
		out.WriteString(s[:open])
		out.WriteByte(' ')
		s = s[open+end+1:]
	}
	out.WriteString(s)
	return out.String()
}

// fit is a word that may be said: no link, path or key.
func fit(word string) bool {
	err := ask.CheckSentence(word, true)
	return err == nil || errors.Is(err, ask.ErrTwoSentences) || errors.Is(err, ask.ErrMarkup) && strings.ContainsAny(word, "-+&")
}

// And is the list as it is said: "the lamp, the fan and the heater".
func And(list []string) string { return listed(list, "and") }

// Or is the list as a choice is said: "kitchen, hall or attic".
func Or(list []string) string { return listed(list, "or") }

func listed(list []string, before string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + before + " " + list[len(list)-1]
}
