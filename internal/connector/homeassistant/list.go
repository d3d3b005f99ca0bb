package homeassistant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/spoken"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/timers/words"
)

// What a to-do list can do, as its features say.
const (
	canAdd    = 1
	canRemove = 2
	canTick   = 4
)

// mostItems is how many entries one sentence adds or changes, and mostRead how many are read out.
const (
	mostItems = 20
	mostRead  = 10
)

// item is one entry of a to-do list.
type item struct {
	Summary string `json:"summary"`
	UID     string `json:"uid"`
	Status  string `json:"status"`
}

const (
	itemOpen = "needs_action"
	itemDone = "completed"
)

// listCommand is what q says about a to-do list, be it only that there is no more milk.
func (c *Connector) listCommand(q ask.Question) (words.ListCommand, bool) {
	cmd, ok := words.ParseList(q.Question, c.namesOf("todo"))
	if ok {
		return cmd, true
	}
	shopping := c.shoppingList()
	if item, ok := words.ParseNeeded(q.Question); ok && shopping != "" {
		verb := words.ListHas
		if item == "" {
			verb = words.ListRead
		}
		return words.ListCommand{Verb: verb, List: shopping, Item: item}, true
	}
	item, ok := words.ParseGoods(q.Question, words.Known)
	if !ok && shopping != "" {
		item, ok = words.ParseGoods(q.Question, words.Anything)
		ok = ok && !c.isDevice(item) && placeIn(fold(item), c.house.rooms()).name == ""
	}
	return words.ListCommand{Verb: words.ListAdd, List: shopping, Item: item}, ok
}

// shoppingList is the one list for things to buy, as it is called; empty where there is none or
// are several, so that it is the only list at all or is asked for.
func (c *Connector) shoppingList() string {
	lists := slices.DeleteFunc(c.of("todo"), func(e entity) bool { return !forShopping(e) })
	if len(lists) != 1 {
		return ""
	}
	return words.Plain(lists[0].Name)
}

// forShopping is whether a list is one of things to buy, by one of its names.
func forShopping(list entity) bool {
	return list.goesBy(func(name string) bool {
		return slices.ContainsFunc(bare(name), func(w string) bool { return slices.Contains(shopping, w) })
	})
}

// readList answers what is on a list. It goes by the WebSocket, where
// reading is no service call.
func (c *Connector) readList(ctx context.Context, cmd words.ListCommand) (ask.Answer, error) {
	if !c.house.believed() {
		return ask.Answer{}, c.notReady()
	}
	if cmd.Verb == words.Lists {
		return sayLists(c.of("todo")), nil
	}
	list, why, err := c.theList(cmd)
	if err != nil || why != "" {
		return ask.NoAnswer(why), err
	}
	items, err := c.items(ctx, list)
	if err != nil {
		return ask.Answer{}, err
	}
	open := slices.DeleteFunc(items, func(i item) bool { return i.Status != itemOpen })
	if cmd.Verb == words.ListHas {
		return has(list, open, cmd.Item), nil
	}
	return sayItems(list, open), nil
}

// theList is the list that is meant. Where it is unclear it asks, and where there is none
// it says why.
func (c *Connector) theList(cmd words.ListCommand) (list entity, why string, err error) {
	all := c.of("todo")
	if len(all) == 0 {
		return entity{}, "Home Assistant has no to-do list for that", nil
	}
	found := all
	if cmd.List != "" {
		found = pick(all, cmd.List)
	}
	if len(found) == 1 {
		return found[0], "", nil
	}
	u := &dispatch.Unclear{Ask: "Which list: "}
	if len(found) == 0 {
		found = all
	}
	if same(found) {
		return entity{}, "Several lists have one name; give them names of their own in Home Assistant", nil
	}
	for _, l := range found[:min(len(found), routing.MaxChoices)] {
		u.Choices = append(u.Choices, routing.Choice{Label: l.Name, Question: again(cmd, listName(l))})
	}
	u.Ask += choose(u.Choices) + "?"
	if len(found) == 1 {
		u.Ask = "Do you mean " + listName(found[0]) + "?"
	}
	return entity{}, "", u
}

// again is the command about that list, as it can be said.
func again(cmd words.ListCommand, list string) string {
	switch cmd.Verb {
	case words.ListAdd:
		return "add " + cmd.Item + " to " + list
	case words.ListTick:
		return "tick off " + cmd.Item + " on " + list
	case words.ListRemove:
		return "remove " + cmd.Item + " from " + list
	case words.ListHas:
		return "is " + cmd.Item + " on " + list + "?"
	}
	return "what is on " + list + "?"
}

