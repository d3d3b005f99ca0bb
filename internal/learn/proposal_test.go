package learn

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

var began = time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC)

// conversation is a record in the making.
type conversation struct {
	t    *testing.T
	view routing.View
	now  time.Time
	list []record.Record
}

func newConversation(t *testing.T) *conversation {
	t.Helper()
	file, problems := routing.Parse("routing.md", routing.Default())
	if file == nil {
		t.Fatal(problems)
	}
	return &conversation{t: t, view: routing.View{File: file}, now: began}
}

// says is one request by sam, 20 seconds later, that came to that decision.
func (c *conversation) says(question, reason string, outcome routing.Outcome, projects ...string) *record.Record {
	c.now = c.now.Add(20 * time.Second)
	r := record.Record{
		ID: record.NewID(), Time: c.now, Asker: "sam", WayIn: "kitchen", Question: question, Status: routing.StatusAnswered,
		Route:    record.Route{Projects: projects, Reason: reason, By: routing.ByEmbedded},
		Decision: record.Decision{Outcome: outcome},
	}
	if outcome == routing.OutcomeClarify {
		r.Status = routing.StatusClarify
	}
	c.list = append(c.list, r)
	return &c.list[len(c.list)-1]
}

func (c *conversation) proposals(dropped ...string) []Proposal {
	corrections := NewCorrections(c.view)
	for _, r := range c.list {
		corrections.Add(r)
	}
	return corrections.Proposals(dropped)
}

// added is the household's view with the proposal put into the file as it says.
func (c *conversation) added(p Proposal) routing.View {
	c.t.Helper()
	lines := strings.Split(string(routing.Default()), "\n")
	if p.Line > 0 {
		lines[p.Line-1] = strings.Replace(lines[p.Line-1], "| ", "| "+p.Add+", ", 1)
	} else {
		for i, line := range lines {
			if strings.HasPrefix(line, "| Overlap |") {
				lines[i+1] += "\n" + p.Add
			}
		}
	}
	file, problems := routing.Parse("routing.md", []byte(strings.Join(lines, "\n")))
	if file == nil {
		c.t.Fatalf("%q cannot be added: %v", p.Add, problems)
	}
	return routing.View{File: file}
}

func TestACorrectionAfterAnAnswerIsKeptAsAPhrasing(t *testing.T) {
	c := newConversation(t)
	c.says("has the slip for the trip come back", "topic:mail", routing.OutcomeRoute, "email_agent")
	r := c.says("No, school.", "topic:school", routing.OutcomeRoute, "compass_nhs")
	list := c.proposals()
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	p := list[0]
	if p.ID != r.ID || p.Meant != "compass_nhs" || p.Question != "has the slip for the trip come back" || p.Said != "No, school." || p.Times != 1 || !p.Settles {
		t.Errorf("%+v", p)
	}
	if want := "| \"has the slip for the trip come back\" | `compass_nhs` | `email_agent` | Somebody said: No school. |"; p.Section == SectionOverlaps && p.Add != want {
		t.Errorf("%s, want %s", p.Add, want)
	}
	d := decide.NewEmbedded(c.added(p)).Decide(p.Question)
	if d.Outcome != routing.OutcomeRoute || d.Projects[0] != "compass_nhs" {
		t.Errorf("with %q added: %+v", p.Add, d)
	}
}

func TestAChoiceIsKeptAsAPhrasing(t *testing.T) {
	c := newConversation(t)
	asked := c.says("has the school replied", "unsure", routing.OutcomeClarify, "email_agent", "compass_nhs")
	id := asked.ID
	r := c.says("the second", "choice:school", routing.OutcomeRoute, "compass_nhs")
	r.InReplyTo, r.Route.By = id, routing.ByChoice
	list := c.proposals()
	if len(list) != 1 || list[0].Meant != "compass_nhs" || list[0].Question != "has the school replied" || list[0].Asked[0] != "email_agent" {
		t.Fatalf("%+v", list)
	}
}

func TestABareNameAnswersAQuestionBackWithoutItsID(t *testing.T) {
	c := newConversation(t)
	c.says("has the school replied", "unsure", routing.OutcomeClarify, "email_agent", "compass_nhs")
	c.says("email", "topic:email", routing.OutcomeRoute, "email_agent")
	if list := c.proposals(); len(list) != 1 || list[0].Meant != "email_agent" {
		t.Errorf("%+v", list)
	}
}

