package chattest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/chat"
)

// Serve starts a server with an empty store held to these rules and gives its address,
// such as http://127.0.0.1:8420. It ends with the test.
type Serve func(t *testing.T, rules chat.Rules) string

// family is one set of addresses of the same two calls.
type family struct{ name, post, poll string }

var families = []family{
	{"native", "/api/chat/post", "/api/chat/poll"},
	{"old", "/spaces/newos4/api/chat/post.php", "/spaces/newos4/api/chat/poll.php"},
}

// Wire checks that a server speaks the chat contract's wire (spec 3), by nothing but
// HTTP. It sends what a client that knows only the contract would send.
func Wire(t *testing.T, serve Serve) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			t.Run("a post is acknowledged and polled", func(t *testing.T) { postAndPoll(start(t, serve, f)) })
			t.Run("since gives what is later", func(t *testing.T) { pollSince(start(t, serve, f)) })
			t.Run("an error is never silent", func(t *testing.T) { wireErrors(t, serve, f) })
			t.Run("the checks have an order", func(t *testing.T) { wireOrder(start(t, serve, f)) })
			t.Run("the limits are two windows", func(t *testing.T) { wireLimits(start(t, serve, f)) })
			t.Run("a repeated key is one message", func(t *testing.T) { wireKeys(start(t, serve, f)) })
			t.Run("a thread too many", func(t *testing.T) { wireThreads(t, serve, f) })
			t.Run("a text is taken whole or refused", func(t *testing.T) { wireTexts(start(t, serve, f)) })
		})
	}
	native := families[0]
	t.Run("a stream gives what poll gives", func(t *testing.T) { wireStream(start(t, serve, native)) })
	t.Run("a page asks for its pairing code", func(t *testing.T) { wirePair(start(t, serve, native)) })
	t.Run("the retired address is gone", func(t *testing.T) { wireGone(start(t, serve, native)) })
	t.Run("both families are one chat", func(t *testing.T) {
		c := start(t, serve, native)
		token := c.token()
		c.mustPost(token, "by the new address")
		c.family = families[1]
		if got := c.poll(token, ""); len(got.Messages) != 1 {
			t.Errorf("the old address gives %d messages of 1", len(got.Messages))
		}
	})
}

// client is somebody who knows the contract.
type client struct {
	*testing.T
	base   string
	family family
}

func start(t *testing.T, serve Serve, f family) *client {
	return &client{T: t, base: serve(t, chat.DefaultRules()), family: f}
}

// token makes a browser's token.
func (c *client) token() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

