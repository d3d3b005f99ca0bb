package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/logtest"
)

const someToken chat.Token = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// pipes is a network of its own, on which a bubble's clock stands still while all wait.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, errors.New("nobody listens")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// remote is a chat's host on such a network, and this user's client of it.
type remote struct {
	*chatHome
	*chatClient
	handler *chat.Handler
	kept    *cursors
}

// onRemote runs a test in a bubble, with a host that answers as wrap makes it.
func onRemote(t *testing.T, wrap func(*remote, http.ResponseWriter, *http.Request), test func(*testing.T, *remote)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := newChatHome(t)
		stop := make(chan struct{})
		r := &remote{chatHome: h, kept: &cursors{dir + "/" + chatCursorsName}}
		r.handler = chat.NewHandler(chat.Config{Store: h.store, Pairing: h.store, Rules: h.rules, Done: stop})
		network := newPipes()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if wrap == nil {
				r.handler.ServeHTTP(w, q)
				return
			}
			wrap(r, w, q)
		})}
		transport := &http.Transport{DialContext: network.dial}
		r.chatClient = newChatClient(h.env(), "http://host.example", someToken, false, transport)
		go func() { _ = server.Serve(network) }()
		defer func() {
			close(stop)
			transport.CloseIdleConnections()
			_ = server.Close()
		}()
		test(t, r)
	})
}

// replies adds a message of the host's to the client's thread, at the bubble's own time.
func (r *remote) replies(text string) chat.Message {
	got, err := r.store.Append(context.Background(), chat.Post{Thread: someToken.Thread(), Author: chat.Hermes, Text: text, Now: time.Now()})
	if err != nil {
		r.t.Error(err)
	}
	return got.Message
}

func (r *remote) texts() (out []string) {
	messages, _ := r.store.Whole(context.Background(), someToken.Thread())
	for _, m := range messages {
		out = append(out, string(m.Author)+": "+m.Text)
	}
	return out
}

func TestSend(t *testing.T) {
	onRemote(t, nil, func(t *testing.T, r *remote) {
		if err := (&chatSendCmd{Kind: "agent"}).send(r.env(), r.chatClient, "hi"); err != nil {
			t.Fatal(err)
		}
		messages, _ := r.store.Whole(t.Context(), someToken.Thread())
		if len(messages) != 1 || messages[0].Author != chat.Agent || messages[0].Text != "hi" {
			t.Fatalf("the thread has %+v", messages)
		}
		if want := fmt.Sprintln(messages[0].ID, messages[0].Epoch); r.out.String() != want {
			t.Errorf("it printed %q, want %q", r.out.String(), want)
		}
		if err := (&chatSendCmd{Kind: "operator", chatCaller: chatCaller{JSON: true}}).send(r.env(), r.chatClient, "hi"); err != nil {
			t.Fatal(err)
		}
		var doc chat.Posted
		if err := json.Unmarshal(r.out.Bytes(), &doc); err != nil || !doc.Success || doc.Thread != someToken.Thread() || doc.TS == "" {
			t.Errorf("%v: %+v", err, doc)
		}
	})
}

// A reply that is lost costs a retry and makes no second message.
func TestSendTriesAgainAndIsOneMessage(t *testing.T) {
	lost := 0
	onRemote(t, func(r *remote, w http.ResponseWriter, q *http.Request) {
		if lost++; lost < 4 {
			if lost > 1 { // the first is kept and its reply lost, the next are turned away
				http.Error(w, "", []int{http.StatusServiceUnavailable, http.StatusBadGateway}[lost%2])
				return
			}
			r.handler.ServeHTTP(noReply{w}, q)
			panic(http.ErrAbortHandler)
		}
		r.handler.ServeHTTP(w, q)
	}, func(t *testing.T, r *remote) {
		began := time.Now()
		e := r.env()
		r.stderr = e.stderr
		if err := (&chatSendCmd{Kind: "operator"}).send(e, r.chatClient, "hi"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"operator: hi"}, r.texts()); diff != "" || lost != 4 {
			t.Errorf("after %d calls: %s", lost, diff)
		}
		if took := time.Since(began); took < time.Second || took > 6*time.Second {
			t.Errorf("it took %v", took)
		}
		if n := strings.Count(r.err.String(), "trying again"); n != 1 {
			t.Errorf("it said so %d times: %s", n, r.err.String())
		}
	})
}

// noReply is a reply that gets lost.
type noReply struct{ http.ResponseWriter }

