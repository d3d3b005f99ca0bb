// Package api is the Hub's own API (spec 5): every route in one table with its
// callers visible in the row, one writer of errors, and the OpenAPI document
// made from the same table.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

// Admin is the name of the admin app's token, HUB_TOKEN_ADMIN.
const Admin = "admin"

// Hub answers one question.
type Hub interface {
	Ask(ctx context.Context, req hub.Request) hub.Reply
}

// Records finds what became of an earlier question. It gives record.ErrNotFound
// where nothing is kept under the id.
type Records interface {
	Get(ctx context.Context, id string) (record.Record, error)
}

// Projects tells which projects there are and which of them answer.
type Projects interface {
	Capabilities() []ask.Capabilities
	States() []registry.State
}

// Callers tells whose token it is, in constant time.
type Callers interface {
	Caller(token string) (name string, ok bool)
}

// WayIn is what a way in's token may do.
type WayIn struct {
	// Askers are those for whom it may speak.
	Askers []ask.Asker
	// Want is its default shape; empty lets the source decide.
	Want reply.Want
	// PerMinute and AtOnce bound its requests.
	PerMinute, AtOnce int
}

// Config is what a Server is built from.
type Config struct {
	Hub      Hub
	Records  Records
	Projects Projects
	Callers  Callers
	WaysIn   map[string]WayIn
	// ProjectNames are callers that are projects: they may not ask.
	ProjectNames []string
	// Household is the one in force, since people.toml may change.
	Household func() *people.Household
	// Health is the state of each part beside the projects.
	Health func() []PartHealth
	// Metrics gets the API's own metrics, and is what /metrics shows.
	Metrics *metrics.Set
	// Version goes into the OpenAPI document.
	Version string
	Now     func() time.Time
}

// Server serves the Hub's API.
type Server struct {
	cfg      Config
	mux      *http.ServeMux
	limiters map[string]*limiter
	measured *measured
	document func() *document
}

// callers is who may make a call.
type callers int

const (
	anyone callers = 1 << iota
	wayIn
	admin
)

// endpoint is one row of the route table.
type endpoint struct {
	method, path string
	by           callers
	serve        func(*Server, http.ResponseWriter, *http.Request, caller) *ask.Problem
	about        about
}

// table has every route of the Hub. There is none for a control action: nothing
// here can change what the internet-control service does.
var table = []endpoint{
	{"POST", "/ask", wayIn | admin, (*Server).ask, aboutAsk},
	{"GET", "/ask/{id}", wayIn | admin, (*Server).record, aboutRecord},
	{"GET", "/capabilities", wayIn | admin, (*Server).capabilities, aboutCapabilities},
	{"GET", "/health", anyone, (*Server).health, aboutHealth},
	{"GET", "/metrics", admin, (*Server).metrics, aboutMetrics},
	{"GET", "/openapi.json", anyone, (*Server).openapi, aboutOpenAPI},
	{"GET", "/docs", anyone, (*Server).docs, aboutDocs},
}

// New is a Server over cfg.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, mux: http.NewServeMux(), limiters: make(map[string]*limiter), measured: newMeasured(cfg.Metrics)}
	for name, w := range cfg.WaysIn {
		s.limiters[name] = &limiter{perMinute: w.PerMinute, atOnce: w.AtOnce}
	}
	s.document = documentOnce(cfg.Version)
	for at, byMethod := range byPath(table) {
		s.mux.Handle(at, s.path(byMethod))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { s.nothing(w) })
	return s
}

// nothing answers for an address that is in no row of the table.
func (s *Server) nothing(w http.ResponseWriter) {
	s.fail(w, ask.NewProblem(ask.CodeNotFound, "", "There is nothing at this address; /docs says what there is."))
}

func byPath(table []endpoint) map[string]map[string]endpoint {
	paths := make(map[string]map[string]endpoint)
	for _, e := range table {
		if paths[e.path] == nil {
			paths[e.path] = make(map[string]endpoint)
		}
		paths[e.path][e.method] = e
	}
	return paths
}

// ServeHTTP serves one request. A handler that panics is a 500 of its own, and
// the cause goes to the log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if cause := recover(); cause != nil {
			if cause == http.ErrAbortHandler { //nolint:errorlint // what was panicked with, which nobody wraps
				panic(cause)
			}
			slog.Error("a request failed", "path", r.URL.Path, "cause", cause)
			s.fail(w, ask.NewProblem(ask.CodeInternal, "", "Something went wrong here; the log says what."))
		}
	}()
	if !plain(r) {
		s.nothing(w)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// plain is false for an address that the mux would answer by itself, in text of
// its own or by a redirect: "*", "//ask", "/health/../ask", and CONNECT's host.
func plain(r *http.Request) bool {
	at := r.URL.EscapedPath()
	clean := path.Clean(at)
	return strings.HasPrefix(at, "/") && (at == clean || at == clean+"/")
}

// path serves every method of one path: the method first, then the token, then
// the rest.
func (s *Server) path(byMethod map[string]endpoint) http.Handler {
	var allow []string
	for method := range byMethod {
		allow = append(allow, method)
		if method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		e, ok := byMethod[method]
		if !ok {
			w.Header().Set("Allow", strings.Join(allow, ", "))
			s.fail(w, ask.NewProblem(ask.CodeMethodNotAllowed, "", "This address takes "+strings.Join(allow, " and ")+"."))
			return
		}
		who, p := s.authenticate(r, e.by)
		if p == nil {
			p = e.serve(s, w, r, who)
		}
		if p != nil {
			s.fail(w, p)
		}
	})
}

// fail is the one writer of errors.
func (s *Server) fail(w http.ResponseWriter, p *ask.Problem) {
	s.measured.problem(p.Code)
	ask.WriteProblem(w, p)
}

// caller is who made a call. The zero caller is nobody.
type caller struct {
	name  string
	admin bool
	wayIn WayIn
}

// authenticate finds the caller by its token, before the body is read. A call
// that anyone may make still tells the admin app apart.
func (s *Server) authenticate(r *http.Request, by callers) (caller, *ask.Problem) {
	token, p := ask.BearerFrom(r)
	if p != nil {
		if by&anyone != 0 && p.Status == http.StatusUnauthorized {
			return caller{}, nil
		}
		return caller{}, p
	}
	name, ok := s.cfg.Callers.Caller(string(token))
	if by&anyone != 0 {
		return caller{name: name, admin: ok && name == Admin}, nil
	}
	if !ok {
		return caller{}, ask.Unauthorized()
	}
	w, isWayIn := s.cfg.WaysIn[name]
	switch {
	case name == Admin && by&admin != 0:
		return caller{name: name, admin: true}, nil
	case isWayIn && by&wayIn != 0:
		return caller{name: name, wayIn: w}, nil
	case isWayIn, name == Admin, slices.Contains(s.cfg.ProjectNames, name):
		return caller{}, problem(CodeNotForThisCaller, "Authorization", "This token may not make this call.")
	default:
		return caller{}, problem(CodeUnknownCaller, "Authorization", "Name this token's way in in askhub.toml, as [ways_in.NAME].")
	}
}
