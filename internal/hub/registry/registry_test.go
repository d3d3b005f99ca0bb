package registry_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/leaktest"
)

const (
	oldToken = "old-token-for-tests-0123456789abcdef"
	newToken = "new-token-for-tests-0123456789abcdef"
)

// project is a small real project that takes whatever token is the right one now.
type project struct {
	token  atomic.Value
	topics atomic.Value
}

func (p *project) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/health":
		io.WriteString(w, `{"ok": true}`)
	case r.Header.Get("Authorization") != "Bearer "+p.token.Load().(string):
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == "/capabilities":
		io.WriteString(w, `{"project": "email_agent", "topics": [`+p.topics.Load().(string)+`], "people": ["sam"]}`)
	case r.URL.Path == "/ask":
		io.WriteString(w, `{"answer": "You have one unread mail."}`)
	}
}

func newProject() *project {
	p := &project{}
	p.token.Store(oldToken)
	p.topics.Store(`"mail"`)
	return p
}

// within waits for what a project's next replies bring about.
func within(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing changed")
	}
}

func TestARotatedTokenCountsAtOnce(t *testing.T) {
	p := newProject()
	srv := httptest.NewServer(p)
	defer srv.Close()
	var token atomic.Value
	token.Store(ask.BearerToken(oldToken))
	r := registry.New([]registry.Target{{
		Name: "email_agent", URL: srv.URL, Token: func() ask.BearerToken { return token.Load().(ask.BearerToken) },
	}}, slog.New(slog.DiscardHandler))

	asks := func() error {
		c, ok := r.Client("email_agent")
		if !ok {
			t.Fatal("no client")
		}
		_, err := c.Ask(t.Context(), ask.Question{Question: "any mail?", Asker: "sam"})
		return err
	}
	if err := asks(); err != nil {
		t.Errorf("with the first token: %v", err)
	}
	p.token.Store(newToken)
	if err := asks(); err == nil {
		t.Error("the project takes a token that is no longer its own")
	}
	token.Store(ask.BearerToken(newToken))
	if err := asks(); err != nil {
		t.Errorf("with the rotated token: %v", err)
	}
	if _, ok := r.Client("ghost"); ok {
		t.Error("a client of a project that nobody configured")
	}
}

func TestARegistryOfRealProjectsEndsClean(t *testing.T) {
	defer leaktest.None(t)
	p := newProject()
	srv := httptest.NewServer(p)
	defer srv.Close()
	hangs := make(chan struct{})
	stuck := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
	defer stuck.Close()
	defer close(hangs)

	token := func() ask.BearerToken { return oldToken }
	r := registry.New([]registry.Target{
		{Name: "stuck", URL: stuck.URL, Token: token},
		{Name: "email_agent", URL: srv.URL, Token: token},
		{Name: "nowhere", URL: "http://127.0.0.1:1", Token: token},
	}, slog.New(slog.DiscardHandler))
	changed := r.Changed()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	within(t, changed)

	// Readers and questions never wait for the project that hangs.
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 1000 {
				if c := r.Capabilities(); len(c) != 1 || c[0].Project != "email_agent" {
					t.Errorf("capabilities: %v", c)
					return
				}
				if s := r.States(); len(s) != 3 || s[0].Up || !s[1].Up || s[2].Up {
					t.Errorf("states: %+v", s)
					return
				}
				if _, ok := r.Client("stuck"); !ok {
					t.Error("a project that is down has no client")
					return
				}
			}
		})
	}
	readers.Wait()
	cancel()
	<-done
	if c, _ := r.Client("email_agent"); c != nil {
		defer c.Close()
	}
}

func TestAskingOnceTellsWhoAnswers(t *testing.T) {
	srv := httptest.NewServer(newProject())
	defer srv.Close()
	token := func() ask.BearerToken { return oldToken }
	r := registry.New([]registry.Target{
		{Name: "nowhere", URL: "http://127.0.0.1:1", Token: token},
		{Name: "email_agent", URL: srv.URL, Token: token},
	}, slog.New(slog.DiscardHandler))
	r.Once(t.Context())
	if s := r.States(); s[0].Up || s[0].Fault != "It is not answering." || !s[1].Up {
		t.Errorf("states: %+v", s)
	}
	if c := r.Capabilities(); len(c) != 1 || c[0].Project != "email_agent" {
		t.Errorf("capabilities: %v", c)
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	token := ask.BearerToken(oldToken)
	r := registry.New([]registry.Target{{Name: "a", URL: "http://127.0.0.1:1", Token: func() ask.BearerToken { return token }}}, slog.New(slog.DiscardHandler))
	r.Client("a")
	if n := testing.AllocsPerRun(100, func() {
		r.Client("a")
		r.Capabilities()
		r.States()
		r.Changed()
	}); n != 0 {
		t.Errorf("%v allocations a reading", n)
	}
}

func BenchmarkRead(b *testing.B) {
	token := ask.BearerToken(oldToken)
	r := registry.New([]registry.Target{{Name: "a", URL: "http://127.0.0.1:1", Token: func() ask.BearerToken { return token }}}, slog.New(slog.DiscardHandler))
	b.ReportAllocs()
	for b.Loop() {
		r.Client("a")
		r.Capabilities()
	}
}

func TestAProjectThatTurnsIsTold(t *testing.T) {
	p := newProject()
	srv := httptest.NewServer(p)
	r := registry.New([]registry.Target{{Name: "email_agent", URL: srv.URL, Token: func() ask.BearerToken { return oldToken }}}, slog.New(slog.DiscardHandler))
	turned := r.Turned()
	r.Once(t.Context())
	select {
	case <-turned:
	default:
		t.Error("it is up, and nobody was told")
	}
	turned = r.Turned()
	r.Once(t.Context())
	select {
	case <-turned:
		t.Error("it is up as before")
	default:
	}
	srv.Close()
	r.Once(t.Context())
	select {
	case <-turned:
	default:
		t.Error("it is down, and nobody was told")
	}
}
