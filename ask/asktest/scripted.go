package asktest

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
)

// TB is the part of *testing.T that this package uses, so that a program which
// checks projects does not carry package testing.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
	Cleanup(func())
}

// Fault is a way in which a scripted project fails its caller on /ask.
type Fault int

// The faults.
const (
	// Well is no fault.
	Well Fault = iota
	// Down breaks each connection without a reply, /health and /capabilities too.
	Down
	// Broken answers 500.
	Broken
	// Nonsense answers 200 with an HTML page.
	Nonsense
	// BadJSON answers 200 with half an object.
	BadJSON
	// NoReason answers null and does not say why.
	NoReason
	// TwoSentences answers with two of them.
	TwoSentences
	// Huge answers with 100 MB.
	Huge
	// Redirect sends the caller to another address.
	Redirect
	// Hang never answers; it ends when the caller leaves.
	Hang
	// Unwilling answers 401, whatever the token.
	Unwilling
)

// Script is what a scripted project says and does.
type Script struct {
	// Project, Topics and People are its capabilities; Project is "scripted" where it is empty.
	Project string
	Topics  []string
	People  []ask.Person
	// Token is what it wants to see; TestToken where it is empty.
	Token ask.BearerToken
	// Answer says what it answers; nil answers "no data for that person".
	Answer func(ask.Question) ask.Answer
	// Delay is waited before each reply of /ask, unless the caller leaves first.
	Delay time.Duration
	// Fault is how it fails.
	Fault Fault
}

// TestToken is the token of a scripted project that names none.
const TestToken ask.BearerToken = "test-token-of-a-scripted-project-0001"

// Received is one question as it came in.
type Received struct {
	Question ask.Question
	// Deadline is what the caller said is left; 0 where it said nothing.
	Deadline time.Duration
	// Header is the request's, without the token.
	Header http.Header
}

// Scripted is a project for tests: it says what its script says, in a server of
// its own, and keeps the questions that it got.
type Scripted struct {
	// URL is its base address.
	URL string
	// Token is what it wants to see.
	Token ask.BearerToken

	server *http.Server
	done   chan struct{}
	gone   chan struct{} // closed by Stop, so that nothing hangs on

	mu       sync.Mutex
	script   Script
	received []Received
	left     int
	conns    int
}

// NewScripted starts a scripted project on a free port. It stops when the test ends.
func NewScripted(t TB, s Script) *Scripted {
	t.Helper()
	p, err := StartScripted(s)
	if err != nil {
		t.Fatalf("the scripted project did not start: %v", err)
	}
	t.Cleanup(p.Stop)
	return p
}

// StartScripted is NewScripted for a program that is no test; call Stop.
func StartScripted(s Script) (*Scripted, error) {
	if s.Project == "" {
		s.Project = "scripted"
	}
	if s.Token == "" {
		s.Token = TestToken
	}
	ln, err := ask.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Scripted{
		URL: "http://" + ln.Addr().String(), Token: s.Token, script: s,
		done: make(chan struct{}), gone: make(chan struct{}),
	}
	p.server = ask.NewServer(p)
	p.server.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			p.mu.Lock()
			p.conns++
			p.mu.Unlock()
		}
	}
	go func() {
		defer close(p.done)
		_ = p.server.Serve(ln) // it ends by Stop
	}()
	return p, nil
}

// Stop ends it: the port is closed and each connection is broken. It may be called twice.
func (p *Scripted) Stop() {
	p.mu.Lock()
	select {
	case <-p.gone:
	default:
		close(p.gone)
	}
	p.mu.Unlock()
	_ = p.server.Close()
	<-p.done
}

// Change changes the script from the next request on.
func (p *Scripted) Change(f func(*Script)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.script)
}

// Requests are the questions that it got, in their order.
func (p *Scripted) Requests() []Received {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Received(nil), p.received...)
}

// Left is how many callers went away before they had a reply.
func (p *Scripted) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

