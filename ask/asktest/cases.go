package asktest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
)

// testCase is one thing that is tried for one clause.
type testCase struct {
	clause string
	tried  string
	try    func(*checker) verdict
}

// cases is the one table, in the order in which they are tried. What is judged
// by all replies together stands at the end; the report follows the document.
var cases = []testCase{
	{"1.1", "GET /health", tryHealth},
	{"5.1", "GET /health without a token", tryHealthOpen},
	{"1.2", "GET /capabilities", tryCapabilities},
	{"1.3", "its topics", tryTopics},
	{"1.4", "a question", func(c *checker) verdict { return c.answered("a question", body(c.question, c.asker, "")) }},
	{"2.1", "question and asker, with a person and a source", func(c *checker) verdict {
		return c.alike("with a person and a source", body(c.question, c.asker, fmt.Sprintf(`,"person":%q,"source":"phone"`, c.asker)))
	}},
	{"2.2", "the same question with and without person", tryDefaultPerson},
	{"2.3", "a question of 4,000 code points of four bytes each", func(c *checker) verdict {
		return c.alike("4,000 code points", body(strings.Repeat("🎓", ask.MaxQuestion), c.asker, ""))
	}},
	{"3.4", "a question about somebody unknown", tryUnknownPerson},
	{"4.2", "a stranger asks about one of its people", tryStranger},
	{"4.5", "a question with 300 ms left", tryDeadline},
	{"7.1", "a question with unknown fields", func(c *checker) verdict {
		return c.alike("unknown fields", body(c.question, c.asker, `,"mood":"good","later":{"asker":["x",null]}`))
	}},

	{"5.2", "GET /capabilities without a token", func(c *checker) verdict { return c.unsigned(request{method: "GET", path: "/capabilities"}) }},
	{"5.2", "POST /ask without a token", func(c *checker) verdict { return c.unsigned(c.valid()) }},
	{"5.3", "another token of the same length", func(c *checker) verdict { return c.wrongToken("Bearer " + strings.Repeat("x", len(c.token))) }},
	{"5.3", "the token without its last character", func(c *checker) verdict { return c.wrongToken("Bearer " + string(c.token[:len(c.token)-1])) }},
	{"5.3", "the token and one character more", func(c *checker) verdict { return c.wrongToken("Bearer " + string(c.token) + "x") }},
	{"5.3", "an empty token", func(c *checker) verdict { return c.wrongToken("Bearer ") }},
	{"5.3", "the token in another scheme", func(c *checker) verdict { return c.wrongToken("Basic " + string(c.token)) }},
	{"5.3", "the token as a parameter of the address", func(c *checker) verdict {
		r := c.valid()
		r.path += "?access_token=" + string(c.token)
		return c.unsigned(r)
	}},
	{"5.4", "GET /capabilities without a token", func(c *checker) verdict { return c.is401(request{method: "GET", path: "/capabilities"}) }},
	{"5.4", "POST /ask without a token", func(c *checker) verdict { return c.is401(c.valid()) }},
	{"5.5", "a head without a token, its body never sent", tryTokenFirst},
	{"5.5", "no token, and a body that is not JSON", tryTokenBeforeJSON},

	{"6.1", "plain words", badBody("", "what is on today?")},
	{"6.1", "nothing", badBody("", "")},
	{"6.1", "half an object", badBody("", `{"question": "what", "asker": "sam"`)},
	{"6.1", "a list", badBody("", `[{"question": "what", "asker": "sam"}]`)},
	{"6.1", "NaN for a value", badBody("", `{"question": "what", "asker": "sam", "x": NaN}`)},
	{"6.2", "two objects", badBody("", `{"question": "what", "asker": "sam"} {"question": "what", "asker": "emma"}`)},
	{"6.2", "a word after the object", badBody("", `{"question": "what", "asker": "sam"} x`)},
	{"6.3", "asker twice", badBody("asker", `{"question": "what", "asker": "sam", "asker": "emma"}`)},
	{"6.3", "asker twice, once with an escape", badBody("asker", `{"question": "what", "asker": "sam", "\u0061sker": "emma"}`)},
	{"6.3", "an unknown key twice", badBody("", `{"question": "what", "asker": "sam", "x": 1, "x": 2}`)},
	{"6.4", "ASKER for asker", badBody("asker", `{"question": "what", "ASKER": "sam"}`)},
	{"6.4", "ASKER beside asker", badBody("asker", `{"question": "what", "asker": "sam", "ASKER": "emma"}`)},
	{"6.4", "aſker beside asker", badBody("asker", `{"question": "what", "asker": "sam", "aſker": "emma"}`)},
	{"6.5", "a byte that is not UTF-8 in the question", badBody("", "{\"question\": \"what \xff\", \"asker\": \"sam\"}")},
	{"6.5", "an overlong slash in asker", badBody("", "{\"question\": \"what\", \"asker\": \"sam\xc0\xaf\"}")},
	{"6.6", "no question", badBody("question", `{"asker": "sam"}`)},
	{"6.6", "an empty question", badBody("question", `{"question": "", "asker": "sam"}`)},
	{"6.6", "a question of spaces", badBody("question", `{"question": "   ", "asker": "sam"}`)},
	{"6.6", "no asker", badBody("asker", `{"question": "what"}`)},
	{"6.6", "an empty asker", badBody("asker", `{"question": "what", "asker": ""}`)},
	{"6.7", "a number for question", badBody("question", `{"question": 7, "asker": "sam"}`)},
	{"6.7", "a list for asker", badBody("asker", `{"question": "what", "asker": ["sam"]}`)},
	{"6.7", "an object for person", badBody("person", `{"question": "what", "asker": "sam", "person": {}}`)},
	{"6.7", "true for source", badBody("source", `{"question": "what", "asker": "sam", "source": true}`)},
	{"6.8", "a line feed in asker", badBody("asker", `{"question": "what", "asker": "sam\nemma"}`)},
	{"6.8", "a NUL in person", badBody("person", `{"question": "what", "asker": "sam", "person": "emma\u0000"}`)},
	{"6.9", "a question as text/plain", func(c *checker) verdict { return c.contentType("text/plain") }},
	{"6.9", "a question as a form", func(c *checker) verdict { return c.contentType("application/x-www-form-urlencoded") }},
	{"6.9", "a question without a content type", func(c *checker) verdict { return c.contentType("") }},
	{"6.10", "both framings on one request", tryBothFramings},
	{"6.11", "two Authorization headers", func(c *checker) verdict {
		r := c.valid()
		r.headers = append(r.headers, c.auth(), c.auth())
		return c.refused("two Authorization headers", 400, "", r, true)
	}},
	{"6.12", "two Host headers", func(c *checker) verdict {
		r := c.valid()
		r.headers = append(r.headers, c.auth(), header{"Host", "elsewhere.example"})
		return c.refused("two Host headers", 400, "", r, true)
	}},
	{"6.13", "a body of 33 KB", func(c *checker) verdict {
		return c.bad("33 KB", 413, "", body("what", c.asker, `,"x":"`+strings.Repeat("x", 33<<10)+`"`))
	}},
	{"6.14", "a question of 4,001 code points", func(c *checker) verdict {
		return c.bad("4,001 code points", 413, "", body(strings.Repeat("x", ask.MaxQuestion+1), c.asker, ""))
	}},
	{"6.15", "GET /ask", func(c *checker) verdict { return c.method("GET", "/ask", "POST") }},
	{"6.15", "DELETE /ask", func(c *checker) verdict { return c.method("DELETE", "/ask", "POST") }},
	{"6.15", "POST /capabilities", func(c *checker) verdict { return c.method("POST", "/capabilities", "GET") }},

	{"1.5", "the replies so far", judgeTypes},
	{"3.1", "the answers so far", judgeReasons},
	{"3.2", "the answers so far", judgeSentences},
	{"3.3", "the answers so far", judgeExpires},
	{"4.1", "the capabilities before and after all that", judgeUnchanged},
	{"4.3", "the slowest answer so far", judgeTime},
	{"4.4", "the replies so far", judgeSecrets},
	{"6.16", "the refusals so far", judgeProblems},
	{"6.17", "the refusals so far", judgeFields},
	{"6.18", "the refusals so far", judgeInside},
}

