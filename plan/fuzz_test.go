package plan_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/askhub/askhub/plan"
)

// seeds adds every document of an archive.
func seeds(f *testing.F, name string) {
	a, err := txtar.ParseFile("testdata/" + name)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		doc, _, _ := strings.Cut(string(file.Data), "\n=> ")
		f.Add([]byte(doc))
	}
}

// FuzzValidate wants a verdict on anything: a refusal with a rule, or a plan that
// holds nothing unclean and is judged the same again.
func FuzzValidate(f *testing.F) {
	seeds(f, "plans.txtar")
	o := archiveOffer(f)
	f.Fuzz(func(t *testing.T, reply []byte) {
		before := slices.Clone(reply)
		p, err := o.Validate(reply)
		if !slices.Equal(before, reply) {
			t.Fatal("the reply was written to")
		}
		if err != nil {
			var why *plan.RefusedError
			if !errors.As(err, &why) || why.Rule == "" || p.Calls != nil {
				t.Fatalf("refused by %v, leaving %v", err, p)
			}
			if valid := jsontext.Value(reply).IsValid(); valid == (why.Rule == plan.RuleNotJSON) {
				t.Fatalf("strict JSON: %v, and refused by %v", valid, err)
			}
			if !utf8.ValidString(err.Error()) || len(err.Error()) > 1000 {
				t.Fatalf("the message grows or breaks with the reply: %q", err)
			}
			return
		}
		for _, c := range p.Calls {
			for _, a := range c.Args {
				if a.Value != strings.TrimSpace(a.Value) || strings.ContainsFunc(a.Value, unicode.IsControl) || utf8.RuneCountInString(a.Value) > plan.DefaultMaxLength {
					t.Fatalf("unclean: %q", a.Value)
				}
			}
		}
		again, err := o.Validate(p.AppendJSON(nil))
		if err != nil || !cmp.Equal(again, p) {
			t.Fatalf("judged again: %v, %v", again, err)
		}
	})
}

// FuzzParseCatalogue wants every fault named, and of a catalogue without one that
// its schema is JSON and its hash does not hang on how the document is laid out.
func FuzzParseCatalogue(f *testing.F) {
	seeds(f, "faults.txtar")
	f.Add([]byte(benchCatalogue(2)))
	for _, key := range optional {
		f.Add([]byte(`{"idKinds": ["customer"], "tools": [{` + key + `, "id": "a", "description": "d", "attackerFields": []}]}`))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		c, err := plan.ParseCatalogue(doc)
		if err != nil {
			var fault *plan.FaultError
			if !errors.As(err, &fault) || fault.Fault == "" || c != nil {
				t.Fatalf("refused by %v", err)
			}
			return
		}
		o := c.Offer(plan.Access{Permissions: c.Permissions(), Remote: true})
		if !jsontext.Value(o.Schema()).IsValid() {
			t.Fatalf("the schema is no JSON: %s", o.Schema())
		}
		for _, tool := range o.Tools() {
			if !strings.Contains("\n"+o.Describe(), "\n"+tool.ID+": ") {
				t.Fatalf("%s is not described", tool.ID)
			}
		}
		wide := jsontext.Value(slices.Clone(doc))
		if err := wide.Indent(); err != nil {
			t.Fatal(err)
		}
		again, err := plan.ParseCatalogue(wide)
		if err != nil || again.Hash() != c.Hash() {
			t.Fatalf("indented it hashes otherwise: %v", err)
		}
	})
}

// FuzzParseResult wants a result that matches, or the tool's failure without its
// contents.
func FuzzParseResult(f *testing.F) {
	c := archiveOffer(f).Catalogue()
	f.Add([]byte(`{"outcome":"ok","facts":{"next":3},"rows":[{"ref":"r","title":"t","fields":{"a":true},"snippet":"s"}],"breakdown":[{"key":"k","label":"l","count":2,"enum":false}],"at":"2026-11-30T12:00:00Z"}`))
	f.Add([]byte(`{"outcome":"ok","facts":{"next":[]}}`))
	f.Add([]byte(`{"outcome":"none","more":1}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		r, err := c.ParseResult("read", doc)
		if err != nil {
			if !utf8.ValidString(err.Error()) || len(err.Error()) > 1000 {
				t.Fatalf("the message grows or breaks with the result: %q", err)
			}
			return
		}
		switch r.Outcome {
		case plan.OutcomeOK, plan.OutcomeNone, plan.OutcomeAmbiguous, plan.OutcomeDenied, plan.OutcomeFailed:
		default:
			t.Fatalf("outcome %q", r.Outcome)
		}
	})
}
