package homeassistant

import (
	"errors"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// That something is to be bought puts it on the one shopping list, and nothing else that is
// said does.
func TestWeNeedMilk(t *testing.T) {
	s := newStandIn(t, "todo.chores=Chores", "todo.shopping=Shopping List", "light.bed=Bed light")
	h := connect(t, s.config())
	h.expect(
		[2]string{"we need milk", "“milk” is on the Shopping List now."},
		[2]string{"We're out of milk and eggs.", "“eggs” is on the Shopping List now; “milk” was there already."},
		[2]string{"add bread and some butter", "“bread” and “butter” are on the Shopping List now."},
	)
	s.expectCalls(t, "todo/add_item", "todo/add_item", "todo/add_item", "todo/add_item")
	h.expect(
		[2]string{"we need gochujang", "“gochujang” is on the Shopping List now."},
		[2]string{"we need tempeh and milk", "“tempeh” is on the Shopping List now; “milk” was there already."},
		[2]string{"we're out of freekeh", "“freekeh” is on the Shopping List now."},
	)
	s.expectCalls(t, "todo/add_item", "todo/add_item", "todo/add_item")
	h.expect(
		[2]string{"do we need milk?", "Yes, “milk” is on the Shopping List."},
		[2]string{"do we need any rice", "No, “rice” is not on the Shopping List."},
		[2]string{"what do we need from the shop?", "On the Shopping List there is milk, eggs, bread, butter, gochujang, tempeh and freekeh."},
	)
	for _, words := range []string{
		"we need to talk", "we need a plumber to come on Friday", "do we need milk?", "we need a plumber", "we need more light", "we don't need milk", "we're out of time", "should I add milk?",
		"add laundry", "put milk on the list", "we need help", "we need patience", "we need a gochujang", "we need the bed light", "we need bed light", "add tempeh",
	} {
		h.says(words)
	}
	for _, words := range []string{"we need milk", "we're out of tea", "add tea"} { // one part of several only reads
		if a, err := h.c.Read(t.Context(), ask.Question{Question: words, Asker: "sam"}); !errors.Is(err, dispatch.ErrAlone) || a.Answer != nil {
			t.Errorf("%q: got %+v, %v", words, a, err)
		}
	}
	s.expectCalls(t)
}

func TestWeNeedMilkWithoutOneShoppingList(t *testing.T) {
	s := newStandIn(t, "todo.family=Family")
	h := connect(t, s.config())
	h.expect(
		[2]string{"we need milk and eggs", "“milk and eggs” is on the Family list now."},
		[2]string{"put bread on the list", "“bread” is on the Family list now."},
	)
	s = newStandIn(t, "todo.chores=Chores", "todo.garden=Garden")
	h = connect(t, s.config())
	h.expect([2]string{"we need milk", "? Which list: Chores or Garden? [Chores: add milk to the Chores list] [Garden: add milk to the Garden list]"})
	h.says("we need gochujang") // what nobody knows is no reason to ask
	s.expectCalls(t)
	s = newStandIn(t, "todo.a=Shopping", "todo.b=Groceries")
	h = connect(t, s.config())
	h.expect([2]string{"we need milk", "? Which list: Groceries or Shopping? [Groceries: add milk to the Groceries list] [Shopping: add milk to the Shopping list]"})
	s.expectCalls(t)
	s = newStandIn(t, "light.bed=Bed light")
	h = connect(t, s.config())
	h.expect([2]string{"we need milk", "- Home Assistant has no to-do list for that"})
}

// What is said behind what goes on a list is no entry of it.
func TestWhatComesBesideAnEntryIsNone(t *testing.T) {
	s := newStandIn(t, "todo.chores=Chores", "todo.shopping=Shopping List", "light.bed=Bed light", "calendar.family=Family")
	h := connect(t, s.config())
	for _, words := range []string{
		"add milk to the shopping list and what's on it", "add milk to the shopping list. What is on it?", "add milk to the shopping list and is it on the chores list",
		"add dentist on Friday at 3 to the calendar and add milk to the shopping list", "turn off the bed light and add milk to the shopping list",
		"add milk and put eggs on the shopping list", "add milk and turn the bed light off and bread to the shopping list", "add milk to the chores list and add eggs to the shopping list",
		"set a timer for 5 minutes and add milk to the shopping list", "add milk and what's on the calendar to the shopping list",
	} {
		if got := h.says(words); got != "- "+oneAtATime {
			t.Errorf("%q: got %q", words, got)
		}
	}
	s.expectCalls(t)
	h.expect(
		[2]string{"add washing powder and clean wipes to the shopping list", "“washing powder” and “clean wipes” are on the Shopping List now."},
		[2]string{"add set the table and put out the plates to the chores list", "“set the table and put out the plates” is on the Chores list now."},
	)
}
