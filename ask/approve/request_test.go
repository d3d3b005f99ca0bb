package approve

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

func TestWhatCannotBeShownOrRunIsRefused(t *testing.T) {
	d, _ := made(t, func(o *Options) { o.Askers = func(who string) bool { return who != "pat" } })
	for name, c := range map[string]struct {
		change func(*Request)
		code   ask.Code
		field  string
	}{
		"nothing":                  {func(r *Request) { r.What = " " }, ask.CodeMissingField, "what"},
		"10,000 characters":        {func(r *Request) { r.What = strings.Repeat("é", 10000) }, ask.CodeInvalidField, "what"},
		"a line break":             {func(r *Request) { r.What = "Mend\nthe tap." }, ask.CodeInvalidField, "what"},
		"bad UTF-8":                {func(r *Request) { r.What = "\xff" }, ask.CodeInvalidJSON, "what"},
		"nobody":                   {func(r *Request) { r.Who = "" }, ask.CodeMissingField, "who"},
		"a hidden name":            {func(r *Request) { r.Who = "sa\u202em" }, ask.CodeInvalidField, "who"},
		"another's name":           {func(r *Request) { r.Who = "pat" }, ask.CodeForbidden, "who"},
		"a reason of 10,000":       {func(r *Request) { r.Why = strings.Repeat("x", 10000) }, ask.CodeInvalidField, "why"},
		"an escape in the reason":  {func(r *Request) { r.Why = "\x1b[2K" }, ask.CodeInvalidField, "why"},
		"no action":                {func(r *Request) { r.Action = nil }, ask.CodeMissingField, "action"},
		"an empty action":          {func(r *Request) { r.Action = jsontext.Value(`{ }`) }, ask.CodeInvalidField, "action"},
		"two actions":              {func(r *Request) { r.Action = jsontext.Value(`[{"cut":1},{"cut":2}]`) }, ask.CodeInvalidField, "action"},
		"two documents":            {func(r *Request) { r.Action = jsontext.Value(`{"cut":1} {"cut":2}`) }, ask.CodeInvalidField, "action"},
		"one key twice":            {func(r *Request) { r.Action = jsontext.Value(`{"cut":1,"cut":2}`) }, ask.CodeInvalidField, "action"},
		"a text":                   {func(r *Request) { r.Action = jsontext.Value(`"cut"`) }, ask.CodeInvalidField, "action"},
		"null":                     {func(r *Request) { r.Action = jsontext.Value(`null`) }, ask.CodeInvalidField, "action"},
		"no JSON":                  {func(r *Request) { r.Action = jsontext.Value(`{cut}`) }, ask.CodeInvalidField, "action"},
		"an action of 10,000":      {func(r *Request) { r.Action = jsontext.Value(`{"a":"` + strings.Repeat("é", 10000) + `"}`) }, ask.CodeInvalidField, "action"},
		"a NUL in the action":      {func(r *Request) { r.Action = jsontext.Value(`{"a":"\u0000"}`) }, ask.CodeInvalidField, "action"},
		"a control in a key":       {func(r *Request) { r.Action = jsontext.Value(`{"\u0007":1}`) }, ask.CodeInvalidField, "action"},
		"a number that would turn": {func(r *Request) { r.Action = jsontext.Value(`{"n":9007199254740993}`) }, ask.CodeInvalidField, "action"},
		"a number beyond doubles":  {func(r *Request) { r.Action = jsontext.Value(`{"n":1e999999999}`) }, ask.CodeInvalidField, "action"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request("Mend the tap.")
			c.change(&r)
			var p *ask.Problem
			if _, err := d.Ask(t.Context(), r); !errors.As(err, &p) || p.Code != c.code || p.Field != c.field || p.Detail == "" {
				t.Errorf("got %v, want %s of %s", err, c.code, c.field)
			}
		})
	}
	long := request(strings.Repeat("é", MaxWhat))
	long.Why = strings.Repeat("é\n", MaxWhy/2)
	long.Action = jsontext.Value(`{"a":"` + strings.Repeat("é", MaxAction-8) + `"}`)
	if a := asked(t, d, long); a.What != long.What || a.Why != long.Why || string(a.Action) != string(long.Action) {
		t.Error("what is as long as it may be is not kept whole")
	}
}

// What is hashed is written out here, so that another program can do the same.
func TestTheDigestIsThatOfTheRFC8785Form(t *testing.T) {
	got, err := Digest("Cut “it”.", "sam", "", jsontext.Value(`{"until": 21.50, "device": "tab\u006cet"}`))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(`{"action":{"device":"tablet","until":21.5},"what":"Cut “it”.","who":"sam","why":""}`))
	if want := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzRequest(f *testing.F) {
	for _, action := range []string{`{"a":1}`, `{"a":[1.50,"x\u00e9",{"b":null}]}`, `[]`, `{"a":1,"a":2}`, `{"n":12345678901234567890}`, `{"\ud800":1}`, ``} {
		f.Add("Mend the tap.", "sam", "it drips", action)
	}
	f.Fuzz(func(t *testing.T, what, who, why, action string) {
		r, p := Request{what, who, why, jsontext.Value(action)}.checked()
		if p != nil {
			if p.Field == "" || p.Detail == "" {
				t.Errorf("%v says no field or no mend", p)
			}
			return
		}
		if r.What != what || r.Who != who || r.Why != why || r.Action.Kind() != '{' {
			t.Errorf("%+v is not what was sent", r)
		}
		// What is kept is what is hashed, shown and run: once more changes nothing.
		again, p := r.checked()
		if p != nil || string(again.Action) != string(r.Action) {
			t.Errorf("%s becomes %s, %v", r.Action, again.Action, p)
		}
		one, err := Digest(r.What, r.Who, r.Why, r.Action)
		two, err2 := Digest(what, who, why, jsontext.Value(action))
		if err != nil || err2 != nil || one != two {
			t.Errorf("digests %s %s, %v %v", one, two, err, err2)
		}
	})
}
