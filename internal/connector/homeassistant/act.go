package homeassistant

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/spoken"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/routing"
)

// Do has Home Assistant carry out what q says, once it is sure what that is about and
// that it may, and says what became of it.
func (c *Connector) Do(ctx context.Context, q ask.Question) (ask.Answer, error) {
	q.Question = withoutRemark(q.Question)
	words := meant(fold(q.Question))
	all, warm := c.house.all()
	if !warm {
		return ask.Answer{}, c.notReady()
	}
	if cmd, ok := c.listCommand(q); ok {
		if cmd.Verb.Asks() {
			return c.readList(ctx, cmd)
		}
		return c.changeList(ctx, cmd)
	}
	if e, ok := c.event(q); ok {
		return c.addEvent(ctx, q, e)
	}
	switch {
	case onCondition(q.Question):
		return ask.NoAnswer(onlyAtOnce), nil
	case alsoAsks(q.Question):
		return ask.Answer{}, dispatch.ErrAlone
	}
	all = slices.DeleteFunc(all, func(e entity) bool { return e.written() })
	a := c.aimOf(words, all)
	beside := notAlone(q.Question, a)
	orders := c.eachThing(q.Question, all)
	if orders == nil && (len(a.targets) == 0 || a.barred != nil || a.twins || beside != "") {
		orders = c.eachRoom(q.Question)
		if orders == nil && beside == oneAtATime {
			orders = c.eachClause(q.Question, all)
		}
	}
	if orders != nil {
		parts, why := c.partsOf(orders, all)
		if why != "" {
			return ask.NoAnswer(why), nil
		}
		return c.doEach(ctx, parts, all)
	}
	switch {
	case a.barred != nil:
		return ask.NoAnswer(barred(a)), nil
	case a.there.twins && (a.twins || a.room != ""):
		return ask.NoAnswer(severalRooms(a.there)), nil
	case a.twins:
		return ask.Answer{}, twins(q.Question, a.targets, all)
	case slices.ContainsFunc(words, func(w string) bool { return slices.Contains(except, w) }):
		return ask.NoAnswer(nameIt), nil
	case len(a.targets) == 0, a.narrowed(words):
		return c.unknown(ctx, q, words, all)
	}
	if why := cmp.Or(notNow(words, a.targets, a.there), beside); why != "" {
		return ask.NoAnswer(why), nil
	}
	before := make(map[string]entity, len(a.targets))
	for _, e := range a.targets {
		before[e.ID] = e
	}
	reply, err := c.converse(ctx, c.toAgent(q.Question, a, all), conversation(ctx))
	if errors.Is(err, errNoAgent) {
		c.cfg.Log.Error("nothing can be acted on", "cause", err)
		return ask.NoAnswer(noAgent), nil
	}
	if err != nil {
		return ask.Answer{}, err
	}
	switch reply.Response.Type {
	case "error":
		return ask.NoAnswer(misunderstood(reply, c.language(ctx), a)), nil
	case "query_answer": // a question in another language; what is so we know ourselves
		return sayStates(words, c.fresh(a.targets)), nil
	}
	for _, t := range slices.Concat(reply.Response.Data.Success, reply.Response.Data.Failed) { // it may have acted on more
		if i := slices.IndexFunc(all, func(e entity) bool { return e.ID == t.ID }); i >= 0 {
			before[t.ID] = all[i]
		}
	}
	return c.verify(ctx, a, reply, func(e entity) want { return wantOf(clauseOf(words, e), before) }), nil
}

// noAgent is said of a Home Assistant that has none.
const noAgent = "Home Assistant has no agent of its own that could do that"

// notWhat is said where the words neither name a device nor say what is to be done.
const notWhat = "I did not understand what to do, or with which device"

// paper are words of what is written in a calendar; onlyAdds is said where they are not
// understood as something to add.
var paper = setOf("calendar diary agenda")

const onlyAdds = "I did not understand that; I can add an event with its day and hour to a calendar, and Home Assistant's pages do the rest"

// nameIt is said where more is meant than was named.
const nameIt = "Please name a room or a device; I switch nothing that was not named"

// fresh are those entities as they stand now.
func (c *Connector) fresh(list []entity) []entity {
	var now []entity
	for _, e := range list {
		if fresh, ok := c.house.get(e.ID); ok && !fresh.untold {
			now = append(now, fresh.as(called{e.Name, e.stems}))
		}
	}
	return now
}

// conversation is one for each way in, so that none continues another's.
func conversation(ctx context.Context) string {
	heard := dispatch.HeardFrom(ctx)
	return "askhub-" + cmp.Or(heard.Room, heard.WayIn)
}

func barred(a aim) string {
	name := the(*a.barred)
	switch a.why {
	case isNever:
		return "I never act on " + name + ", for " + string(isNever)
	case isNamed:
		return "I may not act on " + name + "; " + string(isNamed)
	}
	return "I may not act on " + name
}

