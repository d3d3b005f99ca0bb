package chat_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/chat/chattest"
)

func TestWire(t *testing.T) {
	chattest.Wire(t, func(t *testing.T, rules chat.Rules) string {
		store := chat.NewMemory(rules)
		server := httptest.NewServer(chat.NewHandler(chat.Config{Store: store, Pairing: store, Rules: rules}))
		t.Cleanup(server.Close)
		t.Cleanup(server.CloseClientConnections)
		return server.URL
	})
}

const token = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// call makes one call on a handler, with no network between.
func call(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set(chat.TokenHeader, token)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func memory(c chat.Config) (*chat.Handler, *chat.Memory) {
	c.Rules = chat.DefaultRules()
	m := chat.NewMemory(c.Rules)
	if c.Store == nil {
		c.Store = m
	}
	c.Pairing = m
	return chat.NewHandler(c), m
}

func TestTheThreadIsMadeFromTheTokensText(t *testing.T) {
	// echo -n 0011…eeff | sha256sum
	if got := chat.Token(token).Thread(); got != "2a8abfa8cb990629" {
		t.Errorf("the thread is %s", got)
	}
}

func TestOnlyConfiguredOriginsMayCall(t *testing.T) {
	h, _ := memory(chat.Config{Origins: []string{"https://os.example"}})
	preflight := func(origin string) http.Header {
		w := call(h, "OPTIONS", "/api/chat/post", "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-chat-token,content-type")
		if w.Code != 204 {
			t.Errorf("a preflight gives %d", w.Code)
		}
		return w.Header()
	}
	got := preflight("https://os.example")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "https://os.example", "Access-Control-Allow-Methods": "POST",
		"Access-Control-Allow-Headers": "X-Chat-Token, Content-Type, Idempotency-Key, Last-Event-ID", "Vary": "Origin",
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
	if got.Get("Access-Control-Allow-Credentials") != "" {
		t.Error("there are no cookies to allow")
	}
	for _, other := range []string{"https://evil.example", "https://os.example.evil.example", "http://os.example", "null", "https://os.example:8443"} {
		if got := preflight(other).Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s is allowed as %q", other, got)
		}
		if got := call(h, "GET", "/api/chat/poll", "", "Origin", other).Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("a poll from %s is allowed as %q", other, got)
		}
	}
	// An error is readable, too, and the wait in it.
	w := call(h, "GET", "/api/chat/post", "", "Origin", "https://os.example")
	if w.Code != 405 || w.Header().Get("Access-Control-Allow-Origin") != "https://os.example" || w.Header().Get("Access-Control-Expose-Headers") != "Retry-After" {
		t.Errorf("an error gives %d with %v", w.Code, w.Header())
	}
	if w := call(h, "OPTIONS", "/api/chat/post", ""); w.Code != 405 {
		t.Errorf("OPTIONS that is no preflight gives %d", w.Code)
	}
}

func TestABodyThatLiesAboutItsLength(t *testing.T) {
	h, m := memory(chat.Config{})
	server := httptest.NewServer(h)
	defer server.Close()
	head := "POST /api/chat/post HTTP/1.1\r\nHost: x\r\nX-Chat-Token: " + token + "\r\n"
	for name, raw := range map[string]string{
		"longer than it is":   head + "Content-Length: 100\r\n\r\n" + `{"text":"hello"}`,
		"a broken chunk":      head + "Transfer-Encoding: chunked\r\n\r\n10\r\n" + `{"text":"hello"}` + "\r\nzz",
		"chunks over the end": head + "Transfer-Encoding: chunked\r\n\r\n9000\r\n" + strings.Repeat(" ", 0x9000) + "\r\n0\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(raw))
		_ = conn.(*net.TCPConn).CloseWrite()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if resp.StatusCode != 400 && resp.StatusCode != 413 {
			t.Errorf("%s gives %d", name, resp.StatusCode)
		}
		_ = conn.Close()
	}
	if list, _ := m.Threads(context.Background()); len(list) != 0 {
		t.Errorf("they have left %+v", list)
	}
}

// broken is a store that fails; a fake, since no real one fails on command.
type broken struct {
	chat.Store
	err error
}

func (b broken) Append(context.Context, chat.Post) (chat.Receipt, error) {
	return chat.Receipt{}, b.err
}

func (b broken) Read(context.Context, chat.Thread, chat.Cursor) (chat.Page, error) {
	return chat.Page{}, b.err
}

