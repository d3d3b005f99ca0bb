package homeassistant

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

// "The lights in the kitchen and the hall" are one order for each room. Home Assistant's agent
// acts on one of them, or on more than was said, so each is told to it and seen to by itself.

// roomKinds are the kinds of things that are ordered for several rooms at once, roomVerbs the words
// of such an order, and between what stands between its rooms. Anything else among them is no
// such order.
var (
	roomKinds = []string{"light", "fan", "cover", "switch"}
	roomVerbs = setOf(`turn switch put on off open close shut the in all my our please thanks`)
	between   = setOf(`and the in on my our`)
)

// part is one room's share of an order, and what it is about.
type part struct {
	question string
	words    []string
	aim      aim
}

// shares is whether both are about one and the same thing.
func (p part) shares(o part) bool {
	return slices.ContainsFunc(p.aim.targets, func(e entity) bool {
		return slices.ContainsFunc(o.aim.targets, func(other entity) bool { return other.ID == e.ID })
	})
}

// eachRoom is the order in q said for each room by itself, where it is one kind of thing in
// several rooms and nothing else; nil where it is anything else.
func (c *Connector) eachRoom(question string) []string {
	raw, low, _ := spaced(question)
	begin := len(low) - len(meant(low))
	said := stems(low)
	rooms := c.roomsIn(said)
	if len(rooms) < 2 || len(rooms) > routing.MaxChoices {
		return nil
	}
	first, last := rooms[0][0], rooms[len(rooms)-1][1]
	joined, kind := false, 0
	for i := begin; i < len(low); i++ {
		switch inRooms := slices.ContainsFunc(rooms, func(r [2]int) bool { return i >= r[0] && i < r[1] }); {
		case inRooms:
		case i > first && i < last:
			if !between[low[i]] {
				return nil
			}
			joined = joined || low[i] == "and"
		case slices.Contains(roomKinds, kinds[said[i]]) && low[i] != "switch":
			kind++
		case !roomVerbs[low[i]]:
			return nil
		}
	}
	if !joined || kind != 1 {
		return nil
	}
	var all []string
	for _, r := range rooms {
		room := strings.Trim(strings.Join(raw[r[0]:r[1]], " "), ".,;:!?")
		order := strings.Join(slices.Concat(raw[:first], []string{room}, raw[last:]), " ")
		if slices.Contains(all, order) {
			return nil
		}
		all = append(all, order)
	}
	return all
}

// roomsIn is where rooms are named in the words, each from its first word to the one after it.
func (c *Connector) roomsIn(said []string) (rooms [][2]int) {
	for i := 0; i < len(said); {
		n := c.roomAt(said[i:])
		if n > 0 {
			rooms = append(rooms, [2]int{i, i + n})
		}
		i += max(n, 1)
	}
	return rooms
}

// roomAt is how many of the words at their beginning name a room or a floor, by its longest name.
func (c *Connector) roomAt(said []string) int {
	longest := 0
	for _, p := range c.house.rooms() {
		for _, n := range append([]called{p.called}, p.also...) {
			if len(n.stems) > longest && begins(said, n.stems...) {
				longest = len(n.stems)
			}
		}
	}
	return longest
}

// partsOf is what each of the orders is about, or why none of them is carried out: where one
// is not clear or not allowed, nothing is done of the others either.
func (c *Connector) partsOf(orders []string, all []entity) (parts []part, why string) {
	for _, order := range orders {
		p := part{question: order, words: meant(fold(order))}
		p.aim = c.aimOf(p.words, all)
		kind := kindIn(p.words)
		// A light that is called like the room, or one that two of the rooms hold, is not clear.
		unclear := p.aim.room != "" && (slices.ContainsFunc(all, func(e entity) bool {
			return e.domain() == kind && slices.ContainsFunc(e.calls(), func(n called) bool { return slices.Equal(n.stems, p.aim.there.said) })
		}) || slices.ContainsFunc(parts, func(o part) bool { return o.aim.room != "" && o.shares(p) }))
		verb, _ := verbOf(p.words)
		opposed := slices.ContainsFunc(parts, func(o part) bool {
			other, _ := verbOf(o.words)
			return other != verb && o.shares(p)
		})
		switch {
		case p.aim.barred != nil:
			return nil, barred(p.aim)
		case p.aim.there.twins && (p.aim.twins || p.aim.room != ""):
			return nil, severalRooms(p.aim.there)
		case p.aim.twins, unclear, opposed, p.aim.narrowed(p.words), len(p.aim.targets) == 0 && p.aim.room == "":
			return nil, oneAtATime
		case len(p.aim.targets) == 0:
			return nil, nothingIn(p.aim.there)
		}
		if why := cmp.Or(notNow(p.words, p.aim.targets, p.aim.there), notAlone(order, p.aim)); why != "" {
			return nil, why
		}
		parts = append(parts, p)
	}
	return parts, ""
}

// nothingIn says that there is nothing in a place of the kind that is meant.
func nothingIn(p there) string {
	if strings.Contains(p.name, "'s ") || strings.Contains(p.name, "’s ") {
		return "I know nothing of that kind in " + p.name
	}
	return "I know nothing of that kind in the " + lowerFirst(p.name)
}

// doEach has every part carried out by itself, and says of each what became of it.
func (c *Connector) doEach(ctx context.Context, parts []part, all []entity) (ask.Answer, error) {
	before := make(map[string]entity, len(all))
	for _, e := range all {
		before[e.ID] = e
	}
	replies, faults := make([]conversed, len(parts)), make([]error, len(parts))
	for i, p := range parts {
		replies[i], faults[i] = c.converse(ctx, c.toAgent(p.question, p.aim, all), conversation(ctx))
	}
	if !slices.Contains(faults, nil) {
		if errors.Is(faults[0], errNoAgent) {
			c.cfg.Log.Error("nothing can be acted on", "cause", faults[0])
			return ask.NoAnswer(noAgent), nil
		}
		return ask.Answer{}, faults[0]
	}
	var said []string
	whole := true
	for i, p := range parts {
		sentence, done := c.becameOf(ctx, p, replies[i], faults[i], before)
		whole = whole && done
		if i > 0 && strings.HasPrefix(sentence, "The ") {
			sentence = "t" + sentence[1:]
		}
		if !slices.Contains(said, sentence) {
			said = append(said, sentence)
		}
	}
	return sayParts(said, whole), nil
}

// sayParts is one sentence of what became of each part; it is done where all of them are.
func sayParts(said []string, whole bool) ask.Answer {
	sentence := strings.Join(said, "; ")
	switch {
	case ask.CheckSentence(sentence+".", true) != nil:
		return ask.NoAnswer("Home Assistant took that, and I cannot say what became of it")
	case !whole:
		return ask.NoAnswer(sentence)
	}
	return ask.Say(sentence + ".")
}

// becameOf says what became of one part, and whether it was done.
func (c *Connector) becameOf(ctx context.Context, p part, reply conversed, fault error, before map[string]entity) (sentence string, done bool) {
	switch {
	case fault != nil:
		return "Home Assistant did not answer about " + names(p.aim), false
	case reply.Response.Type == "error":
		return misunderstood(reply, c.language(ctx), p.aim), false
	case reply.Response.Type == "query_answer":
		return "Home Assistant took " + names(p.aim) + " for a question", false
	}
	a := c.verify(ctx, p.aim, reply, func(e entity) want { return wantOf(clauseOf(p.words, e), before) })
	if a.Answer == nil {
		return a.Reason, false
	}
	return strings.TrimSuffix(*a.Answer, "."), true
}
