package ask

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// The server's patience. There is no limit on writing a whole answer, since a
// stream of events is one that never ends.
const (
	headTimeout = 5 * time.Second
	idleTimeout = 2 * time.Minute
	stopTimeout = 5 * time.Second
	maxHead     = 16 << 10
)

// NewServer is the HTTP server of a project and of the Hub. It answers what is
// wrong with a request's framing itself, as a problem: Transfer-Encoding beside
// Content-Length, a repeated Authorization or Host, and whatever net/http
// refuses; each of them ends the connection. Serve it on a listener from Listen
// or Guarded. It speaks HTTP/1.1 only, the one version whose framing it watches.
func NewServer(h http.Handler) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      framed{h},
		ReadHeaderTimeout:            headTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHead,
		Protocols:                    &protocols,
		DisableGeneralOptionsHandler: true,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if w, ok := c.(*wireConn); ok {
				return context.WithValue(ctx, wireKey{}, w)
			}
			return ctx
		},
	}
}

type wireKey struct{}

// framed looks at the framing of each request before its handler does.
type framed struct{ next http.Handler }

func (f framed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	plain := len(r.TransferEncoding) == 0 && r.ProtoMinor > 0
	if len(r.Header["Authorization"]) > 1 {
		WriteProblem(w, NewProblem(CodeAmbiguous, "Authorization", "Send the Authorization header once."))
		return
	}
	if len(r.TransferEncoding) > 0 {
		c, watched := r.Context().Value(wireKey{}).(*wireConn)
		if watched && c.bothFramings() {
			WriteProblem(w, NewProblem(CodeAmbiguous, "Transfer-Encoding", "Send Content-Length or Transfer-Encoding, not both."))
			return
		}
		// The watch ends at a chunked body, so the connection ends with its answer.
		w.Header().Set("Connection", "close")
	} else if r.ProtoMinor == 0 {
		// HTTP/1.0 knows no chunks: net/http passes over a Transfer-Encoding there, and the watch does not.
		w.Header().Set("Connection", "close")
	}
	f.next.ServeHTTP(w, r)
	h := w.Header()
	// Where nothing above ended the connection, only a problem did, in whatever form.
	refused := h.Get("Connection") == "close" && (plain || h.Get("Content-Type") == ProblemType)
	if refused && r.ContentLength != 0 && r.Header.Get("Expect") == "" {
		linger(w, r)
	}
}

// linger sends the answer and then takes what is left of the body off the wire. A
// connection that is cut while its sender still sends takes the answer along: who is
// refused for a body that is too large would never learn it.
func linger(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(lingerAfterProblem)) != nil {
		return // there is no connection below, as in a test
	}
	_, _ = io.Copy(io.Discard, r.Body)
}

// Listen listens on that address and watches each request head on the wire.
func Listen(network, addr string) (net.Listener, error) {
	ln, err := net.Listen(network, addr)
	if err != nil {
		return nil, err
	}
	return Guarded(ln), nil
}

// Guarded is ln with each request head watched on the wire. A TLS listener goes
// inside: Guarded(tls.NewListener(…)).
func Guarded(ln net.Listener) net.Listener {
	if g, ok := ln.(guarded); ok {
		return g
	}
	return guarded{ln}
}

type guarded struct{ net.Listener }

func (g guarded) Accept() (net.Conn, error) {
	c, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wireConn{Conn: c}, nil
}

// Serve answers on ln until ctx ends, then lets running requests finish for up
// to five seconds. It closes ln. A stop by ctx is no error.
func Serve(ctx context.Context, ln net.Listener, h http.Handler) error {
	s := NewServer(h)
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(Guarded(ln)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	err := s.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.Close()
	}
	<-failed
	return err
}
