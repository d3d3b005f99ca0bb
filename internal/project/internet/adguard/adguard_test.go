package adguard

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/backendtest"
)

var (
	harrys = internet.Device{Name: "Harry's tablet", Person: "harry", IDs: []string{"02:00:00:00:00:11"}}
	emmas  = internet.Device{Name: "Emma's laptop", Person: "emma", IDs: []string{"emmas-laptop"}}
	nights = []string{"mon", "tue", "wed", "thu", "sun"}
	zone   = time.FixedZone("Europe/London", 0)
)

func (s *standIn) home(change func(*Options)) *Home {
	s.t.Helper()
	o := Options{URL: s.URL, Username: user, Password: password, Zone: zone}
	if change != nil {
		change(&o)
	}
	h, err := New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func state(t testing.TB, h *Home, d internet.Device) internet.State {
	t.Helper()
	s, err := h.State(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// become changes a device as an approval does, and sees that it stands so.
func become(t testing.TB, h *Home, d internet.Device, change func(*internet.State)) {
	t.Helper()
	before := state(t, h, d)
	after := before
	change(&after)
	for _, check := range []bool{true, false} {
		if err := h.Apply(t.Context(), d, before, after, check); err != nil {
			t.Fatal(err)
		}
	}
	if got := state(t, h, d); !got.Equal(after) {
		t.Fatalf("it stands as %+v, want %+v", got, after)
	}
}

func TestCuttingAndRestoringKeepsEveryOtherRuleInItsPlace(t *testing.T) {
	s := newStandIn(t)
	h := s.home(nil)
	own, client := slices.Clone(s.rules), s.client(0)
	become(t, h, harrys, func(s *internet.State) { s.Off = true })
	want := append(slices.Clone(own), `||*^$client='Harry\'s tablet',important`)
	if !slices.Equal(s.rules, want) {
		t.Errorf("cut, the rules are %q, want %q", s.rules, want)
	}
	s.rules = append(s.rules, "||added.example^ ! by somebody else")
	become(t, h, harrys, func(s *internet.State) { s.Off = false })
	if want := append(slices.Clone(own), "||added.example^ ! by somebody else"); !slices.Equal(s.rules, want) {
		t.Errorf("restored, the rules are %q, want %q", s.rules, want)
	}
	if s.client(0) != client {
		t.Errorf("the client became %s", s.client(0))
	}
}

func TestACheckWritesNothing(t *testing.T) {
	s := newStandIn(t)
	h := s.home(nil)
	if err := h.Apply(t.Context(), harrys, internet.State{}, internet.State{Off: true}, true); err != nil || len(s.writes) != 0 {
		t.Errorf("a check wrote %v, %v", s.writes, err)
	}
}

func TestSitesAreRulesOfOneDevice(t *testing.T) {
	s := newStandIn(t)
	h := s.home(nil)
	become(t, h, harrys, func(s *internet.State) { s.Sites = []string{"roblox.com", "tiktok.com"} })
	if got := state(t, h, emmas); len(got.Sites) != 0 {
		t.Errorf("the other device has %v", got.Sites)
	}
	become(t, h, harrys, func(s *internet.State) { s.Sites = []string{"roblox.com"} })
	if last := s.rules[len(s.rules)-1]; last != `||roblox.com^$client='Harry\'s tablet',important` || len(s.rules) != 4 {
		t.Errorf("the rules are %q", s.rules)
	}
}

func TestAClientIsWrittenBackWhole(t *testing.T) {
	s := newStandIn(t)
	h := s.home(nil)
	before := s.client(0)
	become(t, h, harrys, func(s *internet.State) { s.Services = []string{"tiktok", "youtube"} })
	if got := s.clients[0]["blocked_services"]; !reflect.DeepEqual(got, []any{"tiktok", "youtube"}) {
		t.Errorf("blocked are %v", got)
	}
	for _, field := range []string{"tags", "upstreams", "safe_search", "ignore_statistics", "upstreams_cache_size", "of_a_later_version", "parental_enabled"} {
		if s.clients[0][field] == nil {
			t.Errorf("%s is gone", field)
		}
	}
	become(t, h, harrys, func(s *internet.State) { s.Services = nil })
	after := strings.Replace(s.client(0), `"time_zone":"Europe/London"`, `"time_zone":"Local"`, 1)
	if after != before {
		t.Errorf("and back, the client is\n%s, it was\n%s", after, before)
	}
}

// A schedule pauses blocking, so a bedtime is what the pauses leave.
func TestBedtimeAtNineIsTheRestOfThePauses(t *testing.T) {
	s := newStandIn(t)
	h := s.home(nil)
	become(t, h, harrys, func(s *internet.State) { s.Bedtime = &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: nights} })
	const hour = 3600 * 1000.0
	want := map[string]any{"time_zone": "Europe/London"}
	for day, w := range map[string][2]float64{
		"mon": {7, 21}, "tue": {7, 21}, "wed": {7, 21}, "thu": {7, 21}, "fri": {7, 24}, "sat": {0, 24}, "sun": {0, 21},
	} {
		want[day] = map[string]any{"start": w[0] * hour, "end": w[1] * hour}
	}
	if got := s.clients[0]["blocked_services_schedule"]; !reflect.DeepEqual(got, want) {
		t.Errorf("the schedule is\n%v, want\n%v", got, want)
	}
	if got := s.clients[0]["blocked_services"]; len(got.([]any)) != len(knownServices) {
		t.Errorf("at bedtime only %v are blocked", got)
	}
	become(t, h, harrys, func(s *internet.State) {
		s.Bedtime = &internet.Bedtime{From: 20*60 + 30, To: 7 * 60, Days: internet.Days}
	})
	become(t, h, harrys, func(s *internet.State) { s.Bedtime = nil })
	if got := s.clients[0]["blocked_services"]; len(got.([]any)) != 0 {
		t.Errorf("without a bedtime %v are blocked at all times", got)
	}
}

// Each bedtime over midnight reads back as it was set, whatever its days.
func TestEveryBedtimeReadsBack(t *testing.T) {
	s := newStandIn(t)
	h := s.home(nil)
	for days := 1; days < 128; days++ {
		b := &internet.Bedtime{From: 21 * 60, To: internet.Clock(days * 7 % (21 * 60)), Days: nil}
		for i, d := range internet.Days {
			if days>>i&1 == 1 {
				b.Days = append(b.Days, d)
			}
		}
		become(t, h, harrys, func(s *internet.State) { s.Bedtime = b })
		midnight := *b
		midnight.To = 0
		become(t, h, harrys, func(s *internet.State) { s.Bedtime = &midnight })
	}
}

func TestWhatAdGuardHomeCannotDoIsSaidBeforeItIsAskedFor(t *testing.T) {
	for name, try := range map[string]struct {
		device internet.Device
		setup  func(*standIn)
		after  internet.State
		field  string
		words  string
	}{
		"a bedtime within a day":          {device: harrys, after: internet.State{Bedtime: &internet.Bedtime{From: 13 * 60, To: 15 * 60, Days: nights}}, field: "to", words: "over midnight"},
		"a bedtime after midnight":        {device: harrys, after: internet.State{Bedtime: &internet.Bedtime{From: 30, To: 7 * 60, Days: nights}}, field: "to", words: "over midnight"},
		"a bedtime beside services":       {device: harrys, setup: func(s *standIn) { s.clients[0]["blocked_services"] = []string{"youtube"} }, after: internet.State{Services: []string{"youtube"}, Bedtime: &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: nights}}, field: "device", words: "one schedule"},
		"a device of the household's own": {device: emmas, setup: func(s *standIn) { s.global = []string{"tiktok"} }, after: internet.State{Services: []string{"youtube"}}, field: "device", words: "whole household"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t)
			if try.setup != nil {
				try.setup(s)
			}
			h := s.home(nil)
			err := h.Apply(t.Context(), try.device, state(t, h, try.device), try.after, true)
			var not *internet.ImpossibleError
			if !errors.As(err, &not) || not.Field != try.field || !strings.Contains(not.Why, try.words) {
				t.Errorf("it says %v", err)
			}
			if len(s.writes) != 0 {
				t.Errorf("it wrote %v", s.writes)
			}
		})
	}
}

