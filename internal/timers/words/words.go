// Package words reads what people say to timers, reminders, calendars and to-do lists. It is deterministic: the
// same words at the same moment mean the same, and what is not understood is asked back.
package words

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// Verb is what is wanted.
type Verb string

// The verbs. Left and List only ask.
const (
	Set    Verb = "set"
	Cancel Verb = "cancel"
	Left   Verb = "left"
	List   Verb = "list"
)

// Command is what was said about timers or reminders.
type Command struct {
	Verb Verb
	// Reminder says whether it is about reminders; else it is about timers.
	Reminder bool
	// Either is a question about both.
	Either bool
	// All is whether every one is meant.
	All bool
	// Name is a timer's, such as "pasta", or words of the reminder that is meant.
	Name string
	// For is whom a reminder is for, as it was said; empty is the asker.
	For string
	// Words are what a reminder reminds of, as they were said.
	Words string
	// Length is a timer's; 0 where it has none.
	Length time.Duration
	// Due is when a new one is due; zero where no moment was said.
	Due time.Time
	// Unfit is why nothing can be set, although it was understood what is wanted.
	Unfit Unfit
}

// Reasons why nothing can be set.
const (
	repeated Unfit = "I can do that once only, and not again and again"
	over     Unfit = "That moment is over already"
	vague    Unfit = "Please say one length of time"
	running  Unfit = "I cannot change a timer that runs; please cancel it and set another"
)

// said is a question as words in small letters beside the words as they were said.
type said struct{ low, raw []string }

// split is what was said, without what is said out of politeness.
func split(text string) said {
	return fold(text).after("please", "hey", "ok", "okay", "can you", "could you", "would you", "will you", "jervis", "and", "so", "now", "then", "just", "kindly", "go ahead and",
		"i want you to", "i need you to", "i'd like you to", "i want to", "i need to", "i'd like to", "we need to")
}

