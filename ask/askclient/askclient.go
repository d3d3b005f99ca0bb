// Package askclient asks a project over the ask contract. It is how the Hub
// calls its projects: it sends the project's token and the time that is left,
// follows no redirect, reads a bounded reply and believes nothing in it that
// the contract does not allow.
package askclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/go-json-experiment/json/jsontext"
)

// The kinds of failure that a caller tells apart with errors.Is. A call that
// its caller gave up on is none of them: it is context.Canceled.
var (
	// ErrDown is a project that cannot be reached, breaks off, or says that it is broken (5xx, 429).
	ErrDown = errors.New("the project is not answering")
	// ErrSlow is a project that did not answer in time.
	ErrSlow = errors.New("the project is too slow to answer")
	// ErrNonsense is a reply that is not the ask contract's.
	ErrNonsense = errors.New("the project's reply is not the ask contract's")
	// ErrRefused is a project that does not take the token (401, 403).
	ErrRefused = errors.New("the project refused the token")
)

// Error is a failed call. Its text holds nothing that the project sent, and no
// address and no token.
type Error struct {
	// Kind is one of the four above.
	Kind error
	// Status is the reply's HTTP status; 0 where there was none.
	Status int
	// Problem is what the project said was wrong, or what is wrong with its
	// reply; nil where neither is known.
	Problem *ask.Problem
	// Cause is for a log.
	Cause error
}

// replyFields are the fields of a reply that an error's text may name: any other name may
// be the project's own words.
var replyFields = []string{"Content-Type", "body", "ok", "project", "topics", "people", "answer", "reason", "expires"}

// Error is the kind, with the status, the contract's code and the field of the reply that
// is at fault, where there are such.
func (e *Error) Error() string {
	text := e.Kind.Error()
	if e.Status != 0 {
		text += " (status " + strconv.Itoa(e.Status) + ")"
	}
	if e.Problem != nil && e.Problem.Code.Known() {
		text += ": " + string(e.Problem.Code)
		if e.Status == http.StatusOK && slices.Contains(replyFields, e.Problem.Field) {
			text += ", " + e.Problem.Field
		}
	}
	return text
}

// Unwrap is the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// MaxReply is the most that is read of a reply, in bytes.
const MaxReply = 256 << 10

// dialTimeout is how long a connection may take before the project counts as down.
const dialTimeout = 1500 * time.Millisecond

// Config is where a project is and what it wants to see.
type Config struct {
	// URL is the project's base address, such as http://127.0.0.1:8421.
	URL string
	// Token is the project's own token (PROJECT_TOKEN_<NAME>).
	Token ask.BearerToken
}

// Client asks one project. It is safe for use by many goroutines and keeps its
// connections open between calls; share one for each project.
type Client struct {
	fault error // what is wrong with the Config; each call says it
	pool  *pool
	token string
	// The heads of the three requests, up to what each call adds.
	ask, caps, health string
}

// New is a client for that project. A faulty URL or token shows as ErrDown at the first call.
func New(c Config) *Client {
	base, err := url.Parse(strings.TrimSuffix(c.URL, "/") + "/")
	if err == nil && (base.Scheme != "http" && base.Scheme != "https" || base.Host == "") {
		err = errors.New("the project's address is not an http or https URL")
	}
	if err == nil && strings.ContainsFunc(string(c.Token), func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		err = errors.New("the project's token holds what no header can carry")
	}
	if err != nil {
		return &Client{fault: &Error{Kind: ErrDown, Cause: err}}
	}
	head := func(method, path, more string) string {
		return method + " " + base.JoinPath(path).RequestURI() + " HTTP/1.1\r\nHost: " + base.Host + "\r\nAccept: application/json\r\n" + more
	}
	auth := "Authorization: Bearer " + string(c.Token) + "\r\n"
	return &Client{
		pool:   newPool(base),
		token:  string(c.Token),
		ask:    head(http.MethodPost, "ask", auth+"Content-Type: application/json\r\n"),
		caps:   head(http.MethodGet, "capabilities", auth),
		health: head(http.MethodGet, "health", ""),
	}
}