func TestAServiceBesideABedtimeIsRefused(t *testing.T) {
	s := newStandIn(t)
	h := s.home(nil)
	become(t, h, harrys, func(s *internet.State) { s.Bedtime = &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: nights} })
	before := state(t, h, harrys)
	after := before
	after.Services = []string{"youtube"}
	var not *internet.ImpossibleError
	if err := h.Apply(t.Context(), harrys, before, after, true); !errors.As(err, &not) || not.Field != "service" {
		t.Errorf("it says %v", err)
	}
}

func TestAnEmptyScheduleIsNobodysOwn(t *testing.T) {
	s := newStandIn(t)
	s.clients[0]["blocked_services_schedule"] = map[string]any{"time_zone": "Local", "mon": map[string]any{"start": 0, "end": 0}, "tue": nil}
	become(t, s.home(nil), harrys, func(s *internet.State) { s.Services = []string{"tiktok"} })
}

// A schedule that the household made for itself is told as what it is, and never written over.
func TestAScheduleOfTheHouseholdsOwnIsKept(t *testing.T) {
	const hour = 3600 * 1000.0
	all := []string{"roblox", "tiktok", "youtube"}
	nap := map[string]any{"time_zone": "Local", "mon": map[string]any{"start": 13 * hour, "end": 15 * hour}}
	bed := map[string]any{"time_zone": "Local"}
	for _, day := range internet.Days {
		bed[day] = map[string]any{"start": 7 * hour, "end": 21 * hour}
	}
	for name, try := range map[string]struct {
		services []string
		schedule map[string]any
		global   bool
		want     []string
	}{
		"a pause of all services":          {services: all, schedule: nap, want: all},
		"a pause of one service":           {services: []string{"youtube"}, schedule: nap, want: []string{"youtube"}},
		"a pause of none yet":              {services: []string{}, schedule: nap},
		"a bedtime of one service":         {services: []string{"youtube"}, schedule: bed, want: []string{"youtube"}},
		"a bedtime beside the household's": {services: all, schedule: bed, global: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t)
			c := s.clients[0]
			c["blocked_services"], c["blocked_services_schedule"], c["use_global_blocked_services"] = try.services, try.schedule, try.global
			h := s.home(nil)
			before := state(t, h, harrys)
			if before.Bedtime != nil || before.Services != nil || !slices.Equal(before.Scheduled, try.want) {
				t.Errorf("it reads as %+v", before)
			}
			for _, change := range []func(*internet.State){
				func(s *internet.State) { s.Services = []string{"tiktok"} },
				func(s *internet.State) { s.Bedtime = &internet.Bedtime{From: 20 * 60, To: 7 * 60, Days: nights} },
			} {
				after := before
				change(&after)
				var not *internet.ImpossibleError
				if err := h.Apply(t.Context(), harrys, before, after, false); !errors.As(err, &not) || not.Field != "device" || !strings.Contains(not.Why, "schedule of its own") {
					t.Errorf("it says %v", err)
				}
			}
			if len(s.writes) != 0 {
				t.Errorf("it wrote %v", s.writes)
			}
			become(t, h, harrys, func(s *internet.State) { s.Off, s.Sites = true, []string{"a.example"} })
		})
	}
}