// fold is the words of the text; "to do list" is one thing, however it is written.
func fold(text string) said {
	var s said
	for _, raw := range strings.Fields(text) {
		low := strings.ToLower(strings.ReplaceAll(raw, "’", "'"))
		low = strings.TrimFunc(low, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if low == "" {
			continue
		}
		if sign := strings.TrimLeft(raw, "-−"); sign != raw && low[0] >= '0' && low[0] <= '9' {
			low = "-" + low
		}
		if n := len(s.low); (low == "list" || low == "lists") && n > 0 {
			switch {
			case n > 1 && s.low[n-1] == "do" && s.low[n-2] == "to":
				s.low, s.raw = append(s.low[:n-2], "todo"), append(s.raw[:n-2], s.raw[n-2]+" "+s.raw[n-1])
			case s.low[n-1] == "to-do":
				s.low[n-1] = "todo"
			}
		}
		s.low, s.raw = append(s.low, low), append(s.raw, raw)
	}
	return s
}

func (s said) from(i int) said { return said{s.low[i:], s.raw[i:]} }

// after takes each of the phrases off the front, again and again.
func (s said) after(phrases ...string) said {
	for again := true; again; {
		again = false
		for _, p := range phrases {
			if w := strings.Fields(p); hasWords(s.low, w...) && len(s.low) > len(w) {
				s, again = s.from(len(w)), true
			}
		}
	}
	return s
}

func (s said) has(words ...string) bool {
	return slices.ContainsFunc(s.low, func(w string) bool { return slices.Contains(words, w) })
}

// text is the words as they were said, without the stop at their end.
func (s said) text() string { return strings.TrimRight(strings.Join(s.raw, " "), " .!?") }

// Parse reads text at that moment, whose zone is the household's. It is false where the
// text is about something else.
func Parse(text string, now time.Time) (Command, bool) {
	s := split(text)
	readers := []func(said, time.Time) (Command, bool){remind, ask, cancel, change, wake, setTimer}
	if _, list := s.place(listWords, nil, "to", "on", "onto", "in", "from", "off"); list && !s.has(reminderWords...) {
		readers = readers[:1] // "add an egg timer to the shopping list" sets none
	}
	for _, read := range readers {
		if c, ok := read(s, now); ok {
			return s.inOne(c), true
		}
	}
	return Command{}, false
}

var (
	timerWords    = []string{"timer", "timers", "countdown", "alarm", "alarms"}
	reminderWords = []string{"reminder", "reminders"}
)

// remind reads "remind me at six to …" and "set a reminder to … at six".
func remind(s said, now time.Time) (Command, bool) {
	c, all := Command{Verb: Set, Reminder: true}, s
	switch {
	case len(s.low) > 1 && s.low[0] == "remind":
		if s.low[1] != "me" && s.low[1] != "us" && s.low[1] != "everyone" {
			c.For = s.raw[1]
		}
		s = s.from(2)
	case len(s.low) > 2 && slices.Contains([]string{"set", "add", "make", "create", "new"}, s.low[0]):
		s = s.from(1).after("a", "me", "new", "the")
		if s.low[0] != "reminder" {
			return Command{}, false
		}
		s = s.from(1).after("for me")
	default:
		return Command{}, false
	}
	m, n := readMoment(s.low)
	s = s.from(n)
	what := s.after("to", "about", "that", "of", "for")
	if !m.any() {
		m, what = momentAtEnd(what)
	} else if more, rest := momentAtEnd(what); !m.isTime && m.after == 0 && more.isTime && !more.hasDay() {
		// "remind me tomorrow to call Nan at six": the day first and the time last.
		m.hour, m.minute, m.isTime, m.twelve, m.part = more.hour, more.minute, true, more.twelve, max(m.part, more.part)
		m.late, m.midnight, m.today = more.late, more.midnight, m.today || more.today
		what = rest
	}
	c.Words = what.text()
	far := s.farOff() || len(what.low) > 1 && what.from(len(what.low)-2).farOff()
	if at, ok := m.when(now); ok && !far {
		c.Due = at
	}
	if all.repeats() {
		c.Unfit = repeated
	}
	return c, true
}

// momentAtEnd finds a moment that the words end with, and gives the words before it.
func momentAtEnd(s said) (moment, said) {
	for i := range s.low {
		if m, n := readMoment(s.low[i:]); n > 0 && i+n == len(s.low) && i > 0 {
			return m, said{s.low[:i], s.raw[:i]}
		}
	}
	return moment{}, s
}

// ask reads questions.
func ask(s said, _ time.Time) (Command, bool) {
	c := Command{Reminder: s.has(reminderWords...)}
	timer := s.has(timerWords...)
	first := ""
	if len(s.low) > 0 {
		first = s.low[0]
	}
	switch {
	case hasWords(s.low, "how", "long") || hasWords(s.low, "how", "much", "time") || hasWords(s.low, "how", "many", "minutes"):
		if !timer && !c.Reminder && !(s.has("left", "remaining") && len(s.low) <= 6) {
			return Command{}, false
		}
		c.Verb, c.Name = Left, name(s, "left", "remaining")
	case (first == "when") && (timer || c.Reminder):
		c.Verb, c.Name = Left, name(s)
	case (timer || c.Reminder) && slices.Contains([]string{"what", "what's", "which", "list", "show", "tell", "are", "is", "do", "have", "any", "read"}, first):
		c.Verb, c.Either = List, timer && c.Reminder
	default:
		return Command{}, false
	}
	return c, true
}

// cancel reads "cancel the pasta timer", "delete my reminder about the bins".
func cancel(s said, _ time.Time) (Command, bool) {
	if len(s.low) < 2 || !slices.Contains([]string{"cancel", "stop", "delete", "remove", "clear", "end", "turn", "switch", "forget"}, s.low[0]) {
		return Command{}, false
	}
	timer, reminder := s.has(timerWords...), s.has(reminderWords...)
	if !timer && !reminder || (s.low[0] == "turn" || s.low[0] == "switch") && s.low[1] != "off" && s.low[len(s.low)-1] != "off" {
		return Command{}, false
	}
	c := Command{Verb: Cancel, Reminder: reminder, Either: timer && reminder, Name: name(s.from(1), "off")}
	c.All = s.has("all", "every", "everything", "both") || s.has("timers", "reminders", "alarms") && c.Name == ""
	if d, ok, _ := lengthIn(s); ok {
		c.Length, c.Name = d, ""
	}
	return c, true
}

// change reads what would change a timer that runs, "add five minutes to the pasta timer"; it must
// not set another one.
func change(s said, _ time.Time) (Command, bool) {
	timer := slices.IndexFunc(s.low, func(w string) bool { return slices.Contains(timerWords, w) })
	if timer < 1 {
		return Command{}, false
	}
	c := Command{Verb: Set, Unfit: running}
	switch s.low[0] {
	case "pause", "resume", "continue", "restart", "extend", "lengthen", "shorten", "increase", "decrease", "reduce", "change", "reset":
		return c, true
	case "add", "put", "take", "knock", "give", "make", "set":
	default:
		return Command{}, false
	}
	if s.has("longer", "shorter", "more", "extra", "less", "fewer") {
		return c, true
	}
	if s.low[0] == "set" || s.low[0] == "make" {
		return Command{}, false
	}
	// The length stands before the timer, and the two are joined.
	_, has, _ := lengthIn(said{s.low[:timer], s.raw[:timer]})
	joined := slices.ContainsFunc(s.low[:timer], func(w string) bool { return slices.Contains([]string{"to", "on", "onto", "off", "from"}, w) })
	return c, has && joined
}

// wake reads "wake me up at seven", which is an alarm.
func wake(s said, now time.Time) (Command, bool) {
	if !hasWords(s.low, "wake", "me") && !hasWords(s.low, "wake", "us") {
		return Command{}, false
	}
	c := Command{Verb: Set}
	if m, _ := momentAtEnd(s); m.any() {
		if at, ok := m.when(now); ok {
			c.Due = at
		}
	}
	if s.repeats() {
		c.Unfit = repeated
	}
	return c, true
}

// setTimer reads "set a pasta timer for ten minutes", "ten minute timer".
func setTimer(s said, now time.Time) (Command, bool) {
	if !s.has(timerWords...) {
		return Command{}, false
	}
	c := Command{Verb: Set}
	starts := len(s.low) > 0 && slices.Contains([]string{"set", "start", "make", "create", "add", "give", "put", "begin", "run", "new", "timer", "alarm"}, s.low[0])
	d, hasLength, why := lengthIn(s)
	bare := slices.Contains([]string{"a timer", "a new timer", "an alarm", "a new alarm"}, strings.Join(s.offEnd("please", "thanks").low, " "))
	if !starts && !hasLength && !bare {
		return Command{}, false
	}
	if c.Unfit = why; s.repeats() {
		c.Unfit = repeated
	}
	if hasLength {
		c.Length, c.Due = d, now.Add(d)
	} else if m, _ := momentAtEnd(s); m.any() && m.after == 0 && !(m.bare() && s.has("timer", "timers", "countdown") && !s.has("o'clock", "oclock")) {
		if at, ok := m.when(now); ok {
			c.Due = at
		}
	}
	c.Name = name(s, "set", "start", "make", "create", "add", "give", "put", "begin", "run", "new", "called", "named", "on", "long")
	return c, true
}

// lengthIn finds a length of time anywhere in the words, and says why it is none to be set.
func lengthIn(s said) (d time.Duration, ok bool, why Unfit) {
	for i := range s.low {
		d, n := duration(s.low[i:])
		if n == 0 || d <= 0 {
			continue
		}
		before := ""
		if i > 0 {
			before = s.low[i-1]
		}
		another := 0
		if i > 1 && (before == "to" || before == "or") {
			_, another = number(s.low[i-2 : i-1])
		}
		switch {
		case before == "minus" || before == "negative" || another > 0:
			return d, true, vague
		case i+n < len(s.low) && s.low[i+n] == "ago":
			return d, true, over
		}
		return d, true, ""
	}
	return 0, false, ""
}

// often is what follows "every" where something is wanted again and again.
var often = map[string]bool{
	"day": true, "morning": true, "afternoon": true, "evening": true, "night": true, "week": true, "weekday": true, "weekend": true, "month": true, "year": true, "hour": true,
	"minute": true, "second": true, "other": true, "few": true,
}

// repeats is whether something is wanted again and again.
func (s said) repeats() bool {
	for i, w := range s.low {
		switch {
		case w == "daily" || w == "weekly" || w == "hourly":
			return true
		case w != "every" && w != "each" || i+1 == len(s.low):
		default:
			next := s.low[i+1:]
			if _, n := duration(next); n > 0 || often[next[0]] || weekdays[strings.TrimSuffix(next[0], "s")] > 0 {
				return true
			}
		}
	}
	return false
}

// noName are words that name no timer.
var noName = map[string]bool{
	"a": true, "an": true, "the": true, "my": true, "our": true, "that": true, "this": true, "me": true, "for": true, "to": true, "at": true, "in": true, "of": true,
	"about": true, "is": true, "are": true, "there": true, "how": true, "long": true, "much": true, "many": true, "minutes": true, "time": true, "until": true, "till": true,
	"does": true, "do": true, "i": true, "have": true, "we": true, "when": true, "go": true, "goes": true, "off": true, "it": true, "will": true, "be": true, "up": true,
	"all": true, "every": true, "everything": true, "both": true, "please": true, "on": true, "and": true, "left": true, "ring": true, "due": true, "what": true, "what's": true,
	"timer": true, "timers": true, "countdown": true, "alarm": true, "alarms": true, "reminder": true, "reminders": true, "with": true, "next": true,
}

// name is what is left of the words when all that names nothing is taken away: "pasta".
func name(s said, more ...string) string {
	var kept []string
	for i := 0; i < len(s.low); i++ {
		if _, n := duration(s.low[i:]); n > 0 {
			i += n - 1
			continue
		}
		if m, n := readMoment(s.low[i:]); n > 0 && m.any() {
			i += n - 1
			continue
		}
		if !noName[s.low[i]] && !slices.Contains(more, s.low[i]) {
			kept = append(kept, s.low[i])
		}
	}
	return strings.Join(kept, " ")
}
