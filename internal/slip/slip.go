// Package slip tells a slip of the finger from another word.
package slip

// One is whether at most one letter more, less or other, or two neighbours swapped,
// makes a into b. It counts bytes, as befits folded words.
func One[S string | []byte](a, b S) bool {
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
