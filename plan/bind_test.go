package plan_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/plan"
)

type noValue string

func (noValue) Values() []string { return nil }

// newTool is a tool over the argument struct A that is fine but for A.
func newTool[A any]() plan.Tool {
	return plan.New(plan.Spec{ID: "t", Permission: "p", Description: "Looks.", AttackerFields: []string{}},
		func(A) string { return "" }, func(context.Context, A) (plan.Result, error) { return found() })
}

// What is wrong with an argument struct, a declaration or the code of a tool is told
// when the catalogue is built.
func TestEachFaultOfAToolInGo(t *testing.T) {
	fine := plan.Spec{ID: "t", Permission: "p", Description: "Looks.", AttackerFields: []string{}}
	with := func(change func(*plan.Spec)) plan.Tool {
		spec := fine
		change(&spec)
		return plan.New(spec, func(struct{}) string { return "" }, func(context.Context, struct{}) (plan.Result, error) { return found() })
	}
	for want, tool := range map[string]plan.Tool{
		"": newTool[struct {
			A string  `arg:"a" describe:"it"`
			B *string `arg:"b" describe:"it" max:"3"`
			C folder  `arg:"c" describe:"it"`
			D *folder `arg:"d" describe:"it"`
		}](),
		"its arguments are string: they must be a struct with one field for each": newTool[string](),
		"field a: is not exported, so no argument can reach it": newTool[struct {
			a string `arg:"a" describe:"it"`
		}](),
		`field A: has no tag arg:"name"`: newTool[struct{ A string }](),
		"field A: is int: an argument is a string, or a pointer to one where it may be null": newTool[struct {
			A int `arg:"a" describe:"it"`
		}](),
		"field A: is an enum, and needs no max": newTool[struct {
			A folder `arg:"a" describe:"it" max:"3"`
		}](),
		`field A: max:"x" is no whole number`: newTool[struct {
			A string `arg:"a" describe:"it" max:"x"`
		}](),
		`argument "a": maxLength must be a whole number of code points, at least 1`: newTool[struct {
			A string `arg:"a" describe:"it" max:"0"`
		}](),
		`argument "a": describe must say what it is`: newTool[struct {
			A string `arg:"a"`
		}](),
		`argument "a": values must be a list of at least one non-empty text`: newTool[struct {
			A noValue `arg:"a" describe:"it"`
		}](),
		"its declaration cannot be read: a key stands twice in one object": newTool[struct {
			A string `arg:"a" describe:"it"`
			B string `arg:"a" describe:"it"`
		}](),
		"has no describe or no run": plan.New[struct{}](fine, nil, nil),
		"attackerFields must be said: the result paths that hold text other people wrote, or an empty list": with(func(s *plan.Spec) { s.AttackerFields = nil }),
		"description must say what the tool does":                                                           with(func(s *plan.Spec) { s.Description = "" }),
		`stateFields: "open": a value must be a non-empty text, true or false`: with(func(s *plan.Spec) {
			s.States = []plan.State{{Word: "open", StateField: plan.StateField{Field: "state", Values: []any{3}}}}
		}),
		`groupBy: "day": enum must be a list of at least one non-empty label`: with(func(s *plan.Spec) { s.GroupBy = []plan.Group{{Key: "day"}} }),
		"is remote, and names no service":                                     plan.NewRemote(fine, ""),
		"was not made by New, NewRemote or ParseCatalogue":                    {},
	} {
		_, err := plan.NewCatalogue([]plan.Tool{tool}, nil)
		switch {
		case want == "" && err != nil:
			t.Error(err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "tool ")):
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := plan.NewCatalogue([]plan.Tool{with(func(s *plan.Spec) { s.Description = "\xff" })}, nil); err == nil {
		t.Error("text that is no UTF-8 came through")
	}
}

func TestArgumentsReachTheirFields(t *testing.T) {
	type args struct {
		A string  `arg:"a" describe:"it"`
		B *string `arg:"b" describe:"it"`
		C folder  `arg:"c" describe:"it"`
		D *folder `arg:"d" describe:"it"`
	}
	var got []args
	tool := plan.New(plan.Spec{ID: "t", Description: "Looks.", AttackerFields: []string{}},
		func(a args) string { return "reads " + a.A + "\nand more" },
		func(_ context.Context, a args) (plan.Result, error) { got = append(got, a); return found() })
	c, err := plan.NewCatalogue([]plan.Tool{tool}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := c.Offer(plan.Access{})
	for _, call := range []string{
		`{"tool":"t","args":{"a":"x","b":"y","c":"inbox","d":"archive"}}`,
		`{"tool":"t","args":{"a":"x","c":"inbox"}}`,
	} {
		ran, err := o.Run(t.Context(), validate(t, o, lookups(call)), plan.Asking{})
		if err != nil {
			t.Fatal(err)
		}
		if ran.Found[0].About != "reads x and more" {
			t.Errorf("about %q", ran.Found[0].About)
		}
	}
	if a := got[0]; a.A != "x" || *a.B != "y" || a.C != "inbox" || *a.D != "archive" {
		t.Errorf("got %+v", a)
	}
	if a := got[1]; a.A != "x" || a.B != nil || a.C != "inbox" || a.D != nil {
		t.Errorf("got %+v", a)
	}
}

// Many questions at once share one catalogue and one offer.
func TestManyAtOnce(t *testing.T) {
	o := mail{}.offer(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := strings.Repeat(string(rune('a'+i)), 5+i)
			reply := []byte(lookups(strings.Replace(findSchool, "school", name, 1), itsThread))
			for range 200 {
				p, err := o.Validate(reply)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = o.Validate([]byte(`{"intent":"lookup","calls":[{"tool":"\u0078","args":{"a":7}}]}`))
				ran, err := o.Run(t.Context(), p, plan.Asking{Given: plan.Given{IDs: isMessage}})
				if err != nil || p.Calls[0].Args[0].Value != name || ran.Found[0].About != "mail from "+name {
					t.Errorf("%v, %v: %v", p, ran.Found, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// A look-up that ends its own goroutine is one that failed.
func TestALookUpThatNeverReturns(t *testing.T) {
	m := mail{find: func(context.Context, findArgs) (plan.Result, error) {
		runtime.Goexit()
		return found()
	}}
	o := m.offer(t)
	ran, err := o.Run(t.Context(), validate(t, o, lookups(findSchool)), plan.Asking{})
	if err != nil || ran.Found[0].Result.Outcome != plan.OutcomeFailed {
		t.Errorf("%+v, %v", ran, err)
	}
}

func TestTheRecordIsJSON(t *testing.T) {
	r := plan.Record{
		Catalogue: "c", Prompt: "p", Intent: plan.IntentLookup,
		Lookups: []plan.LookupRecord{{Position: 1, Tool: "t", Outcome: plan.OutcomeFailed, MS: 1.5, Why: "down", Err: errors.New("secret")}},
	}
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"catalogue":"c","prompt":"p","intent":"lookup","lookups":[{"position":1,"tool":"t","outcome":"failed","ms":1.5,"why":"down"}]}`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}
