// Package ask is the ask contract, version 1: the one small HTTP interface
// between the Hub and every data project. It holds the contract's types, its
// limits, its strict decoding and its problem codes, and nothing that knows a
// project's data.
//
// A project in Go is written with package askserve, called with package
// askclient and checked with package asktest.
package ask

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// The contract's limits.
const (
	// MaxBody is the largest request body that is read, in bytes.
	MaxBody = 32 << 10
	// MaxQuestion is the longest question, in Unicode code points.
	MaxQuestion = 4000
	// MinToken is the shortest bearer token that is accepted, in characters.
	MinToken = 32
	// Budget is how long the Hub waits for a project.
	Budget = 3 * time.Second
)

// DeadlineHeader tells a project how many milliseconds it has left.
const DeadlineHeader = "X-Ask-Deadline"

// Asker is the person who asked. It decides permission.
type Asker string

// Person is whom a question is about.
type Person string

// BearerToken is the secret that one service presents to another. It formats
// as a placeholder, so that it cannot reach a log by accident.
type BearerToken string

// Question is the body of POST /ask.
type Question struct {
	// Question is what the person said, in plain text.
	Question string `json:"question"`
	// Asker is who asked.
	Asker Asker `json:"asker"`
	// Person is whom it is about; empty means the asker.
	Person Person `json:"person,omitzero"`
	// Source is the way in, such as "esp32" or "phone"; it may be empty.
	Source string `json:"source,omitzero"`
}

// About is whom the question is about: Person, or the asker where that is empty.
func (q Question) About() Person {
	if q.Person != "" {
		return q.Person
	}
	return Person(q.Asker)
}

// Answer is the reply of POST /ask.
type Answer struct {
	// Answer is one short sentence, safe to speak aloud; nil means that there is none.
	Answer *string `json:"answer"`
	// Reason says why there is no answer; it is required where Answer is nil.
	Reason string `json:"reason,omitzero"`
	// Data is structured detail of the project's own; the Hub ignores it.
	Data jsontext.Value `json:"data,omitzero"`
	// Expires is when the answer stops being true; zero means that nobody said.
	Expires time.Time `json:"expires,omitzero"`
}

// Say is an answer of one sentence.
func Say(sentence string) Answer { return Answer{Answer: &sentence} }

// NoAnswer is the honest "I do not know", with its reason in plain words.
func NoAnswer(reason string) Answer { return Answer{Reason: reason} }

// Until is the same answer with the instant at which it stops being true.
func (a Answer) Until(t time.Time) Answer {
	a.Expires = t
	return a
}

// Capabilities is the reply of GET /capabilities.
type Capabilities struct {
	// Project is the project's name, equal to its row in routing.md.
	Project string `json:"project"`
	// Topics are short plain words that the Hub routes on.
	Topics []string `json:"topics"`
	// People are those whom the project has data about.
	People []Person `json:"people"`
}

// Health is the reply of GET /health.
type Health struct {
	OK bool `json:"ok"`
}
