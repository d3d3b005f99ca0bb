package plan_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/askhub/askhub/plan"
)

// archive reads testdata/name: each file's document, and the lines after =>.
func archive(t *testing.T, name string, each func(t *testing.T, doc, want string)) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if f.Name == "tools.json" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			var doc, want []string
			for line := range strings.Lines(string(f.Data)) {
				if says, ok := strings.CutPrefix(line, "=> "); ok {
					want = append(want, strings.TrimSuffix(says, "\n"))
				} else {
					doc = append(doc, line)
				}
			}
			each(t, strings.TrimSpace(strings.Join(doc, "")), strings.Join(want, "\n"))
		})
	}
}

func TestEachFaultOfATool(t *testing.T) {
	archive(t, "faults.txtar", func(t *testing.T, doc, want string) {
		if !strings.HasPrefix(doc, `{"tools"`) && !strings.HasPrefix(doc, `{"idKinds"`) && doc != "[]" {
			doc = `{"tools": [` + doc + `], "idKinds": ["customer"]}`
		}
		got := ""
		if _, err := plan.ParseCatalogue([]byte(doc)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	})
}

func TestEachRuleOfAPlan(t *testing.T) {
	o := archiveOffer(t)
	schema := schemaOf(t, o)
	archive(t, "plans.txtar", func(t *testing.T, doc, want string) {
		p, err := o.Validate([]byte(doc))
		got := string(p.AppendJSON(nil))
		if err != nil {
			if p.Intent != "" || p.Calls != nil {
				t.Errorf("a refused plan left %s", got)
			}
			got = err.Error()
		}
		if got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
		if err != nil {
			return
		}
		if err := schema([]byte(got)); err != nil {
			t.Errorf("the schema refuses it: %v", err)
		}
		again, err := o.Check(p)
		if err != nil || string(again.AppendJSON(nil)) != got {
			t.Errorf("judged again it is %s, %v", again.AppendJSON(nil), err)
		}
	})
}

// archiveOffer is the catalogue of plans.txtar.
func archiveOffer(t testing.TB) *plan.Offer {
	t.Helper()
	a, err := txtar.ParseFile("testdata/plans.txtar")
	if err != nil {
		t.Fatal(err)
	}
	c, err := plan.ParseCatalogue(a.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	return c.Offer(plan.Access{Permissions: c.Permissions()})
}
