//go:build linux

package linux

import (
	"errors"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/backendtest"
	"github.com/askhub/askhub/internal/project/internet/lantest"
)

func TestMain(m *testing.M) {
	lantest.Main()
	m.Run()
}

// lan is a household's network with the backend on its router.
type lan struct {
	*lantest.LAN
	t      *testing.T
	router *Router
	o      Options
	now    time.Time
}

func startLAN(t *testing.T) *lan {
	t.Helper()
	l := &lan{LAN: lantest.Start(t), t: t, now: time.Date(2026, time.November, 30, 20, 0, 0, 0, time.UTC)}
	l.o = Options{
		Nft: l.In(lantest.Router, "nft"), Neighbours: l.In(lantest.Router, "ip", "-j", "neigh"), File: t.TempDir() + "/bedtimes.json", Zone: time.UTC,
		Now: func() time.Time { return l.now },
		Devices: []internet.Device{
			{Name: "Harry's tablet", Person: "harry", IDs: []string{lantest.TabletMAC}},
			{Name: "Harry's console", Person: "harry", IDs: []string{lantest.ConsoleIP4, lantest.ConsoleIP6}},
		},
	}
	l.restart()
	return l
}

// restart is a new process on the same router.
func (l *lan) restart() {
	l.t.Helper()
	var err error
	if l.router, err = New(l.o); err != nil {
		l.t.Fatal(err)
	}
}

// become takes a device to a state, and sees that it stands so.
func (l *lan) become(device int, change func(*internet.State)) {
	l.t.Helper()
	d := l.o.Devices[device]
	before, err := l.router.State(l.t.Context(), d)
	if err != nil {
		l.t.Fatal(err)
	}
	after := before
	if change(&after); after.Equal(before) {
		l.t.Fatalf("it stands as %+v already", before)
	}
	if err := l.router.Apply(l.t.Context(), d, before, after, true); err != nil {
		l.t.Fatal(err)
	}
	if err := l.router.Apply(l.t.Context(), d, before, after, false); err != nil {
		l.t.Fatal(err)
	}
	state, err := l.router.State(l.t.Context(), d)
	if err != nil || !near(state, after) {
		l.t.Fatalf("it stands as %+v, %v; want %+v", state, err, after)
	}
}

func off(s *internet.State) { s.Off = true }
func on(s *internet.State)  { s.Off, s.Until = false, time.Time{} }

// TestRealPackets cuts and restores with real packets through a real nftables.
func TestRealPackets(t *testing.T) {
	l := startLAN(t)
	l.Must(l.In(lantest.Router, "nft", "add table inet family; add chain inet family own { type filter hook forward priority 0; policy accept; }; add rule inet family own tcp dport 25 drop comment \"no mail\"")...)
	others := l.Must(l.In(lantest.Router, "nft", "list", "table", "inet", "family")...)

	l.Want(lantest.Tablet, true)
	l.become(0, off)
	l.Want(lantest.Tablet, false)
	l.Want(lantest.Console, true) // the other device is not touched
	l.become(1, off)              // this one by its addresses
	l.Want(lantest.Console, false)

	l.restart()
	l.Want(lantest.Tablet, false) // a restart of askhub gives nothing back
	if s, err := l.router.State(t.Context(), l.o.Devices[0]); err != nil || !s.Off {
		t.Errorf("after a restart it stands as %+v, %v", s, err)
	}
	l.become(0, on)
	l.Want(lantest.Tablet, true)
	l.Want(lantest.Console, false)
	l.become(1, on)
	l.Want(lantest.Console, true)
	if after := l.Must(l.In(lantest.Router, "nft", "list", "table", "inet", "family")...); after != others {
		t.Errorf("the router's own rules were %s and are %s", others, after)
	}
}

func TestACutForSomeTimeEndsInTheKernel(t *testing.T) {
	l := startLAN(t)
	l.become(0, func(s *internet.State) { s.Off, s.Until = true, l.now.Add(15*time.Second) })
	if l.Flows(lantest.Tablet, 4) {
		t.Error("its packets flow")
	}
	for limit := time.Now().Add(60 * time.Second); !l.Flows(lantest.Tablet, 4); {
		if time.Now().After(limit) {
			t.Fatal("it did not end by itself")
		}
	}
	if s, err := l.router.State(t.Context(), l.o.Devices[0]); err != nil || s.Off {
		t.Errorf("it stands as %+v, %v", s, err)
	}
}

func TestABedtimeHoldsThePackets(t *testing.T) {
	l := startLAN(t)
	bed := &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: internet.Days}
	l.become(0, func(s *internet.State) { s.Bedtime = bed })
	l.Want(lantest.Tablet, true) // it is eight
	l.now = l.now.Add(2 * time.Hour)
	l.restart() // the bedtime is kept over a restart
	l.keep()
	l.Want(lantest.Tablet, false)
	l.Want(lantest.Console, true)
	if s, err := l.router.State(t.Context(), l.o.Devices[0]); err != nil || s.Off || s.Bedtime == nil || !s.Bedtime.Equal(*bed) {
		t.Errorf("in its bedtime it stands as %+v, %v", s, err)
	}
	if held, err := l.router.held(t.Context()); err != nil || held[element{"bed_mac", lantest.TabletMAC}].left < 8*time.Hour {
		t.Errorf("the kernel does not end it at seven: %v, %v", held, err)
	}
	l.become(0, func(s *internet.State) { s.Bedtime = nil })
	l.Want(lantest.Tablet, true)
}