// AdGuard Home takes a rule that does not hold, and a cut that cuts nothing is no cut.
func TestWhatWouldNotHoldIsNotSet(t *testing.T) {
	bed := &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: nights}
	for name, try := range map[string]struct {
		setup func(*standIn)
		after internet.State
		words string // "" is that it can be done
	}{
		"filtering is off":                    {func(s *standIn) { s.enabled = false }, internet.State{Off: true}, "filtering is switched off, so"},
		"filtering is off for the device":     {func(s *standIn) { s.clients[0]["filtering_enabled"] = false }, internet.State{Sites: []string{"a.example"}}, "switched off for Harry's tablet"},
		"protection is paused":                {func(s *standIn) { s.paused = true }, internet.State{Off: true}, "protection is switched off"},
		"protection is paused, for a bedtime": {func(s *standIn) { s.paused = true }, internet.State{Bedtime: bed}, "protection is switched off"},
		"filtering is off, for a bedtime":     {func(s *standIn) { s.enabled = false }, internet.State{Bedtime: bed}, ""},
		"the device follows the household": {func(s *standIn) {
			s.clients[0]["filtering_enabled"], s.clients[0]["use_global_settings"] = false, true
		}, internet.State{Off: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t)
			try.setup(s)
			err := s.home(nil).Apply(t.Context(), harrys, internet.State{}, try.after, true)
			var down *internet.UnableError
			if try.words == "" && err != nil || try.words != "" && (!errors.As(err, &down) || !strings.Contains(down.Why, try.words)) {
				t.Errorf("it says %v, want %q", err, try.words)
			}
			if len(s.writes) != 0 {
				t.Errorf("it wrote %v", s.writes)
			}
		})
	}
}

