package plan_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/plan"
)

type folder string

func (folder) Values() []string { return []string{"inbox", "archive"} }

type findArgs struct {
	Sender string  `arg:"sender" describe:"who wrote it" max:"40"`
	Folder *folder `arg:"folder" describe:"which folder"`
}

type threadArgs struct {
	Message string `arg:"message" describe:"the message's id" max:"12"`
}

// mail is a catalogue whose look-ups do what the test says.
type mail struct {
	find   func(context.Context, findArgs) (plan.Result, error)
	thread func(context.Context, threadArgs) (plan.Result, error)
}

func (m mail) catalogue(t *testing.T) *plan.Catalogue {
	t.Helper()
	c, err := m.build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (m mail) build() (*plan.Catalogue, error) {
	if m.find == nil {
		m.find = func(context.Context, findArgs) (plan.Result, error) { return found() }
	}
	if m.thread == nil {
		m.thread = func(context.Context, threadArgs) (plan.Result, error) { return found() }
	}
	return plan.NewCatalogue([]plan.Tool{
		plan.New(plan.Spec{
			ID: "mail.find", Permission: "mail", Description: "Finds mail.",
			AttackerFields: []string{"rows[].title", "rows[].fields.subject"},
			States:         []plan.State{{Word: "unread", StateField: plan.StateField{Field: "seen", Values: []any{false}}}},
			GroupBy:        []plan.Group{{Key: "folder", Labels: []string{"inbox", "archive"}}},
			Outputs: []plan.Output{
				{Name: "message_id", Path: "rows[].ref", Describe: "the message's id", Kind: "message"},
				{Name: "newest", Path: "facts.newest", Describe: "the newest number", Safe: true},
			},
		}, func(a findArgs) string { return "mail from " + a.Sender }, m.find),
		plan.New(plan.Spec{
			ID: "mail.thread", Permissions: []string{"mail", "mail.read"}, Description: "Reads a thread.",
			AttackerFields: []string{},
		}, func(a threadArgs) string { return "the thread of " + a.Message }, m.thread),
		plan.NewRemote(plan.Spec{
			ID: "calendar", Permission: "calendar", Description: "Asks the calendar.", AttackerFields: []string{},
		}, "calendar"),
	}, []string{"message"})
}

func (m mail) offer(t *testing.T) *plan.Offer {
	return m.catalogue(t).Offer(plan.Access{Permissions: []string{"mail", "mail.read", "calendar"}, Remote: true})
}

func found(rows ...plan.Row) (plan.Result, error) {
	return plan.Result{Outcome: plan.OutcomeOK, Rows: rows}, nil
}

func validate(t *testing.T, o *plan.Offer, reply string) plan.Plan {
	t.Helper()
	p, err := o.Validate([]byte(reply))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	findSchool = `{"tool":"mail.find","args":{"sender":"school","folder":null}}`
	itsThread  = `{"tool":"mail.thread","args":{"message":"@r1.message_id"}}`
)

func lookups(calls ...string) string {
	return `{"intent":"lookup","reason":null,"calls":[` + strings.Join(calls, ",") + `]}`
}

func isMessage(_ context.Context, kind, id string) bool {
	return kind == "message" && strings.HasPrefix(id, "m-")
}

func outcomes(r plan.Ran) []plan.Outcome {
	var out []plan.Outcome
	for _, f := range r.Found {
		out = append(out, f.Result.Outcome)
	}
	return out
}

func TestRoundTwoTakesWhatRoundOneFound(t *testing.T) {
	var read []string
	m := mail{
		find: func(_ context.Context, a findArgs) (plan.Result, error) {
			if a.Sender != "school" || a.Folder != nil {
				t.Errorf("find got %+v", a)
			}
			return found(plan.Row{Ref: "m-7"}, plan.Row{Ref: " m-7 "})
		},
		thread: func(_ context.Context, a threadArgs) (plan.Result, error) {
			read = append(read, a.Message)
			return found()
		},
	}
	o := m.offer(t)
	ran, err := o.Run(t.Context(), validate(t, o, lookups(findSchool, itsThread)), plan.Asking{
		Given: plan.Given{IDs: isMessage}, PromptHash: plan.PromptHash("prompt"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read, []string{"m-7"}) {
		t.Errorf("read %q", read)
	}
	got := ran.Found[1]
	if got.Position != 2 || got.About != "the thread of m-7" || got.Call.Args[0].Value != "@r1.message_id" || got.Args[0].Value != "m-7" {
		t.Errorf("found %+v", got)
	}
	want := plan.Record{
		Catalogue: o.Catalogue().Hash(), Prompt: plan.PromptHash("prompt"), Intent: plan.IntentLookup,
		Lookups: []plan.LookupRecord{
			{Position: 1, Tool: "mail.find", Outcome: plan.OutcomeOK},
			{Position: 2, Tool: "mail.thread", Outcome: plan.OutcomeOK},
		},
	}
	for i := range ran.Record.Lookups {
		ran.Record.Lookups[i].MS = 0
	}
	if d := cmp.Diff(want, ran.Record); d != "" {
		t.Error(d)
	}
}

func TestRoundOneRunsSideBySideUnderTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mail{
			find: func(_ context.Context, a findArgs) (plan.Result, error) {
				switch a.Sender {
				case "panic":
					panic("the tool is broken")
				case "deaf": // does not hear that its time is up
					time.Sleep(time.Minute)
				default:
					time.Sleep(2 * time.Second)
				}
				return found(plan.Row{Ref: "m-1"})
			},
			thread: func(ctx context.Context, _ threadArgs) (plan.Result, error) {
				<-ctx.Done()
				return plan.Result{}, ctx.Err()
			},
		}
		o := m.offer(t)
		call := func(sender string) string { return strings.Replace(findSchool, "school", sender, 1) }
		p := validate(t, o, lookups(call("one"), call("two"), call("panic"), itsThread))

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		ran, err := o.Run(ctx, p, plan.Asking{Given: plan.Given{IDs: isMessage}})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
		if want := []plan.Outcome{"ok", "ok", "failed", "failed"}; !slices.Equal(outcomes(ran), want) {
			t.Errorf("got %v", ran.Record.Lookups)
		}
		for i, want := range []float64{2000, 2000, 0, 3000} {
			if got := ran.Record.Lookups[i].MS; got != want {
				t.Errorf("look-up %d took %v ms, want %v", i+1, got, want)
			}
		}
		if got := ran.Record.Lookups[2]; got.Err == nil || strings.Contains(got.Why, "broken") {
			t.Errorf("the panic left %+v", got)
		}

		ctx, cancel = context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start = time.Now()
		ran, err = o.Run(ctx, validate(t, o, lookups(call("one"), call("deaf"), strings.Replace(itsThread, "r1", "r2", 1))), plan.Asking{})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("with a deaf look-up it took %v", took)
		}
		if want := []plan.Outcome{"ok", "failed", "failed"}; !slices.Equal(outcomes(ran), want) {
			t.Errorf("got %v", ran.Record.Lookups)
		}
		time.Sleep(time.Hour) // the deaf one ends, and nobody minds
	})
}