// Close closes the connections that wait for another call.
func (c *Client) Close() {
	if c.pool != nil {
		c.pool.close()
	}
}

// Ask asks the project. It waits until ctx ends, and for ask.Budget at most. An
// answer of nil with its reason is no error.
func (c *Client) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	var answer ask.Answer
	err := c.call(ctx, c.ask, &q, func(body []byte) (p *ask.Problem) {
		if answer, p = ask.DecodeAnswer(body); p == nil {
			p = c.withoutToken(&answer)
		}
		return p
	})
	return answer, err
}

// withoutToken refuses words that hold the project's own token, whatever it looks
// like: what looks like anybody's token is refused by the contract's own check.
func (c *Client) withoutToken(a *ask.Answer) *ask.Problem {
	field, words := "reason", a.Reason
	if a.Answer != nil {
		field, words = "answer", *a.Answer
	}
	if c.token != "" && strings.Contains(words, c.token) {
		return ask.NewProblem(ask.CodeInvalidField, field, `"`+field+`" `+ask.ErrSecret.Error()+".")
	}
	return nil
}

// Capabilities asks what the project knows.
func (c *Client) Capabilities(ctx context.Context) (ask.Capabilities, error) {
	var caps ask.Capabilities
	err := c.call(ctx, c.caps, nil, func(body []byte) (p *ask.Problem) {
		caps, p = ask.DecodeCapabilities(body)
		return p
	})
	return caps, err
}

// Health asks whether the project is well. It presents no token.
func (c *Client) Health(ctx context.Context) error {
	return c.call(ctx, c.health, nil, func(body []byte) *ask.Problem {
		var h ask.Health
		if p := ask.DecodeJSON(body, &h); p != nil {
			return p
		}
		if !h.OK {
			return ask.NewProblem(ask.CodeInvalidField, "ok", "The project says that it is not well.")
		}
		return nil
	})
}

// appendQuestion writes q in JSON by hand, since it is made for every question.
func appendQuestion(b []byte, q *ask.Question) []byte {
	b = appendField(b, `{"question":`, q.Question)
	b = appendField(b, `,"asker":`, string(q.Asker))
	if q.Person != "" {
		b = appendField(b, `,"person":`, string(q.Person))
	}
	if q.Source != "" {
		b = appendField(b, `,"source":`, q.Source)
	}
	return append(b, '}')
}

func appendField(b []byte, key, value string) []byte {
	b = append(b, key...)
	quoted, err := jsontext.AppendQuote(b, value)
	if err != nil { // bad UTF-8 becomes the replacement character
		quoted, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(value, "\ufffd"))
	}
	return quoted
}

// call sends the head of one request, with the question where there is one, and
// decodes its reply.
func (c *Client) call(ctx context.Context, head string, q *ask.Question, decode func([]byte) *ask.Problem) error {
	if c.fault != nil {
		return c.fault
	}
	now := time.Now()
	latest := now.Add(ask.Budget)
	deadline, ok := ctx.Deadline()
	if !ok || deadline.After(latest) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, latest)
		defer cancel()
		deadline = latest
	}
	left := deadline.Sub(now)
	if left <= 0 || ctx.Err() != nil {
		return failed(ctx, deadline, context.DeadlineExceeded)
	}
	buf := requests.Get().(*[]byte)
	defer requests.Put(buf)
	request := append((*buf)[:0], head...)
	request = append(request, ask.DeadlineHeader+": "...)
	request = strconv.AppendInt(request, max(left.Milliseconds(), 1), 10)
	request = append(request, "\r\n"...)
	if q != nil {
		request = appendBody(request, q)
	} else {
		request = append(request, "\r\n"...)
	}
	*buf = request
	var told error // what the reply itself says
	err := c.pool.exchange(ctx, request, func(res *http.Response) error {
		told = read(ctx, deadline, res, decode)
		return told
	})
	if told != nil || err == nil {
		return told
	}
	return failed(ctx, deadline, err)
}

