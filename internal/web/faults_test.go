package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/web"
)

// A host is the host's side of the chats: what the browser tests make happen there.
type host interface {
	// Reply writes a message of the author into the chat of the token.
	Reply(ctx context.Context, token, author, text string) error
	// Pair gives the chat with this live code to a person.
	Pair(ctx context.Context, code, person string) error
	// Empty takes all messages out of the chats, that of the token too.
	Empty(ctx context.Context, token string) error
}

// faults stands before a chat API, whichever it is, and spoils calls as it is told. It
// counts the posts that come.
type faults struct {
	api  http.Handler
	host host

	mu      sync.Mutex
	rules   []rule
	posts   []seen
	streams map[int]context.CancelCauseFunc
	next    int
	// releases counts the new versions of the page that were made up.
	releases int
	// held is closed when what a rule holds back may go on.
	held chan struct{}
}

// A rule spoils the next calls of a path, as often as Times says; 0 is until a reset.
type rule struct {
	Path   string `json:"path"` // post, poll, stream, pair, qr, or * for all
	Do     string `json:"do"`   // hold, cut, lose (carried out, unanswered), answer, silent
	Status int    `json:"status"`
	Body   string `json:"body"`
	Type   string `json:"type"`
	Times  int    `json:"times"`
}

type seen struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

func newFaults(api http.Handler, host host) *faults {
	return &faults{api: api, host: host, streams: map[int]context.CancelCauseFunc{}, held: make(chan struct{})}
}

func (f *faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/chat/")
	if path == "post" {
		f.count(r)
	}
	rule, ok, held := f.take(path)
	if !ok {
		f.pass(w, r, path)
		return
	}
	switch rule.Do {
	case "hold":
		select {
		case <-held:
			f.pass(w, r, path)
		case <-r.Context().Done():
		}
	case "cut":
		panic(http.ErrAbortHandler)
	case "lose":
		f.api.ServeHTTP(nowhere{http.Header{}}, r)
		// Half an answer: for none at all a browser sends the call again by itself, which
		// would hide whether the page does it right.
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"success": tr`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "silent":
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case "answer":
		w.Header().Set("Content-Type", rule.Type)
		w.WriteHeader(rule.Status)
		_, _ = io.WriteString(w, rule.Body)
	}
}

var errDropped = errors.New("the stream is dropped")

// pass hands a call on. A stream ends when it is told to, or when its peer is gone.
func (f *faults) pass(w http.ResponseWriter, r *http.Request, path string) {
	if path != "stream" {
		f.api.ServeHTTP(w, r)
		return
	}
	ctx, drop := context.WithCancelCause(r.Context())
	f.mu.Lock()
	f.next++
	id := f.next
	f.streams[id] = drop
	f.mu.Unlock()
	f.api.ServeHTTP(w, r.WithContext(ctx))
	f.mu.Lock()
	delete(f.streams, id)
	f.mu.Unlock()
	if errors.Is(context.Cause(ctx), errDropped) {
		panic(http.ErrAbortHandler) // cut, not closed in good order
	}
	drop(nil)
}

func (f *faults) count(r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(raw))
	var body struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posts = append(f.posts, seen{r.Header.Get("Idempotency-Key"), body.Text})
}

// take gives the first rule for a path, and uses it up once.
func (f *faults) take(path string) (rule, bool, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, r := range f.rules {
		if r.Path != path && r.Path != "*" {
			continue
		}
		if r.Times > 0 {
			f.rules[i].Times--
			if f.rules[i].Times == 0 {
				f.rules = append(f.rules[:i:i], f.rules[i+1:]...)
			}
		}
		return r, true, f.held
	}
	return rule{}, false, nil
}

// knobs is what the browser tests turn: one JSON command a call.
func (f *faults) knobs(w http.ResponseWriter, r *http.Request) {
	var command struct {
		Do                               string
		Rules                            []rule
		Token, Author, Text, Code, Named string
	}
	if err := json.UnmarshalRead(r.Body, &command, json.MatchCaseInsensitiveNames(true)); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var err error
	switch command.Do {
	case "rules": // replaces them all, and lets go what they held
		f.mu.Lock()
		f.rules = command.Rules
		close(f.held)
		f.held = make(chan struct{})
		f.mu.Unlock()
	case "reset":
		f.mu.Lock()
		f.posts = nil
		f.mu.Unlock()
	case "drop":
		f.mu.Lock()
		for id, drop := range f.streams {
			drop(errDropped)
			delete(f.streams, id)
		}
		f.mu.Unlock()
	case "release":
		f.mu.Lock()
		f.releases++
		f.mu.Unlock()
	case "reply":
		err = f.host.Reply(r.Context(), command.Token, command.Author, command.Text)
	case "pair":
		err = f.host.Pair(r.Context(), command.Code, command.Named)
	case "empty":
		err = f.host.Empty(r.Context(), command.Token)
	case "seen":
	default:
		err = fmt.Errorf("do: no knob is called %q", command.Do)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if err := json.MarshalWrite(w, map[string]any{"posts": f.posts, "streams": len(f.streams)}); err != nil {
		panic(err)
	}
}

var version = regexp.MustCompile(`const version = "[0-9a-f]+";`)

// worker serves the service worker, with another version after each release.
func (f *faults) worker(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	n := f.releases
	f.mu.Unlock()
	r.Header.Del("If-None-Match")
	served := httptest.NewRecorder()
	web.Handler().ServeHTTP(served, r)
	script := served.Body.String()
	if n > 0 {
		script = version.ReplaceAllString(script, fmt.Sprintf(`const version = "%016x";`, n))
	}
	maps.Copy(w.Header(), served.Header())
	w.Header().Del("ETag")
	w.Header().Del("Content-Length")
	_, _ = io.WriteString(w, script)
}

// nowhere is where an answer goes that is lost on the way.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n nowhere) WriteHeader(int)             {}
