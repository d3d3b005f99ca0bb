package words

import (
	"slices"
	"testing"
)

func TestListsAreReadAsTheyAreSaid(t *testing.T) {
	for text, want := range map[string]ListCommand{
		"add milk to the shopping list":                   {ListAdd, "shopping", "milk"},
		"Please put Eggs and bread on the shopping list.": {ListAdd, "shopping", "Eggs and bread"},
		"can you add two pints of milk to my list":        {ListAdd, "", "two pints of milk"},
		"add call to mum to the to do list":               {ListAdd, "todo", "call to mum"},
		"put bins out on the to-do list":                  {ListAdd, "todo", "bins out"},
		"add milk to the shopping list please":            {ListAdd, "shopping", "milk"},
		"add milk to the shopping":                        {ListAdd, "shopping", "milk"},
		"add milk to groceries":                           {ListAdd, "groceries", "milk"},
		"add to the shopping list milk":                   {ListAdd, "shopping", "milk"},
		"add egg timer to the shopping list":              {ListAdd, "shopping", "egg timer"},
		"add homework to Emma's list":                     {ListAdd, "emma's", "homework"},
		"add wish list to the shopping list":              {ListAdd, "shopping", "wish list"},
		"tick off milk on the shopping list":              {ListTick, "shopping", "milk"},
		"tick milk off the shopping list":                 {ListTick, "shopping", "milk"},
		"cross bread off on the shopping list":            {ListTick, "shopping", "bread"},
		"check bread off the shopping list":               {ListTick, "shopping", "bread"},
		"check what's on the shopping list":               {ListRead, "shopping", ""},
		"I'd like to add milk to the shopping list":       {ListAdd, "shopping", "milk"},
		"mark laundry as done on my to-do list":           {ListTick, "todo", "laundry"},
		"remove milk from the shopping list":              {ListRemove, "shopping", "milk"},
		"take eggs off the shopping list":                 {ListRemove, "shopping", "eggs"},
		"clear the shopping list":                         {ListClear, "shopping", ""},
		"remove everything from the shopping list":        {ListClear, "shopping", "everything"},
		"what is on the shopping list?":                   {ListRead, "shopping", ""},
		"what's left on the shopping list":                {ListRead, "shopping", ""},
		"what do we need from the shopping list":          {ListRead, "shopping", ""},
		"read me the shopping list":                       {ListRead, "shopping", ""},
		"show my list":                                    {ListRead, "", ""},
		"is milk on the shopping list?":                   {ListHas, "shopping", "milk"},
		"do we have oat milk on the shopping list":        {ListHas, "shopping", "oat milk"},
		"is there anything on the shopping list?":         {ListRead, "shopping", ""},
		"what lists do we have?":                          {Verb: Lists},
	} {
		got, ok := ParseList(text, []string{"Groceries", "Shopping List"})
		if got != want || ok != (want.Verb != "") {
			t.Errorf("%q is read as %+v, %v; want %+v", text, got, ok, want)
		}
	}
}

func TestOtherThingsAreNotTakenForLists(t *testing.T) {
	for _, text := range []string{
		"turn on the kitchen light", "add dentist on Friday to my calendar", "what is on TV", "list my timers", "", "list", "add milk", "is the light on",
		"don't add milk to the shopping list", "should I add milk to the shopping list?", "Nan said add milk to the shopping list",
	} {
		if got, ok := ParseList(text, []string{"Groceries"}); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestThingsToBuyAreTakenApart(t *testing.T) {
	for text, want := range map[string][]string{
		"milk": {"milk"}, "Eggs and bread": {"Eggs", "bread"}, "milk, eggs, and brown bread": {"milk", "eggs", "brown bread"}, "": nil, "and": nil, "sand": {"sand"},
	} {
		if got := Items(text); !slices.Equal(got, want) {
			t.Errorf("%q is taken apart as %q", text, got)
		}
	}
}

// No words make a reader panic.
func FuzzEventsAndLists(f *testing.F) {
	for _, s := range []string{
		"add x on friday from 5 to 6", "put it to list", "add to the list", "add a 5-", "is on list", "add 31 February to calendar", "add 5–6 to to to 7",
		`add "a" and "b" on Friday at 3 to my calendar`, "add the Friday on Friday at 7", `add "x on Friday" tomorrow from 5 to 6 pm`, "add x next year on 3 May",
		"we need milk, - and 2 eggs.", "what's on at the weekend", "next week on Tuesday", "at half six", "tonight at 12 to x", "for five minutes",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, _ := ParseEvent(text, monday, []string{"Calendar 1"})
		for _, s := range e.Spans {
			if !s.End.After(s.Start) {
				t.Fatalf("%q is read as %+v", text, e)
			}
			// What is offered to choose from never becomes another event.
			order := Order(e.Title, s, "the Calendar 1")
			if again, ok := ParseEvent(order, monday, []string{"Calendar 1"}); ok && again.Unfit == "" && (len(again.Spans) != 1 || again.Spans[0] != s || again.Title != e.Title) {
				t.Fatalf("%q is offered as %q and read as %+v instead of %+v", text, order, again, e)
			}
		}
		if days, ok, _ := DaysIn(text, monday); ok && !days.End().After(days.First) {
			t.Fatalf("%q is read as %+v", text, days)
		}
		if item, ok := ParseGoods(text, Anything); ok && len(Items(item)) == 0 {
			t.Fatalf("%q puts %q on a list", text, item)
		}
		for _, asked := range []string{"set a timer", "wake me", "remind me", "remind me to x"} {
			if whole, ok := Complete(asked, text, monday); ok {
				if c, ok := Parse(whole, monday); !ok || c.Verb != Set {
					t.Fatalf("%q, %q makes %q", asked, text, whole)
				}
			}
			Missing(text, monday)
		}
		if c, ok := ParseList(text, []string{"a list", ""}); ok && c.Verb == "" {
			t.Fatalf("%q is read as %+v", text, c)
		}
	})
}
