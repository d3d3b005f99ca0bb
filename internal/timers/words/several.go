package words

import (
	"slices"
	"strings"
)

// several is said where more than one thing is asked for. One of them alone would be done, and
// nobody would be told that the other was not.
const several Unfit = "Please ask for one thing at a time; I have done none of it"

// anew are words with which another order begins, after an "and", a "then" or a comma.
var anew = []string{
	"turn", "switch", "put", "open", "close", "shut", "lock", "unlock", "start", "stop", "dim", "set", "pause", "play", "raise", "lower", "make", "create", "add", "tick", "remove",
	"delete", "cancel", "remind", "announce", "say", "wake", "notify", "send", "tell",
}

// asks are words with which a question begins there.
var asks = []string{"what", "what's", "how", "when", "is", "are"}

// ofIt are words that an order about the timer itself goes on with: "and start it", "and tell
// me when it is over".
var ofIt = []string{"it", "that", "them", "me", "us", "now", "ringing"}

// partedAt is whether something else can begin with the word at i, for what is before it ends there.
func (s said) partedAt(i int) bool {
	before := s.raw[i-1]
	return slices.Contains([]string{"and", "then", "also", "plus"}, s.low[i-1]) || strings.ContainsAny(before[len(before)-1:], ",;.!?")
}

// orders is whether the words order or ask something else too, behind the one at from.
func (s said) orders(from int) bool {
	for i := from + 1; i < len(s.low); i++ {
		joined := s.partedAt(i)
		switch {
		case joined && slices.Contains(asks, s.low[i]):
			return true
		case !joined || !slices.Contains(anew, s.low[i]):
			continue
		}
		about := ""
		if i+1 < len(s.low) {
			about = s.low[i+1]
		}
		if s.low[i] == "remind" || s.low[i] == "wake" || !slices.Contains(ofIt, about) {
			return true
		}
	}
	return false
}

// adds is whether the words order twice that something is added, or that beside something else.
func (s said) adds() bool {
	for i := 1; i < len(s.low); i++ {
		if s.low[i] == "add" && s.partedAt(i) {
			return true
		}
	}
	return false
}

// lengths is whether the words say more than one length of time, be it of one timer or of two.
func (s said) lengths() bool {
	n := 0
	for i := 0; i < len(s.low); i++ {
		if d, took := duration(s.low[i:]); took > 0 && d > 0 {
			n++
			i += took - 1
		}
	}
	return n > 1
}

// inOne makes a command that is only a part of what was said one that is not done.
func (s said) inOne(c Command) Command {
	switch {
	case c.Reminder && c.Verb == Set: // its words may be anything
	case s.orders(0):
		c.Unfit = several
	case c.Verb == Set && c.Unfit == "" && (s.lengths() || s.has("timers", "alarms", "countdowns")), c.Verb == Cancel && !c.All && s.lengths():
		c.Unfit = several
	}
	return c
}

// joined is whether a title is two: it holds a day or a time, and then goes on with an "and".
func (s said) joined() bool {
	for i := range s.low {
		if m, n := readMoment(s.low[i:]); n > 0 && (m.hasDay() || m.isTime && !m.bare()) && i > 0 && i+n+1 < len(s.low) && s.low[i+n] == "and" {
			return true
		}
	}
	return false
}
