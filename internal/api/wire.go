package api

import (
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

// The wire types of spec 5. They are apart from the stored record, whose life
// is longer.

// askRequest is the body of POST /ask: the ask contract's question and more.
type askRequest struct {
	Question string `json:"question" minLength:"1" maxLength:"4000" doc:"What the person said, in plain text."`
	// Asker may be left out by a way in that is bound to one asker.
	Asker     ask.Asker  `json:"asker,omitzero" doc:"Who asked. A way in that is bound to one asker may leave it out."`
	Person    ask.Person `json:"person,omitzero" doc:"Whom it is about; by default the person that the question names, else the asker."`
	Source    string     `json:"source,omitzero" doc:"Where it was asked, such as esp32, phone, chat or admin; by default the way in's name."`
	Want      string     `json:"want,omitzero" enum:"text,speech,notification" doc:"The shape of the reply; by default the way in's, else the source decides."`
	InReplyTo string     `json:"in_reply_to,omitzero" doc:"The id of the reply that this continues: a clarify, for two minutes, or what waits for a yes, to withdraw it."`
	Room      string     `json:"room,omitzero" doc:"Where it was said, such as kitchen: a timer rings there."`
	Language  string     `json:"language,omitzero" doc:"What the words are in, such as en-GB; handed on to what acts in the house."`
}

// askReply is the reply of POST /ask.
type askReply struct {
	ID     string `json:"id" doc:"The record's id, for GET /ask/{id}." example:"ask_01KEXAMPLE00000000000000000"`
	Status string `json:"status" enum:"answered,done,clarify,no_match,no_answer,refused,unavailable,pending,elsewhere"`
	Reply  string `json:"reply" doc:"One short honest sentence."`
	Title  string `json:"title,omitzero" doc:"Of a notification only."`
	Want   string `json:"want" enum:"text,speech,notification"`
	Route  route  `json:"route"`
	Parts  []part `json:"parts" doc:"What each project said; empty where none was asked."`
	// Choices go with a clarify.
	Choices []string   `json:"choices,omitzero" doc:"At most three candidates of a clarify."`
	Expires *time.Time `json:"expires,omitzero" doc:"When the reply stops being true."`
	// Approval goes with pending.
	Approval string `json:"approval,omitzero" doc:"The id of the approval that waits for a yes in the admin app, or that the words were about."`
}

type route struct {
	Kind     string   `json:"kind" enum:"query,command,decision,peer,fanout,refused,none"`
	Projects []string `json:"projects"`
	Reason   string   `json:"reason" doc:"Short and stable, such as topic:timetable."`
	By       string   `json:"by" enum:"guard,llm,embedded,choice"`
}

type part struct {
	Project    string     `json:"project"`
	Status     string     `json:"status" enum:"answered,done,no_answer,unavailable,pending,elsewhere"`
	Person     ask.Person `json:"person,omitzero"`
	Answer     string     `json:"answer,omitzero"`
	Reason     string     `json:"reason,omitzero"`
	Expires    *time.Time `json:"expires,omitzero"`
	MS         int64      `json:"ms" doc:"How long the project took, in milliseconds."`
	Remembered bool       `json:"remembered,omitzero" doc:"Given before, and still true: the project was not asked again."`
}

// recordPart is a part with how its project came to it.
type recordPart struct {
	part
	Data any `json:"data,omitzero" doc:"The project's own detail, such as a catalogue's plan, look-ups and proof."`
}

// recordReply is the reply of GET /ask/{id}: the reply, and how it came about.
type recordReply struct {
	ID        string       `json:"id"`
	Time      time.Time    `json:"time"`
	Asker     ask.Asker    `json:"asker"`
	Person    ask.Person   `json:"person,omitzero" doc:"Whom it was about."`
	WayIn     string       `json:"way_in"`
	Source    string       `json:"source,omitzero"`
	Want      string       `json:"want,omitzero"`
	Question  string       `json:"question,omitzero" doc:"Left out where the household keeps no texts."`
	Status    string       `json:"status"`
	Reply     string       `json:"reply,omitzero" doc:"Left out where the household keeps no texts."`
	Route     route        `json:"route"`
	Decision  decision     `json:"decision"`
	Parts     []recordPart `json:"parts"`
	Choices   []string     `json:"choices,omitzero"`
	InReplyTo string       `json:"in_reply_to,omitzero"`
	Expires   *time.Time   `json:"expires,omitzero"`
	Approval  string       `json:"approval,omitzero" doc:"The id of the approval that it waited for, or was about."`
	Timings   timings      `json:"timings"`
}

type decision struct {
	Outcome    string   `json:"outcome" enum:"route,fanout,clarify,no_match,refused"`
	Confidence float64  `json:"confidence"`
	Why        string   `json:"why,omitzero"`
	Words      []string `json:"words,omitzero" doc:"The question's words that it rests on."`
}

// timings are in milliseconds.
type timings struct {
	Guard    float64 `json:"guard_ms"`
	Decide   float64 `json:"decide_ms"`
	Dispatch float64 `json:"dispatch_ms"`
	Total    float64 `json:"total_ms"`
}

// capabilities is the reply of GET /capabilities.
type capabilities struct {
	Topics   []string     `json:"topics" doc:"Of all projects, each once."`
	People   []ask.Person `json:"people" doc:"Of all projects, each once."`
	Projects []project    `json:"projects"`
}

type project struct {
	Project   string       `json:"project"`
	Topics    []string     `json:"topics"`
	People    []ask.Person `json:"people"`
	Answering bool         `json:"answering" doc:"Whether it answered when it was last asked for its health."`
}

// health is the reply of GET /health.
type health struct {
	OK    bool         `json:"ok"`
	Parts []PartHealth `json:"parts,omitzero" doc:"With the admin token: the state of each part."`
}

// PartHealth is the state of one part of the Hub.
type PartHealth struct {
	Part  string `json:"part" example:"project:compass_nhs"`
	OK    bool   `json:"ok"`
	Fault string `json:"fault,omitzero" doc:"What is wrong, in plain words."`
}

// instant is t as an optional member, in UTC.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func toReply(r *hub.Reply) askReply {
	return askReply{
		ID: r.ID, Status: string(r.Status), Reply: r.Reply, Title: r.Title, Want: r.Want,
		Route: toRoute(r.Route), Parts: toParts(r.Parts), Choices: r.Choices, Expires: instant(r.Expires),
		Approval: r.Approval,
	}
}

