package main

import (
	"crypto/rand"
	"slices"
	"strings"
	"testing"
)

// What is added to a calendar and changed on a list causes exactly the calls that it means,
// and what is there already causes none.
func TestARealHomeIsWrittenToAsItIsSaid(t *testing.T) {
	a := openAssist(t)
	h := wholeDay(a)
	since := watch(t)
	nan := "Nan" + strings.ToLower(rand.Text()[:6]) // the house is the same when the test runs again
	dinner := "add dinner with " + nan + " tomorrow at 7 pm to the family calendar"
	for _, c := range []struct {
		words, reply, call string
	}{
		{dinner, "“dinner with " + nan + "” is on the Family calendar now, tomorrow at 19:00, for an hour.", "calendar.create_event calendar.family"},
		{dinner, "“dinner with " + nan + "” is on the Family calendar already, tomorrow at 19:00, for an hour.", ""},
		{"what is on the family calendar tomorrow?", "", ""},
		{"add dinner with Nan to the family calendar", "Please say on which day.", ""},
		{"add honey to the shopping list", "“honey” is on the Shopping list now.", "todo.add_item todo.shopping"},
		{"add Honey to the shopping list", "“Honey” is on the Shopping list already.", ""},
		{"is honey on the shopping list?", "Yes, “honey” is on the Shopping list.", ""},
		{"tick off honey on the shopping list", "“honey” is ticked off on the Shopping list.", "todo.update_item todo.shopping"},
		{"is honey on the shopping list?", "No, “honey” is not on the Shopping list.", ""},
		{"add honey to the shopping list", "“honey” is on the Shopping list now.", "todo.update_item todo.shopping"},
		{"remove honey from the shopping list", "“honey” is off the Shopping list now.", "todo.remove_item todo.shopping"},
	} {
		if reply := h.says(c.words); reply != c.reply && c.reply != "" {
			t.Errorf("%q: it says %q, want %q", c.words, reply, c.reply)
		}
		var calls []string
		for _, what := range since() {
			switch call, isCall := strings.CutPrefix(what, "calls "); {
			case isCall:
				calls = append(calls, call)
			case what != "changes calendar.family" && what != "changes todo.shopping":
				t.Errorf("%q %s", c.words, what)
			}
		}
		want := []string{c.call}
		if c.call == "" {
			want = nil
		}
		if !slices.Equal(calls, want) {
			t.Errorf("%q called %q, want %q", c.words, calls, want)
		}
	}
}
