package words

import (
	"slices"
	"strings"
)

// ListVerb is what is wanted of a to-do list.
type ListVerb string

// The verbs. ListRead, ListHas and Lists only ask; ListClear is never done.
const (
	ListAdd    ListVerb = "add"
	ListTick   ListVerb = "tick"
	ListRemove ListVerb = "remove"
	ListClear  ListVerb = "clear"
	ListRead   ListVerb = "read"
	ListHas    ListVerb = "has"
	Lists      ListVerb = "lists"
	// ListSeveral is a list beside another order, of which neither is done.
	ListSeveral ListVerb = "several"
)

// Asks is whether it only asks.
func (v ListVerb) Asks() bool { return v == ListRead || v == ListHas || v == Lists }

// ListCommand is what was said about a to-do list.
type ListCommand struct {
	Verb ListVerb
	// List is the one that was named, in small letters and without the word "list"; empty
	// where none was.
	List string
	// Item is what is added, ticked off, removed or asked for, in the words as they were said.
	Item string
}

var listWords = []string{"list", "lists"}

// ParseList reads "add milk to the shopping list", "what is on the shopping list". It is
// false where the text is about no list. names are how the lists are called.
func ParseList(text string, names []string) (ListCommand, bool) {
	s := split(text).offEnd("please", "thanks")
	if len(s.low) > maxOrder {
		return ListCommand{}, false
	}
	if c, ok := askList(s, names); ok {
		return c, true
	}
	p, ok := s.list(names, "to", "on", "onto", "in", "into", "from", "off", "of", "clear", "empty", "wipe")
	if !ok || len(s.low) < 2 {
		return ListCommand{}, false
	}
	c := ListCommand{List: p.name}
	if i := slices.IndexFunc(s.low, func(w string) bool { return slices.Contains(listWords, w) }); i > 0 && s.orders(i) || s.adds() {
		c.Verb = ListSeveral // "add milk to the shopping list and turn on the lamp"
		return c, true
	}
	if slices.Contains([]string{"clear", "empty", "wipe"}, s.low[p.start]) {
		c.Verb = ListClear
		return c, true
	}
	if s = s.without(p.start, p.end); len(s.low) == 0 {
		return ListCommand{}, false
	}
	first, what := s.low[0], s.from(1)
	switch first {
	case "add", "put", "write", "note", "stick":
		c.Verb, what = ListAdd, what.off("down")
	case "check":
		c.Verb, what = ListTick, what.off("off", "out")
		if len(what.low) > 0 && slices.Contains([]string{"what", "what's", "whats", "if", "whether"}, what.low[0]) {
			return ListCommand{Verb: ListRead, List: p.name}, true
		}
	case "tick", "cross", "strike":
		c.Verb, what = ListTick, what.off("off", "out")
	case "mark", "complete", "finish":
		c.Verb = ListTick
		if i := slices.Index(what.low, "as"); i > 0 {
			what = what.upTo(i)
		} else {
			what = what.off("off", "done", "complete", "completed", "finished")
		}
	case "remove", "delete", "take", "scratch", "drop":
		c.Verb, what = ListRemove, what.off("off", "out", "away")
		if len(what.low) == 0 || what.has("everything", "all") {
			c.Verb = ListClear
		}
	default:
		return ListCommand{}, false
	}
	c.Item = what.title()
	return c, true
}

// askList reads questions about lists.
func askList(s said, names []string) (ListCommand, bool) {
	if len(s.low) == 0 || !slices.Contains(listQuestions, s.low[0]) {
		return ListCommand{}, false
	}
	if (s.low[0] == "what" || s.low[0] == "which") && len(s.low) > 1 && s.low[1] == "lists" {
		return ListCommand{Verb: Lists}, true
	}
	p, ok := s.list(names, "on", "in", "from", "of", "for", "show", "read", "list", "me", "about")
	if !ok {
		return ListCommand{}, false
	}
	c := ListCommand{Verb: ListRead, List: p.name}
	switch s.low[0] {
	case "is", "are", "do", "does", "did", "have", "has":
		what := said{s.low[:p.start], s.raw[:p.start]}.after("is", "are", "do", "does", "did", "have", "has", "we", "i", "you", "there", "got", "need", "put", "any", "some")
		what = what.off("already", "still", "left")
		if what.has("anything", "something", "what") || len(what.low) == 0 || slices.Contains(listQuestions, what.low[0]) {
			return c, true
		}
		c.Verb, c.Item = ListHas, what.title()
	}
	return c, true
}

var listQuestions = []string{"what", "what's", "whats", "which", "is", "are", "do", "does", "did", "have", "has", "how", "show", "read", "tell", "list"}

// list finds the list that the words name: with its noun, or by a known name at the end.
func (s said) list(names []string, prepositions ...string) (place, bool) {
	p, ok := s.place(listWords, names, prepositions...)
	if ok {
		p.name = strings.TrimSuffix(p.name, " list")
		return p, true
	}
	for start := range s.low {
		if !slices.Contains(prepositions, s.low[start]) {
			continue
		}
		inner := s.from(start+1).after("the", "my", "our")
		name := strings.Join(inner.low, " ")
		if slices.ContainsFunc(names, func(n string) bool { return strings.TrimSuffix(Plain(n), " list") == name }) {
			return place{start: start, end: len(s.low), name: name}, true
		}
	}
	return place{}, false
}

// upTo is the first n of the words.
func (s said) upTo(n int) said { return said{s.low[:n], s.raw[:n]} }

// offEnd takes each of the words off the end.
func (s said) offEnd(words ...string) said {
	for len(s.low) > 0 && slices.Contains(words, s.low[len(s.low)-1]) {
		s = s.upTo(len(s.low) - 1)
	}
	return s
}

// off takes each of the words off either end.
func (s said) off(words ...string) said {
	for len(s.low) > 0 && slices.Contains(words, s.low[0]) {
		s = s.from(1)
	}
	return s.offEnd(words...)
}

// Items are the things that an item's words name, where each is a thing to buy: "eggs and
// bread" are two.
func Items(item string) []string {
	var items []string
	for part := range strings.SplitSeq(item, ",") {
		words := strings.Fields(part)
		for len(words) > 0 {
			i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, "and") })
			if i < 0 {
				i = len(words)
			}
			if i > 0 {
				items = append(items, strings.Join(words[:i], " "))
			}
			words = words[min(i+1, len(words)):]
		}
	}
	return items
}