// misunderstood says what Home Assistant has against it. Its own words are not passed on;
// but it has one code for what it did not understand, what a device cannot do and what is not
// exposed, and only its English words tell them apart.
func misunderstood(reply conversed, language string, a aim) string {
	said := strings.ToLower(reply.Response.Speech.Plain.Speech)
	switch reply.Response.Data.Code {
	case "no_valid_targets":
		switch {
		case strings.Contains(said, "not exposed"):
			return "Home Assistant does not act on " + names(a) + " by voice; expose it to Assist there"
		case strings.Contains(said, "required features"):
			return capital(names(a)) + " cannot do that"
		case said != "" && strings.HasPrefix(strings.ToLower(language), "en"):
			return "Home Assistant did not understand what to do with " + names(a)
		}
		return "Home Assistant did not understand that, or may not act on " + names(a) + " by voice"
	case "no_intent_match":
		return "Home Assistant did not understand that"
	}
	return "Home Assistant could not do that"
}

// names are the targets as people say them.
func names(a aim) string {
	if a.room != "" {
		return "that in the " + strings.ToLower(a.room)
	}
	var list []string
	for _, e := range a.targets[:min(len(a.targets), routing.MaxChoices)] {
		list = append(list, the(e))
	}
	return spoken.And(list)
}

// the is a device in the middle of a sentence.
func the(e entity) string {
	if e.within != "" {
		return "the " + lowerFirst(e.Name) + " in the " + lowerFirst(e.within)
	}
	return "the " + lowerFirst(e.Name)
}

// withRooms has each of those that share a name be said with its room.
func withRooms(lists ...[]entity) {
	names := map[string]int{}
	for _, e := range slices.Concat(lists...) {
		names[strings.ToLower(e.Name)]++
	}
	for _, list := range lists {
		for i := range list {
			if list[i].within = ""; names[strings.ToLower(list[i].Name)] > 1 {
				list[i].within = list[i].Area
			}
		}
	}
}

// lowerFirst begins with a small letter, where the word is not all capitals.
func lowerFirst(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		if w != strings.ToUpper(w) {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.Join(words, " ")
}

// toAgent is what Home Assistant's agent is told: the person's own words, but for the names.
// It takes "the kitchen light" for the radio "Kitchen" where the lights are called "Kitchen
// Lights"; and where it knows a thing by aliases only, that is what it is called to it.
func (c *Connector) toAgent(question string, a aim, all []entity) string {
	if a.room != "" { // no device is named
		return exactly(question, nil)
	}
	targets := slices.Clone(a.targets)
	for i, e := range targets {
		if e.nameless && e.Name == e.own {
			if by, ok := onlyBy(e, all, true); ok {
				targets[i].Name = by.Name // where it stands is known by its own name
			}
		}
	}
	return exactly(question, targets)
}

// twins asks which of several of one name is meant, where their rooms tell them apart or
// each has a name of its own beside that.
func twins(question string, list, all []entity) error {
	u := &dispatch.Unclear{}
	var rooms []string
	for _, e := range list[:min(len(list), routing.MaxChoices)] {
		if e.Area == "" || slices.Contains(rooms, e.Area) {
			return whichName(question, list, all)
		}
		rooms = append(rooms, e.Area)
		u.Choices = append(u.Choices, routing.Choice{Label: lowerFirst(e.Area), Question: strings.TrimRight(question, " .!?") + " in the " + lowerFirst(e.Area)})
	}
	u.Ask = "In which room: " + choose(u.Choices) + "?"
	return u
}

// whichName asks which of several that are called alike is meant, by other names that they have.
func whichName(question string, list, all []entity) error {
	u := &dispatch.Unclear{}
	for _, e := range list[:min(len(list), routing.MaxChoices)] {
		by, ok := onlyBy(e, all, false)
		if !ok {
			return &dispatch.Unclear{Ask: "Several devices are called " + lowerFirst(e.Name) + "; give them names of their own in Home Assistant"}
		}
		e.Name = by.Name
		u.Choices = append(u.Choices, routing.Choice{Label: lowerFirst(e.Name), Question: exactly(question, []entity{e})})
	}
	u.Ask = "Which one: " + choose(u.Choices) + "?"
	return u
}

func choose(choices []routing.Choice) string {
	var labels []string
	for _, c := range choices {
		labels = append(labels, c.Label)
	}
	return spoken.Or(labels)
}

// unknown asks back what may be meant; it never acts on more than was named.
func (c *Connector) unknown(ctx context.Context, q ask.Question, words []string, all []entity) (ask.Answer, error) {
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(everything, w) }) {
		return ask.NoAnswer(nameIt), nil
	}
	verb, rest := verbOf(words)
	if words[0] == "add" && verb == "" {
		return c.whichList(q)
	}
	if verb == "" {
		switch {
		case kindIn(words) != "" && asked(words) != "":
			return ask.NoAnswer(nameIt), nil // "lights off"
		case slices.ContainsFunc(words, func(w string) bool { return paper[stem(w)] }):
			return ask.NoAnswer(onlyAdds), nil
		}
		return c.noSuch(ctx, notWhat)
	}
	where, kind := placeIn(words, c.house.rooms()), kindIn(words)
	if kind == "" && slices.ContainsFunc(words, func(w string) bool { return w == "temperature" || w == "degrees" }) {
		kind = "climate"
	}
	list := c.likely(words, all, kind, where.name != "")
	switch {
	case len(list) == 0 && where.name != "" && kind != "":
		return ask.NoAnswer(nothingIn(where)), nil
	case len(list) == 0:
		return c.noSuch(ctx, noDevice)
	}
	u := &dispatch.Unclear{}
	for _, e := range list {
		u.Choices = append(u.Choices, routing.Choice{Label: lowerFirst(e.Name), Question: verb + " the " + e.Name + rest})
	}
	if len(list) == 1 {
		u.Ask = "Do you mean " + the(list[0]) + "?"
	} else {
		u.Ask = "Which one: " + choose(u.Choices) + "?"
	}
	return ask.Answer{}, u
}

