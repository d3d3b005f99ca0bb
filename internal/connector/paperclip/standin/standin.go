// Package standin stands in for Paperclip in tests: it is NOT Paperclip. It answers as
// paperclipai 2026.916.1 answered when it was asked, for the few calls that are made here,
// and it can be told to fail in the ways in which servers and what stands before them do.
package standin

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// What the stand-in's household has. The ids are made up.
const (
	Company = "495b7272-9c34-40a5-9065-000000000001"
	Project = "a271ef99-1e6e-4b3a-b6ca-000000000002"
	Agent   = "294012d6-3a40-44fa-889d-000000000003"
	// Other is an agent to whom the key may not assign anything.
	Other = "294012d6-3a40-44fa-889d-000000000004"
)

// The keys that it takes.
const (
	// Key has the scope task_bridge for Project.
	Key = "pcp_000000000000000000000000000000000000000000000001"
	// WideKey has no limited scope.
	WideKey = "pcp_000000000000000000000000000000000000000000000002"
	// StrangersKey is of another company.
	StrangersKey = "pcp_000000000000000000000000000000000000000000000003"
)

// Fault is one way in which a request that files an issue goes wrong.
type Fault struct {
	// Status, with Body, is the whole reply; Type is its content type, by default JSON's.
	Status int
	Body   string
	Type   string
	// After is how long the reply takes.
	After time.Duration
	// Cut ends the connection in place of a reply.
	Cut bool
	// Filed has the issue made all the same.
	Filed bool
}

// Issue is one issue as the stand-in has it.
type Issue struct {
	ID          string  `json:"id"`
	Company     string  `json:"companyId"`
	Project     *string `json:"projectId"`
	Parent      *string `json:"parentId"`
	Title       string  `json:"title"`
	Description *string `json:"description"`
	Status      string  `json:"status"`
	Assignee    *string `json:"assigneeAgentId"`
	Identifier  string  `json:"identifier"`
	Origin      string  `json:"originKind"`
	// Deduplicated is set in the reply to a key that was there already.
	Deduplicated bool   `json:"deduplicated,omitzero"`
	Reason       string `json:"deduplicationReason,omitzero"`
}

// Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	mu     sync.Mutex
	issues []*Issue
	byKey  map[string]*Issue
	faults []Fault
	health string
	calls  []string
	mux    *http.ServeMux
}

// New has no issues yet.
func New() *Server {
	s := &Server{byKey: map[string]*Issue{}, health: "ok", mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /api/health", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"status": s.health, "version": "2026.916.1", "deploymentMode": "authenticated"})
	})
	s.mux.HandleFunc("GET /api/agents/me", s.me)
	s.mux.HandleFunc("POST /api/companies/{company}/issues", s.create)
	s.mux.HandleFunc("GET /api/companies/{company}/issues", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "Task bridge keys cannot use company-wide issue list APIs")
	})
	s.mux.HandleFunc("GET /api/issues/{issue}", s.issue)
	// What a person does on the board, without a key as on a machine of one's own.
	s.mux.HandleFunc("PATCH /api/issues/{issue}", s.change)
	s.mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "API route not found")
	})
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	s.mux.ServeHTTP(w, r)
}

// Fail has the next requests that file an issue go wrong, one fault each.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Health sets what it says of itself, such as "starting".
func (s *Server) Health(status string) { s.health = status }

// Issues are copies of all there are.
func (s *Server) Issues() []Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Issue, len(s.issues))
	for i, issue := range s.issues {
		list[i] = *issue
	}
	return list
}

// Calls are the requests so far, as "POST /api/…".
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls...)
}

// Set moves an issue to that status; "deleted" takes it away.
func (s *Server) Set(identifier, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, issue := range s.issues {
		if issue.Identifier != identifier {
			continue
		}
		if issue.Status = status; status == "deleted" {
			s.issues = append(s.issues[:i:i], s.issues[i+1:]...)
		}
		return
	}
}

// scope is what a key may do; ok is false where it is none.
func scope(r *http.Request) (company string, scope map[string]any, ok bool) {
	switch strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") {
	case Key:
		return Company, map[string]any{"kind": "task_bridge", "projectId": Project}, true
	case WideKey:
		return Company, nil, true
	case StrangersKey:
		return "495b7272-9c34-40a5-9065-000000000009", map[string]any{"kind": "task_bridge", "projectId": Project}, true
	}
	return "", nil, false
}