// Connections is how many connections were made to it.
func (p *Scripted) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns
}

// Capabilities are what it declares.
func (p *Scripted) Capabilities() ask.Capabilities {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := ask.Capabilities{Project: p.script.Project, Topics: p.script.Topics, People: p.script.People}
	if c.Topics == nil {
		c.Topics = []string{}
	}
	if c.People == nil {
		c.People = []ask.Person{}
	}
	return c
}

// ServeHTTP is the project's three calls.
func (p *Scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	s := p.script
	p.mu.Unlock()
	if s.Fault == Down {
		breakOff(w)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /health":
		_ = ask.WriteJSON(w, ask.Health{OK: true})
	case "GET /capabilities":
		if p.known(w, r, s) {
			_ = ask.WriteJSON(w, p.Capabilities())
		}
	case "POST /ask":
		if p.known(w, r, s) {
			p.answer(w, r, s)
		}
	default:
		ask.WriteProblem(w, ask.NewProblem(ask.CodeNotFound, "", "There is nothing here."))
	}
}

func (p *Scripted) known(w http.ResponseWriter, r *http.Request, s Script) bool {
	token, problem := ask.BearerFrom(r)
	if problem == nil && (s.Fault == Unwilling || !ask.SameDigest(ask.Digest(token), ask.Digest(s.Token))) {
		problem = ask.Unauthorized()
	}
	if problem != nil {
		ask.WriteProblem(w, problem)
	}
	return problem == nil
}

func (p *Scripted) answer(w http.ResponseWriter, r *http.Request, s Script) {
	var q ask.Question
	problem := ask.ReadJSON(w, r, &q)
	if problem == nil {
		problem = q.Validate()
	}
	if problem != nil {
		ask.WriteProblem(w, problem)
		return
	}
	p.keep(q, r)
	if !p.wait(r.Context(), s) {
		return
	}
	reply := func(contentType, body string) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
	switch s.Fault {
	case Broken:
		w.WriteHeader(http.StatusInternalServerError)
	case Nonsense:
		reply("text/html", "<h1>It works!</h1>")
	case BadJSON:
		reply("application/json", `{"answer": "Harry has`)
	case NoReason:
		reply("application/json", `{"answer": null}`)
	case TwoSentences:
		_ = ask.WriteJSON(w, ask.Say("Harry has maths. He also has PE."))
	case Huge:
		huge(w)
	case Redirect:
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	default:
		a := ask.NoAnswer("no data for that person")
		if s.Answer != nil {
			a = s.Answer(q)
		}
		_ = ask.WriteJSON(w, a)
	}
}

// wait waits as the script says; false means that nobody waits for the reply any more.
func (p *Scripted) wait(ctx context.Context, s Script) bool {
	var over <-chan time.Time
	switch {
	case s.Fault == Hang:
	case s.Delay == 0:
		return true
	default:
		timer := time.NewTimer(s.Delay)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
		return true
	case <-p.gone:
	case <-ctx.Done():
		p.mu.Lock()
		p.left++
		p.mu.Unlock()
	}
	return false
}

func (p *Scripted) keep(q ask.Question, r *http.Request) {
	header := r.Header.Clone()
	header.Del("Authorization")
	ms, _ := strconv.ParseInt(header.Get(ask.DeadlineHeader), 10, 64)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received = append(p.received, Received{Question: q, Deadline: time.Duration(ms) * time.Millisecond, Header: header})
}

// huge writes one answer of 100 MB, or as much of it as anybody reads.
func huge(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	chunk := make([]byte, 64<<10)
	for i := range chunk {
		chunk[i] = 'a'
	}
	_, err := w.Write([]byte(`{"answer": "`))
	for sent := 0; err == nil && sent < 100<<20; sent += len(chunk) {
		_, err = w.Write(chunk)
	}
	_, _ = w.Write([]byte(`"}`))
}

// breakOff resets the connection.
func breakOff(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
