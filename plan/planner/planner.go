// Package planner chooses look-ups for a question (spec 4). Two planners ship: one of
// words that needs no model, and one that asks a model. Both see the question, what
// the look-ups are and today's date, and no data.
package planner

import (
	"context"
	"errors"
	"time"

	"github.com/askhub/askhub/plan"
)

// Planner replies to a question with a plan in its JSON form. The reply is judged by
// Offer.Validate, whoever made it. It must return when ctx ends, and may be called by
// several goroutines.
type Planner interface {
	Plan(ctx context.Context, ask Ask) ([]byte, error)
}

// Ask is all that a planner gets. It is made of texts, numbers and truth values
// alone: no field can reach a result, a row or the code of a tool. So text that a
// stranger wrote into a mail or a calendar cannot steer what is looked up, whoever
// plans. Nothing may be added here that breaks this; a test walks the types.
type Ask struct {
	// Question is the person's own words.
	Question string
	// Tools are those that this request may use.
	Tools []plan.Offered
	// Schema is the JSON Schema of a reply, and Describe the tools in words.
	Schema   []byte
	Describe string
	// Today is the date where the household lives.
	Today Date
	// People are the names by which the person may be called whom the question is about,
	// and nobody else's.
	People []string
}

// Date is a day of the calendar, without a clock.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf is the day on which t falls in its own zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

func (d Date) time() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// String is YYYY-MM-DD.
func (d Date) String() string { return d.time().Format(time.DateOnly) }

// Weekday is the day's name.
func (d Date) Weekday() time.Weekday { return d.time().Weekday() }

func (d Date) add(days int) Date { return DateOf(d.time().AddDate(0, 0, days)) }

func (d Date) before(o Date) bool { return d.time().Before(o.time()) }

// New is what a planner gets of a question and an offer.
func New(question string, offer *plan.Offer, today Date, people ...string) Ask {
	return Ask{
		Question: question, Tools: offer.Tools(), Schema: offer.Schema(), Describe: offer.Describe(),
		Today: today, People: people,
	}
}

// Prompter is a planner that tells its question to somebody in one text.
type Prompter interface {
	Prompt(ask Ask) string
}

// Chosen is the plan that will run.
type Chosen struct {
	Plan plan.Plan
	// By is the place of the planner whose plan it is.
	By int
	// PromptHash is plan.PromptHash of what it was told; empty where it is no Prompter.
	PromptHash string
	// Refused are why the planners before it did not count.
	Refused []error
}

// Choose asks the planners in turn, until the offer accepts a plan. The error joins
// what was wrong with each.
func Choose(ctx context.Context, offer *plan.Offer, ask Ask, planners ...Planner) (Chosen, error) {
	var c Chosen
	for i, p := range planners {
		reply, err := p.Plan(ctx, ask)
		if err == nil {
			c.Plan, err = offer.Validate(reply)
		}
		if err != nil {
			c.Refused = append(c.Refused, err)
			continue
		}
		c.By = i
		if p, ok := p.(Prompter); ok {
			c.PromptHash = plan.PromptHash(p.Prompt(ask))
		}
		return c, nil
	}
	return Chosen{}, errors.Join(append(c.Refused, errors.New("no planner gave a plan"))...)
}
