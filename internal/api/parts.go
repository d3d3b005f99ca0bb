package api

import (
	"net/http"
	"slices"

	"github.com/askhub/askhub/ask"
)

// capabilities serves GET /capabilities.
func (s *Server) capabilities(w http.ResponseWriter, _ *http.Request, _ caller) *ask.Problem {
	_ = ask.WriteJSON(w, s.merged()) // where that fails, who asked has gone: nobody is left to tell
	return nil
}

// merged are the topics and people of all projects, and which projects answer now.
func (s *Server) merged() *capabilities {
	answering := make(map[string]bool)
	for _, state := range s.cfg.Projects.States() {
		answering[state.Project] = state.Up
	}
	out := capabilities{Topics: []string{}, People: []ask.Person{}, Projects: []project{}}
	for _, c := range s.cfg.Projects.Capabilities() {
		out.Topics = appendNew(out.Topics, c.Topics)
		out.People = appendNew(out.People, c.People)
		out.Projects = append(out.Projects, project{
			Project: c.Project, Topics: appendNew([]string{}, c.Topics), People: appendNew([]ask.Person{}, c.People),
			Answering: answering[c.Project],
		})
	}
	return &out
}

// appendNew adds what list does not have yet.
func appendNew[T comparable](list, more []T) []T {
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// health serves GET /health: to anyone that the Hub runs, to the admin app the
// state of each part too. One part down is not an outage, so ok stays true.
func (s *Server) health(w http.ResponseWriter, _ *http.Request, who caller) *ask.Problem {
	out := health{OK: true}
	if who.admin {
		out.Parts = s.cfg.Health()
		for _, state := range s.cfg.Projects.States() {
			out.Parts = append(out.Parts, PartHealth{Part: "project:" + state.Project, OK: state.Up, Fault: state.Fault})
		}
	}
	_ = ask.WriteJSON(w, &out)
	return nil
}

// metrics serves GET /metrics in the Prometheus text format.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request, _ caller) *ask.Problem {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	s.cfg.Metrics.WritePrometheus(w)
	return nil
}
