package doctor_test

import (
	"net"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/doctor"
)

func TestTheWayInOfVoiceAssistantsIsLookedAt(t *testing.T) {
	const satellite = "\n[[wyoming.satellites]]\nid = \"assist_satellite.kitchen\"\nasker = "
	for _, tt := range []struct{ name, settings, want string }{
		{"on this machine", `listen = "127.0.0.1:10600"`, "ok    wyoming: voice assistants on this machine ask at 127.0.0.1:10600, as guest"},
		{"open", "listen = \"0.0.0.0:10600\"\nallow = [\"192.168.1.20\"]", "warn  wyoming: open to the network at 0.0.0.0:10600: whoever comes from 192.168.1.20 asks without a token and unencrypted, as guest"},
		{"open, as sam", "listen = \"0.0.0.0:10600\"\nallow = [\"192.168.1.20\"]" + satellite + `"sam"`, "unencrypted, as guest or sam. "},
		{"wide open", "listen = \"[::]:10600\"\nallow = [\"10.0.0.0/8\"]", "warn  wyoming.allow: 10.0.0.0/8 is more than one home network"},
		{"for a stranger", "listen = \"127.0.0.1:10600\"" + satellite + `"nobody"`, "FAULT wyoming: it speaks for nobody, whom people.toml does not name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			h.edit("askhub.toml", "[ways_in.phone]", "[wyoming]\n"+tt.settings+"\n\n[ways_in.phone]")
			checks := h.examine()
			if _, ok := find(checks, tt.want); !ok {
				t.Errorf("no line with %q:\n%s", tt.want, lines(checks))
			}
		})
	}
}

func TestAHubThatTakesNoVoiceAssistantsYetIsToldOf(t *testing.T) {
	h := newHouse(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	h.edit("askhub.toml", "[ways_in.phone]", "[wyoming]\nlisten = \""+ln.Addr().String()+"\"\n\n[ways_in.phone]")
	const want = "warn  wyoming.listen: the Hub runs, and nobody answers voice assistants at "
	if _, ok := find(h.examine(), want); ok {
		t.Error("somebody answers there")
	}
	_ = ln.Close()
	if _, ok := find(h.examine(), want); !ok {
		t.Error(lines(h.examine()))
	}
}

func TestTheProofHoldsWithTheWayInOfVoiceAssistants(t *testing.T) {
	h := newHouse(t)
	before, _ := find(h.examine(), "unreachable: no token reaches")
	h.edit("askhub.toml", "[ways_in.phone]", "[wyoming]\nlisten = \"127.0.0.1:10600\"\n\n[ways_in.phone]")
	checks := h.examine()
	after, ok := find(checks, "unreachable: no token reaches")
	if !ok || after.What == before.What || strings.Contains(lines(checks), "WYOMING") {
		t.Errorf("its ways are not walked: %q, before %q", after.What, before.What)
	}
	if doctor.VerdictOf(checks) != doctor.Fine {
		t.Error(lines(checks))
	}
}
