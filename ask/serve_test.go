package ask

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
)

// echo serves a handler that answers each request with its path and its body.
func echo(t *testing.T) string {
	t.Helper()
	ln, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s", r.URL.Path, b)
		}))
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return ln.Addr().String()
}

// talk sends each piece in a write of its own and gives back the replies to them, as
// "status body", at most so many; the last is "closed" where the connection has ended, and
// "open" where it answers another request.
func talk(t *testing.T, addr string, most int, pieces ...string) []string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for _, p := range pieces {
			if _, err := io.WriteString(c, p); err != nil {
				return // it closed early
			}
		}
	}()
	in := bufio.NewReader(c)
	read := func() (reply string, ok bool) {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
				t.Errorf("neither a reply nor an end came: %v", err)
			}
			return "closed", false
		}
		b, _ := io.ReadAll(res.Body)
		var p Problem
		if res.Header.Get("Content-Type") == ProblemType && json.Unmarshal(b, &p) == nil {
			b = []byte(p.Code)
		}
		return fmt.Sprintf("%d %s", res.StatusCode, b), true
	}
	var replies []string
	for len(replies) < most {
		reply, ok := read()
		if replies = append(replies, reply); !ok {
			return replies
		}
	}
	<-sent
	if _, err := io.WriteString(c, "GET /still-there HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return append(replies, "closed")
	}
	if reply, ok := read(); !ok || reply != "200 /still-there " {
		return append(replies, reply)
	}
	return append(replies, "open")
}

func TestFramingOnTheWire(t *testing.T) {
	addr := echo(t)
	const (
		get     = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
		post    = "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
		chunked = "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
		both    = "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	)
	split := func(s string) (pieces []string) {
		for _, b := range []byte(s) {
			pieces = append(pieces, string(b))
		}
		return pieces
	}
	for _, c := range []struct {
		name   string
		pieces []string
		want   []string
	}{
		{"one after the other", []string{get, post, get}, []string{"200 /a ", "200 /b hello", "200 /a ", "open"}},
		{"pipelined", []string{get + post + post + get}, []string{"200 /a ", "200 /b hello", "200 /b hello", "200 /a ", "open"}},
		{"byte by byte", split(post + get), []string{"200 /b hello", "200 /a ", "open"}},
		{"a chunked body is fine and the last", []string{post + chunked + get}, []string{"200 /b hello", "200 /c hello", "closed"}},
		{"both framings", []string{both}, []string{"400 ambiguous_request", "closed"}},
		{"both framings, the other way round", []string{"POST /d HTTP/1.1\r\nHost: x\r\ntransfer-encoding:chunked\r\ncontent-length:5\r\n\r\n0\r\n\r\n"}, []string{"400 ambiguous_request", "closed"}},
		{"both framings after others", []string{get + post + both + get}, []string{"200 /a ", "200 /b hello", "400 ambiguous_request", "closed"}},
		{"both framings byte by byte", split(get + both), []string{"200 /a ", "400 ambiguous_request", "closed"}},
		{
			"both framings that only look so, in a body",
			[]string{"POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 70\r\n\r\n" +
				fmt.Sprintf("%-70s", "x\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"), get},
			[]string{"200 /b " + fmt.Sprintf("%-70s", "x\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"), "200 /a ", "open"},
		},
		{"bare line feeds", []string{strings.ReplaceAll(both, "\r\n", "\n")}, []string{"400 ambiguous_request", "closed"}},
		{"HTTP/1.0 with a coding ends", []string{"POST /e HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nhi" + both}, []string{"200 /e hi", "closed"}},
		{"two lengths", []string{"POST /f HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"}, []string{"400 malformed_request", "closed"}},
		{"a length that is none", []string{"POST /f HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello"}, []string{"400 malformed_request", "closed"}},
		{"a space before the colon", []string{"POST /f HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello"}, []string{"400 malformed_request", "closed"}},
		{"two hosts", []string{"GET /f HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"}, []string{"400 ambiguous_request", "closed"}},
		{"no host", []string{"GET /f HTTP/1.1\r\n\r\n"}, []string{"400 malformed_request", "closed"}},
		{"two authorizations", []string{"GET /f HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nAuthorization: a\r\n\r\n"}, []string{"400 ambiguous_request", "closed"}},
		{"another coding", []string{"POST /f HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n"}, []string{"501 not_implemented", "closed"}},
		{"an expectation that nobody meets", []string{"POST /f HTTP/1.1\r\nHost: x\r\nExpect: the-moon\r\nContent-Length: 5\r\n\r\nhello"}, []string{"400 malformed_request", "closed"}},
		{"no HTTP", []string{"hello\r\n\r\n"}, []string{"400 malformed_request", "closed"}},
		{"a head without end", []string{get + "GET /f HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 64<<10)}, []string{"200 /a ", "431 headers_too_large", "closed"}},
		{"a long header line in pieces", []string{"GET /g HTTP/1.1\r\nHost: x\r\nX-Long: ", strings.Repeat("content-length: 9 ", 100), "\r\n\r\n" + post}, []string{"200 /g ", "200 /b hello", "open"}},
		{"OPTIONS for all", []string{"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n" + get}, []string{"200 * ", "200 /a ", "open"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := talk(t, addr, len(c.want)-1, c.pieces...)
			if strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	ln, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { WriteProblem(w, Unauthorized()) }))
	go func() { _ = s.Serve(ln) }()
	defer s.Close()
	got := talk(t, ln.Addr().String(), 1, "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
	if got[0] != "401 unauthorized" {
		t.Errorf("got %q", got)
	}
}

// Whoever sends its whole body before it looks for an answer learns why it was
// refused, however large the body is.
func TestARefusalReachesOneWhoIsStillSending(t *testing.T) {
	ln, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stranger" {
			WriteProblem(w, Unauthorized())
			return
		}
		var v struct{}
		WriteProblem(w, ReadJSON(w, r, &v))
	}))
	go func() { _ = s.Serve(ln) }()
	defer s.Close()
	const size = 12 << 20 // more than two sockets hold, and little enough to be sent within the second that the rest has
	body := strings.Repeat(" ", size)
	chunks := strings.Repeat("10000\r\n"+body[:64<<10]+"\r\n", size>>16) + "0\r\n\r\n"
	for name, c := range map[string]struct {
		path, framing, body string
		status              int
	}{
		"a body that is too large": {"/ask", fmt.Sprintf("Content-Length: %d", size), body, 413},
		"one in chunks":            {"/ask", "Transfer-Encoding: chunked", chunks, 413},
		"a stranger's":             {"/stranger", fmt.Sprintf("Content-Length: %d", size), body, 401},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n\r\n%s", c.path, c.framing, c.body); err != nil {
				t.Fatalf("the connection was cut while the body was sent: %v", err)
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != c.status || !res.Close {
				t.Errorf("got %d, closing %v, want %d", res.StatusCode, res.Close, c.status)
			}
		})
	}
}

