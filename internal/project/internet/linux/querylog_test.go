package linux

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/internet"
)

var now = time.Date(2026, time.November, 30, 21, 0, 0, 0, time.UTC)

func newLog(t testing.TB, text string) *queryLog {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dnsmasq.log")
	write(t, path, text)
	return newQueryLog(path, time.UTC, func() time.Time { return now })
}

func write(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// names are the look-ups that a reading finds new.
func (l *queryLog) names(t testing.TB, whole bool) string {
	t.Helper()
	var out []string
	if _, err := l.read(t.Context(), whole, func(a asked) { out = append(out, a.name) }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func line(name string) string {
	return "Nov 30 20:00:00 dnsmasq[7]: query[A] " + name + " from 192.168.1.20\n"
}

func TestLinesOfLookUps(t *testing.T) {
	l := newLog(t, "")
	for text, want := range map[string]string{
		"Nov 30 20:00:00 dnsmasq[7]: query[A] Example.ORG from 192.168.1.20":                         "2026-11-30T20:00:00Z example.org 192.168.1.20",
		"Nov  3 20:00:00 dnsmasq[7]: 12 192.168.1.20/5353 query[AAAA] example.org from 192.168.1.20": "2026-11-03T20:00:00Z example.org 192.168.1.20",
		"Nov 30 20:00:00 dnsmasq[7]: 12 fd00::20/5353 query[type=65] example.org from fd00::20":      "2026-11-30T20:00:00Z example.org fd00::20",
		"Dec 31 23:00:00 dnsmasq[7]: query[A] a.example from ::ffff:192.168.1.20":                    "2025-12-31T23:00:00Z a.example 192.168.1.20",
		"Nov 30 20:00:00 dnsmasq[7]: reply example.org is 192.0.2.1":                                 "",
		"Nov 30 20:00:00 dnsmasq[7]: forwarded example.org to 9.9.9.9":                               "",
		"Nov 30 20:00:00 dnsmasq-dhcp[7]: DHCPACK(br0) 192.168.1.20 02:00:00:00:00:11":               "",
		"Nov 30 20:00:00 dnsmasq[7]: query[A] a from b from 192.168.1.20":                            "",
		"Feb 31 20:00:00 dnsmasq[7]: query[A] example.org from 192.168.1.20":                         "",
		"Nov 30 20:00:00 dnsmasq[7]: query[A] example.org from 192.168.1.999":                        "",
		"": "",
	} {
		a, ok := l.parse(text)
		got := ""
		if ok {
			got = a.at.Format(time.RFC3339) + " " + a.name + " " + a.by.String()
		}
		if got != want {
			t.Errorf("%q\n is read as %q\n    want %q", text, got, want)
		}
	}
}

func TestALogIsFollowedLineByLine(t *testing.T) {
	l := newLog(t, line("a")+line("b")+strings.TrimSuffix(line("half"), "\n"))
	if got := l.names(t, false); got != "a b" {
		t.Errorf("at first it reads %q", got)
	}
	write(t, l.path, "\n"+line("c"))
	if got := l.names(t, false); got != "half c" {
		t.Errorf("then it reads %q", got)
	}
	if got := l.names(t, false); got != "" {
		t.Errorf("with nothing new it reads %q", got)
	}
	if got := l.names(t, true); got != "a b half c" {
		t.Errorf("as a whole it reads %q", got)
	}
}

func TestALogThatIsTurnedOverLosesNothing(t *testing.T) {
	l := newLog(t, line("a"))
	l.names(t, false)
	write(t, l.path, line("b"))
	if err := os.Rename(l.path, l.path+".1"); err != nil {
		t.Fatal(err)
	}
	write(t, l.path, line("c"))
	if got := l.names(t, false); got != "b c" {
		t.Errorf("it reads %q", got)
	}
	if got := l.names(t, true); got != "a b c" {
		t.Errorf("as a whole it reads %q", got)
	}
}

func TestALogThatIsCutShortIsOwnedUpTo(t *testing.T) {
	l := newLog(t, line("a")+line("b"))
	l.names(t, false)
	if err := os.WriteFile(l.path, []byte(line("c")), 0o600); err != nil {
		t.Fatal(err)
	}
	from, err := l.read(t.Context(), false, func(asked) {})
	if err != nil || !from.Equal(now) {
		t.Errorf("it is known from %v, %v", from, err)
	}
}

func TestALogThatIsNotThereSaysSo(t *testing.T) {
	l := newQueryLog(filepath.Join(t.TempDir(), "none"), time.UTC, time.Now)
	if _, err := l.read(t.Context(), false, func(asked) {}); err == nil || !strings.HasPrefix(err.Error(), "dnsmasq's log cannot be read") {
		t.Errorf("it says %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Nov 30 20:00:00 dnsmasq[7]: 12 192.168.1.20/5353 query[AAAA] example.org from 192.168.1.20")
	f.Add("Feb 29 20:00:00 dnsmasq[7]: query[A] x from ::1%eth0")
	f.Fuzz(func(t *testing.T, text string) {
		l := newQueryLog("", time.UTC, func() time.Time { return now })
		if a, ok := l.parse(text); ok && (a.at.After(now.Add(24*time.Hour)) || strings.ContainsAny(a.name, " \n") || !a.by.IsValid()) {
			t.Errorf("%q is read as %+v", text, a)
		}
	})
}

func FuzzElement(f *testing.F) {
	f.Add([]byte(`"02:00:00:00:00:01"`))
	f.Add([]byte(`{"elem": {"val": "02:00:00:00:00:02", "timeout": 60, "expires": 59}}`))
	f.Add([]byte(`{"elem": {"val": {"prefix": {"addr": "10.0.0.0", "len": 8}}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if id, how, err := readElement(raw); err == nil && how.left < 0 {
			t.Errorf("%s is %q for %v", raw, id, how)
		}
	})
}

func TestAFileOfBedtimesThatIsDamagedIsNotLostInSilence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bedtimes.json")
	for _, text := range []string{"", "{", `{"bedtimes":{"a":{"from":"25:00"}}}`, `{"others":1}`, `{} {}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := New(Options{File: path}); err == nil || !strings.Contains(err.Error(), "the file of bedtimes") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheSetupIsOneTransactionThatKeepsWhatTheSetsHold(t *testing.T) {
	for text := range strings.Lines(string(setup())) {
		if words := strings.Fields(text); !slices.Contains([]string{"add", "flush"}, words[0]) || words[0] == "flush" && words[1] != "chain" || words[3] != table && words[2] != "inet" {
			t.Errorf("it would run %q", text)
		}
	}
	if n := strings.Count(string(setup()), "add rule"); n != rulesInTable {
		t.Errorf("it makes %d rules, and %d are looked for", n, rulesInTable)
	}
}

// A disk that takes nothing changes no bedtime.
func TestABedtimeThatCannotBeSavedIsNotSet(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "a file")
	write(t, blocked, "x")
	device := internet.Device{Name: "tablet", IDs: []string{"02:00:00:00:00:11"}}
	r, err := New(Options{File: filepath.Join(t.TempDir(), "bedtimes.json"), Devices: []internet.Device{device}})
	if err != nil {
		t.Fatal(err)
	}
	bed := &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: internet.Days}
	if err := r.plan(device, internet.State{Bedtime: bed, Limit: 60}); err != nil {
		t.Fatal(err)
	}
	good := r.o.File
	r.o.File = filepath.Join(blocked, "bedtimes.json")
	var down *internet.UnableError
	if err := r.plan(device, internet.State{}); !errors.As(err, &down) || down.Why != "it cannot be saved" {
		t.Errorf("it says %v", err)
	}
	kept, err := readPlans(good)
	if now := r.plans.Bedtimes["tablet"]; err != nil || !now.Equal(*bed) || !kept.Bedtimes["tablet"].Equal(*bed) || r.plans.Limits["tablet"] != 60 || kept.Limits["tablet"] != 60 {
		t.Errorf("in memory it is %+v, on disk %+v, %v", r.plans, kept, err)
	}
}

// What nft says of itself becomes plain words, and nothing of it goes further.
func TestARouterThatCannotBeSet(t *testing.T) {
	device := internet.Device{Name: "tablet", IDs: []string{"02:00:00:00:00:11"}}
	for name, try := range map[string]struct {
		command []string
		why     string
	}{
		"there is no nft":      {[]string{"no-such-nft"}, "no-such-nft is not installed on this router"},
		"it is not permitted":  {[]string{"sh", "-c", "echo 'netlink: Error: Operation not permitted' >&2; exit 1"}, "askhub may not change this router's packet filter"},
		"it fails":             {[]string{"sh", "-c", "echo boom >&2; exit 1"}, "this router's packet filter did not take it"},
		"it says what is odd":  {[]string{"sh", "-c", "echo '{'"}, "this router's packet filter cannot be read"},
		"it has another shape": {[]string{"sh", "-c", `echo '{"nftables":[{"set":{"name":"cut_mac","elem":[7]}}]}'`}, "this router's packet filter cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := New(Options{Nft: try.command, File: filepath.Join(t.TempDir(), "b.json"), Devices: []internet.Device{device}})
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.State(t.Context(), device)
			var down *internet.UnableError
			if !errors.As(err, &down) || down.Why != try.why {
				t.Errorf("it says %v", err)
			}
		})
	}
	if _, err := New(Options{Devices: []internet.Device{{Name: "laptop", IDs: []string{"a-client-id"}}}}); err == nil || !strings.Contains(err.Error(), "laptop needs a MAC address") {
		t.Errorf("a device that packets do not bear: %v", err)
	}
}
