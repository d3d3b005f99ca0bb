package dispatch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/leaktest"
)

// projects are the clients of a test's scripted projects.
type projects map[string]*askclient.Client

func (p projects) Client(name string) (*askclient.Client, bool) {
	c, ok := p[name]
	return c, ok
}

// project starts a scripted project and adds it.
func (p projects) start(t *testing.T, s asktest.Script) *asktest.Scripted {
	t.Helper()
	scripted := asktest.NewScripted(t, s)
	client := askclient.New(askclient.Config{URL: scripted.URL, Token: scripted.Token})
	t.Cleanup(client.Close)
	p[s.Project] = client
	return scripted
}

func says(words string) func(ask.Question) ask.Answer {
	return func(ask.Question) ask.Answer { return ask.Say(words) }
}

func query(project string) routing.Destination {
	return routing.Destination{Project: project, Kind: routing.KindQuery}
}

var sam = ask.Question{Question: "what does Harry have on today?", Asker: "sam", Source: "phone"}

func TestEachPartGetsTheWholeQuestionAndItsOwnPerson(t *testing.T) {
	all := projects{}
	school := all.start(t, asktest.Script{Project: "school", Answer: says("Maths.")})
	mail := all.start(t, asktest.Script{Project: "mail", Answer: says("No mail.")})
	d := New(all, nil, nil, time.Now)
	parts := d.Dispatch(t.Context(), ask.Budget, []Aim{
		{Destination: query("school"), Person: "harry"},
		{Destination: query("mail"), Person: "sam"},
	}, sam)
	if parts[0].Answer != "Maths." || parts[0].Person != "harry" || parts[1].Answer != "No mail." || parts[1].Person != "sam" {
		t.Errorf("got %+v", parts)
	}
	for project, want := range map[*asktest.Scripted]ask.Person{school: "harry", mail: "sam"} {
		got := project.Requests()
		if len(got) != 1 || got[0].Question.Question != sam.Question || got[0].Question.Asker != "sam" || got[0].Question.Person != want || got[0].Question.Source != "phone" {
			t.Errorf("the project got %+v, want the whole question about %s", got, want)
		}
		if left := got[0].Deadline; left <= 0 || left > ask.Budget {
			t.Errorf("the project was told that %v is left, want some of %v", left, ask.Budget)
		}
	}
}

func TestWhatAProjectDoesWrongIsItsOwnPart(t *testing.T) {
	for name, c := range map[string]struct {
		fault  asktest.Fault
		reason string
	}{
		"down":               {asktest.Down, routing.ReasonDown},
		"an inner error":     {asktest.Broken, routing.ReasonDown},
		"a page":             {asktest.Nonsense, routing.ReasonNonsense},
		"half an object":     {asktest.BadJSON, routing.ReasonNonsense},
		"null and no reason": {asktest.NoReason, routing.ReasonNonsense},
		"100 MB":             {asktest.Huge, routing.ReasonNonsense},
		"a redirect":         {asktest.Redirect, routing.ReasonNonsense},
		"another token":      {asktest.Unwilling, routing.ReasonTokenRefused},
	} {
		t.Run(name, func(t *testing.T) {
			all := projects{}
			all.start(t, asktest.Script{Project: "school", Fault: c.fault})
			all.start(t, asktest.Script{Project: "mail", Answer: says("No mail.")})
			parts := New(all, nil, nil, time.Now).Dispatch(t.Context(), ask.Budget, []Aim{{Destination: query("school")}, {Destination: query("mail")}}, sam)
			if parts[0].Status != routing.StatusUnavailable || parts[0].Reason != c.reason || parts[0].Answer != "" {
				t.Errorf("got %+v, want unavailable, %s", parts[0], c.reason)
			}
			if parts[1].Answer != "No mail." {
				t.Errorf("the other part got %+v", parts[1])
			}
		})
	}
}