// do makes one call; a header with an empty value is left out.
func (c *client) do(method, path, token string, body []byte, headers ...string) reply {
	c.Helper()
	req, err := http.NewRequest(method, c.base+path, bytes.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	if token != "" {
		req.Header.Set("X-Chat-Token", token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	got := reply{status: resp.StatusCode, header: resp.Header}
	if got.raw, err = io.ReadAll(resp.Body); err != nil {
		c.Fatal(err)
	}
	if err := json.Unmarshal(got.raw, &got.body); err != nil {
		c.Fatalf("%s %s: the reply is no JSON object: %q", method, path, got.raw)
	}
	return got
}

func (c *client) post(token, text string, headers ...string) reply {
	c.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		c.Fatal(err)
	}
	return c.do("POST", c.family.post, token, body, headers...)
}

func (c *client) mustPost(token, text string) chat.Posted {
	c.Helper()
	got := c.post(token, text)
	if got.status != 201 {
		c.Fatalf("a post gives %d: %s", got.status, got.raw)
	}
	var posted chat.Posted
	if err := json.Unmarshal(got.raw, &posted); err != nil {
		c.Fatal(err)
	}
	return posted
}

func (c *client) poll(token, query string) chat.Polled {
	c.Helper()
	got := c.do("GET", c.family.poll+query, token, nil)
	if got.status != 200 {
		c.Fatalf("a poll gives %d: %s", got.status, got.raw)
	}
	var polled chat.Polled
	if err := json.Unmarshal(got.raw, &polled); err != nil {
		c.Fatal(err)
	}
	return polled
}

// fails checks an error against the contract's table.
func (c *client) fails(got reply, status int, text, code string) {
	c.Helper()
	if got.status != status || got.body["success"] != false || got.body["code"] != code ||
		text != "" && got.body["error"] != text || got.body["error"] == "" {
		c.Errorf("got %d %s, want %d %q (%s)", got.status, got.raw, status, text, code)
	}
}

var (
	idForm = regexp.MustCompile(`^MSG-\d{8}-\d{6}-[0-9a-f]{6}$`)
	tsForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$`)
)

func keysOf(raw []byte) []string {
	var keys []string
	for _, m := range regexp.MustCompile(`"(\w+)":`).FindAllSubmatch(raw, -1) {
		keys = append(keys, string(m[1]))
	}
	return keys
}

func postAndPoll(c *client) {
	token := c.token()
	sum := sha256.Sum256([]byte(token))
	thread := hex.EncodeToString(sum[:])[:16]
	empty := c.do("GET", c.family.poll, token, nil)
	if want := `{"success":true,"thread":"` + thread + `","messages":[],"awaiting":false,"cursor":0}`; string(empty.raw) != want {
		c.Errorf("an empty thread is %s, want %s", empty.raw, want)
	}
	got := c.post(token, "hello")
	if got.status != 201 || got.header.Get("Content-Type") != "application/json" {
		c.Fatalf("a post gives %d, %s", got.status, got.header.Get("Content-Type"))
	}
	if keys := keysOf(got.raw); !slices.Equal(keys, []string{"success", "id", "epoch", "ts", "thread"}) {
		c.Errorf("a post's reply has the fields %v", keys)
	}
	id, ts := fmt.Sprint(got.body["id"]), fmt.Sprint(got.body["ts"])
	if !idForm.MatchString(id) || !tsForm.MatchString(ts) || got.body["thread"] != thread {
		c.Errorf("id %s, ts %s, thread %v (want %s)", id, ts, got.body["thread"], thread)
	}
	epoch, _ := got.body["epoch"].(float64)
	if d := time.Since(time.UnixMilli(int64(epoch))); d < -time.Minute || d > time.Minute {
		c.Errorf("the epoch %v is not about now", got.body["epoch"])
	}
	agent := c.do("POST", c.family.post, token, []byte(`{"text":"from the page","kind":"agent"}`))
	if agent.status != 201 {
		c.Errorf("kind agent gives %d", agent.status)
	}
	p := c.poll(token, "")
	if len(p.Messages) != 2 || !p.Awaiting || p.Cursor != p.Messages[1].Epoch {
		c.Fatalf("polled %+v", p)
	}
	first, second := p.Messages[0], p.Messages[1]
	if first.ID != id || first.TS != ts || first.Author != "operator" || first.Text != "hello" || float64(first.Epoch) != epoch {
		c.Errorf("polled %+v after %s", first, got.raw)
	}
	if second.Author != "agent" || second.Epoch <= first.Epoch {
		c.Errorf("polled %+v after %+v", second, first)
	}
	if keys := keysOf(c.do("GET", c.family.poll, token, nil).raw); !slices.Equal(keys[:8], []string{"success", "thread", "messages", "id", "epoch", "ts", "author", "text"}) {
		c.Errorf("a poll's reply has the fields %v", keys)
	}
}

func pollSince(c *client) {
	token := c.token()
	var posted []chat.Posted
	for i := range 20 {
		posted = append(posted, c.mustPost(token, fmt.Sprint("message ", i)))
	}
	for i := 1; i < len(posted); i++ {
		if posted[i].Epoch <= posted[i-1].Epoch {
			c.Errorf("epoch %d comes after %d", posted[i].Epoch, posted[i-1].Epoch)
		}
	}
	for i := range posted {
		p := c.poll(token, fmt.Sprint("?since=", posted[i].Epoch))
		if len(p.Messages) != len(posted)-1-i || p.Cursor != posted[19].Epoch || !p.Awaiting {
			c.Errorf("since message %d: %d messages, cursor %d", i, len(p.Messages), p.Cursor)
		}
	}
	if p := c.poll(token, "?since=0"); len(p.Messages) != 20 {
		c.Errorf("since=0 gives %d messages of 20", len(p.Messages))
	}
	if p := c.poll(token, "?since=99999999999999999999"); len(p.Messages) != 0 || p.Cursor != posted[19].Epoch {
		c.Errorf("a huge since gives %+v", p)
	}
	wrong := []string{"-1", "1.5", "", "abc", "1e3", "+1", "%201", "0x10", "2026-10-23T18:40:00%2B00:00", "1&since=2", "١", "%zz", "1;2"}
	for _, since := range wrong {
		c.fails(c.do("GET", c.family.poll+"?since="+since, token, nil), 400, "", "bad_request")
	}
}

// ok is a body that is right.
var ok = []byte(`{"text":"hello"}`)

func wireErrors(t *testing.T, serve Serve, f family) {
	c := start(t, serve, f)
	token := c.token()
	const unauthorized = "missing or malformed X-Chat-Token"
	for _, wrong := range []string{
		"", "abc", strings.ToUpper(token), token + "0", token[1:], token[:32] + " " + token[33:], token + ", " + token, strings.Repeat("g", 64),
	} {
		c.fails(c.do("POST", f.post, wrong, ok), 401, unauthorized, "unauthorized")
		c.fails(c.do("GET", f.poll, wrong, nil), 401, unauthorized, "unauthorized")
	}
	c.fails(c.do("GET", f.poll+"?token="+token+"&X-Chat-Token="+token, "", nil), 401, unauthorized, "unauthorized")
	for _, method := range []string{"GET", "PUT", "DELETE", "PATCH"} {
		got := c.do(method, f.post, token, ok)
		c.fails(got, 405, "Method not allowed", "method_not_allowed")
		if got.header.Get("Allow") == "" {
			t.Error("a 405 names no method that is allowed")
		}
	}
	c.fails(c.do("POST", f.poll, token, ok), 405, "Method not allowed", "method_not_allowed")
	for name, body := range map[string]string{
		"no JSON": "hello", "empty": "", "a list": "[]", "a string": `"hello"`, "no text": "{}", "null": `{"text":null}`, "a number": `{"text":5}`,
		"an empty text": `{"text":""}`, "spaces": `{"text":" \n\t "}`, "hermes": `{"text":"x","kind":"hermes"}`, "unknown kind": `{"text":"x","kind":"admin"}`,
		"kind is no string": `{"text":"x","kind":1}`, "two documents": `{"text":"x"}{"text":"y"}`, "a field twice": `{"text":"x","text":"y"}`,
		"NUL": `{"text":"a\u0000b"}`, "a lone surrogate": `{"text":"\ud83d"}`, "not UTF-8": "{\"text\":\"\xff\"}", "cut": `{"text":"x"`,
	} {
		got := c.do("POST", f.post, token, []byte(body))
		if got.status != 400 || got.body["code"] != "bad_request" || got.body["success"] != false {
			t.Errorf("%s gives %d %s", name, got.status, got.raw)
		}
	}
	for _, key := range []string{" ", "a b", strings.Repeat("k", 256), "é"} {
		c.fails(c.post(token, "x", "Idempotency-Key", key), 400, "", "bad_request")
	}
	if p := c.poll(token, ""); len(p.Messages) != 0 {
		t.Errorf("refused posts have left %+v", p.Messages)
	}
}

const tooLong = "text too long (max 4000 chars)"

// wireOrder makes calls with two faults: the earlier check gives the answer.
func wireOrder(c *client) {
	token, large := c.token(), bytes.Repeat([]byte(" "), 32769)
	c.fails(c.do("PUT", c.family.post, "", nil), 405, "", "method_not_allowed")
	c.fails(c.do("POST", c.family.post, "", large), 401, "", "unauthorized")
	c.fails(c.do("POST", c.family.post, token, large), 413, tooLong, "body_too_large")
	long := `{"text":"` + strings.Repeat("x", 4001) + `"`
	c.fails(c.do("POST", c.family.post, token, []byte(long)), 400, "", "bad_request")
	for i := range 20 {
		c.mustPost(token, fmt.Sprint(i))
	}
	c.fails(c.do("POST", c.family.post, token, []byte(long+"}")), 413, tooLong, "text_too_long")
	c.fails(c.post(token, "one more"), 429, "", "rate_limited")
}

func wireLimits(c *client) {
	first, second, began := c.token(), c.token(), time.Now()
	for i := range 20 {
		c.mustPost(first, fmt.Sprint(i))
	}
	got := c.post(first, "the 21st")
	least := 600 - int(time.Since(began)/time.Second) - 1 // the first post lies no longer back
	c.fails(got, 429, "", "rate_limited")
	if !strings.HasPrefix(fmt.Sprint(got.body["error"]), "rate limit") {
		c.Errorf("the error is %q", got.body["error"])
	}
	after, err := strconv.Atoi(got.header.Get("Retry-After"))
	ms, _ := got.body["retry_after_ms"].(float64)
	if err != nil || after < least || after > 600 || ms <= float64(after-1)*1000 || ms > float64(after)*1000 {
		c.Errorf("Retry-After %q, retry_after_ms %v", got.header.Get("Retry-After"), got.body["retry_after_ms"])
	}
	// A header that any client can write gains nothing.
	c.fails(c.post(first, "forged", "X-Forwarded-For", "203.0.113.9"), 429, "", "rate_limited")
	for i := range 20 {
		c.mustPost(second, fmt.Sprint(i))
	}
	third := c.token()
	c.fails(c.post(third, "the 41st of this address"), 429, "", "rate_limited")
	c.fails(c.post(third, "forged", "X-Forwarded-For", "203.0.113.9", "X-Real-IP", "203.0.113.9", "Forwarded", "for=203.0.113.9"), 429, "", "rate_limited")
	if p := c.poll(first, ""); len(p.Messages) != 20 {
		c.Errorf("a limited thread reads %d of 20", len(p.Messages))
	}
}

func wireKeys(c *client) {
	token := c.token()
	one := c.post(token, "once", "Idempotency-Key", "k-1")
	again := c.post(token, "once", "Idempotency-Key", "k-1")
	if one.status != 201 || again.status != 201 || !bytes.Equal(one.raw, again.raw) {
		c.Errorf("a repeat gives %d %s after %d %s", again.status, again.raw, one.status, one.raw)
	}
	if other := c.post(c.token(), "once", "Idempotency-Key", "k-1"); other.body["id"] == one.body["id"] {
		c.Error("a key holds across threads")
	}
	for i := range 19 {
		c.mustPost(token, fmt.Sprint(i))
	}
	if late := c.post(token, "once", "Idempotency-Key", "k-1"); !bytes.Equal(late.raw, one.raw) {
		c.Errorf("a repeat under the limit gives %s", late.raw)
	}
	if p := c.poll(token, ""); len(p.Messages) != 20 {
		c.Errorf("%d messages of 20", len(p.Messages))
	}
}

func wireThreads(t *testing.T, serve Serve, f family) {
	rules := chat.DefaultRules()
	rules.Threads = 2
	c := &client{T: t, base: serve(t, rules), family: f}
	for range 5 { // a poll never makes a thread
		c.poll(c.token(), "")
	}
	first := c.token()
	c.mustPost(first, "one")
	c.mustPost(c.token(), "two")
	c.fails(c.post(c.token(), "three"), 507, "thread limit reached", "thread_limit")
	c.mustPost(first, "a thread that is there goes on")
}

func wireTexts(c *client) {
	token := c.token()
	texts := []string{
		strings.Repeat("🎓", 4000), "<img src=x onerror=alert(1)>", "line\nline\r\n\ttab", "\u202eright to left", "שלום عليكم", "e\u0301", "  kept  ", "a\u2028b", `"\/`,
	}
	for _, text := range texts {
		c.mustPost(token, text)
	}
	c.fails(c.post(token, strings.Repeat("🎓", 4001)), 413, tooLong, "text_too_long")
	c.fails(c.post(token, strings.Repeat("x", 4001)), 413, tooLong, "text_too_long")
	exact := []byte(`{"text":"x"` + strings.Repeat(" ", 32768-len(`{"text":"x"}`)) + `}`)
	if got := c.do("POST", c.family.post, token, exact); got.status != 201 {
		c.Errorf("a body of 32,768 bytes gives %d", got.status)
	}
	p := c.poll(token, "")
	for i, text := range texts {
		if i >= len(p.Messages) || p.Messages[i].Text != text {
			c.Errorf("message %d of %d is not %q", i, len(p.Messages), text)
		}
	}
}

func wireStream(c *client) {
	token := c.token()
	c.fails(c.do("GET", "/api/chat/stream", "", nil), 401, "", "unauthorized")
	c.fails(c.do("GET", "/api/chat/stream?since=x", token, nil), 400, "", "bad_request")
	first := c.mustPost(token, "before")
	ctx, cancel := context.WithTimeout(c.Context(), 60*time.Second)
	defer cancel()
	events := c.open(ctx, "", token, "")
	if e := events(); len(e.Messages) != 1 || e.Messages[0].Text != "before" || !e.Awaiting || e.Cursor != first.Epoch {
		c.Errorf("the first event is %+v", e)
	}
	later := c.mustPost(token, "while it is open")
	if e := events(); len(e.Messages) != 1 || e.Messages[0].ID != later.ID {
		c.Errorf("the second event is %+v", e)
	}
	resumed := c.open(ctx, "", token, fmt.Sprint(first.Epoch))
	if e := resumed(); len(e.Messages) != 1 || e.Messages[0].ID != later.ID {
		c.Errorf("after Last-Event-ID comes %+v", e)
	}
	since := c.open(ctx, fmt.Sprint("?since=", later.Epoch), token, "")
	if e := since(); len(e.Messages) != 0 || e.Cursor != later.Epoch {
		c.Errorf("with nothing new the first event is %+v", e)
	}
	// A store that was restored, or another host, may be behind what its reader knows.
	ahead := c.open(ctx, fmt.Sprint("?since=", later.Epoch+86_400_000), token, "")
	if e := ahead(); len(e.Messages) != 0 || e.Cursor != later.Epoch {
		c.Errorf("with a cursor that is ahead the first event is %+v", e)
	}
	last := c.mustPost(token, "for whoever is ahead")
	if e := ahead(); len(e.Messages) != 1 || e.Messages[0].ID != last.ID || e.Cursor != last.Epoch {
		c.Errorf("with a cursor that is ahead the second event is %+v", e)
	}
}

// open opens a stream and gives its events one by one.
func (c *client) open(ctx context.Context, query, token, last string) func() chat.Polled {
	c.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/api/chat/stream"+query, http.NoBody)
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("X-Chat-Token", token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		c.Fatalf("a stream gives %d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return func() (e chat.Polled) {
		c.Helper()
		for lines.Scan() {
			data, found := strings.CutPrefix(lines.Text(), "data: ")
			if !found {
				continue
			}
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				c.Fatal(err)
			}
			return e
		}
		c.Fatal("the stream ended: ", lines.Err())
		return e
	}
}

func wirePair(c *client) {
	token := c.token()
	got := c.do("GET", "/api/chat/pair", token, nil)
	if got.status != 200 || got.body["person"] != nil || got.body["code"] != nil || !chat.Answers(fmt.Sprint(got.body["answers"])).Valid() {
		c.Errorf("a new thread is %s", got.raw)
	}
	first := c.do("POST", "/api/chat/pair", token, nil)
	code, _ := first.body["code"].(string)
	if first.status != 201 || !regexp.MustCompile(`^\d{8}$`).MatchString(code) || !tsForm.MatchString(fmt.Sprint(first.body["expires"])) {
		c.Errorf("a code is %d %s", first.status, first.raw)
	}
	if again := c.do("POST", "/api/chat/pair", token, nil); again.body["code"] != code {
		c.Errorf("asking again gives %s after %s", again.raw, code)
	}
	if shown := c.do("GET", "/api/chat/pair", token, nil); shown.body["code"] != code {
		c.Errorf("the live code is %s, shown %s", code, shown.raw)
	}
	if p := c.poll(token, ""); len(p.Messages) != 0 {
		c.Errorf("a code has left %+v", p.Messages)
	}
	for range chat.MaxCodesPerAddress - 1 {
		c.do("POST", "/api/chat/pair", c.token(), nil)
	}
	c.fails(c.do("POST", "/api/chat/pair", c.token(), nil), 429, "", "rate_limited")
}

func wireGone(c *client) {
	for _, at := range []string{"/api/debug/agent-replies.php", "/spaces/newos4/api/debug/agent-replies.php"} {
		got := c.do("POST", at, "", []byte(`{"reply":"x"}`))
		c.fails(got, 410, "", "gone")
		if !strings.Contains(string(got.raw), "/api/chat/post.php") {
			c.Errorf("%s does not point to /api/chat/post.php", got.raw)
		}
	}
}
