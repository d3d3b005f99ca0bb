// Package record keeps what became of each request, once (spec 5): who asked whom
// about whom, the outcome, the parts and the time they took. A Log takes records off
// the answer's path; a Store keeps them.
package record

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

// Record is one request and what became of it. Its JSON form is that of
// GET /ask/{id}; where it overlaps with the reply of POST /ask, it is the same.
type Record struct {
	// ID is from NewID.
	ID string
	// Time is when the request came in.
	Time time.Time
	// Asker is who asked; Person is whom it is about.
	Asker  ask.Asker
	Person ask.Person
	// WayIn is the caller by its token, Source what it said of itself.
	WayIn  string
	Source string
	// Want is text, speech or notification.
	Want     string
	Question string
	Status   routing.Status
	// Reply is what was said to the asker.
	Reply    string
	Route    Route
	Decision Decision
	Parts    []routing.Part
	Timings  Timings
	// Choices are those of a clarify, in the order they were offered.
	Choices []string
	// InReplyTo is the request that this one continues; empty where none.
	InReplyTo string
	// Expires is when the answer stops being true; zero where nobody said.
	Expires time.Time
	// Approval is the id of what waits for a person's yes, or of what was said about it.
	Approval string
}

// Route says where the request went (spec 5).
type Route struct {
	// Kind is query, command, decision, peer, fanout, refused or none.
	Kind     string     `json:"kind"`
	Projects []string   `json:"projects"`
	Reason   string     `json:"reason,omitzero"`
	By       routing.By `json:"by,omitzero"`
}

// Decision says how the route came about; `askhub why` shows it.
type Decision struct {
	Outcome    routing.Outcome `json:"outcome,omitzero"`
	Confidence float64         `json:"confidence,omitzero"`
	// Why is the decision in a sentence; it may quote the question.
	Why string `json:"why,omitempty"`
	// Words are the words of the question that it rests on.
	Words []string `json:"words,omitempty"`
}

// Timings are how long each stage took; a stage that did not run is zero.
type Timings struct {
	Guard, Decide, Dispatch, Total time.Duration
}

// wire is a Record as JSON has it.
type wire struct {
	ID        string         `json:"id"`
	Time      time.Time      `json:"time"`
	Asker     ask.Asker      `json:"asker"`
	Person    ask.Person     `json:"person,omitempty"`
	WayIn     string         `json:"way_in,omitempty"`
	Source    string         `json:"source,omitempty"`
	Status    routing.Status `json:"status"`
	Question  string         `json:"question,omitempty"`
	Reply     string         `json:"reply,omitempty"`
	Want      string         `json:"want,omitempty"`
	Route     Route          `json:"route"`
	Decision  Decision       `json:"decision,omitzero"`
	Parts     []wirePart     `json:"parts"`
	Choices   []string       `json:"choices,omitempty"`
	InReplyTo string         `json:"in_reply_to,omitempty"`
	Expires   time.Time      `json:"expires,omitzero"`
	Approval  string         `json:"approval,omitempty"`
	Timings   wireTimings    `json:"timings"`
}

type wirePart struct {
	Project string         `json:"project"`
	Status  routing.Status `json:"status"`
	Answer  string         `json:"answer,omitempty"`
	Reason  string         `json:"reason,omitempty"`
	Person  ask.Person     `json:"person,omitempty"`
	Expires time.Time      `json:"expires,omitzero"`
	MS      int64          `json:"ms"`
	// Remembered is left out where the project was asked.
	Remembered bool `json:"remembered,omitzero"`
	// Data is the project's own detail.
	Data jsontext.Value `json:"data,omitzero"`
}

// wireTimings are in milliseconds, to the microsecond.
type wireTimings struct {
	Guard    float64 `json:"guard_ms"`
	Decide   float64 `json:"decide_ms"`
	Dispatch float64 `json:"dispatch_ms"`
	Total    float64 `json:"total_ms"`
}

// MarshalJSONTo writes the form of GET /ask/{id}.
func (r Record) MarshalJSONTo(enc *jsontext.Encoder) error {
	w := wire{
		ID: r.ID, Time: r.Time, Asker: r.Asker, Person: r.Person, WayIn: r.WayIn, Source: r.Source,
		Status: r.Status, Question: r.Question, Reply: r.Reply, Want: r.Want,
		Route: r.Route, Decision: r.Decision, Choices: r.Choices,
		InReplyTo: r.InReplyTo, Expires: r.Expires, Approval: r.Approval,
		Timings: wireTimings{toMS(r.Timings.Guard), toMS(r.Timings.Decide), toMS(r.Timings.Dispatch), toMS(r.Timings.Total)},
	}
	if len(r.Parts) > 0 {
		w.Parts = make([]wirePart, len(r.Parts))
		for i, p := range r.Parts {
			w.Parts[i] = wirePart{p.Project, p.Status, p.Answer, p.Reason, p.Person, p.Expires, p.Took.Round(time.Millisecond).Milliseconds(), p.Remembered, p.Data}
		}
	}
	return json.MarshalEncode(enc, &w)
}

// UnmarshalJSONFrom reads what MarshalJSONTo wrote; a part's time comes back to the
// millisecond, the stages' to the microsecond.
func (r *Record) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var w wire
	if err := json.UnmarshalDecode(dec, &w); err != nil {
		return err
	}
	*r = Record{
		ID: w.ID, Time: w.Time, Asker: w.Asker, Person: w.Person, WayIn: w.WayIn, Source: w.Source,
		Status: w.Status, Question: w.Question, Reply: w.Reply, Want: w.Want,
		Route: w.Route, Decision: w.Decision, Choices: w.Choices,
		InReplyTo: w.InReplyTo, Expires: w.Expires, Approval: w.Approval,
		Timings: Timings{fromMS(w.Timings.Guard), fromMS(w.Timings.Decide), fromMS(w.Timings.Dispatch), fromMS(w.Timings.Total)},
	}
	for _, p := range w.Parts {
		r.Parts = append(r.Parts, routing.Part{
			Project: p.Project, Status: p.Status, Answer: p.Answer, Reason: p.Reason,
			Person: p.Person, Expires: p.Expires, Took: time.Duration(p.MS) * time.Millisecond, Remembered: p.Remembered, Data: p.Data,
		})
	}
	return nil
}

func toMS(d time.Duration) float64 { return float64(d.Round(time.Microsecond).Microseconds()) / 1000 }

func fromMS(ms float64) time.Duration {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Microsecond)
}

// People are all whom the record concerns, once each: the asker, the person, and
// those that a part was asked about.
func (r *Record) People() []ask.Person {
	people := make([]ask.Person, 0, 2)
	add := func(p ask.Person) {
		if p != "" && !slices.Contains(people, p) {
			people = append(people, p)
		}
	}
	add(ask.Person(r.Asker))
	add(r.Person)
	for i := range r.Parts {
		add(r.Parts[i].Person)
	}
	return people
}

// withoutText is the record with nothing in it that anybody said.
func (r Record) withoutText() Record {
	r.Question, r.Reply = "", ""
	r.Decision.Why, r.Decision.Words = "", nil
	r.Parts = slices.Clone(r.Parts)
	for i := range r.Parts {
		p := &r.Parts[i]
		p.Answer, p.Data = "", nil
		switch p.Reason {
		case routing.ReasonNotBuilt, routing.ReasonNotConfigured, routing.ReasonDown, routing.ReasonSlow:
		default:
			p.Reason = "" // a project's own words
		}
	}
	return r
}
