package hub

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

// home is a Hub of the shipped routing.md and the sample household, over
// scripted projects.
type home struct {
	*Hub
	t        *testing.T
	projects map[string]*asktest.Scripted
	clients  map[string]*askclient.Client
	now      time.Time

	mu      sync.Mutex
	records []record.Record
}

func (h *home) Client(name string) (*askclient.Client, bool) {
	c, ok := h.clients[name]
	return c, ok
}

func (h *home) Add(r record.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.records = append(h.records, r)
}

// lamp is a command destination that does what it is told.
type lamp struct{}

func (lamp) Do(context.Context, ask.Question) (ask.Answer, error) {
	return ask.Say("The lamp is on."), nil
}

func (lamp) Read(context.Context, ask.Question) (ask.Answer, error) {
	return ask.Say("Dinner with Nan at 18:00."), nil
}

func newHome(t *testing.T, file string, scripts ...asktest.Script) *home {
	t.Helper()
	h := &home{
		t: t, projects: map[string]*asktest.Scripted{}, clients: map[string]*askclient.Client{},
		now: time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC),
	}
	var capabilities []ask.Capabilities
	for _, s := range scripts {
		p := asktest.NewScripted(t, s)
		h.projects[s.Project] = p
		h.clients[s.Project] = askclient.New(askclient.Config{URL: p.URL, Token: p.Token})
		t.Cleanup(h.clients[s.Project].Close)
		capabilities = append(capabilities, p.Capabilities())
	}
	parsed, problems := routing.Parse("routing.md", []byte(file))
	if parsed == nil {
		t.Fatalf("the test's routing.md is faulty: %v", problems)
	}
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		t.Fatal(err)
	}
	h.Hub = New(Config{
		Projects: h, Connectors: map[string]dispatch.Connector{"home_assistant": lamp{}}, Record: h,
		Guest: []string{"home_assistant", "web_search", "speakers"}, Budget: 8 * time.Second, Now: func() time.Time { return h.now },
	})
	h.Use(NewRules(parsed, house, capabilities))
	return h
}

func says(words string) func(ask.Question) ask.Answer {
	return func(ask.Question) ask.Answer { return ask.Say(words) }
}

// family is the household of most tests.
func family(t *testing.T) *home {
	return newHome(
		t, string(routing.Default()),
		asktest.Script{
			Project: "compass_nhs", Topics: []string{"school", "homework", "timetable"}, People: []ask.Person{"harry", "emma"},
			Answer: func(q ask.Question) ask.Answer {
				if q.Person == "harry" {
					return ask.Say("Harry has maths.")
				}
				return ask.NoAnswer("no data for that person")
			},
		},
		asktest.Script{Project: "email_agent", Topics: []string{"email", "inbox"}, People: []ask.Person{"sam"}, Answer: says("There is one new mail.")},
	)
}

func (h *home) ask(asker, question string) Reply {
	h.t.Helper()
	return h.Ask(h.t.Context(), Request{
		Question: ask.Question{Question: question, Asker: ask.Asker(asker), Source: "chat"}, WayIn: "test", Want: reply.Text,
	})
}

func (h *home) then(r Reply, asker, words string) Reply {
	h.t.Helper()
	return h.Ask(h.t.Context(), Request{
		Question: ask.Question{Question: words, Asker: ask.Asker(asker), Source: "chat"}, WayIn: "test", Want: reply.Text, InReplyTo: r.ID,
	})
}

func (h *home) asked(project string) []asktest.Received { return h.projects[project].Requests() }

func want(t *testing.T, r Reply, status routing.Status, words string) {
	t.Helper()
	if r.Status != status || r.Reply != words {
		t.Errorf("got %s %q, want %s %q (%+v)", r.Status, r.Reply, status, words, r.Route)
	}
}