func toRoute(r record.Route) route {
	return route{Kind: r.Kind, Projects: orEmpty(r.Projects), Reason: r.Reason, By: string(r.By)}
}

func toParts(parts []routing.Part) []part {
	out := make([]part, len(parts))
	for i, p := range parts {
		out[i] = part{
			Project: p.Project, Status: string(p.Status), Person: p.Person, Answer: p.Answer, Reason: p.Reason,
			Expires: instant(p.Expires), MS: p.Took.Milliseconds(), Remembered: p.Remembered,
		}
	}
	return out
}

func toRecordParts(parts []routing.Part) []recordPart {
	out := make([]recordPart, len(parts))
	for i, p := range toParts(parts) {
		out[i].part = p
		if data := parts[i].Data; data != nil {
			out[i].Data = data
		}
	}
	return out
}

func toRecord(r *record.Record) recordReply {
	return recordReply{
		ID: r.ID, Time: r.Time.UTC(), Asker: r.Asker, Person: r.Person, WayIn: r.WayIn, Source: r.Source, Want: r.Want,
		Question: r.Question, Status: string(r.Status), Reply: r.Reply, Route: toRoute(r.Route),
		Decision: decision{Outcome: string(r.Decision.Outcome), Confidence: r.Decision.Confidence, Why: r.Decision.Why, Words: r.Decision.Words},
		Parts:    toRecordParts(r.Parts), Choices: r.Choices, InReplyTo: r.InReplyTo, Expires: instant(r.Expires), Approval: r.Approval,
		Timings: timings{
			Guard: inMS(r.Timings.Guard), Decide: inMS(r.Timings.Decide), Dispatch: inMS(r.Timings.Dispatch), Total: inMS(r.Timings.Total),
		},
	}
}

func inMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// orEmpty is the list, never null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
