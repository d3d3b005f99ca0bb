package wyoming

import (
	"context"
	"net"
	"net/netip"
	"testing"
)

// BenchmarkTranscript is one sentence as Home Assistant sends it, a connection for each,
// over loopback; the answer takes no time, so all of it is the protocol's.
func BenchmarkTranscript(b *testing.B) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := NewServer(Config{Answer: echo, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	ctx, stop := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- s.Serve(ctx, ln) }()
	defer func() {
		stop()
		<-over
	}()
	said, err := AppendEvent(nil, "transcript", Transcript{Text: "is the kitchen light on?", Language: "en-GB"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Write(said); err != nil {
			b.Fatal(err)
		}
		if e, err := ReadEvent(newReader(c)); err != nil || e.Type != "handled" {
			b.Fatal(e, err)
		}
		_ = c.Close()
	}
}