func TestAQuestionGoesToTheProjectThatKnows(t *testing.T) {
	h := family(t)
	r := h.ask("sam", "what's on Harry's timetable?")
	want(t, r, routing.StatusAnswered, "Harry has maths.")
	if r.Route.Kind != "query" || !slices.Equal(r.Route.Projects, []string{"compass_nhs"}) || r.Route.By != routing.ByEmbedded {
		t.Errorf("the route is %+v", r.Route)
	}
	got := h.asked("compass_nhs")
	if len(got) != 1 || got[0].Question.Person != "harry" || got[0].Question.Asker != "sam" || got[0].Question.Question != "what's on Harry's timetable?" {
		t.Errorf("the project got %+v", got)
	}
	if len(h.records) != 1 || h.records[0].ID != r.ID || h.records[0].Person != "harry" || h.records[0].WayIn != "test" {
		t.Errorf("the record is %+v", h.records)
	}
}

func TestAControlActionIsRefusedBeforeAnythingIsAsked(t *testing.T) {
	h := family(t)
	r := h.ask("sam", "turn off the kids' internet")
	want(t, r, routing.StatusRefused, "Use the admin app to change internet limits.")
	if r.Route.Kind != "refused" || r.Route.Reason != "high_consequence_control" || r.Route.By != routing.ByGuard || len(r.Parts) != 0 {
		t.Errorf("the route is %+v, the parts %+v", r.Route, r.Parts)
	}
	for name := range h.projects {
		if got := h.asked(name); len(got) != 0 {
			t.Errorf("%s was asked %+v", name, got)
		}
	}
}

// A person whom only a project knows is a person for the guard too.
func TestTheGuardKnowsTheProjectsPeople(t *testing.T) {
	h := newHome(t, string(routing.Default()), asktest.Script{
		Project: "compass_nhs", Topics: []string{"school"}, People: []ask.Person{"zorblax"}, Answer: says("Yes."),
	})
	if r := h.ask("sam", "pause zorblax"); r.Status != routing.StatusRefused {
		t.Errorf("got %+v, want refused", r.Record)
	}
}

// Rights are tested by acting.
func TestWhoMayAskAboutWhom(t *testing.T) {
	for name, c := range map[string]struct {
		asker, question string
		status          routing.Status
		words           string
		reached         bool
	}{
		"an adult about a child":      {"sam", "what's on Harry's timetable?", routing.StatusAnswered, "Harry has maths.", true},
		"a child about themselves":    {"harry", "what's on my timetable?", routing.StatusAnswered, "Harry has maths.", true},
		"a child about a sibling":     {"harry", "what's on Emma's timetable?", routing.StatusNoAnswer, "You may not ask about Emma.", false},
		"a guest about a child":       {"guest", "what's on Harry's timetable?", routing.StatusNoAnswer, "Guests cannot ask about that.", false},
		"an alias of the asker":       {"Mum", "what's on Harry's timetable?", routing.StatusAnswered, "Harry has maths.", true},
		"somebody the house has not":  {"stranger", "what's on Harry's timetable?", routing.StatusNoAnswer, "Guests cannot ask about that.", false},
		"whom no project knows about": {"sam", "what's on Tom's timetable?", routing.StatusNoAnswer, "No data for that person.", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := family(t)
			want(t, h.ask(c.asker, c.question), c.status, c.words)
			if got := len(h.asked("compass_nhs")) > 0; got != c.reached {
				t.Errorf("the project was asked: %v, want %v", got, c.reached)
			}
		})
	}
}

func TestADecisionIsNotForAChild(t *testing.T) {
	h := family(t)
	r := h.ask("harry", "file a job to find a piano teacher")
	want(t, r, routing.StatusNoAnswer, "Only an adult can ask for that.")
}

func TestADaySummaryJoinsThreeAndOneThatIsDownFailsNothing(t *testing.T) {
	h := family(t)
	r := h.ask("harry", "what do I have on today?")
	if r.Route.Kind != "fanout" || len(r.Parts) != 3 {
		t.Fatalf("got %+v", r.Record)
	}
	// Harry's mail is not on the mail project's list, so it is asked about himself.
	want(t, r, routing.StatusAnswered, "There is one new mail; Harry has maths; Dinner with Nan at 18:00.")

	h.projects["compass_nhs"].Stop()
	want(t, h.ask("harry", "what do I have on today?"), routing.StatusAnswered, "There is one new mail; Dinner with Nan at 18:00; school is not answering.")
}

