package asktest

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// checker holds what one run has learnt of the project.
type checker struct {
	ctx      context.Context
	wire     *wire
	token    ask.BearerToken
	question string
	asker    ask.Asker

	caps      ask.Capabilities
	capsReply reply
	capsFault string // what is wrong with the capabilities; empty where nothing is

	said     []exchange // every valid question that got a reply
	refusals []refusal  // every refusal that was as it should be, by status
	slowest  time.Duration
}

// exchange is one valid question and what came back.
type exchange struct {
	tried string
	reply reply
	// fault is why the reply is no answer of the contract's; empty where it is one.
	fault  string
	answer *string
	reason string
	// expires is as it was sent; empty where it was not.
	expires string
	slow    bool
}

type refusal struct {
	tried string
	field string // the field that a 400 should name; empty where it is about none
	reply reply
}

// A stranger and a person that no household has.
const (
	stranger = "askhub-check-stranger"
	nobody   = "askhub-check-nobody"
)

func (c *checker) auth() header { return header{"Authorization", "Bearer " + string(c.token)} }

var jsonType = header{"Content-Type", "application/json"}

// learn reads the capabilities, from which the questions are made.
func (c *checker) learn() {
	c.capsReply = c.wire.send(c.ctx, request{method: "GET", path: "/capabilities", headers: []header{c.auth()}}, false)
	c.caps, c.capsFault = readCapabilities(c.capsReply)
	if c.asker == "" {
		c.asker = "sam"
		if len(c.caps.People) > 0 {
			c.asker = ask.Asker(c.caps.People[0])
		}
	}
	if c.question == "" {
		c.question = "What do I have on today?"
		if len(c.caps.Topics) > 0 {
			c.question = "What is there about " + c.caps.Topics[0] + " today?"
		}
	}
}

// hint is what the reply to GET /capabilities tells of a whole run: who gave another
// token, or the address of something else, need not read every clause.
func (c *checker) hint() string {
	switch c.capsReply.status {
	case 401, 403:
		return "It does not take this token. Give the one that the project was started with."
	case 404, 405, 501:
		return "What answers there does not look like a project. Is it the right port?"
	}
	return ""
}

func readCapabilities(r reply) (ask.Capabilities, string) {
	var caps ask.Capabilities
	if r.err != nil || r.status != 200 {
		return caps, r.String()
	}
	if p := ask.DecodeJSON(r.body, &caps); p != nil {
		return caps, p.Error()
	}
	if p := caps.Validate(); p != nil && !strings.HasPrefix(p.Field, "topics.") {
		return caps, p.Error()
	}
	return caps, ""
}

// ask sends one valid question and keeps what came.
func (c *checker) ask(tried string, body []byte, headers ...header) exchange {
	r := c.wire.send(c.ctx, request{method: "POST", path: "/ask", headers: append([]header{c.auth(), jsonType}, headers...), body: body}, false)
	e := readAnswer(r)
	e.tried = tried
	c.slowest = max(c.slowest, r.took)
	e.slow = errors.Is(r.err, errNoReply) || r.took >= ask.Budget
	if e.fault == "" {
		c.said = append(c.said, e)
	}
	return e
}

func readAnswer(r reply) exchange {
	e := exchange{reply: r}
	if r.err != nil || r.status != 200 {
		e.fault = r.String()
		return e
	}
	var raw struct {
		Answer  jsontext.Value `json:"answer"`
		Reason  *string        `json:"reason"`
		Data    jsontext.Value `json:"data"`
		Expires jsontext.Value `json:"expires"`
	}
	if p := ask.DecodeJSON(r.body, &raw); p != nil {
		e.fault = p.Error()
		return e
	}
	if raw.Reason != nil {
		e.reason = *raw.Reason
	}
	if raw.Expires != nil && raw.Expires.Kind() != 'n' {
		e.expires = string(raw.Expires)
	}
	switch {
	case raw.Answer == nil:
		e.fault = `there is no "answer"`
	case raw.Answer.Kind() == 'n':
	case json.Unmarshal(raw.Answer, &e.answer) != nil:
		e.fault = `"answer" is neither a string nor null`
	}
	return e
}

func (e exchange) String() string {
	switch {
	case e.slow:
		return errSlow.Error()
	case e.fault != "":
		return e.fault
	case e.answer == nil:
		return "null, because " + short(e.reason)
	}
	return short(*e.answer)
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return `"` + s + `"`
}

// body is a question in JSON, with further members as they are given.
func body(question string, asker ask.Asker, more string) []byte {
	var b bytes.Buffer
	q, _ := json.Marshal(strings.ToValidUTF8(question, "?"))
	a, _ := json.Marshal(strings.ToValidUTF8(string(asker), "?"))
	b.WriteString(`{"question":`)
	b.Write(q)
	b.WriteString(`,"asker":`)
	b.Write(a)
	b.WriteString(more + "}")
	return b.Bytes()
}

// refused sends something that must be refused with that status, and keeps the refusal.
func (c *checker) refused(tried string, want int, field string, r request, closing bool) verdict {
	got := c.wire.send(c.ctx, r, closing)
	if got.err != nil || got.status != want {
		return fail("%v", got)
	}
	c.refusals = append(c.refusals, refusal{tried, field, got})
	if closing && !got.closed {
		return fail("%v, and the connection stays open", got)
	}
	return pass("%v", got)
}

// bad posts a body to /ask that must be refused.
func (c *checker) bad(tried string, want int, field string, content []byte) verdict {
	return c.refused(tried, want, field, request{method: "POST", path: "/ask", headers: []header{c.auth(), jsonType}, body: content}, false)
}

func mediaType(r reply) string {
	t, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	return t
}
