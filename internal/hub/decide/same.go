package decide

import (
	"github.com/kljensen/snowball/english"

	"github.com/askhub/askhub/internal/slip"
)

// stem is a word without its endings: lights and light are one word.
func stem(word string) string {
	switch {
	case len(word) < 3:
		return word
	case word == "booking" || word == "bookings": // no book
		return "booking"
	}
	return english.Stem(word, true)
}

// sameWord is whether two words are one, but for an ending or one slip of the finger.
func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) < 3 || len(b) < 3 || a[0] != b[0] {
		return false
	}
	return stem(a) == stem(b) || len(a) >= 5 && len(b) >= 5 && slip.One(a, b)
}
