package asktest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
)

// The checker speaks on raw connections, one for each request, since much of
// what it must send no HTTP library would.

const (
	// patience is how long a reply may take before it counts as none.
	patience = ask.Budget + 2*time.Second
	maxReply = 256 << 10
)

type header struct{ name, value string }

// request is what is sent, to the letter.
type request struct {
	method, path string
	headers      []header
	body         []byte
	// announce is a Content-Length for a body that is not sent; 0 is none.
	announce int
	// wait is how long the reply may take; 0 is patience.
	wait time.Duration
}

// reply is what came back. A reply with an err has no status.
type reply struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration
	closed bool // the connection ended after it
	err    error
}

func (r reply) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
}

type wire struct {
	base *url.URL
}

func newWire(address string) (*wire, error) {
	u, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an http or https address", address)
	}
	return &wire{u}, nil
}

func (w *wire) dial(ctx context.Context) (net.Conn, error) {
	host := w.base.Host
	if w.base.Port() == "" {
		host = net.JoinHostPort(w.base.Hostname(), map[string]string{"http": "80", "https": "443"}[w.base.Scheme])
	}
	d := &net.Dialer{Timeout: ask.Budget}
	if w.base.Scheme == "https" {
		return (&tls.Dialer{NetDialer: d}).DialContext(ctx, "tcp", host)
	}
	return d.DialContext(ctx, "tcp", host)
}

// send sends r and reads one reply. With closing it also waits to see whether
// the connection ends.
func (w *wire) send(ctx context.Context, r request, closing bool) reply {
	conn, err := w.dial(ctx)
	if err != nil {
		return reply{err: fmt.Errorf("no connection: %w", err)}
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if r.wait == 0 {
		r.wait = patience
	}
	start := time.Now()
	_ = conn.SetDeadline(start.Add(r.wait))
	// A project that refuses early may close while this is still sending; what it said counts.
	_, sendErr := conn.Write(w.bytes(r, closing))
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, &http.Request{Method: r.method})
	if err != nil {
		if sendErr != nil {
			err = sendErr
		}
		if isTimeout(err) {
			return reply{err: errNoReply, took: time.Since(start)}
		}
		return reply{err: fmt.Errorf("no reply in HTTP/1.1: %w", err), took: time.Since(start)}
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	_ = res.Body.Close()
	got := reply{status: res.StatusCode, header: res.Header, body: body, took: time.Since(start)}
	switch {
	case isTimeout(err):
		return reply{err: errNoReply, took: got.took}
	case len(body) > maxReply:
		got.err = fmt.Errorf("a reply of more than 256 KB")
	}
	if closing && got.err == nil {
		_ = conn.SetReadDeadline(time.Now().Add(ask.Budget))
		_, err := in.ReadByte()
		got.closed = err != nil && !isTimeout(err)
	}
	return got
}

var errNoReply = fmt.Errorf("no reply in time")

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

func (w *wire) bytes(r request, keepOpen bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s%s HTTP/1.1\r\nHost: %s\r\n", r.method, w.base.EscapedPath(), r.path, w.base.Host)
	if !keepOpen {
		b.WriteString("Connection: close\r\n")
	}
	for _, h := range r.headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h.name, h.value)
	}
	if n := max(r.announce, len(r.body)); n > 0 && !r.framed() {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", n)
	}
	b.WriteString("\r\n")
	b.Write(r.body)
	return b.Bytes()
}

// framed says whether the headers say themselves how long the body is.
func (r request) framed() bool {
	for _, h := range r.headers {
		if h.name == "Content-Length" || h.name == "Transfer-Encoding" {
			return true
		}
	}
	return false
}
