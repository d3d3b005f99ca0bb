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
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/askedback"
	"github.com/askhub/askhub/internal/completions"
	"github.com/askhub/askhub/internal/events"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/mcpserver"
	"github.com/askhub/askhub/internal/pace"
	"github.com/askhub/askhub/internal/pairing"
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
	Hub     Hub
	Records Records
	// Past reads the record for GET /records.
	Past     Past
	Projects Projects
	Callers  Callers
	WaysIn   map[string]WayIn
	// Notices keeps what projects have to say to people, and shows it.
	Notices Notices
	// ProjectNames are callers that are projects: they may send notices and not ask.
	ProjectNames []string
	// Chat serves the chat's wire, and ChatPage its page; without them there is none.
	Chat, ChatPage http.Handler
	// Desk pairs the chat's threads, and ChatRules say who answers in them.
	Desk      pairing.Desk
	ChatRules chat.Rules
	// Approvals are the Hub's own; nil is none.
	Approvals Approvals
	// Events is what the admin app follows until Done is closed.
	Events *events.Stream
	Done   <-chan struct{}
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
	limiters map[string]*pace.Limiter
	measured *measured
	document func() *document
	streams  chan struct{} // of events, one each that is open
	// askedBack is what was asked back where the protocol has no word for it.
	askedBack askedback.Memory
	since     time.Time
	mcpServer *mcpserver.Endpoint
}

// callers is who may make a call.
type callers int

const (
	anyone callers = 1 << iota
	wayIn
	admin
	// browser is whoever has a chat's token; package chat asks for it.
	browser
	// dataProject is whoever has a project's HUB_TOKEN_<NAME>.
	dataProject
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
	{"POST", "/notify", dataProject, (*Server).notify, aboutNotify},
	{"GET", "/notices", admin, (*Server).notices, aboutNotices},
	{"GET", "/records", admin, (*Server).records, aboutRecords},
	{"GET", "/approvals", admin, (*Server).approvals, aboutApprovals},
	{"GET", "/approvals/{id}", admin, (*Server).approval, aboutApproval},
	{"POST", "/approve", admin, (*Server).approve, aboutApprove},
	{"GET", "/events", admin, (*Server).events, aboutEvents},
	{"POST", "/v1/chat/completions", wayIn, (*Server).completions, aboutCompletions},
	{"GET", "/v1/models", wayIn, (*Server).models, aboutModels},
	{"GET", "/v1/models/{id}", wayIn, (*Server).model, aboutModel},
	{"POST", "/mcp", wayIn, (*Server).mcp, aboutMCP},
	{"GET", "/capabilities", wayIn | admin, (*Server).capabilities, aboutCapabilities},
	{"GET", "/health", anyone, (*Server).health, aboutHealth},
	{"GET", "/metrics", admin, (*Server).metrics, aboutMetrics},
	{"GET", "/openapi.json", anyone, (*Server).openapi, aboutOpenAPI},
	{"GET", "/docs", anyone, (*Server).docs, aboutDocs},
	{"GET", "/chat", anyone, nil, aboutChatPage},
	{"POST", "/chat/pair", admin, (*Server).pairThread, aboutPair},
	{"POST", "/api/chat/post", browser, nil, aboutChatPost},
	{"GET", "/api/chat/poll", browser, nil, aboutChatPoll},
	{"GET", "/api/chat/stream", browser, nil, aboutChatStream},
	{"GET", "/api/chat/pair", browser, nil, aboutChatPaired},
	{"POST", "/api/chat/pair", browser, nil, aboutChatCode},
	{"GET", "/api/chat/qr", browser, nil, aboutChatQR},
	{"POST", "/api/debug/agent-replies.php", anyone, nil, aboutChatGone},
}

// New is a Server over cfg.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, mux: http.NewServeMux(), limiters: make(map[string]*pace.Limiter), measured: newMeasured(cfg.Metrics), since: cfg.Now()}
	for name, w := range cfg.WaysIn {
		s.limiters[name] = &pace.Limiter{PerMinute: w.PerMinute, AtOnce: w.AtOnce}
	}
	s.document, s.streams = documentOnce(cfg.Version), make(chan struct{}, maxStreams)
	s.mcpServer = mcpserver.NewEndpoint(cfg.Version)
	for at, byMethod := range byPath(table) {
		s.mux.Handle(at, s.path(byMethod))
	}
	if cfg.Chat != nil {
		for _, at := range chat.Paths() {
			s.mux.Handle(at, cfg.Chat)
		}
	}
	if cfg.ChatPage != nil {
		s.mux.Handle("/chat", cfg.ChatPage)
		s.mux.Handle("/chat/", cfg.ChatPage)
		// Who types the host's name alone is a person with a browser.
		s.mux.Handle("GET /{$}", http.RedirectHandler("/chat", http.StatusSeeOther))
	}
	s.mux.HandleFunc("/", s.nothing)
	return s
}

// nothing answers for an address that is in no row of the table.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, ask.NewProblem(ask.CodeNotFound, "", "There is nothing at this address; /docs says what there is."))
}

func byPath(table []endpoint) map[string]map[string]endpoint {
	paths := make(map[string]map[string]endpoint)
	for _, e := range table {
		if e.serve == nil { // the chat's own
			continue
		}
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
			s.fail(w, r, ask.NewProblem(ask.CodeInternal, "", "Something went wrong here; the log says what."))
		}
	}()
	if !plain(r) {
		s.nothing(w, r)
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
			s.fail(w, r, ask.NewProblem(ask.CodeMethodNotAllowed, "", "This address takes "+strings.Join(allow, " and ")+"."))
			return
		}
		who, p := s.authenticate(r, e.by)
		if p == nil {
			p = e.serve(s, w, r, who)
		}
		if p != nil {
			s.fail(w, r, p)
		}
	})
}

// fail is the one writer of errors, in the form of the protocol that is spoken there.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, p *ask.Problem) {
	s.measured.problem(p.Code)
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		completions.WriteProblem(w, p)
		return
	}
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
	isProject := slices.Contains(s.cfg.ProjectNames, name)
	switch {
	case name == Admin && by&admin != 0:
		return caller{name: name, admin: true}, nil
	case isWayIn && by&wayIn != 0:
		return caller{name: name, wayIn: w}, nil
	case isProject && by&dataProject != 0:
		return caller{name: name}, nil
	case isWayIn, name == Admin, isProject:
		return caller{}, ownCodes.Problem(CodeNotForThisCaller, "Authorization", "This token may not make this call.")
	default:
		return caller{}, ownCodes.Problem(CodeUnknownCaller, "Authorization", "Name this token's way in in askhub.toml, as [ways_in.NAME].")
	}
}
