// Package askserve turns one Go function into a whole project of the ask
// contract: /health, /capabilities and /ask, with the token, strict reading,
// permission, the deadline and the sentence check around the function.
package askserve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// Project is what a project is, and the function that knows its data.
type Project struct {
	// Name is the project's name, equal to its row in routing.md.
	Name string
	// Topics are short plain words that the Hub routes on.
	Topics []string
	// People are those whom the project has data about. A question about anybody
	// else gets "no data for that person" and never reaches Answer. Empty means
	// that the data is about nobody in particular, and lets every question through.
	People []ask.Person
	// Token is what a caller presents, at least 32 characters.
	Token ask.BearerToken
	// MaySee says whether asker may see person's data. It is asked before
	// anything else is looked at. Nil lets each see only their own.
	MaySee func(asker ask.Asker, person ask.Person) bool
	// Answer answers one question that is permitted and valid; q.About() is whom
	// it is about. It only reads. Its context ends when the time is up or when
	// nobody waits any more. An error is logged and becomes a plain reason.
	Answer func(ctx context.Context, q ask.Question) (ask.Answer, error)
	// Approvals are the writes that need a person's yes, served at /approvals; nil where
	// the project has none.
	Approvals *approve.Desk
	// ApprovalToken is what the admin app presents there. It is another than Token, since
	// who may ask may not approve.
	ApprovalToken ask.BearerToken
	// Log is where causes go; nil is slog.Default.
	Log *slog.Logger
}

// The reasons that a person hears; the cause stands in the log.
const (
	reasonForbidden = "you may not see that person's data"
	reasonNoPerson  = "no data for that person"
	reasonSlow      = "that took too long to look up"
	reasonBusy      = "too many questions at once"
	reasonBroken    = "something went wrong while looking that up"
	reasonUnfit     = "the answer is not fit to be spoken"
	reasonNothing   = "no data for that question"
)

const (
	// margin is what is kept of the time for the way back.
	margin = 200 * time.Millisecond
	// maxRunning bounds the functions that run at once, those included that go on after their time.
	maxRunning = 64
)

type project struct {
	Project
	digest       [32]byte
	approvals    http.Handler // nil where there are none
	capabilities []byte
	running      chan struct{}
}

// New is the project as a handler; serve it with ask.Serve, which watches the
// framing of requests too, or with Run. The error names what is wrong with p.
func New(p Project) (http.Handler, error) {
	if err := p.Token.Check(); err != nil {
		return nil, fmt.Errorf("project %q: %w", p.Name, err)
	}
	if p.Answer == nil {
		return nil, fmt.Errorf("project %q: give it an Answer function", p.Name)
	}
	approvals, err := p.approvals()
	if err != nil {
		return nil, fmt.Errorf("project %q: %w", p.Name, err)
	}
	caps := ask.Capabilities{Project: p.Name, Topics: slices.Clone(p.Topics), People: slices.Clone(p.People)}
	if caps.Topics == nil {
		caps.Topics = []string{}
	}
	if caps.People == nil {
		caps.People = []ask.Person{}
	}
	if problem := caps.Validate(); problem != nil {
		return nil, fmt.Errorf("project %q: %w", p.Name, problem)
	}
	body, err := json.Marshal(caps)
	if err != nil {
		return nil, err
	}
	p.People = caps.People
	if p.MaySee == nil {
		p.MaySee = func(asker ask.Asker, person ask.Person) bool { return string(asker) == string(person) }
	}
	if p.Log == nil {
		p.Log = slog.Default()
	}
	p.Log = p.Log.With("project", p.Name)
	return &project{Project: p, digest: ask.Digest(p.Token), approvals: approvals, capabilities: body, running: make(chan struct{}, maxRunning)}, nil
}

// ServeHTTP is the project's three calls, and its approvals where it has any.
func (p *project) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.approvals != nil && (r.URL.Path == approve.Path || strings.HasPrefix(r.URL.Path, approve.Path+"/")) {
		p.approvals.ServeHTTP(w, r)
		return
	}
	switch r.URL.Path {
	case "/health":
		if allow(w, r, http.MethodGet, http.MethodHead) {
			_ = ask.WriteJSON(w, ask.Health{OK: true})
		}
	case "/capabilities":
		if allow(w, r, http.MethodGet, http.MethodHead) && p.known(w, r) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			_, _ = w.Write(p.capabilities)
		}
	case "/ask":
		if allow(w, r, http.MethodPost) && p.known(w, r) {
			p.ask(w, r)
		}
	default:
		ask.WriteProblem(w, ask.NewProblem(ask.CodeNotFound, "", "There is nothing here: a project has /health, /capabilities and /ask."))
	}
}

// allow answers 405 where the method is none of those.
func allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	list := strings.Join(methods, ", ")
	w.Header().Set("Allow", list)
	ask.WriteProblem(w, ask.NewProblem(ask.CodeMethodNotAllowed, "", "Use "+list+" here."))
	return false
}

// known checks the token; the body is still unread.
func (p *project) known(w http.ResponseWriter, r *http.Request) bool {
	return presents(w, r, p.digest)
}

// presents answers with a problem where the request has another token.
func presents(w http.ResponseWriter, r *http.Request, digest [32]byte) bool {
	token, problem := ask.BearerFrom(r)
	if problem == nil && !ask.SameDigest(ask.Digest(token), digest) {
		problem = ask.Unauthorized()
	}
	if problem != nil {
		ask.WriteProblem(w, problem)
	}
	return problem == nil
}

