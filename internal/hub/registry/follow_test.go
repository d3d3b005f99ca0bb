package registry

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
)

// scripted is a project whose replies the test sets.
type scripted struct {
	mu            sync.Mutex
	health        error
	caps          ask.Capabilities
	capsErr       error
	hangs         bool
	asked, listed []time.Time
}

func (s *scripted) Health(ctx context.Context) error {
	s.mu.Lock()
	s.asked = append(s.asked, time.Now())
	hangs, err := s.hangs, s.health
	s.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

func (s *scripted) Capabilities(context.Context) (ask.Capabilities, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = append(s.listed, time.Now())
	return s.caps, s.capsErr
}

func (s *scripted) set(change func(*scripted)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// scriptedRegistry knows those projects and does not run yet.
func scriptedRegistry(projects map[string]*scripted, names ...string) *Registry {
	var targets []Target
	for _, n := range names {
		targets = append(targets, Target{Name: n, Token: func() ask.BearerToken { return "" }})
	}
	r := New(targets, slog.New(slog.DiscardHandler))
	for _, p := range r.projects {
		p.prober = func() prober { return projects[p.target.Name] }
	}
	return r
}

// run runs r until the test ends.
func run(t *testing.T, r *Registry) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

// start runs a registry of scripted projects until the test ends.
func start(t *testing.T, projects map[string]*scripted, names ...string) *Registry {
	t.Helper()
	r := scriptedRegistry(projects, names...)
	run(t, r)
	return r
}

func declares(name string, topics ...string) *scripted {
	return &scripted{caps: ask.Capabilities{Project: name, Topics: topics, People: []ask.Person{"sam"}}}
}

func TestProjectsAreAskedSideBySideAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := declares("slow", "x")
		slow.hangs = true
		r := scriptedRegistry(map[string]*scripted{"slow": slow, "email_agent": declares("email_agent", "mail"), "compass_nhs": declares("compass_nhs", "school")},
			"slow", "email_agent", "compass_nhs")
		if s := r.States()[0]; s.Up || s.Fault != "It has not been asked yet." || !s.Since.IsZero() {
			t.Errorf("before the first reply: %+v", s)
		}
		changed := r.Changed()
		run(t, r)
		synctest.Wait() // no time has passed
		<-changed
		var names []string
		for _, c := range r.Capabilities() {
			names = append(names, c.Project)
		}
		if !slices.Equal(names, []string{"email_agent", "compass_nhs"}) {
			t.Errorf("declared: %v; want the order of the configuration", names)
		}
		if s := r.States(); s[0].Up || !s[1].Up || !s[2].Up || s[1].Since != time.Now() || s[1].LastAnswer != time.Now() {
			t.Errorf("states: %+v", s)
		}
		time.Sleep(deadline)
		synctest.Wait()
		if s := r.States()[0]; s.Fault != "It is too slow to answer." {
			t.Errorf("a project that hangs: %+v", s)
		}
	})
}

func TestAProjectThatIsUpIsAskedNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := declares("email_agent", "mail")
		start(t, map[string]*scripted{"email_agent": p}, "email_agent")
		time.Sleep(5 * time.Minute)
		p.mu.Lock()
		defer p.mu.Unlock()
		if n := len(p.asked); n < 50 || n > 75 {
			t.Errorf("its health was asked %d times in five minutes, want about 60", n)
		}
		if n := len(p.listed); n < 8 || n > 13 {
			t.Errorf("its capabilities were asked %d times in five minutes, want about 10", n)
		}
	})
}