func TestAProjectThatHangsCostsItsBudgetAndNoGoroutine(t *testing.T) {
	all := projects{}
	hung := all.start(t, asktest.Script{Project: "school", Fault: asktest.Hang})
	all.start(t, asktest.Script{Project: "mail", Answer: says("No mail.")})
	d := New(all, nil, nil, time.Now)
	before := goleak.IgnoreCurrent()
	// It takes the whole budget: within a shorter one the other may not have answered.
	parts := d.Dispatch(t.Context(), ask.Budget, []Aim{{Destination: query("school")}, {Destination: query("mail")}}, sam)
	if parts[0].Status != routing.StatusUnavailable || parts[0].Reason != routing.ReasonSlow {
		t.Errorf("got %+v, want too_slow", parts[0])
	}
	if parts[1].Answer != "No mail." {
		t.Errorf("the other part got %+v", parts[1])
	}
	for _, client := range all {
		client.Close()
	}
	hung.Stop()
	leaktest.None(t, before)
}

func TestWhatIsNotThereIsNotAsked(t *testing.T) {
	all := projects{}
	barred := all.start(t, asktest.Script{Project: "barred", Answer: says("A secret.")})
	for name, c := range map[string]struct {
		aim    Aim
		status routing.Status
		reason string
	}{
		"a placeholder":               {Aim{Destination: routing.Destination{Project: "cam", Kind: routing.KindQuery, Placeholder: true}}, routing.StatusUnavailable, routing.ReasonNotBuilt},
		"a placeholder peer":          {Aim{Destination: routing.Destination{Project: "cam", Kind: routing.KindPeer, Placeholder: true}}, routing.StatusUnavailable, routing.ReasonNotBuilt},
		"a placeholder command":       {Aim{Destination: routing.Destination{Project: "search", Kind: routing.KindCommand, Placeholder: true}}, routing.StatusUnavailable, routing.ReasonNotBuilt},
		"a query without an address":  {Aim{Destination: query("mail")}, routing.StatusUnavailable, routing.ReasonNotConfigured},
		"a command with no connector": {Aim{Destination: routing.Destination{Project: "lights", Kind: routing.KindCommand}}, routing.StatusUnavailable, routing.ReasonNotConfigured},
		"a decision":                  {Aim{Destination: routing.Destination{Project: "jobs", Kind: routing.KindDecision}}, routing.StatusUnavailable, routing.ReasonNotConfigured},
		"a peer":                      {Aim{Destination: routing.Destination{Project: "dsh", Kind: routing.KindPeer}}, routing.StatusElsewhere, ""},
		"a way in":                    {Aim{Destination: routing.Destination{Project: "jervis", Kind: routing.KindWayIn}}, routing.StatusElsewhere, ""},
		"a project that has not said whom it knows": {Aim{Destination: query("barred"), Undeclared: true}, routing.StatusUnavailable, routing.ReasonDown},
		"whom the asker may not see":                {Aim{Destination: query("barred"), Barred: "you may not ask about Emma"}, routing.StatusNoAnswer, "you may not ask about Emma"},
	} {
		t.Run(name, func(t *testing.T) {
			got := New(all, nil, nil, time.Now).Dispatch(t.Context(), ask.Budget, []Aim{c.aim}, sam)[0]
			if got.Status != c.status || got.Reason != c.reason {
				t.Errorf("got %s %q, want %s %q", got.Status, got.Reason, c.status, c.reason)
			}
		})
	}
	if got := barred.Requests(); len(got) != 0 {
		t.Errorf("a barred project was asked: %+v", got)
	}
}

// A placeholder becomes active when somebody has built it.
func TestAConfiguredPlaceholderIsAsked(t *testing.T) {
	all := projects{}
	all.start(t, asktest.Script{Project: "school", Answer: says("Maths.")})
	got := New(all, nil, nil, time.Now).Dispatch(t.Context(), ask.Budget, []Aim{{Destination: routing.Destination{Project: "school", Kind: routing.KindQuery, Placeholder: true}}}, sam)
	if got[0].Answer != "Maths." {
		t.Errorf("got %+v", got[0])
	}
}

