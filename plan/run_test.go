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

// What stands between the rounds decides whether the second call runs at all.
func TestResolving(t *testing.T) {
	for name, test := range map[string]struct {
		found   plan.Result
		err     error
		given   plan.Given
		output  string
		outcome plan.Outcome
		why     string
	}{
		"several values are a choice": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "m-1"}, {Ref: "m-2"}}},
			given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeAmbiguous, why: "several",
		},
		"nothing there": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Title: "x"}}},
			given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeNone, why: "nothing",
		},
		"the source found nothing": {
			found: plan.Result{Outcome: plan.OutcomeNone}, given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeNone, why: "is none",
		},
		"the source was denied": {
			found: plan.Result{Outcome: plan.OutcomeDenied, Rows: []plan.Row{{Ref: "m-1"}}},
			given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeDenied, why: "is denied",
		},
		"the source failed": {
			err: errors.New("no line"), given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeFailed, why: "is failed",
		},
		"a reference in the data": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "@R1.message_id"}}},
			given: plan.Given{IDs: func(context.Context, string, string) bool { return true }}, outcome: plan.OutcomeFailed, why: "looks like",
		},
		"the context token in the data": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "@Context"}}},
			given: plan.Given{IDs: func(context.Context, string, string) bool { return true }}, outcome: plan.OutcomeFailed, why: "looks like",
		},
		"no id of ours": {
			found: plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "x-1"}}},
			given: plan.Given{IDs: isMessage}, outcome: plan.OutcomeFailed, why: "message id",
		},
		"no id check": {
			found:   plan.Result{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "m-1"}}},
			outcome: plan.OutcomeFailed, why: "no id check",
		},
		"a safe output needs none": {
			found:  plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{"newest": 12.0}},
			output: "newest", outcome: plan.OutcomeOK,
		},
		"too long for the argument": {
			found:  plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{"newest": "1234567890123"}},
			output: "newest", outcome: plan.OutcomeFailed, why: "longer than 12",
		},
		"a control character": {
			found:  plan.Result{Outcome: plan.OutcomeOK, Facts: map[string]any{"newest": "1\x002"}},
			output: "newest", outcome: plan.OutcomeFailed, why: "control character",
		},
	} {
		t.Run(name, func(t *testing.T) {
			read := 0
			m := mail{
				find: func(context.Context, findArgs) (plan.Result, error) { return test.found, test.err },
				thread: func(context.Context, threadArgs) (plan.Result, error) {
					read++
					return found()
				},
			}
			o := m.offer(t)
			reply := lookups(findSchool, itsThread)
			if test.output != "" {
				reply = strings.Replace(reply, "message_id", test.output, 1)
			}
			ran, err := o.Run(t.Context(), validate(t, o, reply), plan.Asking{Given: test.given})
			if err != nil {
				t.Fatal(err)
			}
			second := ran.Record.Lookups[1]
			if second.Outcome != test.outcome || !strings.Contains(second.Why, test.why) {
				t.Errorf("got %+v", second)
			}
			if (read == 1) != (test.outcome == plan.OutcomeOK) {
				t.Errorf("the second look-up ran %d times", read)
			}
		})
	}
}

