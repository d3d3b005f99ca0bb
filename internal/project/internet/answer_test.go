package internet_test

import (
	"context"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/sample"
)

// noon is a Monday.
var noon = time.Date(2026, time.November, 30, 19, 30, 0, 0, time.UTC)

// household is the sample's, read up to noon, in which adults may see the children.
func household(t testing.TB, change func(*internet.Config)) *internet.Internet {
	t.Helper()
	now := func() time.Time { return noon }
	cfg := internet.Config{
		Zone: time.UTC, Devices: sample.Devices(), Backend: sample.New(now, time.UTC), Now: now,
		Known: func(name string) bool { return name == "sam" || name == "tom" || name == "harry" },
		MaySee: func(asker ask.Asker, person ask.Person) bool {
			return asker == "sam" || string(asker) == string(person)
		},
	}
	if change != nil {
		change(&cfg)
	}
	n, err := internet.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Refresh(t.Context()); err != nil {
		t.Log(err)
	}
	return n
}

func said(t testing.TB, n *internet.Internet, asker ask.Asker, person ask.Person, question string) string {
	t.Helper()
	a, err := n.Answer(t.Context(), ask.Question{Question: question, Asker: asker, Person: person})
	if err != nil {
		t.Fatal(err)
	}
	if a.Answer == nil {
		return "-- " + a.Reason
	}
	return *a.Answer
}

