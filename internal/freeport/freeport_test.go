package freeport

import (
	"errors"
	"fmt"
	"net"
	"testing"
)

// A port is claimed before anybody listens on it, and while whoever does is restarted.
func TestAClaimedPortIsGivenToNobodyElse(t *testing.T) {
	p, err := Claim()
	if err != nil {
		t.Fatal(err)
	}
	if other, err := claim(p.Number); err == nil {
		t.Errorf("%s was given away twice", other.Address)
	}
	for range 2 { // it can be listened on, again and again
		ln, err := net.Listen("tcp", p.Address)
		if err != nil {
			t.Fatal(err)
		}
		quic, err := net.ListenPacket("udp", p.Address) // a web server's HTTP/3
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(ln.Close(), quic.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := claim(p.Number)
	if err != nil {
		t.Fatalf("a released port stays taken: %v", err)
	}
	_ = again.Release()
}

func TestAPortThatIsListenedOnIsNotFree(t *testing.T) {
	p, err := Claim()
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", p.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := p.Release(); err != nil {
		t.Fatal(err)
	}
	if got, err := claim(p.Number); err == nil {
		t.Errorf("%s is said to be free", got.Address)
	}
	if held, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", p.Number+higher)); err != nil {
		t.Errorf("a claim that failed is still held: %v", err)
	} else {
		_ = held.Close()
	}
}
