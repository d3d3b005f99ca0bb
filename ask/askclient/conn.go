package askclient

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// The connections to one project are kept here and not by an http.Transport.
// Its two goroutines a connection wake each other for every reply, which costs a
// small machine more than the rest of a question does. Here the caller's own
// goroutine writes and reads, and the end of its context ends what it waits for.

const (
	// idleFor is how long a connection waits for another call.
	idleFor = time.Minute
	// mostIdle bounds how many wait.
	mostIdle = 64
	// readBuffer holds the whole reply of most questions.
	readBuffer = 2 << 10
	// mostHead bounds a reply's head, in bytes.
	mostHead = 16 << 10
	// mostInterim bounds the 1xx replies before the one that counts.
	mostInterim = 4
)

// long past, so that setting it ends whatever a connection waits for.
var longPast = time.Unix(1, 0)

// pool keeps connections to one address open between calls.
type pool struct {
	address string
	tls     *tls.Config // nil for plain http
	dialer  net.Dialer

	mu    sync.Mutex
	idle  []*conn // the longest idle first
	sweep *time.Timer
}

// conn is one connection. Only one call has it at a time.
type conn struct {
	net.Conn
	raw   net.Conn // below TLS
	r     *bufio.Reader
	head  headLimit
	since time.Time // idle since
	rest  [1]byte
}

// headLimit stops a reply whose head does not end.
type headLimit struct {
	r    io.Reader
	left int
}

func (l *headLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("the reply's head is too large")
	}
	if len(p) > l.left {
		p = p[:l.left]
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}

func newPool(base *url.URL) *pool {
	p := &pool{address: base.Host, dialer: net.Dialer{Timeout: dialTimeout}}
	port := "80"
	if base.Scheme == "https" {
		port = "443"
		p.tls = &tls.Config{ServerName: base.Hostname(), MinVersion: tls.VersionTLS12}
	}
	if base.Port() == "" {
		p.address = net.JoinHostPort(base.Hostname(), port)
	}
	return p
}

// get is a connection that waited, or else a new one.
func (p *pool) get(ctx context.Context) (c *conn, waited bool, err error) {
	p.mu.Lock()
	for n := len(p.idle); n > 0; n-- {
		c := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		if time.Since(c.since) < idleFor && quiet(c.raw) {
			p.mu.Unlock()
			return c, true, nil
		}
		_ = c.Close()
	}
	p.mu.Unlock()
	raw, err := p.dialer.DialContext(ctx, "tcp", p.address)
	if err != nil {
		return nil, false, err
	}
	if p.tls != nil {
		shake, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		secure := tls.Client(raw, p.tls)
		if err := secure.HandshakeContext(shake); err != nil {
			_ = raw.Close()
			return nil, false, err
		}
		return newConn(secure, raw), false, nil
	}
	return newConn(raw, raw), false, nil
}

func newConn(on, raw net.Conn) *conn {
	c := &conn{Conn: on, raw: raw, head: headLimit{r: on}}
	c.r = bufio.NewReaderSize(&c.head, readBuffer)
	return c
}

// put keeps c for another call.
func (p *pool) put(c *conn) {
	c.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) >= mostIdle {
		_ = c.Close()
		return
	}
	p.idle = append(p.idle, c)
	if p.sweep == nil {
		p.sweep = time.AfterFunc(idleFor, p.closeIdle)
	}
}

// closeIdle closes what has waited too long, and comes again while any wait.
func (p *pool) closeIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 && time.Since(p.idle[0].since) >= idleFor {
		_ = p.idle[0].Close()
		p.idle[0] = nil
		p.idle = p.idle[1:]
	}
	if len(p.idle) == 0 {
		p.sweep = nil
		return
	}
	p.sweep.Reset(idleFor - time.Since(p.idle[0].since))
}

// close closes every connection that waits.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle {
		_ = c.Close()
	}
	p.idle = nil
	if p.sweep != nil {
		p.sweep.Stop()
		p.sweep = nil
	}
}

// errStale is a connection that waited and was closed by the project meanwhile.
var errStale = errors.New("the connection was closed while it waited")

// exchange sends one whole request and hands its reply to use, which reads it.
// A connection that was closed while it waited is no failure: the request is
// sent again on a fresh one, since asking changes nothing.
func (p *pool) exchange(ctx context.Context, request []byte, use func(*http.Response) error) error {
	for {
		c, waited, err := p.get(ctx)
		if err != nil {
			return err
		}
		err = p.on(ctx, c, request, use)
		if errors.Is(err, errStale) && waited && ctx.Err() == nil {
			continue
		}
		return err
	}
}

func (p *pool) on(ctx context.Context, c *conn, request []byte, use func(*http.Response) error) error {
	// A caller who leaves, or whose time is up, ends what the connection waits for.
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(longPast) })
	again, err := c.exchange(request, use)
	if !stop() || !again {
		_ = c.Close()
		return err
	}
	p.put(c)
	return err
}

// exchange is one request and its reply. Again is whether the connection can be
// used for another.
func (c *conn) exchange(request []byte, use func(*http.Response) error) (again bool, err error) {
	c.head.left = mostHead
	_, sent := c.Write(request)
	// A project may answer before it has read the request, and close; so the reply
	// is looked for even where not all could be sent.
	if _, err := c.r.Peek(1); err != nil {
		var slow net.Error
		if errors.As(err, &slow) && slow.Timeout() {
			return false, err
		}
		return false, errors.Join(errStale, sent, err)
	}
	var res *http.Response
	for range mostInterim {
		if res, err = http.ReadResponse(c.r, nil); err != nil {
			return false, err
		}
		if !interim(res) {
			break
		}
	}
	// From here on MaxReply bounds what is read.
	c.head.left = MaxReply + readBuffer + mostHead
	err = use(res)
	_, rest := res.Body.Read(c.rest[:])
	_ = res.Body.Close()
	// After a reply that is none, what still comes would be taken for the next
	// question's answer.
	whole := err == nil && !interim(res) && rest == io.EOF && c.r.Buffered() == 0
	return sent == nil && whole && !res.Close, err
}

// interim is a reply that another one follows.
func interim(res *http.Response) bool {
	return res.StatusCode/100 == 1 && res.StatusCode != http.StatusSwitchingProtocols
}
