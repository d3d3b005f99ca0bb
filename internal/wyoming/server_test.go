package wyoming

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// refusals notes why connections ended.
type refusals struct {
	mu  sync.Mutex
	all []Refusal
}

func (r *refusals) note(why Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, why)
}

func (r *refusals) has(why Refusal) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.all {
		if w == why {
			return true
		}
	}
	return false
}

func echo(_ context.Context, t Transcript) Answer {
	return Answer{Text: t.Language + ":" + t.Text, Handled: t.Text != "nobody"}
}

func newServer(answer func(context.Context, Transcript) Answer, r *refusals, allowed ...string) *Server {
	cfg := Config{Answer: answer, Version: "1.2.3", Refused: r.note, Log: slog.New(slog.DiscardHandler)}
	for _, a := range allowed {
		cfg.Allowed = append(cfg.Allowed, netip.MustParsePrefix(a))
	}
	return NewServer(cfg)
}

// listening is a server on a port of this machine, until the test ends.
func listening(t *testing.T, answer func(context.Context, Transcript) Answer, allowed ...string) (string, *Server, *refusals) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &refusals{}
	s := newServer(answer, r, allowed...)
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Errorf("a stop is no error, got %v", err)
		}
	})
	return ln.Addr().String(), s, r
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(60 * time.Second))
	return c
}

// say sends one event and gives the next that comes back.
func say(t *testing.T, c net.Conn, kind string, data any) Event {
	t.Helper()
	b, err := AppendEvent(nil, kind, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
	e, err := ReadEvent(newReader(c))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestATranscriptIsHandledOrNot(t *testing.T) {
	address, _, _ := listening(t, echo, "127.0.0.0/8")
	c := dial(t, address)
	for text, kind := range map[string]string{"is the light on?": "handled", "nobody": "not-handled", "ist das Licht an? 💡": "handled"} {
		e := say(t, c, "transcript", Transcript{Text: text, Language: "de"})
		var got spoken
		if err := e.decode(&got); err != nil || e.Type != kind || got.Text != "de:"+text {
			t.Errorf("%s: got %s %q %v", text, e.Type, got.Text, err)
		}
	}
}

func TestADescribeIsAnsweredWithTheService(t *testing.T) {
	address, _, _ := listening(t, echo, "127.0.0.0/8")
	c := dial(t, address)
	e := say(t, c, "describe", nil)
	want := `{"handle":[{"name":"askhub","attribution":{"name":"askhub","url":""},"installed":true,"description":"The question hub of the household","version":"1.2.3",` +
		`"models":[{"name":"askhub","attribution":{"name":"askhub","url":""},"installed":true,"description":"The question hub of the household","version":"1.2.3","languages":[]}],` +
		`"supports_home_control":true,"supports_handled_streaming":false}],"asr":[],"tts":[],"intent":[],"wake":[],"mic":[],"snd":[]}`
	if e.Type != "info" || string(e.Data) != want {
		t.Errorf("got  %s %s\nwant %s", e.Type, e.Data, want)
	}
	if e = say(t, c, "ping", pong{"x"}); e.Type != "pong" || string(e.Data) != `{"text":"x"}` {
		t.Errorf("a ping gives %s %s", e.Type, e.Data)
	}
}

func TestEventsOfOtherServicesArePassedOver(t *testing.T) {
	address, _, _ := listening(t, echo, "127.0.0.0/8")
	c := dial(t, address)
	if _, err := io.WriteString(c, "{\"type\": \"audio-chunk\", \"data\": {\"rate\": 16000}, \"payload_length\": 4}\nabcd{\"type\": \"select-program\"}\n"); err != nil {
		t.Fatal(err)
	}
	if e := say(t, c, "transcript", Transcript{Text: "hi"}); e.Type != "handled" {
		t.Errorf("got %s", e.Type)
	}
}

func TestOnlyAllowedAddressesConnect(t *testing.T) {
	address, _, r := listening(t, echo, "192.0.2.0/24", "::1/128")
	c := dial(t, address)
	if _, err := c.Read(make([]byte, 1)); err == nil || !r.has(RefusedAddress) {
		t.Errorf("a stranger got %v, and %v is noted", err, r.all)
	}
}

func TestGarbageEndsTheConnectionAndNoOther(t *testing.T) {
	address, _, r := listening(t, echo, "127.0.0.0/8")
	good := dial(t, address)
	for _, garbage := range []string{
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"{\"type\": \"transcript\", \"data_length\": 1000000000}\n",
		"{\"type\": \"transcript\", \"data\": {\"text\": 7}}\n",
		strings.Repeat("a", maxHeader+1),
	} {
		c := dial(t, address)
		_, _ = io.WriteString(c, garbage) // the other end may be gone before it is all sent
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Errorf("%.40q got an answer", garbage)
		}
	}
	if !r.has(RefusedFraming) {
		t.Error("garbage is not noted")
	}
	if e := say(t, good, "transcript", Transcript{Text: "hi"}); e.Type != "handled" {
		t.Errorf("got %s", e.Type)
	}
}

func TestThereAreOnlySoManyConnections(t *testing.T) {
	address, s, r := listening(t, echo, "127.0.0.0/8")
	all := make([]net.Conn, maxConns)
	for i := range all {
		all[i] = dial(t, address)
		say(t, all[i], "ping", nil) // it is in
	}
	if s.Connections() != maxConns {
		t.Errorf("there are %d", s.Connections())
	}
	c := dial(t, address)
	if _, err := c.Read(make([]byte, 1)); err == nil || !r.has(RefusedFull) {
		t.Errorf("one more got %v", err)
	}
	_ = all[0].Close()
	for deadline := time.Now().Add(30 * time.Second); s.Connections() == maxConns && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if e := say(t, dial(t, address), "transcript", Transcript{Text: "hi"}); e.Type != "handled" {
		t.Errorf("one left, and the next got %s", e.Type)
	}
}

func TestManyAtOnceGetTheirOwnAnswers(t *testing.T) {
	address, _, _ := listening(t, echo, "127.0.0.0/8")
	var all sync.WaitGroup
	for i := range maxConns / 2 {
		c := dial(t, address)
		all.Go(func() {
			r := newReader(c)
			for range 20 {
				text := strings.Repeat("a", i+1)
				b, _ := AppendEvent(nil, "transcript", Transcript{Text: text})
				if _, err := c.Write(b); err != nil {
					t.Error(err)
					return
				}
				e, err := ReadEvent(r)
				var got spoken
				if err != nil || e.decode(&got) != nil || got.Text != ":"+text {
					t.Errorf("got %q %v, want %q", got.Text, err, text)
					return
				}
			}
		})
	}
	all.Wait()
}

// piped is a talk over a pipe, for a clock of its own.
func piped(s *Server) (client net.Conn, over chan struct{}) {
	client, server := net.Pipe()
	over = make(chan struct{})
	go func() {
		defer close(over)
		s.talk(context.Background(), server)
		_ = server.Close()
	}()
	return client, over
}

func TestWhoSaysNothingIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &refusals{}
		start := time.Now()
		_, over := piped(newServer(echo, r))
		<-over
		if took := time.Since(start); took != idleTimeout || !r.has(RefusedSlow) {
			t.Errorf("it took %v, want %v", took, idleTimeout)
		}
	})
}

