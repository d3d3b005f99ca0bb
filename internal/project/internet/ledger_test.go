package internet

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

var monday = time.Date(2026, time.November, 30, 0, 0, 0, 0, time.UTC)

func at(hour, minute int) time.Time {
	return monday.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

func tabletAt(hour, minute int, name string) Lookup {
	return Lookup{Device: "tablet", At: at(hour, minute), Name: name}
}

var tablets = []Device{{Name: "tablet"}}

func TestUseIsCountedInTenMinuteSlots(t *testing.T) {
	l := newLedger(time.UTC)
	refused := tabletAt(20, 0, "tiktok.com")
	refused.Blocked = true
	l.add([]Lookup{
		tabletAt(8, 0, "A.example."), tabletAt(8, 9, "a.example"), tabletAt(8, 10, "b.example"), tabletAt(23, 59, "c.example"), refused,
		{Device: "console", At: at(9, 0), Name: "d.example"},
		{Device: "tablet", At: at(-1, 0), Name: "e.example"},
	}, at(-48, 0), Reading{From: at(-48, 0)}, at(24, 0))
	u := l.day(tablets, monday)
	if u.slots != 3 || len(u.names) != 4 || u.names[0].name != "a.example" || u.names[0].count != 2 || !u.last.Equal(at(23, 59)) {
		t.Errorf("%+v", u)
	}
	if u := l.day(append(tablets, Device{Name: "console"}), monday); u.slots != 4 {
		t.Errorf("both together were active in %d slots", u.slots)
	}
}

func TestWhatIsReadTwiceCountsOnce(t *testing.T) {
	l := newLedger(time.UTC)
	l.add([]Lookup{tabletAt(8, 0, "a.example")}, monday, Reading{From: monday}, at(8, 0))
	since := l.next(at(8, 1))
	if !since.Equal(at(8, 0).Add(-overlap)) {
		t.Errorf("it reads on from %v", since)
	}
	l.add([]Lookup{tabletAt(8, 0, "a.example"), tabletAt(8, 0, "b.example")}, since, Reading{From: since}, at(8, 1))
	if u := l.day(tablets, monday); len(u.names) != 2 || u.names[0].count != 1 || u.names[1].count != 1 {
		t.Errorf("%+v", u.names)
	}
}

func TestAHoleInTheLogIsOwnedUpTo(t *testing.T) {
	l := newLedger(time.UTC)
	l.add(nil, at(-48, 0), Reading{From: at(-48, 0)}, at(8, 0))
	if u := l.day(tablets, monday); !u.from.IsZero() {
		t.Errorf("a whole day is known from %v", u.from)
	}
	l.add(nil, at(8, 0), Reading{From: at(9, 0)}, at(9, 30))
	if u := l.day(tablets, monday); !u.from.Equal(at(9, 0)) {
		t.Errorf("with a hole it is known from %v", u.from)
	}
}

func TestADeviceThatIsLostIsNoZero(t *testing.T) {
	l := newLedger(time.UTC)
	why := errors.New("it is no client")
	l.add(nil, at(-48, 0), Reading{From: at(-48, 0), Lost: []Lost{{"tablet", why}}}, at(8, 0))
	if u := l.day(tablets, monday); u.lost != 1 || !errors.Is(u.lostWhy, why) {
		t.Errorf("%+v", u)
	}
	l.add(nil, at(8, 0), Reading{From: at(8, 0)}, at(9, 0)) // it is back
	if next := l.next(at(9, 1)); next.After(monday) {
		t.Errorf("what it missed is read from %v", next)
	}
}

func TestOldDaysAreForgotten(t *testing.T) {
	l := newLedger(time.UTC)
	l.add([]Lookup{tabletAt(8, 0, "a.example")}, monday, Reading{From: monday}, at(9, 0))
	l.add(nil, at(9, 0), Reading{From: at(9, 0)}, at(keptDays*24, 0))
	if len(l.days["tablet"]) != 0 {
		t.Errorf("%d days are kept", len(l.days["tablet"]))
	}
}

// A device that asks for ever new names, as a broken or a hostile one does, takes little memory.
func TestManyNamesAreBounded(t *testing.T) {
	l := newLedger(time.UTC)
	var fresh []Lookup
	for i := range 3 * maxNames {
		fresh = append(fresh, tabletAt(8, i%60, fmt.Sprintf("n%d.example", i)))
	}
	l.add(fresh, monday, Reading{From: monday}, at(9, 30))
	if u := l.day(tablets, monday); len(u.names) != maxNames || u.slots != 6 {
		t.Errorf("%d names and %d slots", len(u.names), u.slots)
	}
}

func BenchmarkADay(b *testing.B) {
	l := newLedger(time.UTC)
	var fresh []Lookup
	for i := range 20_000 {
		fresh = append(fresh, tabletAt(i%24, i%60, fmt.Sprintf("n%d.example", i%1500)))
	}
	l.add(fresh, monday, Reading{From: monday}, at(24, 0))
	for b.Loop() {
		u := l.day(tablets, monday)
		grouped(u.names, func(n named) int { return n.count })
	}
}
