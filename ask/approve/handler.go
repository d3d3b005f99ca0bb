package approve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
)

// Path is where a project has its approvals; one has its id behind a slash.
const Path = "/approvals"

// Listed is the body of GET /approvals.
type Listed struct {
	Approvals []Approval `json:"approvals"`
}

// Handler serves the approvals of a Desk:
//
//	GET  /approvals       what waits, and what became of the rest
//	GET  /approvals/{id}  one of them
//	POST /approvals/{id}  one decision; the approval as it then stands
//
// A GET decides and executes nothing. The handler looks at no token: whoever mounts it
// does, before it is called.
func (d *Desk) Handler() http.Handler { return handler{d} }

type handler struct{ d *Desk }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, one := strings.CutPrefix(r.URL.Path, Path+"/")
	var p *ask.Problem
	switch {
	case !one && r.URL.Path != Path, one && strings.Contains(id, "/"):
		p = ask.NewProblem(ask.CodeNotFound, "", "There is nothing here: approvals are at "+Path+" and "+Path+"/{id}.")
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		p = h.get(w, r, id, one)
	case r.Method == http.MethodPost && one:
		p = h.decide(w, r, id)
	default:
		allow := []string{http.MethodGet, http.MethodHead}
		if one {
			allow = append(allow, http.MethodPost)
		}
		slices.Sort(allow)
		list := strings.Join(allow, ", ")
		w.Header().Set("Allow", list)
		p = ask.NewProblem(ask.CodeMethodNotAllowed, "", "Use "+list+" here.")
	}
	if p != nil {
		ask.WriteProblem(w, p)
	}
}

func (h handler) get(w http.ResponseWriter, r *http.Request, id string, one bool) *ask.Problem {
	if one {
		a, err := h.d.Get(r.Context(), id)
		return h.write(w, &a, err)
	}
	list, err := h.d.List(r.Context())
	return h.write(w, &Listed{list}, err)
}

func (h handler) decide(w http.ResponseWriter, r *http.Request, id string) *ask.Problem {
	var dec Decision
	if p := ask.ReadJSON(w, r, &dec); p != nil {
		return p
	}
	if dec.ID == "" {
		dec.ID = id
	}
	if dec.ID != id {
		return ask.NewProblem(ask.CodeInvalidField, "id", `Send in "id" the id of the address, or leave it out.`)
	}
	a, err := h.d.Decide(r.Context(), dec)
	return h.write(w, &a, err)
}

// write answers with v, or gives the error as a problem; its cause goes to the log.
func (h handler) write(w http.ResponseWriter, v any, err error) *ask.Problem {
	if p := ProblemOf(err); p != nil {
		if p.Code == ask.CodeUnavailable && !errors.Is(err, context.Canceled) {
			h.d.Log.Error("the approvals could not be read or written", "cause", err)
		}
		return p
	}
	_ = ask.WriteJSON(w, v) // who asked has gone: nobody is left to tell
	return nil
}
