package asktest

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
)

// What is judged by all replies together.

func judgeTypes(c *checker) verdict {
	if len(c.said) == 0 {
		return skip("there was no answer")
	}
	for _, e := range c.said {
		if mediaType(e.reply) != "application/json" {
			return fail("%s: Content-Type %q", e.tried, e.reply.header.Get("Content-Type"))
		}
	}
	if c.capsFault == "" && mediaType(c.capsReply) != "application/json" {
		return fail("GET /capabilities: Content-Type %q", c.capsReply.header.Get("Content-Type"))
	}
	return pass("application/json in all")
}

func judgeReasons(c *checker) verdict {
	seen := 0
	for _, e := range c.said {
		if e.answer != nil {
			continue
		}
		seen++
		if strings.TrimSpace(e.reason) == "" {
			return fail("%s: null without a reason", e.tried)
		}
	}
	if seen == 0 {
		return skip("there was no null")
	}
	return pass("%d times null, each with a reason", seen)
}

func judgeSentences(c *checker) verdict {
	seen := 0
	for _, e := range c.said {
		words, list := e.reason, ask.WantsList(c.question)
		if e.answer != nil {
			words = *e.answer
			seen++
		} else if words == "" {
			continue // 3.1 says so
		}
		switch err := ask.CheckSentence(words, list); {
		case err == nil, errors.Is(err, ask.ErrSecret), errors.Is(err, ask.ErrPath): // 4.4 looks for these
		default:
			return fail("%s: %s %v", e.tried, short(words), err)
		}
	}
	if seen == 0 {
		return skip("there was no answer but null: give a question that it answers")
	}
	return pass("%d answers", seen)
}

func judgeExpires(c *checker) verdict {
	seen := 0
	for _, e := range c.said {
		if e.expires == "" {
			continue
		}
		seen++
		var at string
		if json.Unmarshal([]byte(e.expires), &at) != nil {
			return fail("%s: %s", e.tried, short(e.expires))
		}
		if _, err := time.Parse(time.RFC3339, at); err != nil {
			return fail("%s: %s", e.tried, short(at))
		}
	}
	if seen == 0 {
		return skip("no answer has one")
	}
	return pass("%d seen", seen)
}

func judgeUnchanged(c *checker) verdict {
	if c.capsFault != "" {
		return skip("there are none to compare")
	}
	caps, fault := readCapabilities(c.wire.send(c.ctx, request{method: "GET", path: "/capabilities", headers: []header{c.auth()}}, false))
	if fault != "" {
		return fail("%s", fault)
	}
	if caps.Project != c.caps.Project || !slices.Equal(caps.Topics, c.caps.Topics) || !slices.Equal(caps.People, c.caps.People) {
		return fail("they changed")
	}
	return pass("the same, as far as can be seen from outside")
}

func judgeTime(c *checker) verdict {
	if c.slowest >= ask.Budget {
		return fail("after %v", c.slowest.Round(10*time.Microsecond))
	}
	return pass("after %v", c.slowest.Round(10*time.Microsecond))
}

func judgeSecrets(c *checker) verdict {
	for _, e := range c.said {
		if holds(e.reply, c.token) {
			return fail("%s: the project's own token", e.tried)
		}
		words := e.reason
		if e.answer != nil {
			words = *e.answer
		}
		if err := ask.CheckSafe(words); errors.Is(err, ask.ErrSecret) || errors.Is(err, ask.ErrPath) {
			return fail("%s: what is said %v", e.tried, err)
		}
	}
	if c.capsFault == "" && holds(c.capsReply, c.token) {
		return fail("GET /capabilities: the project's own token")
	}
	return pass("none in %d replies", len(c.said)+1)
}

func holds(r reply, token ask.BearerToken) bool {
	if strings.Contains(string(r.body), string(token)) {
		return true
	}
	for _, values := range r.header {
		if strings.Contains(strings.Join(values, " "), string(token)) {
			return true
		}
	}
	return false
}

func judgeProblems(c *checker) verdict {
	if len(c.refusals) == 0 {
		return skip("nothing was refused as it should be")
	}
	for _, r := range c.refusals {
		if mediaType(r.reply) != ask.ProblemType {
			return fail("%s: Content-Type %q", r.tried, r.reply.header.Get("Content-Type"))
		}
		var p ask.Problem
		if problem := ask.DecodeJSON(r.reply.body, &p); problem != nil {
			return fail("%s: %v", r.tried, problem)
		}
		if p.Code == "" {
			return fail("%s: no code", r.tried)
		}
		if p.Status != 0 && p.Status != r.reply.status {
			return fail("%s: status %d in the body of a %d", r.tried, p.Status, r.reply.status)
		}
	}
	return pass("%d refusals", len(c.refusals))
}

func judgeFields(c *checker) verdict {
	seen := 0
	for _, r := range c.refusals {
		if r.field == "" {
			continue
		}
		seen++
		if !strings.Contains(string(r.reply.body), r.field) {
			return fail("%s is not named in %s", r.field, short(string(r.reply.body)))
		}
	}
	if seen == 0 {
		return skip("no field was refused as it should be")
	}
	return pass("%d refusals", seen)
}

// traces are what a program's inside looks like in the common languages.
var traces = []string{"Traceback (most recent", "goroutine ", "\n    at ", `\n    at `, `\n at `, ".go:", ".py\"", ".js:", ".ts:", ".java:", ".rb:", ".php", "node_modules", "Exception in "}

func judgeInside(c *checker) verdict {
	for _, r := range c.refusals {
		text := string(r.reply.body)
		if holds(r.reply, c.token) {
			return fail("%s: the project's own token", r.tried)
		}
		for _, t := range traces {
			if strings.Contains(text, t) {
				return fail("%s: %s", r.tried, short(text))
			}
		}
		var p ask.Problem
		if ask.DecodeJSON(r.reply.body, &p) == nil && p.Detail != "" && errors.Is(ask.CheckSafe(p.Detail), ask.ErrSecret) {
			return fail("%s: %s", r.tried, short(p.Detail))
		}
	}
	return pass("%d refusals", len(c.refusals))
}
