// Package reply shapes an answer for the way in that asked: text, speech or a
// notification (spec 5). It never changes what an answer means, and never cuts
// a word.
package reply

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Want is the shape of a reply.
type Want string

// The shapes of spec 5.
const (
	Text         Want = "text"
	Speech       Want = "speech"
	Notification Want = "notification"
)

// Valid tells whether w is one of the shapes.
func (w Want) Valid() bool { return w == Text || w == Speech || w == Notification }

// For is the shape that a source gets where nobody said: what is spoken to is
// answered by voice.
func For(source string) Want {
	switch source {
	case "esp32", "phone":
		return Speech
	default:
		return Text
	}
}

// Limits of the shapes, in code points.
const (
	MaxTitle  = 50
	MaxBody   = 200
	MaxSpeech = 300
)

// more stands for what did not fit.
const more = "There is more in the app."

// Shaped is an answer in its shape. Title is set for a notification only.
type Shaped struct {
	Title string
	Text  string
}

// Shape gives answer the shape want. Title is what the answer is about, in the
// household's own words; now tells which year need not be said.
func Shape(want Want, title, answer string, now time.Time) Shaped {
	switch want {
	case Speech:
		return Shaped{Text: fit(speak(answer, now), MaxSpeech, true)}
	case Notification:
		return Shaped{Title: words(capital(oneLine(title)), MaxTitle), Text: fit(oneLine(answer), MaxBody, false)}
	default:
		return Shaped{Text: answer}
	}
}

// fit is s where it fits, and else its first sentence and a pointer to the rest.
func fit(s string, limit int, one bool) string {
	if s == "" { // nothing of it can be said, such as of a single emoji
		return more
	}
	first, rest := firstSentence(s)
	if utf8.RuneCountInString(s) <= limit && (!one || rest == "") {
		return s
	}
	return strings.TrimSpace(words(first, limit-1-utf8.RuneCountInString(more)) + " " + more)
}

// words is s, or its leading whole words and an ellipsis where s is longer than limit.
func words(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s)[:limit] // one place is left for the ellipsis
	end := limit - 1
	for end > 0 && !unicode.IsSpace(runes[end]) {
		end--
	}
	if end == 0 { // one word longer than the shape: there is nothing whole to say
		return ""
	}
	return strings.TrimRightFunc(string(runes[:end]), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r)
	}) + "…"
}

// firstSentence splits s after its first sentence. A stop ends one only before
// a space and a capital letter or digit, and not after an abbreviation.
func firstSentence(s string) (first, rest string) {
	for i, r := range s {
		if r != '.' && r != '!' && r != '?' {
			continue
		}
		tail := s[i+1:]
		trimmed := strings.TrimLeft(tail, `"'”’)`)
		closing := len(tail) - len(trimmed)
		next := strings.TrimLeftFunc(trimmed, unicode.IsSpace)
		if next == "" {
			return s, ""
		}
		if next == trimmed { // no space: "3.30", "a.m."
			continue
		}
		begins, _ := utf8.DecodeRuneInString(next)
		if !unicode.IsUpper(begins) && !unicode.IsDigit(begins) && begins != '"' && begins != '“' {
			continue
		}
		if r == '.' && abbreviated(s[:i]) {
			continue
		}
		end := i + 1 + closing
		return s[:end], strings.TrimSpace(s[end:])
	}
	return s, ""
}

// abbreviations end with a stop that ends no sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "st": true, "prof": true, "rev": true, "no": true,
	"jan": true, "feb": true, "mar": true, "apr": true, "jun": true, "jul": true, "aug": true,
	"sep": true, "sept": true, "oct": true, "nov": true, "dec": true, "approx": true, "vs": true,
}

// abbreviated tells whether before ends in an abbreviation or a single initial.
func abbreviated(before string) bool {
	last := before[len(strings.TrimRightFunc(before, unicode.IsLetter)):]
	if n := utf8.RuneCountInString(last); n == 1 {
		r, _ := utf8.DecodeRuneInString(last)
		return unicode.IsUpper(r) && r != 'I'
	}
	return abbreviations[strings.ToLower(last)]
}

// oneLine is s without line breaks, doubled spaces or control characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