func TestTheLastGoodCapabilitiesStayWhileAProjectIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := declares("email_agent", "mail")
		r := start(t, map[string]*scripted{"email_agent": p}, "email_agent")
		synctest.Wait()
		changed, up := r.Changed(), r.States()[0]

		p.set(func(s *scripted) { s.health = &askclient.Error{Kind: askclient.ErrDown} })
		time.Sleep(2 * healthEvery)
		synctest.Wait()
		down := r.States()[0]
		if down.Up || down.Fault != "It is not answering." || !down.Since.After(up.Since) || down.LastAnswer.After(down.Since) {
			t.Errorf("down: %+v", down)
		}
		if c := r.Capabilities(); len(c) != 1 || c[0].Topics[0] != "mail" {
			t.Errorf("capabilities of a project that is down: %v", c)
		}
		select {
		case <-changed:
			t.Error("the capabilities are the same, and a change was told")
		default:
		}

		// It comes up again with another topic, which counts at once.
		p.set(func(s *scripted) { s.health = nil; s.caps.Topics = []string{"mail", "letters"} })
		<-changed
		if since := time.Since(down.Since); since > 4*healthEvery {
			t.Errorf("the new topics came after %v", since)
		}
		if c := r.Capabilities(); len(c[0].Topics) != 2 || !r.States()[0].Up {
			t.Errorf("up again: %v, %+v", c, r.States())
		}
	})
}

func TestAProjectThatStartsAfterTheHubIsSoonFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := declares("email_agent", "mail")
		p.health = &askclient.Error{Kind: askclient.ErrDown}
		r := start(t, map[string]*scripted{"email_agent": p}, "email_agent")
		changed, began := r.Changed(), time.Now()
		time.Sleep(400 * time.Millisecond)
		p.set(func(s *scripted) { s.health = nil })
		<-changed
		if d := time.Since(began); d > time.Second {
			t.Errorf("a project that was ready after 400 ms was found after %v", d)
		}
	})
}

func TestAReplyThatIsNotAsConfiguredIsAFaultAndIsNotUsed(t *testing.T) {
	nonsense := &askclient.Error{Kind: askclient.ErrNonsense, Problem: ask.NewProblem(ask.CodeInvalidField, "ok", "x")}
	for name, c := range map[string]struct {
		change   func(*scripted)
		fault    string
		answered bool
	}{
		"another name":          {func(s *scripted) { s.caps.Project = "ghost" }, "It calls itself by another name", true},
		"nonsense capabilities": {func(s *scripted) { s.capsErr = &askclient.Error{Kind: askclient.ErrNonsense} }, "Its reply to /capabilities is not the ask contract's", true},
		"a token refused":       {func(s *scripted) { s.capsErr = &askclient.Error{Kind: askclient.ErrRefused, Status: 401} }, "PROJECT_TOKEN_EMAIL_AGENT", true},
		"not well":              {func(s *scripted) { s.health = nonsense }, "It says that it is not well.", false},
		"another error":         {func(s *scripted) { s.health = errors.New("http://10.0.0.1: secret") }, "It is not answering.", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := declares("email_agent", "mail")
				c.change(p)
				r := start(t, map[string]*scripted{"email_agent": p}, "email_agent")
				synctest.Wait()
				s := r.States()[0]
				if s.Up || !strings.Contains(s.Fault, c.fault) || s.LastAnswer.IsZero() == c.answered {
					t.Errorf("state: %+v", s)
				}
				if caps := r.Capabilities(); len(caps) != 0 {
					t.Errorf("it was used: %v", caps)
				}
			})
		})
	}
}

func TestAFaultAfterGoodRepliesKeepsTheGoodOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := declares("email_agent", "mail")
		r := start(t, map[string]*scripted{"email_agent": p}, "email_agent")
		synctest.Wait()
		p.set(func(s *scripted) { s.caps = ask.Capabilities{Project: "ghost", Topics: []string{"everything"}} })
		time.Sleep(2 * capabilitiesEvery)
		synctest.Wait()
		if s := r.States()[0]; s.Up || s.Fault == "" {
			t.Errorf("state: %+v", s)
		}
		if c := r.Capabilities(); len(c) != 1 || c[0].Project != "email_agent" {
			t.Errorf("capabilities: %v", c)
		}
	})
}

func TestTwoProjectsOfOneNamePanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New([]Target{{Name: "a"}, {Name: "a"}}, slog.New(slog.DiscardHandler))
}