func TestAStoreThatFailsIsNeverASuccess(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{fmt.Errorf("writing to /secret/path: %w", chat.ErrFull), 507, "storage_full"},
		{errors.New("disk I/O error at /secret/path"), 503, "unavailable"},
		{&chat.RateLimited{By: "thread", After: 1500 * time.Millisecond}, 429, "rate_limited"},
		{chat.ErrThreadLimit, 507, "thread_limit"},
	} {
		var logs bytes.Buffer
		var seen []chat.ErrCode
		_, m := memory(chat.Config{})
		h, _ := memory(chat.Config{
			Store: broken{m, c.err}, Log: slog.New(slog.NewTextHandler(&logs, nil)),
			Observe: func(_ string, code chat.ErrCode) { seen = append(seen, code) },
		})
		w := call(h, "POST", "/api/chat/post", `{"text":"hello"}`)
		if w.Code != c.status || !strings.Contains(w.Body.String(), `"success":false`) || !strings.Contains(w.Body.String(), c.code) {
			t.Errorf("%v gives %d %s", c.err, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), "secret") {
			t.Errorf("the cause is on the wire: %s", w.Body)
		}
		if len(seen) != 1 || string(seen[0]) != c.code {
			t.Errorf("observed %v", seen)
		}
		if c.code == "rate_limited" && (w.Header().Get("Retry-After") != "2" || !strings.Contains(w.Body.String(), `"retry_after_ms":1500`)) {
			t.Errorf("%v %s", w.Header(), w.Body)
		}
		if strings.Contains(logs.String(), token) {
			t.Errorf("the token is in the log: %s", logs.String())
		}
	}
}

func TestATokenIsNeverPrinted(t *testing.T) {
	tok := chat.Token(token)
	var logs bytes.Buffer
	slog.New(slog.NewTextHandler(&logs, nil)).Info("x", "token", tok)
	if s := fmt.Sprintf("%v %s %+v %#v", tok, tok, tok, tok) + logs.String(); strings.Contains(s, token) {
		t.Errorf("it is in %s", s)
	}
}

func TestOneAddressIsOneAddress(t *testing.T) {
	same := [][]string{
		{"203.0.113.7", "::ffff:203.0.113.7"},
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2::%eth0"},
	}
	seen := map[string]bool{}
	for _, group := range same {
		for _, a := range group {
			if chat.AddressKey(netip.MustParseAddr(a)) != chat.AddressKey(netip.MustParseAddr(group[0])) {
				t.Errorf("%s is another than %s", a, group[0])
			}
		}
		seen[chat.AddressKey(netip.MustParseAddr(group[0]))] = true
	}
	for _, a := range []string{"203.0.113.8", "2001:db8:1:3::1", "::1"} {
		key := chat.AddressKey(netip.MustParseAddr(a))
		if seen[key] {
			t.Errorf("%s counts as another", a)
		}
		seen[key] = true
	}
}

// stream opens a stream on a handler and gives what is written to it.
func stream(ctx context.Context, h http.Handler) (out *io.PipeReader, done chan struct{}) {
	out, in := io.Pipe()
	done = make(chan struct{})
	r := httptest.NewRequest("GET", "/api/chat/stream", nil).WithContext(ctx)
	r.Header.Set(chat.TokenHeader, token)
	go func() {
		defer close(done)
		h.ServeHTTP(&pipe{in, http.Header{}}, r)
		_ = in.Close()
	}()
	return out, done
}

// pipe is a ResponseWriter into a pipe.
type pipe struct {
	*io.PipeWriter
	header http.Header
}

func (p *pipe) Header() http.Header { return p.header }
func (p *pipe) WriteHeader(int)     {}
func (p *pipe) Flush()              {}

func TestAQuietStreamSaysThatItIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		h, _ := memory(chat.Config{Done: stop})
		out, done := stream(t.Context(), h)
		lines := bufio.NewReader(out)
		read := func() string { s, _ := lines.ReadString('\n'); return s }
		began := time.Now()
		for range 4 { // event, id, data, and the line that ends them
			read()
		}
		if time.Since(began) != 0 {
			t.Errorf("the first event took %s", time.Since(began))
		}
		if got := read(); got != ": still here\n" || time.Since(began) != 15*time.Second {
			t.Errorf("after %s comes %q", time.Since(began), got)
		}
		read()
		if h.Streams() != 1 {
			t.Errorf("%d streams are open", h.Streams())
		}
		close(stop)
		<-done
		if h.Streams() != 0 {
			t.Errorf("%d streams are left", h.Streams())
		}
	})
}

func TestAStreamMissesNothing(t *testing.T) {
	h, _ := memory(chat.Config{})
	server := httptest.NewServer(h)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/chat/stream", nil)
	req.Header.Set(chat.TokenHeader, token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	go func() {
		for i := range 20 {
			call(h, "POST", "/api/chat/post", fmt.Sprintf(`{"text":"%d"}`, i))
		}
	}()
	next := 0
	for lines := bufio.NewScanner(resp.Body); next < 20 && lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e chat.Polled
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		for _, m := range e.Messages {
			if m.Text != fmt.Sprint(next) {
				t.Fatalf("%q comes as number %d", m.Text, next)
			}
			next++
		}
	}
	if next != 20 {
		t.Errorf("%d of 20 came", next)
	}
}