// A result beyond the tool's own declaration is that tool's failure.
func TestAResultThatDoesNotMatchIsAFailure(t *testing.T) {
	fact := func(v any) plan.Result {
		return plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{"newest": v}}
	}
	field := func(key string, v any) plan.Result {
		return plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Fields: map[string]any{key: v}}}}
	}
	count := func(c plan.Count) plan.Result {
		return plan.Result{Outcome: plan.OutcomeOK, Breakdown: []plan.Count{c}}
	}
	for name, test := range map[string]struct {
		result plan.Result
		ok     bool
	}{
		"a number at an output":       {fact(3), true},
		"an instant at an output":     {fact(time.Now()), true},
		"nothing at an output":        {fact(nil), true},
		"true at an output":           {fact(true), false},
		"a list at an output":         {fact([]string{"a"}), false},
		"an object at an output":      {fact(map[string]any{"a": 1}), false},
		"no number":                   {fact(math.NaN()), false},
		"a struct in a field":         {field("subject", struct{}{}), false},
		"a field's odd name":          {field("Sub ject", "x"), false},
		"a state that is a number":    {field("seen", 1), false},
		"a state that is a bool":      {field("seen", false), true},
		"no outcome":                  {plan.Result{}, false},
		"an unknown outcome":          {plan.Result{Outcome: "fine"}, false},
		"a declared label":            {count(plan.Count{Key: "folder", Label: "inbox", Count: 2, Enum: true}), true},
		"a label of the data's":       {count(plan.Count{Key: "sender", Label: "anybody", Count: 2}), true},
		"a label beyond the list":     {count(plan.Count{Key: "folder", Label: "spam", Count: 2, Enum: true}), false},
		"an enum that is not grouped": {count(plan.Count{Key: "sender", Label: "anybody", Count: 2, Enum: true}), false},
		"a count below 0":             {count(plan.Count{Key: "sender", Label: "anybody", Count: -1}), false},
	} {
		t.Run(name, func(t *testing.T) {
			m := mail{find: func(context.Context, findArgs) (plan.Result, error) { return test.result, nil }}
			o := m.offer(t)
			ran, err := o.Run(t.Context(), validate(t, o, lookups(findSchool)), plan.Asking{})
			if err != nil {
				t.Fatal(err)
			}
			if got := ran.Record.Lookups[0]; (got.Outcome == plan.OutcomeOK) != test.ok {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestWhatOneRequestMayUse(t *testing.T) {
	c := mail{}.catalogue(t)
	for name, test := range map[string]struct {
		access plan.Access
		want   []string
	}{
		"nobody":                   {plan.Access{}, nil},
		"one of two permissions":   {plan.Access{Permissions: []string{"mail"}}, []string{"mail.find"}},
		"both":                     {plan.Access{Permissions: []string{"mail.read", "mail"}}, []string{"mail.find", "mail.thread"}},
		"remote is off by default": {plan.Access{Permissions: c.Permissions()}, []string{"mail.find", "mail.thread"}},
		"remote needs permission":  {plan.Access{Remote: true}, nil},
		"remote":                   {plan.Access{Permissions: []string{"calendar"}, Remote: true}, []string{"calendar"}},
		"switched off":             {plan.Access{Permissions: c.Permissions(), Off: []string{"mail.find"}}, []string{"mail.thread"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.Offer(test.access)
			var got []string
			for _, tool := range o.Tools() {
				got = append(got, tool.ID)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("offered %q, want %q", got, test.want)
			}
			for id, call := range map[string]string{
				"mail.find": findSchool, "mail.thread": `{"tool":"mail.thread","args":{"message":"m-1"}}`,
				"calendar": `{"tool":"calendar","args":{"question":"what?"}}`,
			} {
				_, err := o.Validate([]byte(lookups(call)))
				if offered := slices.Contains(test.want, id); offered != (err == nil) {
					t.Errorf("%s: %v", id, err)
				}
				if mentioned := strings.Contains(string(o.Schema()), `"`+id+`"`); mentioned != slices.Contains(test.want, id) {
					t.Errorf("the schema mentions %s: %v", id, mentioned)
				}
			}
		})
	}
}

// A plan made in code gets no further than a reply.
func TestRunJudgesThePlanAgain(t *testing.T) {
	ran := 0
	m := mail{find: func(context.Context, findArgs) (plan.Result, error) {
		ran++
		return found()
	}}
	c := m.catalogue(t)
	all := c.Offer(plan.Access{Permissions: c.Permissions()})
	p := validate(t, all, lookups(findSchool, `{"tool":"mail.thread","args":{"message":"m-1"}}`))
	few := c.Offer(plan.Access{Permissions: []string{"mail"}})
	var refused *plan.RefusedError
	if _, err := few.Run(t.Context(), p, plan.Asking{}); !errors.As(err, &refused) || refused.Rule != plan.RuleTool || refused.Call != 2 {
		t.Errorf("got %v", err)
	}
	if ran != 0 {
		t.Error("a call of a refused plan ran")
	}
}

// What the asker may not know does not leave the look-up, even where its code let it.
func TestADeniedLookUpGivesNothing(t *testing.T) {
	m := mail{find: func(context.Context, findArgs) (plan.Result, error) {
		return plan.Result{Outcome: plan.OutcomeDenied, Facts: map[string]any{"newest": "x"}, Rows: []plan.Row{{Ref: "m-1"}}}, nil
	}}
	o := m.offer(t)
	ran, err := o.Run(t.Context(), validate(t, o, lookups(findSchool)), plan.Asking{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(plan.Result{Outcome: plan.OutcomeDenied}, ran.Found[0].Result); d != "" {
		t.Error(d)
	}
}