func TestADeviceThatMovedIsNotChanged(t *testing.T) {
	s := newStandIn(t)
	h := s.home(nil)
	become(t, h, harrys, func(s *internet.State) { s.Off = true })
	writes := len(s.writes)
	if err := h.Apply(t.Context(), harrys, internet.State{}, internet.State{Sites: []string{"a.example"}}, false); !errors.Is(err, internet.ErrMoved) {
		t.Errorf("it says %v", err)
	}
	if len(s.writes) != writes {
		t.Error("it was written all the same")
	}
}

func TestWithoutAPasswordNothingIsAsked(t *testing.T) {
	s := newStandIn(t)
	h := s.home(func(o *Options) { o.Password = "" })
	if _, err := h.State(t.Context(), harrys); err == nil || !strings.Contains(err.Error(), whyNoPassword) || s.calls != 0 {
		t.Errorf("it says %v after %d calls", err, s.calls)
	}
}

func TestWhatGoesWrongIsToldInPlainWords(t *testing.T) {
	for name, try := range map[string]struct {
		breaks func(*standIn)
		device internet.Device
		words  string
	}{
		"an error of its own":   {breaks: func(s *standIn) { s.before = func(*http.Request) int { return 500 } }, device: harrys, words: whyFull},
		"a redirect":            {breaks: func(s *standIn) { s.before = func(*http.Request) int { return 302 } }, device: harrys, words: whyOdd},
		"it is gone":            {breaks: func(s *standIn) { s.Close() }, device: harrys, words: whyDown},
		"an unknown device":     {device: internet.Device{Name: "Tom's phone", IDs: []string{"192.168.1.77"}}, words: "Tom's phone is no client of AdGuard Home; add it there with one of its ids"},
		"a device of two names": {breaks: func(s *standIn) { s.clients[1]["ids"] = []string{"02:00:00:00:00:11"} }, device: harrys, words: "two clients of AdGuard Home have an id of Harry's tablet"},
		"a client that is odd":  {breaks: func(s *standIn) { s.clients[0]["ids"] = 7 }, device: harrys, words: whyOdd},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t)
			h := s.home(nil)
			if try.breaks != nil {
				try.breaks(s)
			}
			_, err := h.State(t.Context(), try.device)
			var down *internet.UnableError
			if !errors.As(err, &down) || down.Why != try.words {
				t.Errorf("it says %v", err)
			}
		})
	}
}

// A reply that is lost after the change was made leaves nobody sure, and the project looks.
func TestALostReplyIsUncertain(t *testing.T) {
	for name, lose := range map[string]func(s *standIn){
		"after it was done": func(s *standIn) { s.after = func(r *http.Request) bool { return r.Method == http.MethodPost } },
		"by an error of its": func(s *standIn) {
			s.before = func(r *http.Request) int { return map[string]int{"POST": 502}[r.Method] }
		},
		"when it is read back": func(s *standIn) {
			s.after = func(r *http.Request) bool { return r.Method == "GET" && len(s.writes) > 0 }
		},
		"by somebody in between": func(s *standIn) {
			s.after = func(r *http.Request) bool {
				if r.Method == http.MethodPost {
					s.rules = nil
				}
				return false
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t)
			h := s.home(nil)
			lose(s)
			if err := h.Apply(t.Context(), harrys, internet.State{}, internet.State{Off: true}, false); !errors.Is(err, internet.ErrUncertain) {
				t.Errorf("it says %v", err)
			}
		})
	}
}