// Whoever asks and never reads holds a connection for a while, and not for ever; a
// stream that is read lasts.
func TestAnAnswerThatNobodyReadsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer here.Close()
		defer there.Close()
		c := &wireConn{Conn: here}
		go func() {
			for range 5 {
				time.Sleep(writeTimeout - time.Second)
				_, _ = there.Read(make([]byte, 10))
			}
		}()
		for range 5 {
			if _, err := c.Write([]byte("an event\n")); err != nil {
				t.Fatalf("a slow reader was cut: %v", err)
			}
		}
		began := time.Now()
		if _, err := c.Write([]byte("an event\n")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != writeTimeout {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// FuzzWatch: in whatever pieces the bytes come, the watch sees the same.
func FuzzWatch(f *testing.F) {
	f.Add([]byte("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nTransfer-Encoding: x\r\nContent-Length: 1\r\n\r\n"), uint8(3))
	f.Add([]byte("\r\n\nGET / HTTP/1.1\nCONTENT-LENGTH:00000000000000000000000000000000000005\n\n12345"), uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		var whole, pieces watch
		whole.see(stream)
		for rest := stream; len(rest) > 0; {
			n := min(int(step)+1, len(rest))
			pieces.see(rest[:n])
			rest = rest[n:]
		}
		if whole.done != pieces.done || whole.both != pieces.both {
			t.Fatalf("%q: whole %v/%v, in pieces %v/%v", stream, whole.done, whole.both, pieces.done, pieces.both)
		}
		if !whole.done && (whole.body != pieces.body || whole.started != pieces.started) {
			t.Fatalf("%q: the two stand at different places", stream)
		}
	})
}

func BenchmarkWatch(b *testing.B) {
	head := []byte("POST /ask HTTP/1.1\r\nHost: 127.0.0.1:8421\r\nAuthorization: Bearer abcdefghijklmnopqrstuvwxyz012345\r\n" +
		"Accept: application/json\r\nContent-Type: application/json\r\nX-Ask-Deadline: 2999\r\nContent-Length: 2\r\n\r\n{}")
	var w watch
	b.ReportAllocs()
	for b.Loop() {
		w.see(head)
	}
}