func TestTheContextTokenIsWhatThePageIsAbout(t *testing.T) {
	for page, want := range map[string]plan.Outcome{
		" m-3 ": plan.OutcomeOK, "": plan.OutcomeFailed, "@r1.message_id": plan.OutcomeFailed, "much too long an id": plan.OutcomeFailed,
	} {
		got := ""
		m := mail{thread: func(_ context.Context, a threadArgs) (plan.Result, error) {
			got = a.Message
			return found()
		}}
		o := m.offer(t)
		p := validate(t, o, lookups(`{"tool":"mail.thread","args":{"message":"@context"}}`))
		ran, err := o.Run(t.Context(), p, plan.Asking{Given: plan.Given{Context: page}})
		if err != nil {
			t.Fatal(err)
		}
		if ran.Found[0].Result.Outcome != want || want == plan.OutcomeOK && got != "m-3" {
			t.Errorf("%q: %+v, read %q", page, ran.Record.Lookups, got)
		}
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

type remote func(service, question string) (string, error)

func (r remote) Ask(_ context.Context, service, question string) (string, error) {
	return r(service, question)
}

func TestARemoteToolAsksItsService(t *testing.T) {
	o := mail{}.offer(t)
	p := validate(t, o, lookups(`{"tool":"calendar","args":{"question":"what is on today?"}}`))
	for answer, want := range map[string]plan.Outcome{"Nothing today.": plan.OutcomeOK, "": plan.OutcomeNone, "down": plan.OutcomeFailed} {
		ran, err := o.Run(t.Context(), p, plan.Asking{Remote: remote(func(service, question string) (string, error) {
			if service != "calendar" || question != "what is on today?" {
				t.Errorf("asked %s %q", service, question)
			}
			if answer == "down" {
				return "", errors.New("down")
			}
			return answer, nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		got := ran.Found[0]
		if got.Result.Outcome != want || !slices.Contains(got.Says.AttackerFields, "facts.answer") {
			t.Errorf("%q: %+v", answer, got)
		}
		if want == plan.OutcomeOK && got.Result.Facts[plan.AnswerFact] != answer {
			t.Errorf("got %+v", got.Result)
		}
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

// Resolve on its own trusts neither the plan nor the results that it is given.
func TestResolveAlone(t *testing.T) {
	o := mail{}.offer(t)
	p := validate(t, o, lookups(findSchool, itsThread))
	ok := []plan.Result{{Outcome: plan.OutcomeOK, Rows: []plan.Row{{Ref: "m-1"}}}}
	given := plan.Given{IDs: isMessage}
	got, err := o.Resolve(t.Context(), p, 2, ok, given)
	if err != nil || got[0].Value != "m-1" || p.Calls[1].Args[0].Value != "@r1.message_id" {
		t.Errorf("got %v, %v; the plan is now %v", got, err, p)
	}
	few := o.Catalogue().Offer(plan.Access{Permissions: []string{"mail"}})
	for name, try := range map[string]func() error{
		"no such call":  func() error { _, err := o.Resolve(t.Context(), p, 3, ok, given); return err },
		"no result":     func() error { _, err := o.Resolve(t.Context(), p, 2, nil, given); return err },
		"another offer": func() error { _, err := few.Resolve(t.Context(), p, 2, ok, given); return err },
		"args left out": func() error {
			_, err := o.Resolve(t.Context(), plan.Plan{Calls: []plan.Call{{Tool: "mail.find"}}}, 1, nil, given)
			return err
		},
		"a later call": func() error {
			q := plan.Plan{Calls: slices.Clone(p.Calls)}
			q.Calls[1] = plan.Call{Tool: "mail.thread", Args: []plan.Argument{{Name: "message", Value: "@r2.message_id"}}}
			_, err := o.Resolve(t.Context(), q, 2, append(ok, ok...), given)
			return err
		},
		"an output that is not there": func() error {
			q := plan.Plan{Calls: slices.Clone(p.Calls)}
			q.Calls[1] = plan.Call{Tool: "mail.thread", Args: []plan.Argument{{Name: "message", Value: "@r1.title"}}}
			_, err := o.Resolve(t.Context(), q, 2, ok, given)
			return err
		},
	} {
		var why *plan.ResolveError
		if err := try(); !errors.As(err, &why) || why.Outcome != plan.OutcomeFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARemoteToolNeedsSomebodyToAskAndSomethingToAsk(t *testing.T) {
	c, err := plan.ParseCatalogue([]byte(`{"tools": [{"id": "calendar", "description": "Asks.", "attackerFields": [], "kind": "remote", "service": "compass"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	o := c.Offer(plan.Access{Remote: true})
	p := validate(t, o, lookups(`{"tool":"calendar","args":{}}`))
	asked := ""
	asks := remote(func(service, question string) (string, error) {
		asked = service + ": " + question
		return "Yes.", nil
	})
	for name, test := range map[string]struct {
		asking plan.Asking
		want   plan.Outcome
	}{
		"nobody":           {plan.Asking{Question: "well?"}, plan.OutcomeFailed},
		"nothing":          {plan.Asking{Remote: asks}, plan.OutcomeFailed},
		"the person's own": {plan.Asking{Remote: asks, Question: "well?"}, plan.OutcomeOK},
	} {
		asked = ""
		ran, err := o.Run(t.Context(), p, test.asking)
		if err != nil || ran.Found[0].Result.Outcome != test.want || (asked == "compass: well?") != (test.want == plan.OutcomeOK) {
			t.Errorf("%s: asked %q: %+v, %v", name, asked, ran, err)
		}
	}
	says, ok := c.Statement("calendar")
	if !ok || !slices.Equal(says.AttackerFields, []string{"facts.answer"}) {
		t.Errorf("says %+v", says)
	}
	if _, ok := c.Statement("post"); ok {
		t.Error("a tool that is not there has a statement")
	}
}
