package slip_test

import (
	"testing"

	"github.com/askhub/askhub/internal/slip"
)

func TestOne(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"", "a", true},
		{"", "ab", false},
		{"monday", "monday", true},
		{"monday", "mondays", true}, // one more
		{"monday", "onday", true},   // one less
		{"monday", "munday", true},  // another
		{"monday", "monady", true},  // two swapped
		{"ab", "ba", true},
		{"monday", "modnya", false},   // swapped twice
		{"monday", "mundag", false},   // two others
		{"monday", "monda", true},     // the last one less
		{"monday", "mondaysy", false}, // two more
		{"monday", "sunday", false},
	} {
		if got := slip.One(test.a, test.b); got != test.want {
			t.Errorf("One(%q, %q) = %v", test.a, test.b, got)
		}
		if got := slip.One([]byte(test.b), []byte(test.a)); got != test.want {
			t.Errorf("One(%q, %q) = %v, and it should not matter which is first", test.b, test.a, got)
		}
	}
}
