package internet

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

func TestABedtimeHoldsFromItsEveningToTheMorning(t *testing.T) {
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Skip("the time zones are missing here: ", err)
	}
	school := Bedtime{From: 21 * 60, To: 7 * 60, Days: []string{"mon", "tue", "wed", "thu", "sun"}}
	nap := Bedtime{From: 13 * 60, To: 14 * 60, Days: []string{"sat"}}
	late := Bedtime{From: 30, To: 7 * 60, Days: []string{"sat"}}
	for name, try := range map[string]struct {
		b   Bedtime
		at  string
		end string // "" is none
	}{
		"a minute before":                  {school, "2026-11-30 20:59", ""},
		"as it begins":                     {school, "2026-11-30 21:00", "2026-12-01 07:00"},
		"in the night":                     {school, "2026-12-01 03:00", "2026-12-01 07:00"},
		"as it ends":                       {school, "2026-12-01 07:00", ""},
		"friday night is free":             {school, "2026-12-04 23:00", ""},
		"saturday morning after a friday":  {school, "2026-12-05 03:00", ""},
		"sunday evening":                   {school, "2026-12-06 22:00", "2026-12-07 07:00"},
		"within a day":                     {nap, "2026-12-05 13:30", "2026-12-05 14:00"},
		"within another day":               {nap, "2026-12-06 13:30", ""},
		"after midnight, of that day":      {late, "2026-12-05 03:00", "2026-12-05 07:00"},
		"the night in which clocks go on":  {school, "2026-03-30 00:30", "2026-03-30 07:00"},
		"the hour that there is not":       {school, "2026-03-29 22:00", "2026-03-30 07:00"},
		"the night in which they go back":  {school, "2026-10-26 01:30", "2026-10-26 07:00"},
		"the evening before they go back":  {Bedtime{From: 21 * 60, To: 7 * 60, Days: []string{"sat"}}, "2026-10-24 23:00", "2026-10-25 07:00"},
		"the evening before they go ahead": {Bedtime{From: 21 * 60, To: 7 * 60, Days: []string{"sat"}}, "2026-03-28 23:00", "2026-03-29 07:00"},
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04", try.at, london)
		if err != nil {
			t.Fatal(err)
		}
		end, ok := try.b.Holds(at)
		if got := end.Format("2006-01-02 15:04"); ok != (try.end != "") || ok && got != try.end {
			t.Errorf("%s: at %s it holds until %s, %v; want %q", name, try.at, got, ok, try.end)
		}
	}
}

func TestAClockIsReadToTheMinuteAndNothingElse(t *testing.T) {
	for text, want := range map[string]int{
		"21:00": 1260, "7:05": 425, "00:00": 0, "23:59": 1439,
		"24:00": -1, "21": -1, "21:0": -1, "21:000": -1, "21:00:00": -1, "-1:00": -1, "+1:00": -1, "1:60": -1, "21 :00": -1, "９:00": -1, "": -1, "021:00": -1,
	} {
		c, ok := ParseClock(text)
		if ok != (want >= 0) || ok && int(c) != want {
			t.Errorf("%q is read as %d, %v", text, c, ok)
		}
	}
}

func TestAStateSurvivesItsWireForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := State{
			Off: rapid.Bool().Draw(t, "off"), Limit: rapid.IntRange(0, 1440).Draw(t, "limit"),
			Sites: rapid.SampledFrom([][]string{nil, {"a.example"}, {"a.example", "b.example"}}).Draw(t, "sites"),
		}
		if rapid.Bool().Draw(t, "has bedtime") {
			s.Bedtime = &Bedtime{From: Clock(rapid.IntRange(0, 1439).Draw(t, "from")), To: Clock(rapid.IntRange(0, 1439).Draw(t, "to")), Days: Days}
		}
		if s.Off && rapid.Bool().Draw(t, "timed") {
			s.Until = time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "until"), 0).UTC()
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back State
		if err := json.Unmarshal(raw, &back, json.RejectUnknownMembers(true)); err != nil || !back.Equal(s) {
			t.Fatalf("%s is read as %+v, %v", raw, back, err)
		}
	})
}

func TestIdsHaveOneForm(t *testing.T) {
	for id, want := range map[string]string{
		"02:00:00:00:00:AB": "02:00:00:00:00:ab", "02-00-00-00-00-AB": "02:00:00:00:00:ab", "192.168.1.20": "192.168.1.20", "::ffff:192.168.1.20": "192.168.1.20",
		"FD00:0::20": "fd00::20", "emmas-laptop": "emmas-laptop",
		"": "", "0.0.0.0": "", "192.168.1.0/24": "", "fe80::1%eth0": "", "Emma": "", "-a": "", "a b": "", "a';drop": "",
	} {
		if got := CanonicalID(id); got != want {
			t.Errorf("%q is %q, want %q", id, got, want)
		}
	}
}

// FuzzGoodSite holds that nothing passes as a site that could be more than a domain in a rule.
func FuzzGoodSite(f *testing.F) {
	for _, s := range []string{"example.org", "||x^", "a..b", "xn--bcher-kva.example", "1.2.3.4", "a.b\n", "ｅxample.org"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !GoodSite(s) {
			return
		}
		for _, r := range s {
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' {
				t.Fatalf("%q passes", s)
			}
		}
	})
}
