package askplan

import "testing"

func TestWhatWasAskedIsQuotedOnlyAsWholeWords(t *testing.T) {
	for _, test := range []struct{ sentence, value, want string }{
		{"You have 2 messages about gym.", "gym", "You have 2 messages about “gym”."},
		{"The gymnasium is closed.", "gym", "The gymnasium is closed."},
		{"Megagym is closed.", "gym", "Megagym is closed."},
		{"Andréas writes of as.", "as", "Andréas writes of “as”."}, // after a letter of two bytes
		{"asé is no word, as is.", "as", "asé is no word, “as” is."},
		{"第as and as.", "as", "第as and “as”."},
		{"Room 7a, 7 and 17.", "7", "Room 7a, “7” and 17."},
		{"as", "as", "“as”"},
		{"It says “as it was”, as said.", "as", "It says “as it was”, “as” said."},
	} {
		if got := quoteOutside(test.sentence, test.value); got != test.want {
			t.Errorf("quoteOutside(%q, %q) = %q, want %q", test.sentence, test.value, got, test.want)
		}
	}
}
