package askplan_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/askplan"
	"github.com/askhub/askhub/plan"
)

func sam() *world {
	return &world{
		people: []ask.Person{"sam", "harry"},
		topics: []string{"mail", "calendar"},
		mail: map[ask.Person][]letter{
			"sam":   {{"School Office", "Trip to York", "Please pay 12 pounds"}, {"Mrs Hill", "Homework", "Page 4"}},
			"harry": {{"Secret Club", "harry-only", "harry-only"}},
		},
		events: map[ask.Person][]letter{"sam": {{"Anna", "Dinner", ""}}},
	}
}

func said(t *testing.T, p askserve.Project, q ask.Question) (string, askplan.Detail) {
	t.Helper()
	a, err := p.Answer(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	var d askplan.Detail
	if a.Data != nil {
		if err := json.Unmarshal(a.Data, &d); err != nil {
			t.Fatal(err)
		}
	}
	if a.Answer != nil {
		return *a.Answer, d
	}
	return a.Reason, d
}

func TestAHouseholdAnswers(t *testing.T) {
	w := sam()
	p := w.served(t)
	for _, c := range []struct{ question, want string }{
		{"Do I have unread mail?", "You have 2 messages, from “School Office” titled “Trip to York”."},
		{"What's my newest email?", "You have one message, from “School Office” titled “Trip to York”."},
		{"Any mail from Mrs Hill?", "You have one message, from “Mrs Hill” titled “Homework”."},
		{"Any mail about the dentist?", "There is no mail about “dentist”."},
		{"What's on tomorrow?", "You have one event, titled “Dinner”."},
		{"Show me the conversation about York", "You have 2 messages, from “School Office” titled “Trip to York”."},
		{"Delete all mail", "asking changes nothing here"},
		{"Private messages?", "there is no look-up here that tells that"},
		{"How is the weather in Rome?", "that is about something else"},
		{"Any important mail?", "that needs a person's own judgement"},
	} {
		got, d := said(t, p, ask.Question{Question: c.question, Asker: "sam"})
		if got != c.want {
			t.Errorf("%q: got %q, want %q\n%s", c.question, got, c.want, d.Plan)
		}
		if len(d.Catalogue) != 64 || !d.Plan.IsValid() {
			t.Errorf("%q: the detail is %+v", c.question, d)
		}
		if answered := strings.HasSuffix(c.want, "."); answered && (len(d.Proof) == 0 || len(d.Lookups) == 0) || !answered && len(d.Lookups) > 0 {
			t.Errorf("%q: %d look-ups, %d supports", c.question, len(d.Lookups), len(d.Proof))
		}
	}
}

// The detail holds nothing of a stranger beyond what the answer says.
func TestTheDetailTellsNoMoreThanTheAnswer(t *testing.T) {
	w := sam()
	p := w.served(t)
	for _, q := range []string{"Do I have unread mail?", "Any mail about York?", "Show me the conversation about York"} {
		a, err := p.Answer(context.Background(), ask.Question{Question: q, Asker: "sam"})
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"12 pounds", "Page 4", "Mrs Hill", "Homework"} {
			if strings.Contains(string(a.Data), secret) {
				t.Errorf("%q: the detail tells %q: %s", q, secret, a.Data)
			}
		}
	}
}

func TestPermissionsDecideWhatIsOffered(t *testing.T) {
	w := sam()
	w.held = []string{"private"}
	got, _ := said(t, w.served(t), ask.Question{Question: "Private messages?", Asker: "sam"})
	if got != "You have 2 messages, from “School Office” titled “Trip to York”." {
		t.Errorf("with the permission: %q", got)
	}
}

func TestRemoteToolsAreOffByDefault(t *testing.T) {
	w := sam()
	got, _ := said(t, w.served(t), ask.Question{Question: "Ask the bank", Asker: "sam"})
	if len(w.taken()) != 0 || got != "that is about something else" {
		t.Errorf("off: %q", got)
	}
	w.remote = true
	got, _ = said(t, w.served(t), ask.Question{Question: "What does the bank say?", Asker: "sam"})
	if got != "The bank says “The balance is fine”." {
		t.Errorf("on: %q", got)
	}
}

func TestAFaultyProjectDoesNotStart(t *testing.T) {
	w := sam()
	base := askplan.Project{Name: "x", Token: token, People: w.people, Catalogue: w.catalogue}
	_, err := askplan.New(base)
	if err == nil || !strings.Contains(err.Error(), "tool mail.unread has no template") || !strings.Contains(err.Error(), "tool ask.bank has no template") {
		t.Errorf("without templates: %v", err)
	}
	base.Catalogue = nil
	if _, err = askplan.New(base); err == nil || !strings.Contains(err.Error(), "Catalogue") {
		t.Errorf("without a catalogue: %v", err)
	}
	base.Catalogue = func(person ask.Person) (*plan.Catalogue, error) {
		return plan.NewCatalogue([]plan.Tool{look(w, person, plan.Spec{ID: "a." + string(person), Description: "X."}, func(noArgs) string { return "" }, func(noArgs) []letter { return nil })}, []string{"message"})
	}
	if _, err = askplan.New(base); err == nil {
		t.Error("people with different tools were taken")
	}
	base.Catalogue = func(ask.Person) (*plan.Catalogue, error) { return plan.NewCatalogue(nil, nil) }
	if _, err = askplan.New(base); err == nil || !strings.Contains(err.Error(), "has no tool") {
		t.Errorf("a faulty catalogue: %v", err)
	}
}

func TestAHouseholdKeepsTheContract(t *testing.T) {
	h, err := askserve.New(sam().served(t))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := ask.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- ask.Serve(ctx, ln, h) }()
	asktest.Run(t, "http://"+ln.Addr().String(), token, asktest.Asking("Do I have unread mail?"))
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// hang is a model that never replies, and does not hear that nobody waits.
type hang struct{}

func (hang) Complete(context.Context, string, []byte) ([]byte, error) {
	time.Sleep(time.Hour)
	return nil, nil
}

// A model and a look-up that both hang leave time for a plain reason.
func TestWhatHangsIsToldInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := sam()
		w.model, w.slow = hang{}, time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), 2800*time.Millisecond)
		defer cancel()
		start := time.Now()
		p := w.served(t)
		a, err := p.Answer(ctx, ask.Question{Question: "Do I have unread mail?", Asker: "sam"})
		if err != nil || a.Answer != nil || a.Reason != "that could not be looked up just now" {
			t.Errorf("%+v, %v", a, err)
		}
		if took := time.Since(start); took > 2750*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		var d askplan.Detail
		if err := json.Unmarshal(a.Data, &d); err != nil || d.By != askplan.ByEmbedded || len(d.Lookups) != 1 || d.Lookups[0].Outcome != plan.OutcomeFailed {
			t.Errorf("%+v, %v", d, err)
		}
		time.Sleep(2 * time.Hour)
	})
}