// A slow loris sends a byte a second, so that no single wait is long.
func TestAnEventThatTricklesInIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &refusals{}
		start := time.Now()
		c, over := piped(newServer(echo, r))
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for {
				if _, err := c.Write([]byte("{")); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}()
		<-over
		took := time.Since(start)
		<-sent
		if took != eventTimeout || !r.has(RefusedSlow) {
			t.Errorf("it took %v, want %v", took, eventTimeout)
		}
	})
}

func TestWhoDoesNotListenIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c, over := piped(newServer(echo, &refusals{}))
		b, _ := AppendEvent(nil, "describe", nil)
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
		<-over // nobody reads the answer
		if took := time.Since(start); took != writeTimeout {
			t.Errorf("it took %v, want %v", took, writeTimeout)
		}
	})
}

func TestWhoGoesIsNotAskedForAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := make(chan error, 1)
		c, over := piped(newServer(func(ctx context.Context, _ Transcript) Answer {
			select {
			case <-ctx.Done():
			case <-time.After(time.Hour):
			}
			cancelled <- ctx.Err()
			return Answer{}
		}, &refusals{}))
		b, _ := AppendEvent(nil, "transcript", Transcript{Text: "hi"})
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		_ = c.Close()
		<-over
		if err := <-cancelled; !errors.Is(err, context.Canceled) {
			t.Errorf("the answer ended by %v", err)
		}
	})
}

// A slow answer is not taken for a silent caller, and the next event may come meanwhile.
func TestAnAnswerMayTakeLongerThanAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, over := piped(newServer(func(context.Context, Transcript) Answer {
			time.Sleep(3 * eventTimeout)
			return Answer{"slow", true}
		}, &refusals{}))
		go func() {
			b, _ := AppendEvent(nil, "transcript", Transcript{Text: "hi"})
			b, _ = AppendEvent(b, "ping", nil)
			_, _ = c.Write(b)
		}()
		r := newReader(c)
		for _, kind := range []string{"handled", "pong"} {
			if e, err := ReadEvent(r); err != nil || e.Type != kind {
				t.Errorf("got %+v %v, want %s", e, err, kind)
			}
		}
		_ = c.Close()
		<-over
	})
}

func TestAStopEndsEveryConnection(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(func(ctx context.Context, _ Transcript) Answer { <-ctx.Done(); return Answer{} }, &refusals{}, "127.0.0.0/8")
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- s.Serve(ctx, ln) }()
	idle, asking := dial(t, ln.Addr().String()), dial(t, ln.Addr().String())
	say(t, idle, "ping", nil)
	say(t, asking, "ping", nil)
	b, _ := AppendEvent(nil, "transcript", Transcript{Text: "hi"})
	if _, err := asking.Write(b); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-over; err != nil || s.Connections() != 0 {
		t.Errorf("got %v, and %d connections are left", err, s.Connections())
	}
}