// listName is "the Shopping list".
func listName(e entity) string {
	if at(fold(e.Name), []string{"list"}) >= 0 {
		return "the " + e.Name
	}
	return "the " + e.Name + " list"
}

// whichList asks to which list something is to be added.
func (c *Connector) whichList(q ask.Question) (ask.Answer, error) {
	said := strings.Fields(q.Question)
	what := said[slices.IndexFunc(said, func(w string) bool { return slices.Equal(fold(w), []string{"add"}) })+1:]
	cmd := words.ListCommand{Verb: words.ListAdd, Item: strings.TrimRight(strings.Join(what, " "), " .!?")}
	if len(c.of("todo")) == 0 || cmd.Item == "" {
		return ask.NoAnswer("Please say to what I shall add that"), nil
	}
	list, why, err := c.theList(cmd)
	if err == nil && why == "" {
		err = &dispatch.Unclear{
			Ask: "Do you mean " + listName(list) + "?", Choices: []routing.Choice{{Label: list.Name, Question: again(cmd, listName(list))}},
		}
	}
	return ask.NoAnswer(why), err
}

// changeList adds to a list, ticks off or removes.
func (c *Connector) changeList(ctx context.Context, cmd words.ListCommand) (ask.Answer, error) {
	switch {
	case cmd.Verb == words.ListSeveral:
		return ask.NoAnswer(oneAtATime), nil
	case cmd.Verb == words.ListClear:
		return ask.NoAnswer("I take only from a list what was named"), nil
	case cmd.Item == "":
		return ask.NoAnswer("Please say what is meant on the list"), nil
	case !safe(cmd.Item):
		return ask.NoAnswer("I cannot keep those words"), nil
	}
	list, why, err := c.theList(cmd)
	if err != nil || why != "" {
		return ask.NoAnswer(why), err
	}
	change := changes[cmd.Verb]
	switch {
	case c.may(&list) != may:
		return ask.NoAnswer("I may not change " + listName(list) + "; that has to be allowed in askhub.toml first"), nil
	case !list.can(change.feature) || !list.answers():
		return ask.NoAnswer(capital(listName(list)) + " does not let me do that"), nil
	}
	items := parts(list, cmd.Item)
	if cmd.Verb == words.ListAdd && len(items) > 1 && slices.ContainsFunc(items, beginsAnew) {
		return ask.NoAnswer(oneAtATime), nil
	}
	if err := c.turn(ctx); err != nil {
		return ask.Answer{}, err
	}
	defer c.done()
	there, err := c.items(ctx, list)
	if err != nil {
		return ask.Answer{}, err
	}
	if cmd.Verb == words.ListAdd {
		return c.addItems(ctx, list, items, there)
	}
	return c.changeItems(ctx, list, cmd, there)
}

// changes are what may be done to an entry that is there, and how it is said.
var changes = map[words.ListVerb]struct {
	feature       int
	service, done string
	data          map[string]any
}{
	words.ListAdd:    {feature: canAdd},
	words.ListTick:   {canTick, "todo/update_item", "%s ticked off on %s.", map[string]any{"status": itemDone}},
	words.ListRemove: {canRemove, "todo/remove_item", "%s off %s now.", nil},
}

// shopping are words in a name of a list of things to buy.
var shopping = []string{"shopping", "grocery", "groceries", "grocerie", "supermarket"}

// parts are the entries that an item's words are for that list: things to buy are taken
// apart at "and", and all other words are one entry.
func parts(list entity, item string) []string {
	if forShopping(list) {
		return words.Items(item)
	}
	return []string{item}
}

// beginsAnew is whether an entry on a list of things to buy is none, but the next thing that was
// said: "milk and put bread".
func beginsAnew(item string) bool {
	said := fold(item)
	return len(said) > 1 && (questionFirst[said[0]] || said[0] == "put" || orders[said[0]] && objects[said[1]])
}

