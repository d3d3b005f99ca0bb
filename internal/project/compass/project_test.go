package compass

import (
	"net"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/ask/asktest"
)

const testToken ask.BearerToken = "a-token-for-the-tests-of-compass-0123456789"

// TestTheContract runs the conformance cases on compass as it is served.
func TestTheContract(t *testing.T) {
	c := sampleAt(t, time.Date(2026, 11, 30, 8, 15, 0, 0, london(t)))
	h, err := askserve.New(c.Project(testToken))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- ask.Serve(t.Context(), ln, h) }()
	t.Cleanup(func() { <-served })
	asktest.Run(t, "http://"+ln.Addr().String(), testToken, asktest.As("harry"), asktest.Asking("what do I have on today?"))
}

func TestProjectDeclaresItsRowAndItsPeople(t *testing.T) {
	p := sampleAt(t, time.Date(2026, 11, 30, 8, 15, 0, 0, london(t))).Project(testToken)
	if p.Name != "compass_nhs" || len(p.Topics) != 6 || len(p.People) != 2 || p.People[0] != "harry" || p.People[1] != "emma" {
		t.Errorf("%q %q %q", p.Name, p.Topics, p.People)
	}
	if !p.MaySee("harry", "harry") || p.MaySee("emma", "harry") {
		t.Error("without MaySee each sees their own and nobody else's")
	}
}
