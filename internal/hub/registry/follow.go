package registry

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
)

const (
	// healthEvery and capabilitiesEvery are how often a project that is up is asked.
	healthEvery       = 5 * time.Second
	capabilitiesEvery = 30 * time.Second
	// soonest is when a project that is not up is asked again; the wait doubles up to
	// latest. Hub and projects often start together, and nothing can be asked of one
	// that has not said whom it knows.
	soonest = 50 * time.Millisecond
	latest  = time.Second
	// startGrace is how long a project may take to start before the log says so.
	startGrace = 2 * time.Second
	// deadline bounds one call.
	deadline = 2 * time.Second
)

// prober is what the registry asks of a project.
type prober interface {
	Health(ctx context.Context) error
	Capabilities(ctx context.Context) (ask.Capabilities, error)
}

// project is one configured project.
type project struct {
	target  Target
	index   int
	current atomic.Pointer[tokenClient]
	// prober gives whom to ask now.
	prober func() prober
	// declared are the last good capabilities; the registry's publishing guards them.
	declared *ask.Capabilities
}

// tokenClient is a client with the token that it was made with.
type tokenClient struct {
	*askclient.Client
	token ask.BearerToken
}

// client is the project's client with its newest token.
func (p *project) client() *askclient.Client {
	token := p.target.Token()
	old := p.current.Load()
	if old != nil && old.token == token {
		return old.Client
	}
	next := &tokenClient{askclient.New(askclient.Config{URL: p.target.URL, Token: token}), token}
	if p.current.CompareAndSwap(old, next) {
		if old != nil {
			old.Close()
		}
		return next.Client
	}
	// Somebody else was first; theirs is at least as new.
	return p.current.Load().Client
}

// follow asks one project until ctx ends.
func (r *Registry) follow(ctx context.Context, p *project) {
	state := r.States()[p.index]
	told := state
	start := time.Now()
	// due is when the capabilities are asked for again.
	var due time.Time
	wait := soonest
	for {
		began := time.Now()
		caps, err := probe(ctx, p, !state.Up || !began.Before(due))
		if ctx.Err() != nil {
			return
		}
		next := state.after(err, time.Now())
		r.publish(p, next, caps)
		// Hub and projects often start together: one that is not up yet is no news.
		if next.Up || told.Up || time.Since(start) > startGrace {
			r.tell(told, next, err)
			told = next
		}
		state = next

		pause := healthEvery
		if state.Up {
			wait = soonest
			if caps != nil {
				due = began.Add(jitter(capabilitiesEvery))
			}
		} else {
			pause, wait = wait, min(2*wait, latest)
		}
		timer := time.NewTimer(jitter(pause))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// jitter is d give or take a fifth, so that many projects are not asked in step.
func jitter(d time.Duration) time.Duration {
	return d - d/5 + rand.N(2*d/5)
}

// fault is why a project is not up. Its text is for the admin app.
type fault struct {
	text string
	// well is whether it answered /health as it should.
	well bool
	// cause is for the log.
	cause error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.cause }

// probe asks whether the project is well, and what it declares where all is wanted.
func probe(ctx context.Context, p *project, all bool) (*ask.Capabilities, error) {
	to := p.prober()
	if err := bounded(ctx, to.Health); err != nil {
		return nil, &fault{text: explain("/health", p.target.Name, err), cause: err}
	}
	if !all {
		return nil, nil
	}
	var caps ask.Capabilities
	err := bounded(ctx, func(ctx context.Context) (err error) {
		caps, err = to.Capabilities(ctx)
		return err
	})
	if err != nil {
		return nil, &fault{text: explain("/capabilities", p.target.Name, err), well: true, cause: err}
	}
	if caps.Project != p.target.Name {
		return nil, &fault{text: "It calls itself by another name than its configuration: write the name that its /capabilities gives.", well: true}
	}
	return &caps, nil
}

func bounded(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return call(ctx)
}

// explain says in plain words what went wrong with a call, and the mend where there is one.
func explain(path, name string, err error) string {
	var e *askclient.Error
	switch {
	case errors.Is(err, askclient.ErrSlow) || errors.Is(err, context.DeadlineExceeded):
		return "It is too slow to answer."
	case errors.Is(err, askclient.ErrRefused):
		return "It refuses the Hub's token: give both the same " + ask.TokenVariable(name) + "."
	case errors.Is(err, askclient.ErrNonsense):
		if errors.As(err, &e) && e.Problem != nil && e.Problem.Field == "ok" && path == "/health" {
			return "It says that it is not well."
		}
		return "Its reply to " + path + " is not the ask contract's: askhub check says what is wrong."
	}
	return "It is not answering."
}

// after is the state once a project was asked and err came of it.
func (s State) after(err error, now time.Time) State {
	next := State{Project: s.Project, Up: err == nil, LastAnswer: s.LastAnswer, Since: s.Since}
	var f *fault
	if errors.As(err, &f) {
		next.Fault = f.text
	}
	if err == nil || f != nil && f.well {
		next.LastAnswer = now
	}
	if next.Up != s.Up || s.Since.IsZero() {
		next.Since = now
	}
	return next
}

// tell logs a project that came up, went down or has another fault than before.
func (r *Registry) tell(before, after State, err error) {
	switch {
	case after.Up && !before.Up:
		r.log.Info("project is up", "project", after.Project)
	case !after.Up && after.Fault != before.Fault:
		r.log.Warn("project is not up", "project", after.Project, "fault", after.Fault, "cause", errors.Unwrap(err))
	}
}