func (noReply) Write(p []byte) (int, error) { return len(p), nil }
func (noReply) WriteHeader(int)             {}

func TestSendGivesUp(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		code   int
		with   string
		calls  int
	}{
		{"a host that is down", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, exitNeedDown, "no Hub answers at http://host.example", tries},
		{"a host that cannot", says(503, `{"success":false,"error":"not now","code":"unavailable"}`), exitNeedDown, "not now (unavailable)", tries},
		{"a full host", says(507, `{"success":false,"error":"no room","code":"storage_full"}`), exitNeedDown, "no room (storage_full)", 1},
		{"too many threads", says(507, `{"success":false,"error":"thread limit reached","code":"thread_limit"}`), exitNot, "thread limit reached (thread_limit)", 1},
		{"another token", says(401, `{"success":false,"error":"no","code":"unauthorized"}`), exitNot, "does not take this chat token", 1},
		{"another program", says(200, "<html>"), exitNeedDown, "is no chat", 1},
		{"no chat there", says(404, ""), exitNeedDown, "serves no chat", 2},
		{"a host that moved", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://elsewhere.example/")
			w.WriteHeader(308)
		}, exitNot, "--url", 1},
		{"a hostile host", says(400, `{"success":false,"error":"\u001b[2J\nowned","code":"\u202ebad"}`), exitNot, `\x1b[2J owned (\u202ebad)`, 1},
		{"a long wait", says(429, `{"success":false,"error":"rate limit reached","code":"rate_limited","retry_after_ms":300000}`), exitNot, "try again in 5m0s (rate_limited)", 1},
		{"a wait of no length", says(429, `{}`), exitNot, "status 429", tries},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			onRemote(t, func(_ *remote, w http.ResponseWriter, q *http.Request) {
				calls++
				if q.Host != "host.example" {
					t.Errorf("the token went to %s", q.Host)
				}
				c.answer(w, q)
			}, func(t *testing.T, r *remote) {
				exits(t, (&chatSendCmd{Kind: "operator"}).send(r.env(), r.chatClient, "hi"), c.code, c.with)
			})
			// http.Transport itself repeats a call that carries an Idempotency-Key when the
			// connection breaks off, so there may be more.
			if calls < c.calls || calls > c.calls && c.calls != tries {
				t.Errorf("it was called %d times, want %d", calls, c.calls)
			}
		})
	}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestSendWaitsAsLongAsTheHostSays(t *testing.T) {
	for _, c := range []struct {
		name   string
		noWait bool
		header string
		body   string
		wait   time.Duration
		fails  bool
	}{
		{"in milliseconds", false, "30", `{"code":"rate_limited","retry_after_ms":12345}`, 12345 * time.Millisecond, false},
		{"in a header", false, "30", `{}`, 30 * time.Second, false},
		{"not at all", true, "30", `{"code":"rate_limited"}`, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			onRemote(t, func(r *remote, w http.ResponseWriter, q *http.Request) {
				if calls++; calls > 1 {
					r.handler.ServeHTTP(w, q)
					return
				}
				w.Header().Set("Retry-After", c.header)
				says(429, c.body)(w, q)
			}, func(t *testing.T, r *remote) {
				began := time.Now()
				r.noWait = c.noWait
				err := (&chatSendCmd{Kind: "operator"}).send(r.env(), r.chatClient, "hi")
				if (err != nil) != c.fails {
					t.Errorf("the error is %v", err)
				}
				if took := time.Since(began); took != c.wait {
					t.Errorf("it took %v, want %v", took, c.wait)
				}
			})
		})
	}
}

func TestSendWaitsForTheAnswer(t *testing.T) {
	onRemote(t, nil, func(t *testing.T, r *remote) {
		r.replies("An older one.")
		go func() {
			time.Sleep(40 * time.Second) // the bubble's clock: two heartbeats pass
			r.replies("Nothing is on.\x1b[2J")
		}()
		time.Sleep(time.Millisecond)
		if err := (&chatSendCmd{Kind: "operator", Wait: true, Timeout: time.Minute}).send(r.env(), r.chatClient, "what is on?"); err != nil {
			t.Fatal(err)
		}
		if want := "Nothing is on.\\x1b[2J\n"; r.out.String() != want {
			t.Errorf("it printed %q, want %q", r.out.String(), want)
		}
		began := time.Now()
		err := (&chatSendCmd{Kind: "operator", Wait: true, Timeout: time.Minute}).send(r.env(), r.chatClient, "and now?")
		exits(t, err, exitNot, "no answer after 1m0s", "askhub chat poll")
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it waited %v", took)
		}
	})
}