func TestAnswers(t *testing.T) {
	n := household(t, nil)
	for question, want := range map[string]string{
		"how long was Harry online today?":                "Harry has roughly 13 active ten-minute slots today.",
		"how long was Harry online?":                      "Harry has roughly 13 active ten-minute slots today.",
		"how much screen time did Harry have yesterday":   "Harry has roughly 13 active ten-minute slots yesterday.",
		"how long was Harry on the console today":         "Harry has roughly 5 active ten-minute slots today.",
		"how much screen time did Harry have on saturday": "Harry has roughly 13 active ten-minute slots on Saturday 28 November.",
		"what did Harry do online today":                  "Harry's devices asked for sites named “playstation.com”, “roblox.com” and “youtube.com” today.",
		"which sites did Harry visit yesterday":           "Harry's devices asked for sites named “playstation.com”, “roblox.com” and “youtube.com” yesterday.",
		"was Harry on youtube today?":                     "Harry's devices asked for a site named “youtube.com”, today at 17:15.",
		"was Harry on instagram":                          "Harry's devices asked for no sites named “instagram” today.",
		"what was blocked for Harry today":                "Harry's devices were refused sites named “ads.example” today.",
		"what is blocked on Harry's tablet":               "Harry has nothing blocked by the rules.",
		"what is Harry's screen time limit":               "Harry has no daily limit.",
		"when is Harry's bedtime on the internet":         "Harry has no bedtime.",
		"is Harry's internet off":                         "Harry's tablet is connected and Harry's console is connected.",
		"is Harry cut off":                                "Harry's tablet is connected and Harry's console is connected.",
		"is Harry's tablet cut off":                       "Harry's tablet is connected.",
		"how long was Harry online on 2026-11-01":         "-- that is longer ago than is kept here",
		"cut Harry's internet":                            "-- asking changes nothing here",
		"turn off Harry's wifi at nine":                   "-- asking changes nothing here",
		"give Harry 30 more minutes":                      "-- asking changes nothing here",
		"give me the sites Harry looked at today":         "Harry's devices asked for sites named “playstation.com”, “roblox.com” and “youtube.com” today.",
		"what does Harry have for dinner":                 "-- that is about something else",
	} {
		if got := said(t, n, "sam", "harry", question); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// A count of nothing is an answer too, unlike what is not known; and a day is known from
// its first moment on, though the log was last read before it.
func TestNothingYetIsSaidAsNone(t *testing.T) {
	midnight := time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)
	for _, at := range []time.Duration{0, time.Millisecond, time.Minute, 6*time.Hour + 59*time.Minute} {
		for _, old := range []time.Duration{0, time.Millisecond, 59 * time.Second} {
			now := midnight.Add(at - old)
			clock := func() time.Time { return now }
			n := household(t, func(cfg *internet.Config) { cfg.Now, cfg.Backend = clock, sample.New(clock, time.UTC) })
			now = midnight.Add(at)
			for question, want := range map[string]string{
				"how long was Harry online today?":              "Harry has no active ten-minute slots today.",
				"how long was Harry on the console today":       "Harry has no active ten-minute slots today.",
				"what did Harry do online today":                "Harry's devices asked for no sites today.",
				"was Harry on youtube today?":                   "Harry's devices asked for no sites named “youtube” today.",
				"what was blocked for Harry today":              "Harry's devices were refused no sites today.",
				"what is blocked on Harry's tablet":             "Harry has nothing blocked by the rules.",
				"what is Harry's screen time limit":             "Harry has no daily limit.",
				"when is Harry's bedtime on the internet":       "Harry has no bedtime.",
				"how much screen time did Harry have on sunday": "Harry has roughly 13 active ten-minute slots on Sunday 29 November.",
			} {
				if got := said(t, n, "sam", "harry", question); got != want {
					t.Errorf("%v after midnight, read %v before: %s\n got %s\nwant %s", at, old, question, got, want)
				}
			}
		}
	}
}

// On the day on which the clocks go forward at midnight there is no 0:00.
func TestADayWithoutAMidnightIsToday(t *testing.T) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return time.Date(2026, time.September, 6, 12, 0, 0, 0, zone) }
	n := household(t, func(cfg *internet.Config) { cfg.Now, cfg.Zone, cfg.Backend = clock, zone, sample.New(clock, zone) })
	for question, want := range map[string]string{
		"how long was Harry online today?":              "Harry has roughly 2 active ten-minute slots today.",
		"how much screen time did Harry have yesterday": "Harry has roughly 13 active ten-minute slots yesterday.",
		"was Harry on bbc today?":                       "Harry's devices asked for a site named “bbc.co.uk”, today at 7:10.",
	} {
		if got := said(t, n, "sam", "harry", question); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// down is a network that stops to answer.
type down struct {
	*sample.Network
	err error
}

func (d *down) Lookups(ctx context.Context, devices []internet.Device, since time.Time, each func(internet.Lookup)) (internet.Reading, error) {
	if d.err != nil {
		return internet.Reading{}, d.err
	}
	return d.Network.Lookups(ctx, devices, since, each)
}

func TestADayOfWhichNothingCouldBeReadIsNoDayWithoutUse(t *testing.T) {
	now := time.Date(2026, time.November, 30, 23, 59, 30, 0, time.UTC)
	clock := func() time.Time { return now }
	network := &down{Network: sample.New(clock, time.UTC)}
	n := household(t, func(cfg *internet.Config) { cfg.Now, cfg.Backend = clock, network })
	now, network.err = now.Add(time.Minute), &internet.UnableError{Why: "the network is down"}
	for question, want := range map[string]string{
		"how long was Harry online today?":              "-- the network is down",
		"how much screen time did Harry have yesterday": "Harry has roughly 13 active ten-minute slots yesterday.",
	} {
		if got := said(t, n, "sam", "harry", question); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// One answer is about one person (spec 1), and who asks is not who is meant by "the kids".
func TestSeveralPeopleAtOnceAreNotAnsweredFor(t *testing.T) {
	n := household(t, nil)
	for _, question := range []string{"what did the kids do online", "who is cut off", "how long was everybody online today"} {
		if got := said(t, n, "sam", "", question); got != "-- that is about several people, and I can answer for one at a time" {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// standing is a network in which devices stand as they are told.
type standing struct {
	*sample.Network
	states map[string]internet.State
}

func (s standing) State(_ context.Context, d internet.Device) (internet.State, error) {
	return s.states[d.Name], nil
}

func TestHowADeviceStandsIsSaidAsItIs(t *testing.T) {
	bed := &internet.Bedtime{From: 19 * 60, To: 7 * 60, Days: internet.Days}
	later := &internet.Bedtime{From: 21 * 60, To: 7 * 60, Days: []string{"fri", "sat"}}
	for name, try := range map[string]struct {
		state    internet.State
		question string
		want     string
	}{
		"cut":                   {internet.State{Off: true}, "is Harry's tablet cut off", "Harry's tablet is cut."},
		"cut for some time":     {internet.State{Off: true, Until: noon.Add(30 * time.Minute)}, "is Harry's tablet cut off", "Harry's tablet is cut until today at 20:00."},
		"in its bedtime":        {internet.State{Bedtime: bed}, "is Harry's tablet online", "Harry's tablet is off for bedtime until tomorrow at 7:00."},
		"before its bedtime":    {internet.State{Bedtime: later}, "is Harry's tablet online", "Harry's tablet is connected."},
		"spent":                 {internet.State{Limit: 60, Used: 60, Spent: true}, "is Harry's tablet online", "The limit of Harry's tablet is spent."},
		"a limit":               {internet.State{Limit: 90, Used: 20}, "what is the limit of Harry's tablet", "Harry's tablet: 90 minutes each day, 20 used."},
		"a bedtime":             {internet.State{Bedtime: bed}, "when is bedtime for Harry's tablet", "Harry's tablet: from 19:00 to 7:00."},
		"an odd bedtime":        {internet.State{Bedtime: later}, "when is bedtime for Harry's tablet", "Harry's tablet: “from 21:00 to 7:00 on Fridays and Saturdays”."},
		"sites and services":    {internet.State{Sites: []string{"roblox.com"}, Services: []string{"youtube"}}, "what is blocked on Harry's tablet", "“roblox.com” on Harry's tablet and YouTube on Harry's tablet."},
		"a schedule of its own": {internet.State{Scheduled: []string{"youtube"}}, "when is bedtime for Harry's tablet", "Harry's tablet: services are blocked at hours of its own."},
		"services at hours":     {internet.State{Sites: []string{"roblox.com"}, Scheduled: []string{"youtube"}}, "what is blocked on Harry's tablet", "“roblox.com” on Harry's tablet and YouTube on Harry's tablet “at some hours”."},
	} {
		n := household(t, func(cfg *internet.Config) {
			cfg.Backend = standing{cfg.Backend.(*sample.Network), map[string]internet.State{"Harry's tablet": try.state}}
		})
		if got := said(t, n, "sam", "harry", try.question); got != try.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, try.want)
		}
	}
}