func TestADaysLimitHoldsThePacketsUntilMidnight(t *testing.T) {
	l := startLAN(t)
	l.become(0, func(s *internet.State) { s.Limit = 2 })
	l.keep()
	pass := func() {
		l.now = l.now.Add(61 * time.Second)
		l.keep()
	}
	l.Send(lantest.Tablet, 30_000)
	pass()
	pass() // a minute in which nobody is at it
	l.Want(lantest.Tablet, true)
	l.restart() // what was used is kept
	l.keep()
	l.Send(lantest.Tablet, 30_000)
	pass()
	l.Want(lantest.Tablet, false)
	l.Want(lantest.Console, true)
	s, err := l.router.State(t.Context(), l.o.Devices[0])
	if err != nil || !s.Spent || s.Used != 2 || s.Off {
		t.Errorf("it stands as %+v, %v", s, err)
	}
	if held, err := l.router.held(t.Context()); err != nil || held[element{"bed_mac", lantest.TabletMAC}].left > 4*time.Hour {
		t.Errorf("the kernel does not end it at midnight: %v, %v", held, err)
	}
	l.now = l.now.Add(5 * time.Hour)
	l.keep()
	l.Want(lantest.Tablet, true) // a new day
}

func (l *lan) keep() {
	l.t.Helper()
	if err := l.router.byTheClock(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

func TestATableThatIsNotWholeIsMadeAnew(t *testing.T) {
	l := startLAN(t)
	l.become(0, off)
	l.Must(l.In(lantest.Router, "nft", "flush chain inet askhub forward")...)
	l.Want(lantest.Tablet, true) // somebody took the rules away
	if s, err := l.router.State(t.Context(), l.o.Devices[0]); err != nil || !s.Off {
		t.Fatalf("it stands as %+v, %v", s, err)
	}
	l.Want(lantest.Tablet, false)
	l.Must(l.In(lantest.Router, "nft", "delete table inet askhub")...)
	if s, err := l.router.State(t.Context(), l.o.Devices[0]); err != nil || s.Off {
		t.Errorf("without a table it stands as %+v, %v", s, err)
	}
}

func TestADeviceThatMovedIsNotChanged(t *testing.T) {
	l := startLAN(t)
	l.become(0, off)
	err := l.router.Apply(t.Context(), l.o.Devices[0], internet.State{}, internet.State{Off: true}, false)
	if !errors.Is(err, internet.ErrMoved) {
		t.Errorf("it says %v", err)
	}
}

func TestADeviceWithAnotherIDSinceItsCutIsGivenBack(t *testing.T) {
	l := startLAN(t)
	l.become(0, off)
	l.o.Devices[0].IDs = append(l.o.Devices[0].IDs, "02:00:00:00:00:99")
	l.restart()
	l.Want(lantest.Tablet, false)
	l.become(0, on)
	l.Want(lantest.Tablet, true)
}

// TestDnsmasqTellsWhoAskedForWhat reads a real dnsmasq's log.
func TestDnsmasqTellsWhoAskedForWhat(t *testing.T) {
	l := startLAN(t)
	l.now = time.Now()
	l.o.Log, l.o.Zone = l.Dnsmasq(), time.Local
	l.restart()
	since := time.Now().Add(-time.Minute)
	if !l.LookUp(lantest.Tablet, "video.example", lantest.RouterIP4) || !l.LookUp(lantest.Console, "game.example", lantest.RouterIP6Console) {
		t.Fatal("dnsmasq does not answer")
	}
	found := map[string]bool{}
	l.Until(func() bool {
		_, err := l.router.Lookups(t.Context(), l.o.Devices, since, func(a internet.Lookup) { found[a.Device+" "+a.Name] = true })
		if err != nil {
			t.Fatal(err)
		}
		return len(found) > 1
	})
	if !found["Harry's tablet video.example"] || !found["Harry's console game.example"] {
		t.Errorf("it read %v", found)
	}
}

func TestTheRouterConforms(t *testing.T) {
	l := startLAN(t)
	backendtest.Check(t, func(t *testing.T) backendtest.Setup {
		l.Must(l.In(lantest.Router, "nft", "flush", "ruleset")...)
		l.o.File = t.TempDir() + "/bedtimes.json"
		l.restart()
		return backendtest.Setup{Backend: l.router, Device: l.o.Devices[0], Other: l.o.Devices[1], Now: l.o.Now}
	})
}

// BenchmarkACut is the project's own time of a yes: what was set is read, changed and read back.
func BenchmarkACut(b *testing.B) {
	network := lantest.Start(b)
	device := internet.Device{Name: "Harry's tablet", IDs: []string{lantest.TabletMAC}}
	r, err := New(Options{Nft: network.In(lantest.Router, "nft"), File: b.TempDir() + "/bedtimes.json", Devices: []internet.Device{device}})
	if err != nil {
		b.Fatal(err)
	}
	before, after := internet.State{}, internet.State{Off: true}
	for b.Loop() {
		if err := r.Apply(b.Context(), device, before, after, false); err != nil {
			b.Fatal(err)
		}
		before, after = after, before
	}
}