func (r *remote) polls(t *testing.T, c chatPollCmd) string {
	t.Helper()
	if err := c.poll(r.env(), r.chatClient, r.kept); err != nil {
		t.Fatal(err)
	}
	return r.out.String()
}

func TestPollPrintsWhatIsNew(t *testing.T) {
	onRemote(t, nil, func(t *testing.T, r *remote) {
		if got := r.polls(t, chatPollCmd{}); got != "" || r.err.String() != "Nothing is new.\n" {
			t.Errorf("an empty thread: %q, %q", got, r.err.String())
		}
		for i := range 60 {
			r.replies(fmt.Sprintf("message %d.", i))
		}
		if got := r.polls(t, chatPollCmd{}); strings.Count(got, "message") != chat.Newest || !strings.Contains(got, "message 59.") {
			t.Errorf("the first poll: %s", got)
		}
		if got := r.polls(t, chatPollCmd{}); got != "" {
			t.Errorf("the second poll: %s", got)
		}
		all := chat.Cursor(0)
		if got := r.polls(t, chatPollCmd{Since: &all}); strings.Count(got, "message") != 60 {
			t.Errorf("all there is: %s", got)
		}
		r.replies("between")
		last := r.replies("the last").Epoch - 1
		if got := r.polls(t, chatPollCmd{Since: &last}); strings.Contains(got, "between") || !strings.Contains(got, "the last") {
			t.Errorf("since a moment ago: %s", got)
		}
		// What that left out is still new.
		got := r.polls(t, chatPollCmd{chatCaller: chatCaller{JSON: true}})
		var doc chat.Polled
		if err := json.Unmarshal([]byte(got), &doc); err != nil || len(doc.Messages) != 2 || doc.Messages[0].Text != "between" || doc.Cursor != doc.Messages[1].Epoch {
			t.Errorf("%v: %s", err, got)
		}
		if got := r.polls(t, chatPollCmd{chatCaller: chatCaller{JSON: true}}); !strings.Contains(got, `"messages": []`) {
			t.Errorf("nothing new as JSON: %s", got)
		}
		// Another thread of the same host has its own.
		other := *r.chatClient
		other.token = chat.Token(strings.Repeat("f", 64))
		if at := r.kept.get(other.url, other.token.Thread()); at != 0 {
			t.Errorf("another thread's cursor is %d", at)
		}
	})
}

// follows runs poll --follow until test is done.
func (r *remote) follows(t *testing.T, c chatPollCmd, test func(out, err *logtest.Log)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, errs := &logtest.Log{}, &logtest.Log{}
	e := r.env()
	e.ctx, e.stdout, e.stderr, r.stderr = ctx, out, errs, errs
	ended := make(chan error, 1)
	c.Follow = true
	go func() { ended <- c.poll(e, r.chatClient, r.kept) }()
	test(out, errs)
	stop()
	if err := <-ended; err != nil {
		t.Errorf("an interrupt ends it with %v", err)
	}
}

func TestFollowPrintsWhatComesAsItComes(t *testing.T) {
	onRemote(t, nil, func(t *testing.T, r *remote) {
		r.replies("before")
		r.follows(t, chatPollCmd{}, func(out, errs *logtest.Log) {
			for i := range 3 {
				time.Sleep(50 * time.Second) // the heartbeat keeps the stream
				r.replies(fmt.Sprintf("number %d", i))
				synctest.Wait()
				if !strings.Contains(out.String(), fmt.Sprintf("number %d", i)) {
					t.Fatalf("number %d is not in\n%s", i, out)
				}
			}
			if errs.String() != "" || strings.Count(out.String(), "UTC") != 1 || !strings.Contains(out.String(), "before") {
				t.Errorf("it printed %s and said %s", out, errs)
			}
		})
		if got := r.polls(t, chatPollCmd{}); got != "" {
			t.Errorf("a poll afterwards prints it again: %s", got)
		}
		r.replies("later")
		r.follows(t, chatPollCmd{chatCaller: chatCaller{JSON: true}}, func(out, _ *logtest.Log) {
			time.Sleep(time.Second)
			var doc chat.Polled
			if err := json.Unmarshal([]byte(out.String()), &doc); err != nil || len(doc.Messages) != 1 || strings.Count(out.String(), "\n") != 1 {
				t.Errorf("%v: %q", err, out.String())
			}
		})
	})
}