func TestACommandIsDone(t *testing.T) {
	r := family(t).ask("guest", "turn on the lamp")
	want(t, r, routing.StatusDone, "The lamp is on.")
	if r.Route.Kind != "command" {
		t.Errorf("the route is %+v", r.Route)
	}
}

func TestAPlaceholderIsNotBuilt(t *testing.T) {
	r := family(t).ask("sam", "is there a visitor at the front door?")
	if r.Status != routing.StatusUnavailable || r.Route.Reason != routing.ReasonNotBuilt || !strings.Contains(r.Reply, "not built") {
		t.Errorf("got %+v", r.Record)
	}
}

func TestAPeerIsElsewhere(t *testing.T) {
	r := family(t).ask("sam", "open the per-person chat in dsh")
	if r.Status != routing.StatusElsewhere || r.Route.Kind != "peer" {
		t.Errorf("got %+v", r.Record)
	}
}

func TestNobodyKnows(t *testing.T) {
	r := family(t).ask("sam", "xyzzy plugh frobnicate")
	if r.Status != routing.StatusNoMatch && r.Status != routing.StatusClarify {
		t.Errorf("got %+v, want no guess", r.Record)
	}
	if r.Route.Kind != "none" || len(r.Parts) != 0 {
		t.Errorf("the route is %+v", r.Route)
	}
}

// twoClaims is a file in which two projects claim one topic, so that the Hub
// has to ask back.
const twoClaims = `# Routing
## Topic to project map
| Topic (what the user says) | Project | Kind | Status |
|---|---|---|---|
| school, results | school | query /ask | active service |
| email, results | mail | query /ask | active service |

## Never-route list (control actions)
| Control action | Refuse? |
|---|---|
| cut the kids' internet | yes |
`

func claims(t *testing.T) *home {
	return newHome(
		t, twoClaims,
		asktest.Script{Project: "school", Topics: []string{"school", "results"}, People: []ask.Person{"harry", "emma"}, Answer: says("All passed.")},
		asktest.Script{Project: "mail", Topics: []string{"email", "results"}, People: []ask.Person{"sam"}, Answer: says("One mail.")},
	)
}

func TestEqualClaimsAreAskedBackAndContinued(t *testing.T) {
	for words, project := range map[string]string{"school": "school", "the second one": "mail", "email please": "mail"} {
		t.Run(words, func(t *testing.T) {
			h := claims(t)
			back := h.ask("sam", "any results?")
			if back.Status != routing.StatusClarify || len(back.Choices) != 2 || !strings.HasSuffix(back.Reply, "?") || back.Route.Kind != "none" {
				t.Fatalf("got %+v, want a question back", back.Record)
			}
			r := h.then(back, "sam", words)
			if r.Status != routing.StatusAnswered || !slices.Equal(r.Route.Projects, []string{project}) || r.Route.By != routing.ByChoice || r.InReplyTo != back.ID {
				t.Errorf("got %+v, want %s by choice", r.Record, project)
			}
			if got := h.asked(project); len(got) != 1 || got[0].Question.Question != "any results?" {
				t.Errorf("the project got %+v, want the question that was asked", got)
			}
		})
	}
}

func TestWordsThatAreNoChoiceAddToTheQuestionOrAreANewOne(t *testing.T) {
	h := family(t)
	open := func(text string) Reply {
		back := h.ask("sam", "xyzzy plugh")
		h.open.put(back.ID, &openQuestion{asker: "sam", wayIn: "test", text: text, until: h.now.Add(continues)}, h.now)
		return back
	}
	h.then(open("is it due soon"), "sam", "Harry's homework")
	h.then(open("do I have PE tomorrow"), "sam", "what's on Harry's timetable for Friday?")
	var got []string
	for _, r := range h.asked("compass_nhs") {
		got = append(got, r.Question.Question)
	}
	want := []string{"is it due soon Harry's homework", "what's on Harry's timetable for Friday?"}
	if !slices.Equal(got, want) {
		t.Errorf("the project got %q, want %q", got, want)
	}
}

