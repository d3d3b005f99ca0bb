// Package freeport finds ports of this machine for programs that are told where to listen,
// and listen some time later.
//
// A port that is free is soon somebody else's: the system gives it to the next outgoing
// connection, and another household beside this one finds it free too. So these lie below
// the ports that systems give away by themselves, and each is claimed by a UDP socket of
// a number above them all, which whoever asks here next sees, in whatever process: a web
// server with HTTP/3 needs the UDP port of the same number for itself. The claim ends with
// the process, however that ends.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports are first up to last, and that which claims one is so much higher.
const (
	first, last = 20000, 25000
	higher      = last - first
	tries       = 100
)

// Port is a claimed port of the loopback interface.
type Port struct {
	// Address is host and port, Number the port alone.
	Address string
	Number  int
	claim   net.PacketConn
}

// Claim is a port on which nobody listens, and that nobody else gets from here before
// Release.
func Claim() (*Port, error) {
	var err error
	for range tries {
		var p *Port
		if p, err = claim(first + rand.IntN(last-first)); err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no free port was found on this machine: %w", err)
}

func claim(number int) (*Port, error) {
	address := fmt.Sprintf("127.0.0.1:%d", number)
	held, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", number+higher))
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	if err := ln.Close(); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return &Port{Address: address, Number: number, claim: held}, nil
}

// Release lets others have the port.
func (p *Port) Release() error { return p.claim.Close() }

// TB is what For needs of a test.
type TB interface {
	Helper()
	Cleanup(f func())
	Fatal(args ...any)
}

// For is a port that is claimed until the test ends.
func For(t TB) *Port {
	t.Helper()
	p, err := Claim()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Release() })
	return p
}