// addItems adds what is not there yet.
func (c *Connector) addItems(ctx context.Context, list entity, items []string, there []item) (ask.Answer, error) {
	switch {
	case len(items) > mostItems:
		return ask.NoAnswer("That is too much at once; please say it in parts"), nil
	case slices.ContainsFunc(items, func(s string) bool { return utf8.RuneCountInString(s) > maxTitle }):
		return ask.NoAnswer("That is too long for a list; please say it in fewer words"), nil
	}
	var added, had []string
	for _, s := range items {
		i := slices.IndexFunc(there, func(i item) bool { return alike(i.Summary, s) })
		switch {
		case i >= 0 && there[i].Status == itemOpen || slices.ContainsFunc(added, func(a string) bool { return alike(a, s) }):
			had = append(had, s)
			continue
		case i >= 0 && list.can(canTick):
			// It was ticked off, and is needed again.
			if err := c.service(ctx, "todo/update_item", map[string]any{"entity_id": list.ID, "item": there[i].UID, "status": itemOpen}); err != nil {
				return partly(list, added, s, err)
			}
		default:
			if err := c.service(ctx, "todo/add_item", map[string]any{"entity_id": list.ID, "item": s}); err != nil {
				return partly(list, added, s, err)
			}
		}
		added = append(added, s)
	}
	if len(added) == 0 {
		return fitting(allQuoted(had, "is", "are")+" on "+listName(list)+" already.", "That is on "+listName(list)+" already."), nil
	}
	seen := c.seen(ctx, list, func(now []item) bool {
		return !slices.ContainsFunc(added, func(s string) bool {
			return !slices.ContainsFunc(now, func(i item) bool { return i.Status == itemOpen && alike(i.Summary, s) })
		})
	})
	if !seen {
		return ask.NoAnswer("Home Assistant took that, but I do not see it on " + listName(list)), nil
	}
	sentence := allQuoted(added, "is", "are") + " on " + listName(list) + " now"
	if len(had) > 0 {
		sentence += "; " + allQuoted(had, "was", "were") + " there already"
	}
	return fitting(sentence+".", fmt.Sprintf("That makes %d new on %s.", len(added), listName(list))), nil
}

// changeItems ticks off or removes what was named, all of it or nothing.
func (c *Connector) changeItems(ctx context.Context, list entity, cmd words.ListCommand, there []item) (ask.Answer, error) {
	open := there
	if cmd.Verb == words.ListTick {
		open = slices.DeleteFunc(slices.Clone(there), func(i item) bool { return i.Status != itemOpen })
	}
	names := []string{cmd.Item}
	if len(entriesOf(there, cmd.Item)) == 0 {
		names = parts(list, cmd.Item)
	}
	var meant []item
	for _, name := range names {
		found := entriesOf(open, name)
		switch {
		case len(found) > 0:
			meant = append(meant, found[0])
		case len(entriesOf(there, name)) > 0:
			return fitting(quoted(name)+" is ticked off already.", "That is ticked off already."), nil
		case len(matching(open, name)) > 0:
			return ask.Answer{}, whichItem(cmd, list, matching(open, name))
		default:
			return ask.NoAnswer(firstFit("There is no "+quoted(name)+" on "+listName(list), "That is not on "+listName(list))), nil
		}
	}
	change := changes[cmd.Verb]
	var said []string
	for _, m := range meant {
		data := map[string]any{"entity_id": list.ID, "item": m.UID}
		maps.Copy(data, change.data)
		name := spoken.Clean(m.Summary, maxName)
		if err := c.service(ctx, change.service, data); err != nil {
			return partly(list, said, name, err)
		}
		said = append(said, name)
	}
	seen := c.seen(ctx, list, func(now []item) bool {
		return !slices.ContainsFunc(now, func(i item) bool {
			return slices.ContainsFunc(meant, func(m item) bool { return m.UID == i.UID }) && (cmd.Verb == words.ListRemove || i.Status != itemDone)
		})
	})
	if !seen {
		return ask.NoAnswer("Home Assistant took that, but I do not see it done on " + listName(list)), nil
	}
	return fitting(fmt.Sprintf(change.done, allQuoted(said, "is", "are"), listName(list)), fmt.Sprintf(change.done, "That is", listName(list))), nil
}

// partly says that Home Assistant has taken some of it, and then not the next.
func partly(list entity, taken []string, next string, err error) (ask.Answer, error) {
	if len(taken) == 0 {
		return notTaken(listName(list), err)
	}
	look := "; please look at " + listName(list)
	return ask.NoAnswer(firstFit("Home Assistant took "+spoken.And(inQuotes(taken))+" and not "+quoted(next)+look, "Home Assistant took only a part of that"+look)), nil
}