// connector is a command destination that notes what it was told.
type connector struct {
	mu   sync.Mutex
	done []string
	read []string
	err  error
	hang chan struct{} // it does not answer before this is closed
}

func (c *connector) Do(ctx context.Context, q ask.Question) (ask.Answer, error) {
	return c.act(ctx, &c.done, q)
}

func (c *connector) Read(ctx context.Context, q ask.Question) (ask.Answer, error) {
	return c.act(ctx, &c.read, q)
}

func (c *connector) act(_ context.Context, what *[]string, q ask.Question) (ask.Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*what = append(*what, q.Question)
	if c.hang != nil {
		<-c.hang // it forgets its context, which is what is tested
	}
	return ask.Say("The lamp is on."), c.err
}

func TestACommandIsCarriedOutAloneAndOnlyReadInAFanout(t *testing.T) {
	all := projects{}
	all.start(t, asktest.Script{Project: "mail", Answer: says("No mail.")})
	lights := &connector{}
	d := New(all, map[string]Connector{"lights": lights}, nil, time.Now)
	aim := Aim{Destination: routing.Destination{Project: "lights", Kind: routing.KindCommand}}

	if got := d.Dispatch(t.Context(), ask.Budget, []Aim{aim}, sam)[0]; got.Status != routing.StatusDone || got.Answer != "The lamp is on." {
		t.Errorf("got %+v, want done", got)
	}
	if got := d.Dispatch(t.Context(), ask.Budget, []Aim{aim, {Destination: query("mail")}}, sam)[0]; got.Status != routing.StatusAnswered {
		t.Errorf("got %+v, want answered", got)
	}
	if len(lights.done) != 1 || len(lights.read) != 1 {
		t.Errorf("carried out %d times and read %d times, want once each", len(lights.done), len(lights.read))
	}
}

// asking is a connector to which everything is a question.
type asking struct{ connector }

func (*asking) OnlyAsks(ask.Question) bool { return true }

func TestWhatOnlyAsksIsReadAndNotDone(t *testing.T) {
	search := &asking{}
	d := New(projects{}, map[string]Connector{"search": search}, nil, time.Now)
	got := d.Dispatch(t.Context(), ask.Budget, []Aim{{Destination: routing.Destination{Project: "search", Kind: routing.KindCommand}}}, sam)[0]
	if got.Status != routing.StatusAnswered || len(search.done) != 0 || len(search.read) != 1 {
		t.Errorf("got %+v, carried out %d times and read %d times; want it answered and only read", got, len(search.done), len(search.read))
	}
}

// An order beside something else is not carried out, and who gave it hears so.
func TestAnOrderBesideOthersIsSaidToBeLeftOut(t *testing.T) {
	all := projects{}
	all.start(t, asktest.Script{Project: "mail", Answer: says("No mail.")})
	aim := Aim{Destination: routing.Destination{Project: "lights", Kind: routing.KindCommand}}
	order := New(all, map[string]Connector{"lights": &connector{err: ErrAlone}}, nil, time.Now)
	if got := order.Dispatch(t.Context(), ask.Budget, []Aim{aim, {Destination: query("mail")}}, sam)[0]; got.Status != routing.StatusNoAnswer || got.Reason != routing.ReasonAlone {
		t.Errorf("beside mail: got %+v", got)
	}
	if got := order.Dispatch(t.Context(), ask.Budget, []Aim{aim}, sam)[0]; got.Status != routing.StatusNoAnswer || got.Reason != oneAtATime {
		t.Errorf("beside a question to the same: got %+v", got)
	}
}

func TestAConnectorThatFailsOrHangsIsUnavailable(t *testing.T) {
	aim := []Aim{{Destination: routing.Destination{Project: "lights", Kind: routing.KindCommand}}}
	broken := New(projects{}, map[string]Connector{"lights": &connector{err: errors.New("10.0.0.7: no route")}}, nil, time.Now)
	if got := broken.Dispatch(t.Context(), ask.Budget, aim, sam)[0]; got.Status != routing.StatusUnavailable || got.Reason != routing.ReasonDown {
		t.Errorf("got %+v", got)
	}
	over := make(chan struct{})
	defer close(over)
	hung := New(projects{}, map[string]Connector{"lights": &connector{hang: over}}, nil, time.Now)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if got := hung.Dispatch(ctx, ask.Budget, aim, sam)[0]; got.Status != routing.StatusUnavailable || got.Reason != routing.ReasonSlow {
		t.Errorf("got %+v", got)
	}
}