// settles is how long a device may take to say that it has changed.
const settles = 1500 * time.Millisecond

// verify waits until what was asked for is so, and says what became of it.
func (c *Connector) verify(ctx context.Context, a aim, reply conversed, wanted func(entity) want) ask.Answer {
	list := c.touched(a, reply)
	bounded, cancel := context.WithTimeout(ctx, c.patience(ctx))
	defer cancel()
	var done, silent, unsure []entity
	for _, e := range list {
		w := wanted(e)
		now, met, known := c.settled(bounded, e, w)
		switch {
		case met:
			done = append(done, now)
		case w.state == "" && w.number == nil && now.answers():
			unsure = append(unsure, now)
		case known || !now.answers():
			silent = append(silent, now)
		default:
			unsure = append(unsure, now)
		}
	}
	return sayDone(wanted, done, silent, unsure)
}

// patience is what may be waited, so that there is time left to say what became of it.
func (c *Connector) patience(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return max(min(settles, time.Until(end)-200*time.Millisecond), 50*time.Millisecond)
	}
	return settles
}

// touched are what was meant and what Home Assistant says that it acted on. Where that is
// more than was meant, it is said in the log: its own names or areas differ from ours.
func (c *Connector) touched(a aim, reply conversed) []entity {
	list := slices.Clone(a.targets)
	for _, t := range slices.Concat(reply.Response.Data.Success, reply.Response.Data.Failed) {
		if t.Type != "entity" || slices.ContainsFunc(list, func(e entity) bool { return e.ID == t.ID }) {
			continue
		}
		e, ok := c.house.get(t.ID)
		if !ok {
			e = entity{ID: t.ID, Name: t.ID, State: "unknown"}
		}
		if why := c.may(&e); why != may {
			c.cfg.Log.Error("Home Assistant acted on what it should not; take it out of what Assist may use", "entity", t.ID, "why", string(why))
		}
		list = append(list, e)
	}
	return list
}

// settled waits for e to be as it is wanted; the last look is at Home Assistant itself.
func (c *Connector) settled(ctx context.Context, e entity, w want) (now entity, met, known bool) {
	for {
		changed := c.house.next()
		if fresh, ok := c.house.get(e.ID); ok {
			e = fresh.as(called{e.Name, e.stems})
		}
		if met, known = w.met(e); met || !known {
			return e, met, known
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		}
		if fresh, ok := c.lastLook(ctx, e.ID); ok {
			e = fresh.as(called{e.Name, e.stems})
			met, known = w.met(e)
		}
		return e, met, known
	}
}

// lastLook reads one state from Home Assistant itself, in what time is left for it.
func (c *Connector) lastLook(ctx context.Context, id string) (entity, bool) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 150*time.Millisecond)
	defer cancel()
	e, err := c.readState(last, id)
	return e, err == nil
}

// sayDone is one sentence about what became of it. Only what was seen to be so is done.
func sayDone(wanted func(entity) want, done, silent, unsure []entity) ask.Answer {
	withRooms(done, silent, unsure)
	var said []string
	for len(done) > 0 { // those of one state together
		n := 1
		for n < len(done) && now(done[n]) == now(done[0]) {
			n++
		}
		said, done = append(said, wanted(done[0]).became(done[:n])), done[n:]
	}
	for _, e := range silent[:min(len(silent), 2)] {
		said = append(said, the(e)+" did not answer")
	}
	if more := len(silent) - 2; more > 0 {
		said = append(said, strconv.Itoa(more)+" more did not answer")
	}
	for _, e := range unsure[:min(len(unsure), 1)] {
		said = append(said, "Home Assistant took that, and "+the(e)+" "+isState(e)+" as before")
	}
	sentence := capital(strings.Join(said, "; "))
	switch {
	case ask.CheckSentence(sentence+".", true) != nil:
		return ask.NoAnswer("Home Assistant took that, and I cannot say what became of it")
	case len(silent) > 0 || len(unsure) > 0:
		return ask.NoAnswer(sentence)
	}
	return ask.Say(sentence + ".")
}