// entriesOf are the entries of that name.
func entriesOf(items []item, name string) []item {
	return slices.DeleteFunc(slices.Clone(items), func(i item) bool { return !alike(i.Summary, name) })
}

// matching are the entries that hold all words of the name.
func matching(items []item, name string) []item {
	said := stems(fold(name))
	return slices.DeleteFunc(slices.Clone(items), func(i item) bool {
		there := stems(fold(i.Summary))
		return len(said) == 0 || slices.ContainsFunc(said, func(w string) bool { return !slices.Contains(there, w) })
	})
}

// whichItem asks which entry is meant, be it one that only holds the words that were said.
func whichItem(cmd words.ListCommand, list entity, found []item) error {
	u := &dispatch.Unclear{}
	for _, i := range found[:min(len(found), routing.MaxChoices)] {
		cmd.Item = spoken.Clean(i.Summary, maxTitle)
		u.Choices = append(u.Choices, routing.Choice{Label: spoken.Clean(i.Summary, maxName), Question: again(cmd, listName(list))})
	}
	u.Ask = firstFit("Which one: "+choose(u.Choices)+"?", "Which one do you mean?")
	if len(found) == 1 {
		u.Ask = firstFit("Do you mean "+quoted(u.Choices[0].Label)+"?", "Do you mean the one that is there?")
	}
	return u
}

// items are those of a list, read anew.
func (c *Connector) items(ctx context.Context, list entity) ([]item, error) {
	l, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer l.end()
	return l.items(ctx, list)
}

func (l *live) items(ctx context.Context, list entity) ([]item, error) {
	raw, err := l.call(ctx, map[string]any{"type": "todo/item/list", "entity_id": list.ID})
	if err != nil {
		return nil, err
	}
	var reply struct {
		Items []item `json:"items"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return nil, fmt.Errorf("home assistant's list %s is not the expected one", list.ID)
	}
	return reply.Items, nil
}

// seen waits for a list to be as it is wanted.
func (c *Connector) seen(ctx context.Context, list entity, met func([]item) bool) bool {
	l, err := c.connect(ctx)
	if err != nil {
		return false
	}
	defer l.end()
	return c.until(ctx, func(ctx context.Context) (bool, error) {
		items, err := l.items(ctx, list)
		return err == nil && met(items), err
	})
}

// has answers whether an entry is there.
func has(list entity, open []item, name string) ask.Answer {
	if len(entriesOf(open, name)) > 0 {
		return fitting("Yes, "+quoted(name)+" is on "+listName(list)+".", "Yes, that is on "+listName(list)+".")
	}
	if found := matching(open, name); len(found) > 0 {
		return sayItems(list, found)
	}
	return fitting("No, "+quoted(name)+" is not on "+listName(list)+".", "No, that is not on "+listName(list)+".")
}

// sayItems is what is on a list, in one sentence.
func sayItems(list entity, open []item) ask.Answer {
	if len(open) == 0 {
		return ask.Say("There is nothing on " + listName(list) + ".")
	}
	var said []string
	for _, i := range open[:min(len(open), mostRead)] {
		s := spoken.Clean(i.Summary, maxName)
		if s == "" {
			s = "an entry that cannot be said"
		}
		said = append(said, s)
	}
	if more := len(open) - mostRead; more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	return spokenAnswer("On " + listName(list) + " there is " + spoken.And(said) + ".")
}

func sayLists(lists []entity) ask.Answer {
	if len(lists) == 0 {
		return ask.NoAnswer("Home Assistant has no to-do list")
	}
	var said []string
	for _, l := range lists[:min(len(lists), mostRead)] {
		said = append(said, listName(l))
	}
	return spokenAnswer("There is " + spoken.And(said) + ".")
}

// allQuoted is `“eggs” and “bread” are`.
func allQuoted(names []string, one, more string) string {
	verb := more
	if len(names) == 1 {
		verb = one
	}
	return spoken.And(inQuotes(names)) + " " + verb
}

// inQuotes are the names, each quoted.
func inQuotes(names []string) []string {
	quotes := make([]string, len(names))
	for i, n := range names {
		quotes[i] = quoted(n)
	}
	return quotes
}

// firstFit is the sentence, or the plainer one where that is not fit to be spoken.
func firstFit(sentence, plainer string) string {
	if ask.CheckSentence(sentence, false) != nil {
		return plainer
	}
	return sentence
}