func TestTheQueryLogIsReadByWhoAsked(t *testing.T) {
	s := newStandIn(t)
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	h := s.home(func(o *Options) { o.Now = func() time.Time { return now } })
	old := now.Add(-3 * time.Hour)
	s.asked("Harry's tablet", "192.168.1.20", "too-old.example", "NotFilteredNotFound", old)
	for i := range 2500 {
		s.asked("Harry's tablet", "192.168.1.20", "video.example", "NotFilteredNotFound", old.Add(time.Hour+time.Duration(i)*time.Second))
	}
	s.asked("Harry's tablet", "192.168.1.20", "ads.example", "FilteredBlackList", now.Add(-time.Minute))
	s.asked("Harry's tablet", "192.168.1.20", "tiktok.com", "FilteredBlockedService", now.Add(-time.Minute))
	s.asked("somebody", "192.168.1.50", "Harry's tablet", "NotFilteredNotFound", now.Add(-time.Minute))
	counts := map[string]int{}
	read, err := h.Lookups(t.Context(), []internet.Device{harrys}, now.Add(-2*time.Hour), func(l internet.Lookup) {
		if l.Device != harrys.Name || l.Blocked != (l.Name == "ads.example" || l.Name == "tiktok.com") {
			t.Errorf("it read %+v", l)
		}
		counts[l.Name]++
	})
	if err != nil || !read.From.Equal(now.Add(-2*time.Hour)) || len(read.Lost) != 0 {
		t.Fatalf("%+v, %v", read, err)
	}
	if want := map[string]int{"video.example": 2500, "ads.example": 1, "tiktok.com": 1}; !reflect.DeepEqual(counts, want) {
		t.Errorf("it read %v, want %v", counts, want)
	}
}

