package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/compass"
	"github.com/askhub/askhub/internal/project/email"
	"github.com/askhub/askhub/internal/project/email/mailbox"
	mailsample "github.com/askhub/askhub/internal/project/email/sample"
	"github.com/askhub/askhub/internal/project/internet"
	netsample "github.com/askhub/askhub/internal/project/internet/sample"
)

// clock stands still until it is set.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

// answers is one data project.
type answers interface {
	Answer(ctx context.Context, q ask.Question) (ask.Answer, error)
	Refresh(ctx context.Context) error
}

// demoProjects are the demo's data projects as they stand where it is started at c, by
// their names.
func demoProjects(t *testing.T, c *clock) map[string]answers {
	t.Helper()
	zone := c.now.Location()
	may := func(ask.Asker, ask.Person) bool { return true }
	dir := t.TempDir()
	for name, text := range compass.Sample(c.now, zone) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calendars, err := compass.New(compass.Config{Zone: zone, Calendars: compass.SampleCalendars(dir), MaySee: may, Now: c.read})
	if err != nil {
		t.Fatal(err)
	}
	server, err := mailsample.Start(c.now, zone)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close() // what was read once is answered from
	var accounts []email.Account
	for _, p := range server.People() {
		accounts = append(accounts, email.Account{
			Person: ask.Person(p.Name), Mailboxes: []string{"INBOX", mailsample.SentMailbox},
			Account: mailbox.Account{Server: server.Address(), Security: mailbox.Plain, Username: p.Username, Password: p.Password},
		})
	}
	mail, err := email.New(email.Config{Zone: zone, Accounts: accounts, MaySee: may, Now: c.read})
	if err != nil {
		t.Fatal(err)
	}
	online, err := internet.New(internet.Config{
		Zone: zone, Devices: netsample.Devices(), Backend: netsample.New(c.read, zone), MaySee: may, Now: c.read,
	})
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]answers{compass.DefaultName: calendars, email.DefaultName: mail, internet.DefaultName: online}
	for name, p := range made {
		if err := p.Refresh(t.Context()); err != nil {
			t.Fatalf("%s at %v: %v", name, c.now, err)
		}
	}
	return made
}

// oddMoments are those at which a day or a clock is unlike others.
func oddMoments(zone *time.Location) []time.Time {
	var out []time.Time
	monday := time.Date(2026, time.November, 30, 0, 0, 0, 0, zone)
	for hour := range 7 * 24 {
		out = append(out, monday.Add(time.Duration(hour)*time.Hour))
	}
	for _, day := range []time.Time{
		monday,
		time.Date(2026, time.December, 5, 0, 0, 0, 0, zone), // a Saturday
		time.Date(2027, time.January, 1, 0, 0, 0, 0, zone),
		time.Date(2028, time.February, 29, 0, 0, 0, 0, zone),
		time.Date(2028, time.March, 1, 0, 0, 0, 0, zone),
		time.Date(2026, time.October, 25, 0, 0, 0, 0, zone), // has 25 hours in London
		time.Date(2027, time.March, 28, 0, 0, 0, 0, zone),   // and this one 23
	} {
		out = append(out, day.Add(-time.Minute), day.Add(-time.Second), day.Add(time.Second), day.Add(time.Minute))
		for half := range 8 {
			if day.Weekday() == time.Sunday {
				out = append(out, day.Add(time.Duration(half)*30*time.Minute))
			}
		}
	}
	return out
}

// Every question that the demo proposes is answered with what there is, whenever it is
// started, and where it runs on over midnight.
func TestWhatTheDemoProposesIsAnsweredAtAnyMoment(t *testing.T) {
	zone, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	proposed := map[string]struct {
		project string
		person  ask.Person
		want    string
	}{
		"what does Harry have on today?":           {compass.DefaultName, "harry", `^Harry has \S.* today\.$`},
		"what homework is due for Emma this week?": {compass.DefaultName, "emma", `^Emma has .*due`},
		"when is Harry's dentist appointment?":     {compass.DefaultName, "harry", `the dentist at 16:15`},
		"any mail from the school?":                {email.DefaultName, "sam", `“Hillside School”`},
		"how long was Harry online today?":         {internet.DefaultName, "harry", `^Harry has (roughly (one|\d+)|no) active ten-minute slots? today\.$`},
		"turn off the kids' internet":              {}, // the guard's
		"how are you?":                             {}, // nobody's
	}
	for _, at := range oddMoments(zone) {
		c := &clock{at}
		projects := demoProjects(t, c)
		for _, later := range []time.Duration{0, time.Minute, 10 * time.Hour} {
			c.now = at.Add(later)
			if later > time.Minute { // what is a minute old is what a running project has
				if err := projects[internet.DefaultName].Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for _, question := range demoQuestions {
				of, known := proposed[question]
				switch {
				case !known:
					t.Fatalf("the demo proposes %q, and this test does not know it", question)
				case of.project == "":
					continue
				}
				a, err := projects[of.project].Answer(t.Context(), ask.Question{Question: question, Asker: "sam", Person: of.person})
				if err != nil {
					t.Fatal(err)
				}
				if a.Answer == nil || !regexp.MustCompile(of.want).MatchString(*a.Answer) || strings.Contains(*a.Answer, "has no event") {
					said := "-- " + a.Reason
					if a.Answer != nil {
						said = *a.Answer
					}
					t.Errorf("started on %s, asked on %s: %s: %s", at.Format(time.RFC1123), c.now.Format(time.RFC1123), question, said)
				}
			}
		}
	}
}