func TestAContinuationIsForTheSameAskerForTwoMinutes(t *testing.T) {
	h := claims(t)
	back := h.ask("sam", "any results?")
	if r := h.then(back, "tom", "school"); r.Route.By == routing.ByChoice {
		t.Errorf("another asker continued it: %+v", r.Route)
	}
	h.now = h.now.Add(continues - time.Second)
	if r := h.then(back, "sam", "school"); r.Route.By != routing.ByChoice {
		t.Errorf("within two minutes it continues, got %+v", r.Route)
	}
	h.now = h.now.Add(time.Second)
	if r := h.then(back, "sam", "school"); r.Route.By == routing.ByChoice {
		t.Errorf("after two minutes it is a new question, got %+v", r.Route)
	}
}

func TestTheGuardReadsAContinuationAloneAndJoined(t *testing.T) {
	h := family(t)
	for _, c := range [][2]string{
		{"xyzzy plugh", "turn off the kids' internet"},
		{"the kids' internet", "turn it off"},
	} {
		back := h.ask("sam", c[0])
		h.open.put(back.ID, &openQuestion{asker: "sam", wayIn: "test", text: c[0], until: h.now.Add(continues)}, h.now)
		if r := h.then(back, "sam", c[1]); r.Status != routing.StatusRefused {
			t.Errorf("%q after %q: got %+v, want refused", c[1], c[0], r.Record)
		}
	}
}

func TestTwoPeopleAreAskedBack(t *testing.T) {
	h := claims(t)
	back := h.ask("sam", "what does school say about Harry and Emma?")
	if back.Status != routing.StatusClarify || !slices.Equal(back.Choices, []string{"Harry", "Emma"}) {
		t.Fatalf("got %+v, want Harry or Emma", back.Record)
	}
	r := h.then(back, "sam", "Emma")
	if r.Status != routing.StatusAnswered || r.Person != "emma" {
		t.Errorf("got %+v, want it asked about emma", r.Record)
	}
	if got := h.asked("school"); len(got) != 1 || got[0].Question.Person != "emma" {
		t.Errorf("the project got %+v", got)
	}
}

func TestThePersonThatTheCallerNamesWins(t *testing.T) {
	h := family(t)
	r := h.Ask(t.Context(), Request{
		Question: ask.Question{Question: "what's on the timetable for Emma?", Asker: "sam", Person: "HARRY"}, WayIn: "test", Want: reply.Text,
	})
	want(t, r, routing.StatusAnswered, "Harry has maths.")
}

func TestAProjectsNamesDoNotLeakToAnother(t *testing.T) {
	h := family(t)
	h.ask("sam", "any email about Harry?")
	got := h.asked("email_agent")
	if len(got) != 1 || got[0].Question.Person != "sam" {
		t.Errorf("the project got %+v, want it asked about the asker: harry is not on its list", got)
	}
}

func TestWantShapesTheReply(t *testing.T) {
	h := newHome(t, string(routing.Default()), asktest.Script{
		Project: "compass_nhs", Topics: []string{"school"}, People: []ask.Person{"harry"}, Answer: says("Harry has PE at 15:30. Bring kit."),
	})
	for shape, text := range map[reply.Want]string{
		reply.Text:         "Harry has PE at 15:30. Bring kit.",
		reply.Speech:       "Harry has PE at half past 3 in the afternoon. There is more in the app.",
		reply.Notification: "Harry has PE at 15:30. Bring kit.",
	} {
		r := h.Ask(t.Context(), Request{Question: ask.Question{Question: "what's on Harry's timetable?", Asker: "sam"}, Want: shape})
		if r.Reply != text {
			t.Errorf("%s: got %q, want %q", shape, r.Reply, text)
		}
		if (r.Title != "") != (shape == reply.Notification) {
			t.Errorf("%s: the title is %q", shape, r.Title)
		}
	}
}

func TestManyAsksAndNewRulesAtOnce(t *testing.T) {
	h := family(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if r := h.ask("sam", "what's on Harry's timetable?"); r.Status != routing.StatusAnswered {
					t.Errorf("got %+v", r.Record)
				}
			}
		})
	}
	house, _ := people.Parse("people.toml", people.Sample())
	file, _ := routing.Parse("routing.md", routing.Default())
	for range 10 {
		h.Use(NewRules(file, house, []ask.Capabilities{h.projects["compass_nhs"].Capabilities()}))
	}
	all.Wait()
}