func TestWhatTheQueryLogDoesNotTellIsOwnedUpTo(t *testing.T) {
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	for name, try := range map[string]struct {
		setup func(*standIn)
		words string
		lost  string
		from  time.Duration
	}{
		"it is off":               {setup: func(s *standIn) { s.config["enabled"] = false }, words: "AdGuard Home's query log is switched off"},
		"it hides who asked":      {setup: func(s *standIn) { s.config["anonymize_client_ip"] = true }, words: "AdGuard Home hides in its query log who asked"},
		"a device is left out":    {setup: func(s *standIn) { s.clients[0]["ignore_querylog"] = true }, lost: "AdGuard Home is told to keep Harry's tablet out of its query log", from: 48 * time.Hour},
		"it keeps a day":          {setup: func(s *standIn) { s.config["interval"] = 86_400_000.0 }, from: 24 * time.Hour},
		"the device is not there": {setup: func(s *standIn) { s.clients = s.clients[1:] }, lost: "Harry's tablet is no client of AdGuard Home; add it there with one of its ids", from: 48 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t)
			h := s.home(func(o *Options) { o.Now = func() time.Time { return now } })
			try.setup(s)
			read, err := h.Lookups(t.Context(), []internet.Device{harrys, emmas}, now.Add(-48*time.Hour), func(internet.Lookup) {})
			if try.words != "" {
				if down := (&internet.UnableError{}); !errors.As(err, &down) || down.Why != try.words {
					t.Errorf("it says %v", err)
				}
				return
			}
			if err != nil || !read.From.Equal(now.Add(-try.from)) {
				t.Errorf("it is known from %v, %v", read.From, err)
			}
			if try.lost != "" && (len(read.Lost) != 1 || read.Lost[0].Device != harrys.Name || read.Lost[0].Why.Error() != try.lost) {
				t.Errorf("lost is %v", read.Lost)
			}
		})
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for _, url := range []string{"", "192.168.1.2", "ftp://192.168.1.2", "http://user:pass@192.168.1.2", "http://192.168.1.2?x=1", "http://"} {
		if _, err := New(Options{URL: url}); err == nil || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// FuzzRuleOf holds that the rule made for a client is read back for it, and for no other.
func FuzzRuleOf(f *testing.F) {
	for _, name := range []string{"Harry's tablet", `a\'b`, `x,y|z"q`, "||*^$client='a'", ""} {
		f.Add(name, "tiktok.com")
	}
	f.Fuzz(func(t *testing.T, client, site string) {
		if !internet.GoodSite(site) || strings.ContainsAny(client, "\n\r") {
			return
		}
		if got, ok := siteOf(siteRule(site, client), client); !ok || got != site {
			t.Errorf("%q of %q reads back as %q, %v", site, client, got, ok)
		}
		if _, ok := siteOf(siteRule(site, client), client+"x"); ok {
			t.Error("a rule of one client is read as another's")
		}
		if _, ok := siteOf(cutRule(client), client); ok {
			t.Error("a cut is read as a site")
		}
	})
}

// FuzzBedtimeOf holds that no schedule, however odd, makes it panic or read an impossible bedtime.
func FuzzBedtimeOf(f *testing.F) {
	f.Add([]byte(`{"mon":{"start":25200000,"end":75600000}}`))
	f.Add([]byte(`{"mon":{"start":-1,"end":1e300},"tue":null,"wed":[]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var o object
		if json.Unmarshal(raw, &o) != nil {
			return
		}
		if b, ok := bedtimeOf(o); ok && (len(b.Days) == 0 || b.From < 0 || b.To < 0 || b.From > 1439 || b.To > 1439 || !b.Overnight()) {
			t.Errorf("%s is read as %+v", raw, b)
		}
	})
}

// TestLive runs against a real AdGuard Home, and leaves it as it was. It needs a client
// with the id that ASKHUB_ADGUARD_DEVICE names, and whose internet may be cut for a moment.
func TestLive(t *testing.T) {
	url, id := os.Getenv("ASKHUB_ADGUARD_URL"), os.Getenv("ASKHUB_ADGUARD_DEVICE")
	if url == "" || id == "" {
		t.Skip("no AdGuard Home is there: set ASKHUB_ADGUARD_URL, ASKHUB_ADGUARD_USER, ASKHUB_ADGUARD_PASSWORD and ASKHUB_ADGUARD_DEVICE")
	}
	h, err := New(Options{URL: url, Username: os.Getenv("ASKHUB_ADGUARD_USER"), Password: os.Getenv("ASKHUB_ADGUARD_PASSWORD")})
	if err != nil {
		t.Fatal(err)
	}
	d := internet.Device{Name: "the live device", IDs: []string{internet.CanonicalID(id)}}
	began := state(t, h, d)
	rules, _, err := h.filtering(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	become(t, h, d, func(s *internet.State) { s.Off = !s.Off })
	become(t, h, d, func(s *internet.State) { s.Off = began.Off })
	become(t, h, d, func(s *internet.State) { s.Sites = append(slices.Clone(s.Sites), "zz-askhub.example") })
	become(t, h, d, func(s *internet.State) { s.Sites = began.Sites })
	if began.Bedtime == nil && len(began.Services) == 0 {
		become(t, h, d, func(s *internet.State) { s.Bedtime = &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: nights} })
		become(t, h, d, func(s *internet.State) { s.Bedtime = nil })
	}
	after, _, err := h.filtering(t.Context())
	if err != nil || !slices.Equal(rules, after) {
		t.Errorf("the rules were %q and are %q, %v", rules, after, err)
	}
	if _, err := h.Lookups(t.Context(), []internet.Device{d}, time.Now().Add(-time.Hour), func(internet.Lookup) {}); err != nil {
		t.Error(err)
	}
}

func TestAdGuardHomeConforms(t *testing.T) {
	backendtest.Check(t, func(t *testing.T) backendtest.Setup {
		stranger := internet.Device{Name: "Tom's phone", IDs: []string{"192.168.1.77"}}
		return backendtest.Setup{Backend: newStandIn(t).home(nil), Device: harrys, Other: emmas, Stranger: stranger, Now: time.Now}
	})
}

// A network that hangs holds nobody up beyond the time that the caller has.
func TestASlowAdGuardHomeIsGivenUpInTime(t *testing.T) {
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the caller is seen
		<-r.Context().Done()
	}))
	t.Cleanup(hangs.Close)
	h, err := New(Options{URL: hangs.URL, Username: user, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = h.State(ctx, harrys)
	var down *internet.UnableError
	if !errors.As(err, &down) || down.Why != whySlow {
		t.Errorf("it says %v", err)
	}
	if err := h.post(ctx, "/filtering/set_rules", map[string]any{}); !errors.Is(err, internet.ErrUncertain) && !errors.As(err, &down) {
		t.Errorf("of a write it says %v", err)
	}
}

// A reply without an end is not read without an end.
func TestAnEndlessReplyIsCutOff(t *testing.T) {
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := []byte(strings.Repeat(" ", 1<<20))
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	t.Cleanup(endless.Close)
	h, err := New(Options{URL: endless.URL, Username: user, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.State(t.Context(), harrys)
	var down *internet.UnableError
	if !errors.As(err, &down) || down.Why != whyOdd {
		t.Errorf("it says %v", err)
	}
}