func badBody(field, content string) func(*checker) verdict {
	return func(c *checker) verdict { return c.bad("a bad body", 400, field, []byte(content)) }
}

// valid is a whole question without a token.
func (c *checker) valid() request {
	return request{method: "POST", path: "/ask", headers: []header{jsonType}, body: body(c.question, c.asker, "")}
}

func tryHealth(c *checker) verdict {
	r := c.wire.send(c.ctx, request{method: "GET", path: "/health", headers: []header{c.auth()}}, false)
	if r.err != nil || r.status != 200 {
		return fail("%v", r)
	}
	var h ask.Health
	if p := ask.DecodeJSON(r.body, &h); p != nil {
		return fail("%v", p)
	}
	if !h.OK {
		return fail(`"ok" is not true`)
	}
	return pass("%v", r)
}

func tryHealthOpen(c *checker) verdict {
	r := c.wire.send(c.ctx, request{method: "GET", path: "/health"}, false)
	if r.status == 401 || r.status == 403 {
		return fail("%v", r)
	}
	return pass("%v", r)
}

func tryCapabilities(c *checker) verdict {
	if c.capsFault != "" {
		return fail("%s", c.capsFault)
	}
	return pass("%s, %d topics, %d people", c.caps.Project, len(c.caps.Topics), len(c.caps.People))
}

