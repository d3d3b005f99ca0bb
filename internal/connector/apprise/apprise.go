// Package apprise is the destination of that name: it sends a person's words to somebody's
// phone, "notify Sam that dinner is ready". What is sent to whom is read off the words by
// rule, and the answer says what became of it: "sent" only where a phone took it.
package apprise

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// Name is the destination's, as routing.md has it.
const Name = "apprise"

// maxWords is the longest message, in code points: a phone shows no more at a glance.
const maxWords = 240

// reserve is what is left of the time for an answer when the phones are not waited for any
// longer.
const reserve = 300 * time.Millisecond

// People are those whom words may name.
type People interface {
	// Find is the person's own name for a name or alias.
	Find(name string) (person string, ok bool)
	// Everybody are all who live here, Adults and Children those of them.
	Everybody() []string
	Adults() []string
	Children() []string
	// Spoken is the person's name as a sentence has it.
	Spoken(person string) string
}

// Outcome is what became of one message.
type Outcome struct {
	// Sent is whether a phone of the person's took it.
	Sent bool
	// Held is when it will be sent, where quiet hours hold it; zero where they do not.
	Held time.Time
	// Reason is why no phone took it so far, in plain words; Later is whether it is tried
	// again.
	Reason string
	Later  bool
}

// Phones send to people's phones.
type Phones interface {
	// Send brings a message to the person's phones and says what became of it, when it is
	// known or ctx ends. Own is a message that the person asked for. What it has begun goes
	// on after ctx has ended.
	Send(ctx context.Context, person, message string, own bool) (Outcome, error)
}

// Connector is the destination.
type Connector struct {
	// House is the household in force.
	House  func() People
	Phones Phones
}

var _ dispatch.Connector = (*Connector)(nil)

// Read implements dispatch.Connector: there is nothing to read here.
func (*Connector) Read(context.Context, ask.Question) (ask.Answer, error) {
	return ask.Answer{}, dispatch.ErrAlone
}

// Do implements dispatch.Connector.
func (c *Connector) Do(ctx context.Context, q ask.Question) (ask.Answer, error) {
	house := c.House()
	order, reason := parse(q.Question, string(q.Asker), house)
	if reason != "" {
		return ask.NoAnswer(reason), nil
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
		defer cancel()
	}
	outcomes, err := c.send(ctx, order, house, string(q.Asker))
	if err != nil {
		return ask.Answer{}, err
	}
	return say(order, outcomes, house), nil
}

// send sends to everybody at once.
func (c *Connector) send(ctx context.Context, o order, house People, asker string) ([]Outcome, error) {
	type done struct {
		at      int
		outcome Outcome
		err     error
	}
	all := make(chan done, len(o.to))
	for i, person := range o.to {
		go func() {
			own := person == asker
			text := o.message
			if !own {
				text = house.Spoken(asker) + " says: " + text
			}
			outcome, err := c.Phones.Send(ctx, person, text, own)
			all <- done{i, outcome, err}
		}()
	}
	outcomes := make([]Outcome, len(o.to))
	for range o.to {
		d := <-all
		if d.err != nil {
			return nil, d.err
		}
		outcomes[d.at] = d.outcome
	}
	return outcomes, nil
}

// say tells what was sent to whom. It is an answer only where something was.
func say(o order, outcomes []Outcome, house People) ask.Answer {
	var sent, rest []string
	for i, person := range o.to {
		name := house.Spoken(person)
		switch out := outcomes[i]; {
		case out.Sent:
			sent = append(sent, name+"'s phone")
		case !out.Held.IsZero():
			rest = append(rest, fmt.Sprintf("%s's phone is quiet until %s, and gets it then", name, out.Held.Format("15:04")))
		case out.Later:
			rest = append(rest, fmt.Sprintf("it is not through to %s's phone yet, and is tried again", name))
		case out.Reason != "":
			rest = append(rest, fmt.Sprintf("%s's phone did not get it: %s", name, out.Reason))
		default:
			rest = append(rest, fmt.Sprintf("%s's phone did not get it", name))
		}
	}
	if len(sent) == 0 {
		return ask.NoAnswer(strings.Join(rest, "; "))
	}
	words := "Sent to " + list(sent) + ": " + strings.TrimRight(o.message, ".")
	if len(rest) > 0 {
		words += "; " + strings.Join(rest, "; ")
	}
	return ask.Say(words + ".")
}

// list is "a, b and c".
func list(words []string) string {
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " and " + words[n]
	}
	return words[0]
}

// sentence begins with a capital and ends with a stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