func (p *project) ask(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	var q ask.Question
	problem := ask.ReadJSON(w, r, &q)
	if problem == nil {
		problem = q.Validate()
	}
	var left time.Duration
	if problem == nil {
		left, problem = timeLeft(r.Header)
	}
	if problem != nil {
		ask.WriteProblem(w, problem)
		return
	}
	ctx, cancel := context.WithDeadline(r.Context(), arrived.Add(left))
	defer cancel()
	a := p.fit(p.decide(ctx, q), q)
	if r.Context().Err() != nil {
		return // nobody waits any more
	}
	if err := ask.WriteJSON(w, a); err != nil {
		p.Log.Warn("the answer could not be sent", "err", p.redact(err))
	}
}

// timeLeft is how long the answer may take: the contract's time or the caller's
// own where that is shorter, less a margin for the way back.
func timeLeft(h http.Header) (time.Duration, *ask.Problem) {
	left := ask.Budget - margin
	value := h.Get(ask.DeadlineHeader)
	if value == "" {
		return left, nil
	}
	ms, err := strconv.ParseInt(value, 10, 64)
	if err != nil || ms < 0 {
		return 0, ask.NewProblem(ask.CodeInvalidField, ask.DeadlineHeader, "Send the milliseconds that are left in "+ask.DeadlineHeader+".")
	}
	callers := time.Duration(min(ms, ask.Budget.Milliseconds())) * time.Millisecond
	return min(left, callers-min(callers/10, margin)), nil
}

// decide asks the permission first, so that a stranger does not learn whom the
// project knows, and then the function.
func (p *project) decide(ctx context.Context, q ask.Question) ask.Answer {
	about := q.About()
	may, err := p.maySee(q.Asker, about)
	switch {
	case err != nil:
		p.Log.Error("the permission check failed", "err", p.redact(err))
		return ask.NoAnswer(reasonBroken)
	case !may:
		return ask.NoAnswer(reasonForbidden)
	case len(p.People) > 0 && !slices.Contains(p.People, about):
		return ask.NoAnswer(reasonNoPerson)
	}
	return p.run(ctx, q)
}

func (p *project) maySee(asker ask.Asker, person ask.Person) (may bool, err error) {
	defer recovered(&err)
	return p.MaySee(asker, person), nil
}

type result struct {
	answer ask.Answer
	err    error
}

// run runs the function beside the wait for it: one that ignores its context
// does not hold the answer up, and what it says late is thrown away.
func (p *project) run(ctx context.Context, q ask.Question) ask.Answer {
	select {
	case p.running <- struct{}{}:
	default:
		p.Log.Warn("too many functions are still running", "running", maxRunning)
		return ask.NoAnswer(reasonBusy)
	}
	if ctx.Err() != nil {
		<-p.running
		return ask.NoAnswer(reasonSlow)
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-p.running }()
		a, err := p.call(ctx, q)
		done <- result{a, err}
	}()
	select {
	case r := <-done:
		if r.err == nil {
			return r.answer
		}
		if errors.Is(r.err, context.DeadlineExceeded) || ctx.Err() != nil {
			p.Log.Info("the function was out of time", "err", p.redact(r.err))
			return ask.NoAnswer(reasonSlow)
		}
		p.Log.Error("the function failed", "err", p.redact(r.err))
		return ask.NoAnswer(reasonBroken)
	case <-ctx.Done():
		return ask.NoAnswer(reasonSlow)
	}
}

func (p *project) call(ctx context.Context, q ask.Question) (a ask.Answer, err error) {
	defer recovered(&err)
	return p.Answer(ctx, q)
}

func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v", cause)
	}
}

// fit lets nothing out that the contract does not allow.
func (p *project) fit(a ask.Answer, q ask.Question) ask.Answer {
	list := ask.WantsList(q.Question)
	if a.Answer != nil {
		err := ask.CheckSentence(*a.Answer, list)
		if err == nil && p.tells(*a.Answer) {
			err = ask.ErrSecret
		}
		if err != nil {
			p.Log.Error("the function's answer is not fit to be spoken", "why", "it "+err.Error())
			return ask.NoAnswer(reasonUnfit)
		}
		a.Reason = ""
	} else {
		switch err := ask.CheckSentence(a.Reason, list); {
		case errors.Is(err, ask.ErrBlank):
			a.Reason = reasonNothing
		case err != nil || p.tells(a.Reason):
			p.Log.Error("the function's reason is not fit to be spoken", "err", err)
			a.Reason = reasonNothing
		}
	}
	if a.Data != nil && (!a.Data.IsValid() || p.tells(string(a.Data))) {
		p.Log.Error("the function's data is not valid JSON, or holds the token; it was left out")
		a.Data = nil
	}
	if y := a.Expires.UTC().Year(); y < 1 || y > 9999 {
		p.Log.Error("the function's expires is no RFC 3339 instant; it was left out")
		a.Expires = time.Time{}
	}
	return a
}

// tells says whether one of the project's own tokens stands in s.
func (p *project) tells(s string) bool {
	return strings.Contains(s, string(p.Token)) || p.ApprovalToken != "" && strings.Contains(s, string(p.ApprovalToken))
}

// redact is err for the log, without the project's own tokens.
func (p *project) redact(err error) string {
	s := strings.ReplaceAll(err.Error(), string(p.Token), "[token]")
	if p.ApprovalToken != "" {
		s = strings.ReplaceAll(s, string(p.ApprovalToken), "[token]")
	}
	return s
}