func tryTopics(c *checker) verdict {
	if c.capsFault != "" {
		return skip("there are none to see")
	}
	for _, t := range c.caps.Topics {
		switch {
		case utf8.RuneCountInString(t) > 60 || len(strings.Fields(t)) > 8:
			return fail("%s is long", short(t))
		case strings.TrimSpace(t) == "" || ask.CheckSentence(t, false) != nil || strings.ContainsAny(t, "<>`*[]|\\{}@"):
			return fail("%s is not plain", short(t))
		}
	}
	return pass("%d topics", len(c.caps.Topics))
}

// answered asks the plain question that everything else is measured by.
func (c *checker) answered(tried string, content []byte) verdict {
	e := c.ask(tried, content)
	if e.slow {
		return skip("%v", errSlow)
	}
	if e.fault != "" {
		return fail("%s", e.fault)
	}
	return pass("%v", e)
}

// alike asks a variant that must be taken as the plain question is.
func (c *checker) alike(tried string, content []byte) verdict {
	if len(c.said) == 0 {
		return skip(noPlain)
	}
	return c.answered(tried, content)
}

// noPlain is what a case that builds on the plain question says where that got no answer.
const noPlain = "the plain question got no answer either"

func tryDefaultPerson(c *checker) verdict {
	if len(c.said) == 0 {
		return skip(noPlain)
	}
	without := c.ask("without person", body(c.question, c.asker, ""))
	with := c.ask("with person", body(c.question, c.asker, fmt.Sprintf(`,"person":%q`, c.asker)))
	switch {
	case without.slow || with.slow || without.fault != "" || with.fault != "":
		return skip("one of them got no answer")
	case (without.answer == nil) != (with.answer == nil):
		return fail("%v without, and %v with", without, with)
	case without.answer == nil && without.reason != with.reason:
		return fail("%v without, and %v with", without, with)
	}
	return pass("the same")
}

func tryUnknownPerson(c *checker) verdict {
	if len(c.said) == 0 {
		return skip(noPlain)
	}
	if len(c.caps.People) == 0 {
		return skip("its data is about nobody in particular")
	}
	e := c.ask("about somebody unknown", body(c.question, nobody, fmt.Sprintf(`,"person":%q`, nobody)))
	return nullWanted(e)
}

func tryStranger(c *checker) verdict {
	if len(c.said) == 0 {
		return skip(noPlain)
	}
	if len(c.caps.People) == 0 {
		return skip("its data is about nobody in particular")
	}
	e := c.ask("a stranger", body(c.question, stranger, fmt.Sprintf(`,"person":%q`, c.caps.People[0])))
	if e.reply.status == http.StatusForbidden {
		return pass("%v", e.reply)
	}
	return nullWanted(e)
}

