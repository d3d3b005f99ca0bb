// Package answer writes the sentence of an answer from the results of look-ups, and
// checks that a sentence, whoever wrote it, says only what the results say (spec 4,
// "The answer and its check"). What it cannot find in a result it refuses.
package answer

import (
	"time"
	"unicode/utf8"

	"github.com/askhub/askhub/plan"
)

// maxSentence is the longest sentence that is read, in code points.
const maxSentence = 600

// Context is what a sentence is read against besides the results.
type Context struct {
	Now time.Time
	// Zone is where the household lives; nil is Now's own.
	Zone *time.Location
	// Names are what the person whom the answer is about may be called besides Person.
	// Another person's name must stand in a result.
	Names []string
	// Asker hears the answer; Person is whom it is about, the asker where it is empty.
	Asker, Person string
	// Question is what was asked. It supports nothing but what was not found out.
	Question string
}

// How a support holds.
const (
	HowStands = "stands" // it stands there as it is said
	HowCount  = "count"  // a count of rows, or of a breakdown
	HowSum    = "sum"    // a sum, minimum, maximum or difference of what stands there
	HowState  = "state"  // a state by stateFields, or a boolean
	HowName   = "name"   // a row, by its ref or rowName
	HowQuoted = "quoted" // another person's words, quoted
	HowNone   = "none"   // the look-up found nothing, or what it found is not known
	HowAsked  = "asked"  // what the look-up was asked for
)

// Support says on what some words of a sentence rest.
type Support struct {
	// Words are as the sentence has them.
	Words string `json:"words"`
	// Position is the look-up's, from 1.
	Position int `json:"position"`
	// Path is where it stands: facts.count, rows[2].fields.due, rows, breakdown[0], outcome.
	Path string `json:"path"`
	How  string `json:"how"`
}

// Proof is on what a sentence rests, in the sentence's order.
type Proof struct {
	Supports []Support `json:"supports"`
}

// Check reads one sentence against what was found. The error is a *Fault with a
// stable code and the words at fault. It never says yes to what it does not
// understand.
func Check(sentence string, intent plan.Intent, found []plan.Found, ctx Context) (Proof, error) {
	p, f := check(sentence, intent, found, &ctx)
	if f != nil {
		return Proof{}, f
	}
	return p, nil
}

func check(sentence string, intent plan.Intent, found []plan.Found, ctx *Context) (Proof, *Fault) {
	if len(sentence) > 4*maxSentence || utf8.RuneCountInString(sentence) > maxSentence {
		return Proof{}, fault(CodeTooLong, "…")
	}
	if !utf8.ValidString(sentence) {
		return Proof{}, fault(CodeCharacters, "…")
	}
	ts, bad := tokens(sentence, make([]token, 0, 48))
	if bad != "" {
		return Proof{}, fault(CodeCharacters, bad)
	}
	if len(ts) == 0 {
		return Proof{}, fault(CodeEmpty, "…")
	}
	if len(found) > maxFound {
		return Proof{}, fault(CodeTooLong, "…")
	}
	zone := ctx.Zone
	if zone == nil {
		zone = ctx.Now.Location()
	}
	now := ctx.Now.In(zone)
	cal := &calendar{now: now, today: dayNumber(now)}
	e := gather(found, cal, zone)
	for _, t := range ts {
		cal.past = cal.past || past[t.low]
	}
	r := &reader{evidence: e, ts: ts, cal: cal, ctx: ctx}
	if f := r.people(); f != nil {
		return Proof{}, f
	}
	if f := r.read(); f != nil {
		return Proof{}, f
	}
	j := &judge{reader: r, intent: intent}
	if f := j.sentence(); f != nil {
		return Proof{}, f
	}
	return Proof{Supports: j.proof()}, nil
}

// people notes by what names the answer's person may be called, and refuses "you"
// where that is somebody else.
func (r *reader) people() *Fault {
	person := r.ctx.Person
	if person == "" {
		person = r.ctx.Asker
	}
	for _, n := range append([]string{person}, r.ctx.Names...) {
		if ts, bad := tokens(n, nil); bad == "" && len(ts) > 0 {
			r.names = append(r.names, ts)
		}
	}
	if r.ctx.Asker == person {
		return nil
	}
	for _, t := range r.ts {
		switch t.low {
		case "you", "your", "yours", "you've", "you're", "you'll":
			return fault(CodePerson, t.text)
		}
	}
	return nil
}