func FuzzPost(f *testing.F) {
	f.Add(`{"text":"hello"}`, "key", "0")
	f.Add(`{"text":"\ud83d\ude00","kind":"agent"}`, "", "1792778400123")
	f.Add(`{"text":"a\u0000"}`, " ", "-1")
	f.Add(`{"text":"x","text":"y"}`, "\x7f", "1.5")
	f.Fuzz(func(t *testing.T, body, key, since string) {
		h, m := memory(chat.Config{Log: slog.New(slog.DiscardHandler)})
		w := call(h, "POST", "/api/chat/post", body, chat.KeyHeader, key)
		var got struct {
			Success bool         `json:"success"`
			Code    chat.ErrCode `json:"code"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%d %q", w.Code, w.Body)
		}
		if got.Success != (w.Code == 201) || !got.Success && chat.Codes()[got.Code] != w.Code {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		kept, _ := m.Whole(t.Context(), chat.Token(token).Thread())
		if (len(kept) == 1) != got.Success {
			t.Errorf("%d %s has left %+v", w.Code, w.Body, kept)
		}
		if got.Success && chat.CheckText(kept[0].Text) != nil {
			t.Errorf("kept %q", kept[0].Text)
		}
		r := httptest.NewRequest("GET", "/api/chat/poll", nil)
		r.Header.Set(chat.TokenHeader, token)
		q := r.URL.Query()
		q.Set("since", since)
		r.URL.RawQuery = q.Encode()
		polled := httptest.NewRecorder()
		h.ServeHTTP(polled, r)
		whole := since != "" && strings.Trim(since, "0123456789") == ""
		if (polled.Code == 200) != whole {
			t.Errorf("since=%q gives %d", since, polled.Code)
		}
	})
}

// Whoever sends its whole body before it looks for an answer learns why it was refused,
// and whoever announces a body that never comes waits for no answer.
func TestARefusalReachesWhoeverIsSending(t *testing.T) {
	h, _ := memory(chat.Config{})
	server := httptest.NewServer(h)
	defer server.Close()
	const size = 12 << 20 // more than two sockets hold, and little enough to be sent within the second that the rest has
	body := strings.Repeat(" ", size)
	for name, c := range map[string]struct {
		line, headers string
		status        int
	}{
		"too large":                   {"POST /api/chat/post", "X-Chat-Token: " + token, 413},
		"too large, and the last":     {"POST /api/chat/post", "Connection: close\r\nX-Chat-Token: " + token, 413},
		"with no token":               {"POST /api/chat/post", "Connection: close", 401},
		"a wrong method":              {"PUT /api/chat/post", "X-Chat-Token: " + token, 405},
		"to the retired address":      {"POST /api/debug/agent-replies.php", "Connection: close", 410},
		"a poll, where none is due":   {"GET /api/chat/poll", "X-Chat-Token: " + token, 413},
		"a code, where none is due":   {"POST /api/chat/pair", "X-Chat-Token: " + token, 413},
		"a stream, where none is due": {"GET /api/chat/stream", "X-Chat-Token: " + token, 413},
	} {
		for _, sent := range []int{size, 0} {
			t.Run(fmt.Sprint(name, ", of which it sends ", sent), func(t *testing.T) {
				conn, err := net.Dial("tcp", server.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Length: %d\r\n\r\n%s", c.line, c.headers, size, body[:sent]); err != nil {
					t.Fatalf("the connection was cut while the body was sent: %v", err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if resp.StatusCode != c.status {
					t.Errorf("got %d, want %d", resp.StatusCode, c.status)
				}
			})
		}
	}
}

// FuzzLast: whatever the header and the query hold, a stream begins at a whole number or
// says what is wrong.
func FuzzLast(f *testing.F) {
	f.Add("1792778400123", "since=5")
	f.Add("-1", "since=%zz")
	f.Add("99999999999999999999", "since=1;2")
	f.Add("", "x=%")
	f.Fuzz(func(t *testing.T, last, query string) {
		h, _ := memory(chat.Config{Done: closed})
		r := httptest.NewRequest("GET", "/api/chat/stream", nil)
		r.Header.Set(chat.TokenHeader, token)
		r.Header.Set("Last-Event-ID", last)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		parsed, err := url.ParseQuery(query)
		since, given := parsed["since"]
		whole := err == nil && (!given || len(since) == 1 && since[0] != "" && strings.Trim(since[0], "0123456789") == "") &&
			strings.Trim(last, "0123456789") == ""
		if (w.Code == 200) != whole || w.Code != 200 && w.Code != 400 {
			t.Errorf("%q and %q give %d %s", last, query, w.Code, w.Body)
		}
		if w.Code == 200 && !strings.HasPrefix(w.Body.String(), "event: messages\nid: ") {
			t.Errorf("%q and %q give %q", last, query, w.Body)
		}
	})
}

// closed ends a stream after its first event.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