func nullWanted(e exchange) verdict {
	switch {
	case e.slow:
		return skip("%v", errSlow)
	case e.fault != "" || e.answer != nil:
		return fail("%v", e)
	}
	return pass("%v", e)
}

func tryDeadline(c *checker) verdict {
	if len(c.said) == 0 {
		return skip(noPlain)
	}
	const left, late, tries = 300 * time.Millisecond, 100 * time.Millisecond, 3
	var e exchange
	for range tries { // a busy machine is late now and then, and a deaf project each time
		e = c.ask("300 ms left", body(c.question, c.asker, ""), header{ask.DeadlineHeader, "300"})
		if e.slow || e.fault != "" || e.reply.took <= left+late {
			break
		}
	}
	switch {
	case e.slow:
		return skip("%v", errSlow)
	case e.fault != "":
		return fail("%s", e.fault)
	case e.reply.took > left+late:
		return fail("each time an answer after more than %v, at last after %v", left+late, e.reply.took.Round(time.Millisecond))
	}
	return pass("an answer after %v", e.reply.took.Round(time.Millisecond))
}

func (c *checker) unsigned(r request) verdict {
	got := c.wire.send(c.ctx, r, false)
	if got.err != nil || got.status < 400 || got.status >= 500 {
		return fail("%v", got)
	}
	return pass("%v", got)
}

func (c *checker) wrongToken(value string) verdict {
	r := c.valid()
	r.headers = append(r.headers, header{"Authorization", value})
	return c.unsigned(r)
}

func (c *checker) is401(r request) verdict {
	got := c.wire.send(c.ctx, r, false)
	if got.status < 400 && got.err == nil {
		return skip("%v, see 5.2", got)
	}
	if got.err != nil || got.status != 401 {
		return fail("%v", got)
	}
	c.refusals = append(c.refusals, refusal{"no token", "", got})
	scheme, _, _ := strings.Cut(got.header.Get("WWW-Authenticate"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return fail("%v with WWW-Authenticate: %q", got, got.header.Get("WWW-Authenticate"))
	}
	return pass("%v", got)
}

func tryTokenFirst(c *checker) verdict {
	head := request{method: "POST", path: "/ask", headers: []header{jsonType}, announce: 1000, wait: ask.Budget}
	got := c.wire.send(c.ctx, head, false)
	if errors.Is(got.err, errNoReply) { // a machine that is busy elsewhere gets another chance
		got = c.wire.send(c.ctx, head, false)
	}
	if got.err == nil && got.status != 401 {
		return skip("%v, see 5.4", got)
	}
	if got.err != nil {
		return fail("%v: it waits for the body", got.err)
	}
	return pass("%v", got)
}

func tryTokenBeforeJSON(c *checker) verdict {
	got := c.wire.send(c.ctx, request{method: "POST", path: "/ask", headers: []header{jsonType}, body: []byte("no")}, false)
	if got.status != 401 && got.status != 403 {
		return fail("%v", got)
	}
	return pass("%v", got)
}

func (c *checker) contentType(value string) verdict {
	r := c.valid()
	r.headers = []header{c.auth()}
	if value != "" {
		r.headers = append(r.headers, header{"Content-Type", value})
	}
	return c.refused("content type "+value, 415, "", r, false)
}

func tryBothFramings(c *checker) verdict {
	content := c.valid().body
	chunked := fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(content), content)
	r := request{method: "POST", path: "/ask", body: chunked, headers: []header{
		c.auth(), jsonType, {"Content-Length", fmt.Sprint(len(chunked))}, {"Transfer-Encoding", "chunked"},
	}}
	return c.refused("both framings", 400, "", r, true)
}

func (c *checker) method(method, path, allowed string) verdict {
	v := c.refused(method+" "+path, 405, "", request{method: method, path: path, headers: []header{c.auth()}}, false)
	if v.outcome != Passed {
		return v
	}
	allow := c.refusals[len(c.refusals)-1].reply.header.Get("Allow")
	for m := range strings.SplitSeq(allow, ",") {
		if strings.TrimSpace(m) == allowed {
			return pass("%s with Allow: %s", v.got, allow)
		}
	}
	return fail("%s with Allow: %q", v.got, allow)
}
