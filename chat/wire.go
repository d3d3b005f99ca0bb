package chat

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// postBody is the body of a post. What is not known yet is passed over: the contract
// may grow.
type postBody struct {
	Text *string `json:"text"`
	Kind *Author `json:"kind"`
}

// Posted is the reply of a post.
type Posted struct {
	Success bool   `json:"success"`
	ID      string `json:"id" example:"MSG-20261023-184000-a1b2c3"`
	Epoch   Cursor `json:"epoch" doc:"Milliseconds since 1970, UTC."`
	TS      string `json:"ts" example:"2026-10-23T18:40:00+00:00"`
	Thread  Thread `json:"thread" example:"a1b2c3d4e5f60718"`
}

// Polled is the reply of a poll, and an event of a stream.
type Polled struct {
	Success  bool          `json:"success"`
	Thread   Thread        `json:"thread" example:"a1b2c3d4e5f60718"`
	Messages []WireMessage `json:"messages" doc:"The oldest first."`
	Awaiting bool          `json:"awaiting" doc:"Whether the newest message was not written by hermes."`
	Cursor   Cursor        `json:"cursor" doc:"The newest message's epoch, to be sent as since; 0 in an empty thread."`
}

// WireMessage is one message as the wire and the host's files have it.
type WireMessage struct {
	ID     string `json:"id"`
	Epoch  Cursor `json:"epoch"`
	TS     string `json:"ts"`
	Author Author `json:"author" enum:"operator,agent,hermes"`
	Text   string `json:"text"`
}

// Wire is the message as the wire has it.
func (m *Message) Wire() WireMessage {
	return WireMessage{ID: m.ID, Epoch: m.Epoch, TS: m.TS(), Author: m.Author, Text: m.Text}
}

// Wire is the page as the wire has it.
func (p *Page) Wire(t Thread) Polled {
	out := Polled{Success: true, Thread: t, Messages: make([]WireMessage, len(p.Messages)), Awaiting: p.Awaiting, Cursor: p.Cursor}
	for i := range p.Messages {
		out.Messages[i] = p.Messages[i].Wire()
	}
	return out
}

// bodyTimeout is how long a body may take to arrive.
const bodyTimeout = 10 * time.Second

// readBody reads a body that is no larger than the contract allows.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *problem) {
	if r.ContentLength > MaxBody {
		return nil, &problem{code: CodeBodyTooLarge}
	}
	control := http.NewResponseController(w)
	// A writer without a connection below it, as in a test, has no deadline to set.
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	raw, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, bad("the body did not arrive in time: send as much as Content-Length says")
	case err != nil:
		return nil, bad("the body is not as long as it says, or broke off: send it whole")
	case len(raw) > MaxBody:
		return nil, &problem{code: CodeBodyTooLarge}
	}
	_ = control.SetReadDeadline(time.Time{})
	return raw, nil
}

// lingerTimeout is how long the rest of a body that nobody wants may take to arrive.
const lingerTimeout = time.Second

// linger sends the answer and then takes what is left of the body off the wire. A
// connection that is cut while its sender still sends takes the answer along: who is
// refused for a body that is too large would never learn it. And who announces a body
// that never comes waits for no answer, and holds no connection.
func linger(w http.ResponseWriter, r *http.Request, write func()) {
	w.Header().Set("Connection", "close")
	control := http.NewResponseController(w)
	// A writer without a connection below it, as in a test, has no deadline to set.
	timed := control.SetReadDeadline(time.Now().Add(lingerTimeout)) == nil
	write()
	if timed && r.Header.Get("Expect") == "" && control.Flush() == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

// readPost reads and checks a post's body in the contract's order: size, JSON, text.
func readPost(w http.ResponseWriter, r *http.Request) (text string, author Author, p *problem) {
	raw, p := readBody(w, r)
	if p != nil {
		return "", "", p
	}
	var body postBody
	if err := json.Unmarshal(raw, &body); err != nil {
		return "", "", bad(jsonFault(err))
	}
	if body.Text == nil {
		return "", "", bad(`"text" is missing: send {"text": "…"}`)
	}
	switch err := CheckText(*body.Text); {
	case errors.Is(err, ErrLongText):
		return "", "", &problem{code: CodeTextTooLong}
	case err != nil:
		return "", "", bad(`"text": ` + err.Error())
	}
	author = Operator
	if body.Kind != nil {
		author = *body.Kind
	}
	if !author.FromWeb() {
		return "", "", bad(`"kind" must be "operator" or "agent", or be left out`)
	}
	return *body.Text, author, nil
}

// jsonFault says what is wrong with a body without repeating it.
func jsonFault(err error) string {
	var wrong *json.SemanticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "the body has a field twice: send each once"
	case errors.As(err, &wrong):
		field := strings.TrimPrefix(string(wrong.JSONPointer), "/")
		if field == "" {
			return `the body is no JSON object: send {"text": "…"}`
		}
		if field != "text" && field != "kind" {
			field = "field"
		}
		return `"` + field + `" must be a string`
	}
	return `the body is not JSON in valid UTF-8: send {"text": "…"}`
}

// readSince reads the cursor of a poll: a whole number. One that is larger than any
// epoch has nothing after it.
func readSince(r *http.Request) (Cursor, *problem) {
	wrong := bad("since must be a whole number of milliseconds since 1970, sent once: the cursor of an earlier poll, or left out")
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // what cannot be read may have been since, and the whole thread is not what it asked for
		return 0, wrong
	}
	values, given := query["since"]
	if !given {
		return 0, nil
	}
	if len(values) != 1 {
		return 0, wrong
	}
	return parseSince(values[0], wrong)
}

// readLast reads the id of the last event that a stream's reader has seen; 0 where there
// is none.
func readLast(r *http.Request) (Cursor, *problem) {
	wrong := bad("Last-Event-ID must be the id of an event of this stream, sent once, or left out")
	values := r.Header.Values("Last-Event-ID")
	switch {
	case len(values) == 0, len(values) == 1 && values[0] == "": // a browser may send an empty one
		return 0, nil
	case len(values) > 1:
		return 0, wrong
	}
	return parseSince(values[0], wrong)
}

func parseSince(s string, wrong *problem) (Cursor, *problem) {
	const most = 1<<63 - 1
	if s == "" {
		return 0, wrong
	}
	var c Cursor
	for _, d := range []byte(s) {
		if d < '0' || d > '9' {
			return 0, wrong
		}
		if c > (most-Cursor(d-'0'))/10 {
			c = most
			continue
		}
		c = c*10 + Cursor(d-'0')
	}
	return c, nil
}

// readKey reads the idempotency key, where there is one.
func readKey(r *http.Request) (string, *problem) {
	values := r.Header.Values(KeyHeader)
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	visible := strings.IndexFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) < 0
	if len(values) > 1 || key == "" || len(key) > MaxKey || !visible {
		return "", bad(KeyHeader + " must be 1 to 255 visible ASCII characters, sent once")
	}
	return key, nil
}
