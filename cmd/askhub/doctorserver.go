package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/doctor"
)

// server is one that the doctor asks, in the words of who looks after it.
type server struct {
	// name is how people call it, field where its address stands in askhub.toml.
	name, field string
	// address is what belongs there, and start what to do where nothing answers.
	address, start string
}

// fault says what keeps the server from being of use, and the next step. No word of the
// cause is passed on: it may hold an address with what somebody asked.
func (s server) fault(err error) doctor.Check {
	what, mend, down := s.cause(err)
	return doctor.Check{Check: s.field, State: doctor.Fault, What: what, Mend: mend, Down: down}
}

func (s server) cause(err error) (what, mend string, down bool) {
	field := "Mend " + s.field + " in askhub.toml: it is " + s.address + "."
	var dns *net.DNSError
	var timed interface{ Timeout() bool }
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, askclient.ErrNonsense):
		return "something answers there that is not " + s.name, field, false
	case errors.As(err, &dns):
		return s.name + " is nowhere to be found: no such host is known", field, false
	case errors.As(err, &untrusted):
		return s.name + " shows a certificate that this machine does not trust", "Give it a certificate for the name in " + s.field + " from a CA that this machine knows, or write http:// where it is on this machine.", false
	case errors.Is(err, http.ErrSchemeMismatch):
		return s.name + " speaks no TLS there", "Write http:// in " + s.field + ", or switch TLS on there.", false
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return s.name + " does not answer in time", "See that it is not overloaded, and that no firewall stands between; then run \"askhub doctor\" again.", true
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens where " + s.name + " should", s.start, true
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return s.name + " ends the connection at once", s.start, true
	}
	return s.name + " gives no answer that is of use", s.start, true
}