func (s *Server) me(w http.ResponseWriter, r *http.Request) {
	company, limits, ok := scope(r)
	switch {
	case r.Header.Get("Authorization") == "":
		refuse(w, http.StatusUnauthorized, "Agent authentication required")
	case !ok:
		refuse(w, http.StatusUnauthorized, "Agent token did not verify; obtain fresh credentials and retry")
	default:
		me := map[string]any{"id": Agent, "companyId": company, "name": "askhub", "role": "general", "title": nil, "status": "idle"}
		if limits != nil {
			me["keyScope"] = limits
		}
		reply(w, http.StatusOK, me)
	}
}

// filing is the body of a request that files an issue.
type filing struct {
	Title       string  `json:"title"`
	Description *string `json:"description"`
	Project     *string `json:"projectId"`
	Parent      *string `json:"parentId"`
	Assignee    *string `json:"assigneeAgentId"`
	Key         string  `json:"idempotencyKey"`
	Duplicate   bool    `json:"allowDuplicate"`
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	fault, faulty := s.nextFault()
	raw, _ := io.ReadAll(r.Body)
	var f filing
	err := json.Unmarshal(raw, &f)
	if faulty {
		if fault.Filed && err == nil {
			s.file(f)
		}
		fault.serve(w, r)
		return
	}
	company, limits, ok := scope(r)
	switch {
	case !ok:
		refuse(w, http.StatusUnauthorized, "Agent token did not verify; obtain fresh credentials and retry")
	case company != r.PathValue("company"):
		refuse(w, http.StatusForbidden, "Agent key cannot access another company")
	case err != nil:
		refuse(w, http.StatusInternalServerError, "Internal server error")
	case f.Title == "":
		reply(w, http.StatusBadRequest, map[string]any{"error": "Validation error", "details": []any{map[string]any{"code": "too_small", "path": []string{"title"}}}})
	case limits != nil && (f.Project == nil || *f.Project != Project):
		refuse(w, http.StatusForbidden, "Task bridge key is outside its approved parent or project boundary.")
	case limits != nil && f.Assignee != nil && *f.Assignee != Agent:
		refuse(w, http.StatusForbidden, "Task bridge key cannot assign work to that agent.")
	default:
		issue, there := s.file(f)
		status := http.StatusCreated
		if there {
			status, issue.Deduplicated, issue.Reason = http.StatusOK, true, "idempotency_key"
		}
		reply(w, status, issue)
	}
}

// file makes the issue, or gives the one that this key has made.
func (s *Server) file(f filing) (issue Issue, there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.byKey[f.Key]; old != nil && f.Key != "" {
		return *old, true
	}
	kept := &Issue{
		ID: newID(), Company: Company, Project: f.Project, Parent: f.Parent, Title: f.Title, Description: f.Description, Assignee: f.Assignee,
		Status: "backlog", Identifier: fmt.Sprintf("HOU-%d", len(s.byKey)+1), Origin: "task_bridge",
	}
	if f.Assignee != nil {
		kept.Status = "todo"
	}
	s.issues = append(s.issues, kept)
	s.byKey[cmp.Or(f.Key, kept.ID)] = kept
	return *kept, false
}

func (s *Server) issue(w http.ResponseWriter, r *http.Request) {
	if _, _, ok := scope(r); !ok {
		refuse(w, http.StatusUnauthorized, "Agent token did not verify; obtain fresh credentials and retry")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, issue := range s.issues {
		if id := r.PathValue("issue"); issue.ID == id || issue.Identifier == id {
			reply(w, http.StatusOK, issue)
			return
		}
	}
	refuse(w, http.StatusNotFound, "Issue not found")
}

func (s *Server) change(w http.ResponseWriter, r *http.Request) {
	var to struct {
		Status string `json:"status"`
	}
	raw, _ := io.ReadAll(r.Body)
	if json.Unmarshal(raw, &to) != nil {
		refuse(w, http.StatusBadRequest, "Validation error")
		return
	}
	s.Set(r.PathValue("issue"), to.Status)
	reply(w, http.StatusOK, map[string]any{"status": to.Status})
}

func (s *Server) nextFault() (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) == 0 {
		return Fault{}, false
	}
	f := s.faults[0]
	s.faults = s.faults[1:]
	return f, true
}

func (f Fault) serve(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(f.After):
	case <-r.Context().Done():
		return
	}
	if f.Cut {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", cmp.Or(f.Type, "application/json; charset=utf-8"))
	w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	_, _ = io.WriteString(w, f.Body)
}

func reply(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

func refuse(w http.ResponseWriter, status int, text string) {
	reply(w, status, map[string]any{"error": text})
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}
