package wyoming

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"
)

// The server's patience and its bounds. The assistant opens a connection for each
// sentence, so a household has one or two at a time.
const (
	idleTimeout  = time.Minute
	eventTimeout = 5 * time.Second
	writeTimeout = 5 * time.Second
	maxConns     = 32
	// acceptPause is how long is waited where the machine has no room for a connection.
	acceptPause = 50 * time.Millisecond
)

// Refusal is why a connection ended before its time, for the metrics.
type Refusal string

// The refusals.
const (
	RefusedAddress Refusal = "address"
	RefusedFull    Refusal = "full"
	RefusedFraming Refusal = "framing"
	RefusedSlow    Refusal = "slow"
)

// Refusals are all of them.
func Refusals() []Refusal {
	return []Refusal{RefusedAddress, RefusedFull, RefusedFraming, RefusedSlow}
}

// Config is what a Server is built from.
type Config struct {
	// Answer says what to say to a transcript. It ends when ctx does, which is when who
	// asked has gone.
	Answer func(ctx context.Context, t Transcript) Answer
	// Allowed are the addresses that may connect.
	Allowed []netip.Prefix
	Version string
	// Refused is told of each refusal; it may be nil.
	Refused func(Refusal)
	Log     *slog.Logger
}

// Server serves the handle service.
type Server struct {
	cfg  Config
	info info

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	// told are the strangers whom the log has named.
	told map[netip.Addr]bool
}

// NewServer is a Server over cfg.
func NewServer(cfg Config) *Server {
	if cfg.Refused == nil {
		cfg.Refused = func(Refusal) {}
	}
	return &Server{cfg: cfg, info: describe(cfg.Version), conns: map[net.Conn]struct{}{}, told: map[netip.Addr]bool{}}
}

// Serve answers on ln until ctx ends; a stop by ctx is no error. It closes ln and every
// connection, and returns when the last one is done.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		_ = ln.Close()
		s.closeAll()
	})()
	for {
		c, err := ln.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = c.Close()
			}
			s.closeAll()
			return nil
		case errors.Is(err, net.ErrClosed):
			cancel()
			s.closeAll()
			return err
		case err != nil:
			s.cfg.Log.Warn("a Wyoming connection could not be taken", "cause", err)
			select {
			case <-time.After(acceptPause):
			case <-ctx.Done():
			}
			continue
		}
		if why := s.admit(c); why != "" {
			s.cfg.Refused(why)
			_ = c.Close()
			continue
		}
		all.Go(func() {
			defer s.leave(c)
			s.talk(ctx, c)
		})
	}
}

// Connections is how many there are now.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// admit lets a connection in, or says why not.
func (s *Server) admit(c net.Conn) Refusal {
	from, err := netip.ParseAddrPort(c.RemoteAddr().String())
	address := from.Addr().Unmap().WithZone("")
	if err != nil || !slices.ContainsFunc(s.cfg.Allowed, func(p netip.Prefix) bool { return p.Contains(address) }) {
		s.tellOf(address)
		return RefusedAddress
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= maxConns {
		return RefusedFull
	}
	s.conns[c] = struct{}{}
	return ""
}

// maxTold bounds how many strangers the log names.
const maxTold = 100

// tellOf names a stranger in the log, once: whoever sets this up looks there.
func (s *Server) tellOf(address netip.Addr) {
	s.mu.Lock()
	known := s.told[address] || len(s.told) >= maxTold
	if !known {
		s.told[address] = true
	}
	s.mu.Unlock()
	if !known {
		s.cfg.Log.Warn("a Wyoming connection was refused: allow of [wyoming] in askhub.toml does not name its address", "address", address)
	}
}

func (s *Server) leave(c net.Conn) {
	_ = c.Close()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

func (s *Server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// talk answers one connection's events until it ends.
func (s *Server) talk(ctx context.Context, c net.Conn) {
	r := newReader(c)
	for {
		e, err := s.next(c, r)
		if err == nil {
			err = s.answer(ctx, c, r, e)
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, errFraming):
			s.cfg.Refused(RefusedFraming)
		case errors.Is(err, os.ErrDeadlineExceeded):
			s.cfg.Refused(RefusedSlow)
		}
		return
	}
}

// next waits for an event. Nothing may come for idleTimeout; what has begun is there
// within eventTimeout, however slowly its bytes come.
func (s *Server) next(c net.Conn, r *bufio.Reader) (Event, error) {
	if err := c.SetReadDeadline(time.Now().Add(idleTimeout)); err != nil {
		return Event{}, err
	}
	if _, err := r.Peek(1); err != nil {
		return Event{}, err
	}
	if err := c.SetReadDeadline(time.Now().Add(eventTimeout)); err != nil {
		return Event{}, err
	}
	return ReadEvent(r)
}

// answer says what there is to say to an event. One that is of another service is passed
// over, as the protocol wants it.
func (s *Server) answer(ctx context.Context, c net.Conn, r *bufio.Reader, e Event) error {
	switch e.Type {
	case "describe":
		return s.send(c, "info", &s.info)
	case "ping":
		var p pong
		if err := e.decode(&p); err != nil {
			return err
		}
		return s.send(c, "pong", &p)
	case "transcript":
		var t Transcript
		if err := e.decode(&t); err != nil {
			return err
		}
		a := s.whileThere(ctx, c, r, t)
		if a.Handled {
			return s.send(c, "handled", &spoken{a.Text})
		}
		return s.send(c, "not-handled", &spoken{a.Text})
	}
	return nil
}

// whileThere answers a transcript, and stops answering when who asked goes.
func (s *Server) whileThere(ctx context.Context, c net.Conn, r *bufio.Reader, t Transcript) Answer {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.SetReadDeadline(time.Time{}) != nil {
		cancel()
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if _, err := r.Peek(1); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			cancel()
		}
	}()
	a := s.cfg.Answer(ctx, t)
	_ = c.SetReadDeadline(time.Now()) // wakes the watch
	<-watched
	return a
}

func (s *Server) send(c net.Conn, kind string, data any) error {
	b, err := AppendEvent(nil, kind, data)
	if err != nil {
		return err
	}
	if err := c.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err = c.Write(b)
	return err
}
