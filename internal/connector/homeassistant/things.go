package homeassistant

import (
	"slices"
	"strings"
)

// "Turn on the kitchen lamp and the lights in the hall" are one order for each of them, told and
// seen to by itself like those for several rooms.

// mostThings is how many orders one sentence makes at most, so that each can be seen to in time.
const mostThings = 4

// thingVerbs are the words before and behind the things of such an order, its level among them,
// and thingWords those that may stand beside a thing.
var (
	thingVerbs = setOf(`turn switch put on off open close shut lock unlock set dim brighten raise lower start stop pause to at percent degrees degree please thanks`)
	thingWords = setOf(`the all my our`)
)

// eachThing is the order in q said for each device, or each room's things of one kind, by itself,
// where it is one verb for several of them and nothing else; nil where it is anything else.
func (c *Connector) eachThing(question string, all []entity) []string {
	raw, low, ends := spaced(question)
	said := stems(low)
	begin := len(low) - len(meant(low))
	from := begin
	for from < len(low) && thingVerbs[low[from]] {
		from++
	}
	if from == begin || !orders[low[begin]] {
		return nil
	}
	before := raw[:from]
	if from < len(low) && low[from] == "both" {
		from++
	}
	var things []string
	first, joined := from, false
	for {
		n := c.thingAt(said[first:], ends[first:], all)
		if n == 0 {
			break
		}
		things = append(things, strings.TrimRight(strings.Join(raw[first:first+n], " "), ".,;:!?"))
		first, joined = first+n, false
		for first < len(low) && (low[first] == "and" || low[first] == "also") {
			first, joined = first+1, true
		}
		if !joined && !ends[first-1] {
			break
		}
	}
	if joined || len(things) < 2 || len(things) > mostThings || len(before) < from && len(things) != 2 {
		return nil
	}
	for i, w := range low[first:] {
		if !thingVerbs[w] && (w[0] < '0' || w[0] > '9') || ends[first+i] && first+i+1 < len(low) {
			return nil
		}
	}
	for i, thing := range things {
		things[i] = strings.Join(slices.Concat(before, []string{thing}, raw[first:]), " ")
		if slices.Contains(things[:i], things[i]) {
			return nil
		}
	}
	return things
}

// eachClause is each order in q by itself, where it is several behind verbs of their own, and each
// is for several things or for one; nil where it is one, or more than are seen to in time.
func (c *Connector) eachClause(question string, all []entity) []string {
	raw, low, ends := spaced(question)
	var clauses []string
	from := len(low) - len(meant(low))
	for i := from + 1; i <= len(low); i++ {
		if i < len(low) && !(orders[low[i]] && (low[i-1] == "and" || low[i-1] == "then" || ends[i-1])) {
			continue
		}
		end := i
		for i < len(low) && end > from && (low[end-1] == "and" || low[end-1] == "then") {
			end--
		}
		clauses = append(clauses, strings.TrimRight(strings.Join(raw[from:end], " "), ".,;:!?"))
		from = i
	}
	if len(clauses) < 2 {
		return nil
	}
	var each []string
	for _, clause := range clauses {
		things := c.eachThing(clause, all)
		if things == nil {
			things = c.eachRoom(clause)
		}
		if things == nil {
			things = []string{clause}
		}
		each = append(each, things...)
	}
	if len(each) > mostThings {
		return nil
	}
	return each
}

// spaced are the words of a question as they were said, in small letters, and whether a part of
// it ends with each.
func spaced(question string) (raw, low []string, ends []bool) {
	for field := range strings.FieldsSeq(question) {
		if w := fold(field); len(w) == 1 {
			raw, low, ends = append(raw, field), append(low, w[0]), append(ends, strings.ContainsAny(field[len(field)-1:], ".,;:!?"))
		}
	}
	return raw, low, ends
}

// thingAt is how many of the words at their beginning are one thing: a device, in its room or
// not, or what a room holds of one kind. It is 0 where they are none.
func (c *Connector) thingAt(said []string, ends []bool, all []entity) int {
	i := 0
	for i < len(said) && thingWords[said[i]] {
		i++
	}
	device := nameAt(said[i:], all)
	room := c.roomAt(said[i:])
	isKind := func(i int) bool {
		return i < len(said) && slices.Contains(roomKinds, kinds[said[i]]) && said[i] != "switch"
	}
	switch {
	case device > room:
		return i + device + c.inRoomAt(said[i+device:], ends[i+device-1:])
	case room > 0 && isKind(i+room) && !ends[i+room-1]:
		return i + room + 1
	case isKind(i):
		if in := c.inRoomAt(said[i+1:], ends[i:]); in > 0 {
			return i + 1 + in
		}
	}
	return 0
}

// inRoomAt is how many of the words say in which room that is which stands before them. The
// first of the ends is that of the word before.
func (c *Connector) inRoomAt(said []string, ends []bool) int {
	if len(said) < 2 || ends[0] || said[0] != "in" {
		return 0
	}
	i := 1
	if thingWords[said[1]] {
		i = 2
	}
	if n := c.roomAt(said[i:]); n > 0 {
		return i + n
	}
	return 0
}

// nameAt is how many of the words at their beginning name a device, by its longest name.
func nameAt(said []string, all []entity) int {
	longest := 0
	for i := range all {
		for _, n := range append([]called{{stems: all[i].stems}}, all[i].also...) {
			if len(n.stems) > longest && begins(said, n.stems...) {
				longest = len(n.stems)
			}
		}
	}
	return longest
}