func TestAnOrdinaryNextQuestionIsNoCorrection(t *testing.T) {
	for name, talk := range map[string]func(c *conversation){
		"a question of its own": func(c *conversation) {
			c.says("any new mail", "", routing.OutcomeRoute, "email_agent")
			c.says("no school tomorrow?", "", routing.OutcomeRoute, "compass_nhs")
		},
		"a name without a denial": func(c *conversation) {
			c.says("any new mail", "", routing.OutcomeRoute, "email_agent")
			c.says("homework", "", routing.OutcomeRoute, "compass_nhs")
		},
		"the project that was asked": func(c *conversation) {
			c.says("any new mail", "", routing.OutcomeRoute, "email_agent")
			c.says("no, the inbox", "", routing.OutcomeRoute, "email_agent")
		},
		"too late": func(c *conversation) {
			c.says("is the slip there", "", routing.OutcomeRoute, "email_agent")
			c.now = c.now.Add(2 * time.Minute)
			c.says("no, school", "", routing.OutcomeRoute, "compass_nhs")
		},
		"by somebody else": func(c *conversation) {
			c.says("is the slip there", "", routing.OutcomeRoute, "email_agent")
			c.says("no, school", "", routing.OutcomeRoute, "compass_nhs").Asker = "emma"
		},
		"at another way in": func(c *conversation) {
			c.says("is the slip there", "", routing.OutcomeRoute, "email_agent")
			c.says("no, school", "", routing.OutcomeRoute, "compass_nhs").WayIn = "phone"
		},
		"of a refusal": func(c *conversation) {
			c.says("give him another hour", "", routing.OutcomeRefused).Status = routing.StatusRefused
			c.says("no, the calendar", "", routing.OutcomeRoute, "home_assistant")
		},
		"which person was meant": func(c *conversation) {
			id := c.says("Harry's and Emma's homework", "person", routing.OutcomeClarify, "compass_nhs").ID
			r := c.says("Emma", "person", routing.OutcomeRoute, "compass_nhs")
			r.InReplyTo, r.Route.By = id, routing.ByChoice
		},
		"words that point at nothing": func(c *conversation) {
			id := c.says("turn it off", "unclear", routing.OutcomeClarify).ID
			r := c.says("the lights", "choice:lights", routing.OutcomeRoute, "home_assistant")
			r.InReplyTo, r.Route.By = id, routing.ByChoice
		},
		"no candidate of a question back": func(c *conversation) {
			c.says("has the school replied", "unsure", routing.OutcomeClarify, "email_agent", "compass_nhs")
			c.says("weather", "topic:weather", routing.OutcomeRoute, "web_search")
		},
		"without texts": func(c *conversation) {
			c.says("", "", routing.OutcomeRoute, "email_agent")
			c.says("no, school", "", routing.OutcomeRoute, "compass_nhs")
		},
		"the file goes there by now": func(c *conversation) {
			c.says("what homework has Harry got", "", routing.OutcomeRoute, "email_agent")
			c.says("no, school", "", routing.OutcomeRoute, "compass_nhs")
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newConversation(t)
			talk(c)
			if list := c.proposals(); len(list) > 0 {
				t.Errorf("%+v", list)
			}
		})
	}
}

func TestTheSameCorrectionIsOneProposal(t *testing.T) {
	c := newConversation(t)
	for range 3 {
		c.says("has the slip for the trip come back?", "", routing.OutcomeRoute, "email_agent")
		c.says("no, school", "", routing.OutcomeRoute, "compass_nhs")
		c.now = c.now.Add(time.Hour)
	}
	list := c.proposals()
	if len(list) != 1 || list[0].Times != 3 || list[0].ID != c.list[5].ID || len(list[0].Records()) != 3 {
		t.Fatalf("%+v", list)
	}
	if list := c.proposals(c.list[1].ID); len(list) > 0 {
		t.Errorf("dropped, and there: %+v", list)
	}
}

func TestALongQuestionIsNoPhrase(t *testing.T) {
	c := newConversation(t)
	c.says("so I was wondering whether by any chance somebody over there has had a look at the slip that we sent back the other day", "", routing.OutcomeNoMatch)
	c.says("no, school", "", routing.OutcomeRoute, "compass_nhs")
	if list := c.proposals(); len(list) != 1 || list[0].Add != "" || !strings.Contains(list[0].Note, "compass_nhs") || list[0].Line == 0 {
		t.Errorf("%+v", list)
	}
}

func TestWhateverWasAskedTheProposalCanBeAdded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := newConversation(t)
		question := rapid.OneOf(
			rapid.StringOfN(rapid.RuneFrom([]rune("ab|`\\\"/,*_<>[]()'’-é\n\t ")), 1, 40, -1), rapid.StringN(1, 40, -1),
		).Draw(rt, "question")
		from := rapid.SampledFrom([]string{"email_agent", "home_assistant", "gone"}).Draw(rt, "from")
		c.says(question, "", routing.OutcomeRoute, from)
		c.says("no, school", "", routing.OutcomeRoute, "compass_nhs")
		for _, p := range c.proposals() {
			if p.Add == "" {
				continue
			}
			view := c.added(p)
			if p.Settles {
				if d := decide.NewEmbedded(view).Decide(p.Question); len(d.Projects) != 1 || d.Projects[0] != "compass_nhs" {
					rt.Fatalf("with %q added, %q goes to %+v", p.Add, question, d)
				}
			}
		}
	})
}
