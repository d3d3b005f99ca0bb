package reach

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
)

// firstByte is how long a new connection may say nothing.
const firstByte = 5 * time.Second

// tlsHandshake is the first byte of every TLS connection; no HTTP request begins so.
const tlsHandshake = 0x16

// Listener is ln with TLS where the config says so; the head watch goes around it. On a
// port with TLS, a connection that begins with plain HTTP gets the few things that a
// phone needs before it trusts the local CA, and else the way to the https address.
func (d *Door) Listener(ln net.Listener) net.Listener {
	if d.tls == nil {
		return ln
	}
	s := &split{
		Listener: ln, tls: d.tls, secure: make(chan accepted), plain: make(chan accepted), closed: make(chan struct{}),
		silent: map[net.Conn]bool{}, server: ask.NewServer(http.HandlerFunc(d.inTheClear)),
	}
	s.server.SetKeepAlivesEnabled(false)
	s.all.Go(s.accept)
	s.all.Go(func() { _ = s.server.Serve(ask.Guarded(plainListener{s})) })
	return s
}

// split tells TLS and plain HTTP apart. Each connection is looked at in a goroutine of
// its own, so that one that says nothing holds up nobody.
type split struct {
	net.Listener
	tls           *tls.Config
	secure, plain chan accepted
	server        *http.Server // of the plain ones
	all           sync.WaitGroup

	closing sync.Once
	closed  chan struct{}
	mu      sync.Mutex
	silent  map[net.Conn]bool // those that have not said anything yet
}

// accepted is what an Accept gives.
type accepted struct {
	conn net.Conn
	err  error
}

func (s *split) accept() {
	for {
		conn, err := s.Listener.Accept()
		if err == nil {
			if s.hold(conn) {
				s.all.Go(func() { s.sort(conn) })
			}
			continue
		}
		// The server waits and comes back after an error that passes. Taking the next
		// connection waits for that too.
		select {
		case s.secure <- accepted{err: err}:
		case <-s.closed:
			return
		}
		//nolint:staticcheck // net/http asks the same to decide whether it comes back
		if passing, ok := errors.AsType[net.Error](err); !ok || !passing.Temporary() {
			return
		}
	}
}

// hold notes a connection, so that Close ends it; after Close it ends it at once.
func (s *split) hold(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		_ = conn.Close()
		return false
	default:
		s.silent[conn] = true
		return true
	}
}

// sort reads the first byte of a connection and hands it on.
func (s *split) sort(conn net.Conn) {
	var first [1]byte
	err := conn.SetReadDeadline(time.Now().Add(firstByte))
	if err == nil {
		_, err = conn.Read(first[:])
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	s.mu.Lock()
	delete(s.silent, conn)
	s.mu.Unlock()
	if err != nil {
		_ = conn.Close()
		return
	}
	begun := &begunConn{Conn: conn, first: first[:]}
	to, out := s.plain, accepted{conn: begun}
	if first[0] == tlsHandshake {
		to, out.conn = s.secure, tls.Server(begun, s.tls)
	}
	select {
	case to <- out:
	case <-s.closed:
		_ = conn.Close()
	}
}

// Accept gives the next connection with TLS. The handshake is left to whoever reads.
func (s *split) Accept() (net.Conn, error) { return s.next(s.secure) }

func (s *split) next(from <-chan accepted) (net.Conn, error) {
	select {
	case a := <-from:
		return a.conn, a.err
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the listener, the connections that nobody has taken, and the plain ones.
func (s *split) Close() error {
	err := net.ErrClosed
	s.closing.Do(func() {
		err = s.Listener.Close()
		s.mu.Lock()
		close(s.closed)
		for conn := range s.silent {
			_ = conn.Close()
		}
		s.mu.Unlock()
		_ = s.server.Close()
		s.all.Wait()
	})
	return err
}

// plainListener gives the connections without TLS.
type plainListener struct{ s *split }

func (p plainListener) Accept() (net.Conn, error) { return p.s.next(p.s.plain) }
func (p plainListener) Addr() net.Addr            { return p.s.Addr() }
func (p plainListener) Close() error              { return nil } // the other half's to do

// begunConn is a connection whose first byte was read already.
type begunConn struct {
	net.Conn
	first []byte
}

func (c *begunConn) Read(p []byte) (int, error) {
	if len(c.first) > 0 {
		n := copy(p, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// CloseWrite lets the last answer reach a sender who is still sending.
func (c *begunConn) CloseWrite() error {
	if h, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return nil
}
