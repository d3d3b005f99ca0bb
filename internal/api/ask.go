package api

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

// ask serves POST /ask, the main job.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, who caller) *ask.Problem {
	if limiter := s.limiters[who.name]; limiter != nil {
		if wait, ok := limiter.enter(s.cfg.Now()); !ok {
			w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
			return ask.NewProblem(ask.CodeTooMany, "", "This way in has asked too much; wait as long as Retry-After says.")
		}
		defer limiter.leave()
	}
	var body askRequest
	if p := ask.ReadJSON(w, r, &body); p != nil {
		return p
	}
	req, p := s.request(&body, who)
	if p != nil {
		return p
	}
	rec := s.cfg.Hub.Ask(r.Context(), req)
	s.measured.asked(&rec.Record)
	out := toReply(&rec)
	if err := ask.WriteJSON(w, &out); err != nil {
		s.measured.problem(ask.CodeInternal)
	}
	return nil
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
	}
	if p := req.Question.Validate(); p != nil {
		return req, p
	}
	house := s.cfg.Household()
	if !s.speaksFor(who, body.Asker) {
		return req, problem(CodeAskerNotAllowed, "asker", "This token may not speak for that asker; askers in askhub.toml lists those it may.")
	}
	if body.Person != "" {
		if _, known := house.Find(string(body.Person)); !known && !s.declared(body.Person) {
			return req, problem(CodeUnknownPerson, "person", "Send the name of a person in people.toml, or leave person out.")
		}
	}
	if req.Want != "" && !req.Want.Valid() {
		return req, ask.NewProblem(ask.CodeInvalidField, "want", `Send "want" as text, speech or notification, or leave it out.`)
	}
	if req.InReplyTo != "" && !isID(req.InReplyTo) {
		return req, ask.NewProblem(ask.CodeInvalidField, "in_reply_to", `Send "in_reply_to" as the id of the clarify, such as ask_01…, or leave it out.`)
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

// record serves GET /ask/{id} to whoever asked: the way in that it came by, one
// that speaks for that asker alone, and the admin app. To others it is unknown.
func (s *Server) record(w http.ResponseWriter, r *http.Request, who caller) *ask.Problem {
	unknown := problem(CodeUnknownAsk, "id", "Nothing is kept under this id.")
	id := r.PathValue("id")
	if !isID(id) {
		return unknown
	}
	rec, err := s.cfg.Records.Get(r.Context(), id)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return unknown
	case err != nil:
		return ask.NewProblem(ask.CodeUnavailable, "", "The record cannot be read just now; try again.")
	}
	own := len(who.wayIn.Askers) == 1 && sameAsker(s.cfg.Household(), who.wayIn.Askers[0], rec.Asker)
	if !who.admin && rec.WayIn != who.name && !own {
		return unknown
	}
	out := toRecord(&rec)
	if err := ask.WriteJSON(w, &out); err != nil {
		s.measured.problem(ask.CodeInternal)
	}
	return nil
}

func isID(id string) bool {
	_, ok := record.IDTime(id)
	return ok
}
