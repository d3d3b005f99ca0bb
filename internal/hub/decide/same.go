package decide

import "github.com/kljensen/snowball/english"

// stem is a word without its endings: lights and light are one word.
func stem(word string) string {
	if len(word) < 3 {
		return word
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
	return stem(a) == stem(b) || len(a) >= 5 && len(b) >= 5 && oneSlip(a, b)
}

// oneSlip is whether one letter more, less or other, or two swapped, makes a into b.
func oneSlip[S string | []byte](a, b S) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return same(a[i:], b[i+1:])
	}
	if i == len(a) {
		return true
	}
	if same(a[i+1:], b[i+1:]) {
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && same(a[i+2:], b[i+2:])
}

func same[S string | []byte](a, b S) bool { return string(a) == string(b) }
