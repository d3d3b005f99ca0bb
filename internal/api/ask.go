package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

// ask serves POST /ask, the main job.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, who caller) *ask.Problem {
	leave, wait := s.admit(who)
	if leave == nil {
		return tooMany(w.Header(), wait)
	}
	defer leave()
	var body askRequest
	if p := ask.ReadJSON(w, r, &body); p != nil {
		return p
	}
	rec, p := s.answer(r.Context(), &body, who)
	if p != nil {
		return p
	}
	out := toReply(&rec)
	if err := ask.WriteJSON(w, &out); err != nil {
		s.measured.problem(ask.CodeInternal)
	}
	return nil
}

// admit lets a request in within its way in's limits; whoever is let in leaves. Where
// leave is nil, wait says how long to come back after.
func (s *Server) admit(who caller) (leave func(), wait time.Duration) {
	limiter := s.limiters[who.name]
	if limiter == nil {
		return func() {}, 0
	}
	if wait, ok := limiter.Enter(s.cfg.Now()); !ok {
		return nil, wait
	}
	return limiter.Leave, 0
}

// tooMany is what a way in over its limits gets.
func tooMany(h http.Header, wait time.Duration) *ask.Problem {
	h.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	return ask.NewProblem(ask.CodeTooMany, "", "This way in has asked too much; wait as long as Retry-After says.")
}

// answer asks the Hub what body says, after everything in it was checked.
func (s *Server) answer(ctx context.Context, body *askRequest, who caller) (hub.Reply, *ask.Problem) {
	req, p := s.request(body, who)
	if p != nil {
		return hub.Reply{}, p
	}
	rec := s.cfg.Hub.Ask(ctx, req)
	s.measured.asked(&rec.Record)
	return rec, nil
}

// request checks the body against the contract and against what the caller may do.
func (s *Server) request(body *askRequest, who caller) (hub.Request, *ask.Problem) {
	if body.Asker == "" && len(who.wayIn.Askers) == 1 {
		body.Asker = who.wayIn.Askers[0]
	}
	req := hub.Request{
		Question:  ask.Question{Question: body.Question, Asker: body.Asker, Person: body.Person, Source: body.Source},
		WayIn:     who.name,
		Want:      reply.Want(body.Want),
		InReplyTo: body.InReplyTo,
		Heard:     dispatch.Heard{Room: body.Room, Language: body.Language},
	}
	if p := req.Question.Validate(); p != nil {
		return req, p
	}
	house := s.cfg.Household()
	if !s.speaksFor(who, body.Asker) {
		return req, ownCodes.Problem(CodeAskerNotAllowed, "asker", "This token may not speak for that asker; askers in askhub.toml lists those it may.")
	}
	if body.Person != "" {
		if _, known := house.Find(string(body.Person)); !known && !s.declared(body.Person) {
			return req, ownCodes.Problem(CodeUnknownPerson, "person", "Send the name of a person in people.toml, or leave person out.")
		}
	}
	if req.Want != "" && !req.Want.Valid() {
		return req, ask.NewProblem(ask.CodeInvalidField, "want", `Send "want" as text, speech or notification, or leave it out.`)
	}
	if req.InReplyTo != "" && !isID(req.InReplyTo) {
		return req, ask.NewProblem(ask.CodeInvalidField, "in_reply_to", `Send "in_reply_to" as the id of the reply that you continue, such as ask_01…, or leave it out.`)
	}
	if p := checkHeard(req.Heard); p != nil {
		return req, p
	}
	if req.Source == "" {
		req.Source = who.name
	}
	if req.Want == "" {
		req.Want = who.wayIn.Want
	}
	if req.Want == "" {
		req.Want = reply.For(req.Source)
	}
	return req, nil
}

func checkHeard(h dispatch.Heard) *ask.Problem {
	if h.Language != "" && !dispatch.LanguageTag(h.Language) {
		return ask.NewProblem(ask.CodeInvalidField, "language", `Send "language" as a tag such as en or en-GB, or leave it out.`)
	}
	if h.Room == "" {
		return nil
	}
	return ask.CheckName("room", h.Room)
}

// speaksFor says whether the caller may ask in that person's name: a way in for
// those that the config lists, the admin app for everybody in the household and
// for a guest.
func (s *Server) speaksFor(who caller, asker ask.Asker) bool {
	house := s.cfg.Household()
	if who.admin {
		_, known := house.Find(string(asker))
		return known || asker == people.Guest
	}
	return slices.ContainsFunc(who.wayIn.Askers, func(a ask.Asker) bool { return sameAsker(house, a, asker) })
}

// sameAsker says whether two names are of one asker: the config, a way in and a record
// may each call a person by another of their names.
func sameAsker(house *people.Household, a, b ask.Asker) bool {
	if a == b {
		return true
	}
	first, known := house.Find(string(a))
	if !known {
		return false
	}
	second, known := house.Find(string(b))
	return known && first.Name == second.Name
}

// declared says whether a project has data about that person.
func (s *Server) declared(person ask.Person) bool {
	return slices.ContainsFunc(s.cfg.Projects.Capabilities(), func(c ask.Capabilities) bool {
		return slices.ContainsFunc(c.People, func(p ask.Person) bool { return strings.EqualFold(string(p), string(person)) })
	})
}

// record serves GET /ask/{id}.
func (s *Server) record(w http.ResponseWriter, r *http.Request, who caller) *ask.Problem {
	out, p := s.recordOf(r.Context(), r.PathValue("id"), who)
	if p != nil {
		return p
	}
	if err := ask.WriteJSON(w, out); err != nil {
		s.measured.problem(ask.CodeInternal)
	}
	return nil
}

// recordOf is the record of that id for whoever asked: the way in that it came by, one
// that speaks for that asker alone, and the admin app. To others it is unknown.
func (s *Server) recordOf(ctx context.Context, id string, who caller) (*recordReply, *ask.Problem) {
	unknown := ownCodes.Problem(CodeUnknownAsk, "id", "Nothing is kept under this id.")
	if !isID(id) {
		return nil, unknown
	}
	rec, err := s.cfg.Records.Get(ctx, id)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return nil, unknown
	case err != nil:
		return nil, storeFault(ctx, recordDown, err)
	}
	own := len(who.wayIn.Askers) == 1 && sameAsker(s.cfg.Household(), who.wayIn.Askers[0], rec.Asker)
	if !who.admin && rec.WayIn != who.name && !own {
		return nil, unknown
	}
	out := toRecord(&rec)
	return &out, nil
}

func isID(id string) bool {
	_, ok := record.IDTime(id)
	return ok
}
