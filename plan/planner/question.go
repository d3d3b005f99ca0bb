package planner

import (
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// bits are tokens of a question, by place.
type bits uint64

func bit(i int) bits { return 1 << i }

func between(from, to int) bits { return bits(1)<<to - bits(1)<<from }

func (b bits) has(i int) bool { return b&bit(i) != 0 }

// wordKind is what a word is to all the tools together.
type wordKind struct {
	stem   string // with a typing error mended
	group  int
	strong bool // some tool says it of itself
}

// question is a question, read against the offered tools.
type question struct {
	ts     []token
	kind   []wordKind
	timed  []bool
	person []bool
	// ahead and back are the times, a bare weekday meaning the next or the latest one.
	ahead, back []when
	list        []slot
	c           *compiled
	text        string
	now         Date
	people      []string
	free        bits // words that say nothing of what is wanted
	past        bool
	// plain is a question of nothing but a time and a person: what is on tomorrow?
	plain bool
	// negated says that something is wanted not to be so, or that a rule is asked for,
	// which no argument can say.
	negated bool
	// asksWhen and asksWhere are questions for a time and a place.
	asksWhen, asksWhere bits
}

// readQuestion is nil for a question that is too long.
func readQuestion(text string, today Date, people []string, c *compiled) *question {
	ts, ok := readWords(text)
	if !ok {
		return nil
	}
	q := &question{ts: ts, c: c, text: text, now: today, people: people, kind: make([]wordKind, len(ts)), timed: make([]bool, len(ts)), person: make([]bool, len(ts))}
	q.rewrite()
	for i := range ts {
		q.past = q.past || pastWords[ts[i].low]
	}
	q.ahead = (&calendar{ts: ts, today: today, past: q.past}).all()
	q.back = (&calendar{ts: ts, today: today, past: true}).all()
	for _, w := range q.ahead {
		for i := w.from; i < w.to; i++ {
			q.timed[i] = true
		}
	}
	q.findPeople()
	q.plain = len(q.ahead) > 0
	for i := range ts {
		t := &ts[i]
		q.kind[i] = q.kindOf(t)
		switch {
		case t.quoted, q.timed[i]:
			q.plain = q.plain && !t.quoted
		case t.low == "too" && i+1 < len(ts) && !ts[i+1].broken:
			q.plain = false // too cold: who says so?
		case q.person[i], hard[t.low], soft[t.low], compare[t.low]:
			q.free |= bit(i)
			q.negated = q.negated || negations[t.low] && i > 1
		case negations[t.low]:
			q.negated = true
		default:
			q.plain = false
		}
	}
	for i := range ts {
		if ts[i].low == "when" || ts[i].low == "what" && i+1 < len(ts) && ts[i+1].low == "time" {
			q.asksWhen |= bit(i)
		}
		if ts[i].low == "where" || ts[i].low == "shelf" {
			q.asksWhere |= bit(i)
		}
	}
	for i := range ts {
		q.plain = q.plain && ts[i].low != "date"
		// What one may do is a rule, and no state of things: how many may I borrow?
		rule := modals[ts[i].low] && i+2 < len(ts) && hard[ts[i+1].low] && writeVerbs[ts[i+2].low]
		q.negated = q.negated || rule
	}
	if i := q.opening(0); q.words(i, 1) == "open" {
		q.free |= bit(i) // open the thread: show it
	}
	q.list = q.slots()
	return q
}

var (
	pastWords = set("did was were")
	modals    = set("may can could")
)

var negations = set("not no never without except nobody none neither nor excluding")

// rewrite gives a few words the meaning that they have together.
func (q *question) rewrite() {
	low := func(i int) string {
		if i < 0 || i >= len(q.ts) {
			return ""
		}
		return q.ts[i].low
	}
	for i := range q.ts {
		switch {
		case low(i) == "most" && low(i+1) == "recent":
			q.ts[i].low = "the"
		case low(i) == "coming" && low(i+1) == "up":
			q.ts[i].low, q.ts[i].stem = "happening", stem("happening")
		case low(i) == "on" && onAfter[low(i-1)] && (i+1 == len(q.ts) || leads[low(i+1)] || q.ts[i+1].broken || low(i+1) == "and" || isDayWord(low(i+1))):
			q.ts[i].low, q.ts[i].stem = "happening", stem("happening")
		}
	}
}

// onAfter are the words after which "on" means that something happens.
var onAfter = set("is are was going have has had got anything something nothing much else there do")

func isDayWord(w string) bool {
	return w == "today" || w == "tomorrow" || w == "tonight" || w == "yesterday"
}

func (q *question) kindOf(t *token) wordKind {
	if t.quoted {
		return wordKind{}
	}
	k := wordKind{stem: t.stem, group: groups[t.stem]}
	if q.c.rarity[k.stem] == 0 && k.group == 0 && t.content() && !t.capital {
		for _, w := range q.c.known {
			if w.stem == k.stem {
				break
			}
			if isTypo(t.low, w.word) {
				k.stem, k.group = w.stem, groups[w.stem]
			}
		}
	}
	k.strong = t.content() && (q.c.rarity[k.stem] > 0 || k.group != 0 && q.c.groups[k.group] > 0)
	return k
}

// findPeople marks the names of the person whom the question is about.
func (q *question) findPeople() {
	for _, name := range q.people {
		words := strings.Fields(strings.ToLower(name))
		if len(words) == 0 {
			continue
		}
		for i := 0; i+len(words) <= len(q.ts); i++ {
			if slices.EqualFunc(q.ts[i:i+len(words)], words, func(t token, w string) bool { return !t.quoted && t.low == w }) {
				for k := range words {
					q.person[i+k] = true
				}
			}
		}
	}
}

// words is what stands from i on, in lower case, up to n words.
func (q *question) words(i, n int) string {
	var b strings.Builder
	for k := i; k < min(i+n, len(q.ts)); k++ {
		if k > i {
			b.WriteByte(' ')
		}
		b.WriteString(q.ts[k].low)
	}
	return b.String()
}
