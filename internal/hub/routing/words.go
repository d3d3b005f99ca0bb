// Package routing holds the words that the Hub's stages share, and the parser of
// routing.md, the file by which a household says who answers what.
package routing

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// Kind is how a destination is reached.
type Kind string

// The kinds of spec 2, section 1. KindWayIn is never a destination that acts.
const (
	KindQuery    Kind = "query"
	KindCommand  Kind = "command"
	KindDecision Kind = "decision"
	KindPeer     Kind = "peer"
	KindWayIn    Kind = "way in"
)

// Destination is one row of the topic map.
type Destination struct {
	// Project is its name, equal to `project` in its capabilities.
	Project string
	// Topics are what a person says, as the row has them.
	Topics []string
	Kind   Kind
	// Note is what stands in brackets after the kind, such as "action only", without
	// the word that every row of its kind carries (/ask, direct, approval).
	Note string
	// Placeholder is a destination that is planned and not built.
	Placeholder bool
	// Line is the row's line in the file, from 1.
	Line int
}

// Side is one side of an overlap: one project, or several as a fanout.
type Side struct {
	// Projects are in the file's order; more than one is a fanout. None stands
	// for "one project", the side that a fanout is set against.
	Projects []string
	// Note is what stands in brackets after a single project, such as "calendar".
	Note string
}

// Overlap is one row of the overlap table: the preferred side wins.
type Overlap struct {
	Phrases   []string
	Preferred Side
	Other     Side
	Reason    string
	Line      int
}

// Control is one row of the never-route table: a control action, and further
// phrasings of it that the household added.
type Control struct {
	Action    string
	Phrasings []string
	Line      int
}

// File is a parsed routing.md.
type File struct {
	Destinations []Destination
	Overlaps     []Overlap
	// NeverRoute is never empty: a file without it is refused.
	NeverRoute []Control
	// WaysIn are the names that are never a destination, such as phone_app.
	WaysIn []string
}

// Find is the destination of that name.
func (f *File) Find(project string) (Destination, bool) {
	for _, d := range f.Destinations {
		if d.Project == project {
			return d, true
		}
	}
	return Destination{}, false
}

// View is what a decision may look at: the file, and what each project declares.
type View struct {
	File *File
	// Capabilities holds the last good reply of each project.
	Capabilities []ask.Capabilities
}

// People is whom that project has data about; nil for an unknown project.
func (v View) People(project string) []ask.Person {
	for _, c := range v.Capabilities {
		if c.Project == project {
			return c.People
		}
	}
	return nil
}

// Active is whether d can be asked: a placeholder becomes active when its project
// declares its capabilities.
func (v View) Active(d Destination) bool {
	if !d.Placeholder {
		return true
	}
	for _, c := range v.Capabilities {
		if c.Project == d.Project {
			return true
		}
	}
	return false
}

// Outcome is what deciding came to.
type Outcome string

// The outcomes of spec 2, and the guard's refusal.
const (
	OutcomeRoute   Outcome = "route"
	OutcomeFanout  Outcome = "fanout"
	OutcomeClarify Outcome = "clarify"
	OutcomeNoMatch Outcome = "no_match"
	OutcomeRefused Outcome = "refused"
)

// By says who made a decision.
type By string

// Who decides.
const (
	ByGuard    By = "guard"
	ByModel    By = "llm"
	ByEmbedded By = "embedded"
	ByChoice   By = "choice"
)

// MaxProjects is the most projects that one question reaches (spec 2).
const MaxProjects = 3

// Decision is an outcome with its projects.
type Decision struct {
	Outcome Outcome
	// Projects are in the file's order: one for a route, two or three for a fanout,
	// the candidates (at most three, maybe none) for a clarify.
	Projects []string
	// Choices name the candidates of a clarify as a person would say them
	// ("school", "email"), each beside the project of the same index.
	Choices []string
	By      By
	// Confidence is from 0 to 1; it orders decisions of one decider and means no more.
	Confidence float64
	// Reason is a short stable phrase, such as "topic:timetable" or "overlap:today".
	Reason string
	// Why is the decision in a sentence, for the record: the model's own words, or why they
	// did not count. It may quote the question, and is empty where Reason says it all.
	Why string
}

// Refusal is the guard's verdict on one question.
type Refusal struct {
	// Refused is whether the question means a control action.
	Refused bool
	// Row is the action's text in routing.md that it falls under, Line its line.
	Row  string
	Line int
	// Words are the words of the question that it rests on.
	Words []string
}

// Status is what became of a question, or of one part of it (spec 5).
type Status string

// The statuses of spec 5.
const (
	StatusAnswered    Status = "answered"
	StatusDone        Status = "done"
	StatusClarify     Status = "clarify"
	StatusNoMatch     Status = "no_match"
	StatusNoAnswer    Status = "no_answer"
	StatusRefused     Status = "refused"
	StatusUnavailable Status = "unavailable"
	StatusPending     Status = "pending"
	StatusElsewhere   Status = "elsewhere"
)

// Why a part has no answer although its project was not asked or did not answer.
const (
	ReasonNotBuilt      = "not_built"
	ReasonNotConfigured = "not_configured"
	ReasonDown          = "not_answering"
	ReasonSlow          = "too_slow"
	ReasonNonsense      = "not_the_contract"
	ReasonTokenRefused  = "token_refused"
	// ReasonAlone is a decision or an order that was asked for beside other things: it waits for
	// a person's yes, or is carried out, by itself or not at all.
	ReasonAlone = "not_alone"
)

// Part is one project's share of an answer.
type Part struct {
	Project string
	Status  Status
	// Answer is the project's sentence, unchanged; empty where it has none.
	Answer string
	// Reason is in plain words for a person, or one of the Reason constants.
	Reason string
	// Person is whom this part was asked about.
	Person ask.Person
	// Expires is zero where the project did not say.
	Expires time.Time
	// Took is how long the project took.
	Took time.Duration
	// Data is the project's own detail, unread: how a catalogue came to its answer.
	// It goes into the record only.
	Data jsontext.Value
	// Remembered is an answer that was given before and is still true, so that
	// the project was not asked again.
	Remembered bool
	// Approval is the id of the approval that this part waits for, or is about.
	Approval string
	// Choices are what a destination asks back, with StatusClarify; at most MaxChoices.
	Choices []Choice
}

// MaxChoices is how many candidates a person is asked to choose from (spec 5).
const MaxChoices = 3

// Choice is one candidate of what a destination asks back.
type Choice struct {
	// Label is what a person says to take it.
	Label string
	// Question is the whole question as it is meant then.
	Question string
}