// A stream that breaks, a host that is away and one that has gone silent cost time, and
// no message.
func TestFollowComesBack(t *testing.T) {
	calls := 0
	onRemote(t, func(r *remote, w http.ResponseWriter, q *http.Request) {
		switch calls++; calls {
		case 1, 3: // breaks off at once, after its first event
			ctx, cancel := context.WithTimeout(q.Context(), 10*time.Millisecond)
			defer cancel()
			r.handler.ServeHTTP(w, q.WithContext(ctx))
			panic(http.ErrAbortHandler)
		case 2:
			http.Error(w, `{"code":"unavailable"}`, http.StatusServiceUnavailable)
		case 4: // says nothing more
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-q.Context().Done()
		default:
			r.handler.ServeHTTP(w, q)
		}
	}, func(t *testing.T, r *remote) {
		r.follows(t, chatPollCmd{}, func(out, errs *logtest.Log) {
			for i := range 100 {
				time.Sleep(time.Second)
				r.replies(fmt.Sprintf("number %d.", i))
			}
			time.Sleep(time.Minute)
			for i := range 100 {
				if n := strings.Count(out.String(), fmt.Sprintf("number %d.\n", i)); n != 1 {
					t.Errorf("number %d was printed %d times", i, n)
				}
			}
			if calls != 5 || !strings.Contains(errs.String(), "trying again") {
				t.Errorf("after %d calls it said %q", calls, errs.String())
			}
		})
	})
}

func TestFollowEndsWhereTheHostRefuses(t *testing.T) {
	onRemote(t, func(_ *remote, w http.ResponseWriter, q *http.Request) {
		says(401, `{"success":false,"error":"no","code":"unauthorized"}`)(w, q)
	}, func(t *testing.T, r *remote) {
		exits(t, (&chatPollCmd{Follow: true}).poll(r.env(), r.chatClient, r.kept), exitNot, "does not take this chat token")
	})
}

// A host of before has post.php and poll.php, and no stream.
func TestAHostOfTheFrozenContractAlone(t *testing.T) {
	var paths []string
	onRemote(t, func(r *remote, w http.ResponseWriter, q *http.Request) {
		paths = append(paths, q.URL.Path)
		if !strings.HasSuffix(q.URL.Path, ".php") {
			http.NotFound(w, q)
			return
		}
		r.handler.ServeHTTP(w, q)
	}, func(t *testing.T, r *remote) {
		r.url += "/spaces/newos4"
		go func() {
			time.Sleep(20 * time.Second)
			r.replies("Nothing is on.")
		}()
		if err := (&chatSendCmd{Kind: "operator", Wait: true, Timeout: time.Minute}).send(r.env(), r.chatClient, "what is on?"); err != nil {
			t.Fatal(err)
		}
		if r.out.String() != "Nothing is on.\n" {
			t.Errorf("it printed %q", r.out.String())
		}
		r.follows(t, chatPollCmd{}, func(out, _ *logtest.Log) {
			r.replies("One more.")
			time.Sleep(2 * pollEvery)
			if !strings.Contains(out.String(), "One more.") {
				t.Errorf("it printed %s", out)
			}
		})
	})
	if want := []string{"/spaces/newos4/api/chat/post", "/spaces/newos4/api/chat/post.php", "/spaces/newos4/api/chat/stream.php", "/spaces/newos4/api/chat/poll.php"}; !cmp.Equal(want, paths[:4]) {
		t.Errorf("it called %q", paths[:4])
	}
}

func TestHostURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:8420":             "http://127.0.0.1:8420",
		"https://hub.example/":              "https://hub.example",
		"https://hub.example/chat":          "https://hub.example",
		"https://hub.example/chat/":         "https://hub.example",
		"https://os.example/spaces/newos4/": "https://os.example/spaces/newos4",
		"http://[::1]:8420":                 "http://[::1]:8420",
	} {
		if got, err := hostURL(in); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", "hub.example", "hub.example:8420", "ftp://hub.example", "https://", "https://user:pw@hub.example", "https://hub.example/?a=b",
		"https://hub.example/chat#token=" + string(someToken), "http://a b/", "://",
	} {
		if got, err := hostURL(in); err == nil || strings.Contains(err.Error(), "0011") || strings.Contains(err.Error(), "pw") {
			t.Errorf("%q is %q, %v", in, got, err)
		}
	}
}