// requests holds buffers for whole requests.
var requests = sync.Pool{New: func() any { b := make([]byte, 0, 2<<10); return &b }}

// appendBody adds the length of the question's body, the end of the head, and the body.
func appendBody(request []byte, q *ask.Question) []byte {
	buf := requests.Get().(*[]byte)
	defer requests.Put(buf)
	*buf = appendQuestion((*buf)[:0], q)
	request = append(request, "Content-Length: "...)
	request = strconv.AppendInt(request, int64(len(*buf)), 10)
	request = append(request, "\r\n\r\n"...)
	return append(request, *buf...)
}

// failed is a call that got no whole reply. A connection that could not be made
// within dialTimeout is down; everything else that took too long is slow.
func failed(ctx context.Context, deadline time.Time, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled
	case ctx.Err() != nil || time.Until(deadline) <= 0:
		return &Error{Kind: ErrSlow, Cause: err}
	}
	return &Error{Kind: ErrDown, Cause: err}
}

// read reads a reply to its bound, so that the connection can be used again,
// and decodes it.
func read(ctx context.Context, deadline time.Time, res *http.Response, decode func([]byte) *ask.Problem) error {
	nonsense := func(code ask.Code, field, detail string) error {
		return &Error{Kind: ErrNonsense, Status: res.StatusCode, Problem: ask.NewProblem(code, field, detail)}
	}
	if res.StatusCode == http.StatusOK && !isJSON(res.Header, "application/json") {
		return nonsense(ask.CodeNotJSON, "Content-Type", "The reply is not application/json.")
	}
	if res.ContentLength > MaxReply {
		return nonsense(ask.CodeBodyTooLarge, "body", "The reply is larger than 256 KB.")
	}
	buf := replies.Get().(*[]byte)
	defer replies.Put(buf)
	body, whole, err := readBounded(res.Body, *buf)
	*buf = body[:0]
	if err != nil {
		return failed(ctx, deadline, err)
	}
	if !whole {
		return nonsense(ask.CodeBodyTooLarge, "body", "The reply is larger than 256 KB.")
	}
	if res.StatusCode != http.StatusOK {
		return statusError(res, body)
	}
	if p := decode(body); p != nil {
		return &Error{Kind: ErrNonsense, Status: res.StatusCode, Problem: p}
	}
	return nil
}

// replies holds buffers; one that a large reply grew goes back grown, at most to MaxReply.
var replies = sync.Pool{New: func() any { b := make([]byte, 0, 2<<10); return &b }}

// readBounded reads to the end, or stops after MaxReply bytes and says so.
func readBounded(r io.Reader, buf []byte) (body []byte, whole bool, err error) {
	for {
		if len(buf) == cap(buf) {
			if len(buf) > MaxReply {
				return buf, false, nil
			}
			grown := make([]byte, len(buf), min(2*cap(buf), MaxReply+1))
			copy(grown, buf)
			buf = grown
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if len(buf) > MaxReply {
			return buf, false, nil
		}
		if err == io.EOF {
			return buf, true, nil
		}
		if err != nil {
			return buf, false, err
		}
	}
}

func isJSON(h http.Header, kind string) bool {
	value := h.Get("Content-Type")
	if value == kind {
		return true
	}
	got, _, _ := strings.Cut(value, ";")
	return strings.EqualFold(strings.TrimSpace(got), kind)
}

// statusError is what a reply other than 200 means.
func statusError(res *http.Response, body []byte) error {
	e := &Error{Kind: ErrNonsense, Status: res.StatusCode}
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		e.Kind = ErrRefused
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests:
		e.Kind = ErrDown
	}
	if isJSON(res.Header, ask.ProblemType) {
		var p ask.Problem
		if ask.DecodeJSON(body, &p) == nil && p.Code != "" {
			e.Problem = &p
		}
	}
	return e
}