func TestAnAnswerIsRememberedUntilItStopsBeingTrue(t *testing.T) {
	now := time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	all := projects{}
	school := all.start(t, asktest.Script{Project: "school", Answer: func(ask.Question) ask.Answer {
		return ask.Say("Maths.").Until(now.Add(time.Hour))
	}})
	d := New(all, nil, nil, clock)
	about := func(asker ask.Asker, person ask.Person) routing.Part {
		q := sam
		q.Asker = asker
		return d.Dispatch(t.Context(), ask.Budget, []Aim{{Destination: query("school"), Person: person}}, q)[0]
	}
	asked := func(want int) {
		t.Helper()
		if got := len(school.Requests()); got != want {
			t.Errorf("the project was asked %d times, want %d", got, want)
		}
	}
	about("sam", "harry")
	if again := about("sam", "harry"); !again.Remembered || again.Answer != "Maths." || again.Expires.IsZero() {
		t.Errorf("got %+v, want it from memory", again)
	}
	asked(1)
	about("tom", "harry") // another asker is asked for anew: the project decides what tom may see
	asked(2)
	about("sam", "emma")
	asked(3)
	now = now.Add(time.Hour)
	about("sam", "harry")
	asked(4)
}

func TestAnAnswerWithoutAnExpiryIsNotRemembered(t *testing.T) {
	all := projects{}
	school := all.start(t, asktest.Script{Project: "school", Answer: says("Maths.")})
	d := New(all, nil, nil, time.Now)
	for range 2 {
		d.Dispatch(t.Context(), ask.Budget, []Aim{{Destination: query("school"), Person: "harry"}}, sam)
	}
	if got := len(school.Requests()); got != 2 {
		t.Errorf("asked %d times, want 2", got)
	}
}

func TestTheMemoryIsBounded(t *testing.T) {
	m, now := newMemory(), time.Unix(0, 0)
	for i := range 3 * remembered {
		m.put(memoryKey{question: fmt.Sprint(i)}, ask.Say("yes").Until(now.Add(time.Duration(i+1)*time.Second)), now)
	}
	if len(m.answers) > remembered {
		t.Errorf("%d answers are kept, want %d at most", len(m.answers), remembered)
	}
	if _, ok := m.get(memoryKey{question: fmt.Sprint(3*remembered - 1)}, now); !ok {
		t.Error("the newest answer is gone")
	}
}

// How a project came to its answer goes along for the record, unread and bounded.
func TestAProjectsOwnDetailGoesAlong(t *testing.T) {
	all := projects{}
	detail := `{"plan":{"intent":"lookup"}}`
	school := all.start(t, asktest.Script{Project: "school", Answer: func(ask.Question) ask.Answer {
		a := ask.Say("Maths.")
		a.Data = jsontext.Value(detail)
		return a
	}})
	d := New(all, nil, nil, time.Now)
	got := d.Dispatch(t.Context(), ask.Budget, []Aim{{Destination: query("school")}}, sam)[0]
	if string(got.Data) != detail {
		t.Errorf("got %s, want %s", got.Data, detail)
	}
	school.Change(func(s *asktest.Script) {
		s.Answer = func(ask.Question) ask.Answer {
			a := ask.Say("Maths.")
			a.Data = jsontext.Value(`"` + strings.Repeat("x", maxData) + `"`)
			return a
		}
	})
	got = d.Dispatch(t.Context(), ask.Budget, []Aim{{Destination: query("school")}}, sam)[0]
	if got.Data != nil || got.Answer != "Maths." {
		t.Errorf("got %d bytes of detail, want the answer alone", len(got.Data))
	}
}
