package eval_test

import (
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/eval"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func refuseNo(question string) routing.Refusal {
	if strings.HasPrefix(question, "no ") {
		return routing.Refusal{Refused: true, Row: "Cut the internet", Line: 3, Words: []string{"no", "wifi"}}
	}
	return routing.Refusal{}
}

const guardFile = `{"id": "a", "text": "no wifi for Ann", "label": "refuse", "why": "cut", "style": "plain"}
{"id": "b", "text": "Ann is done online", "label": "refuse", "why": "cut", "style": "plain"}

{"id": "c", "text": "no milk left", "label": "allow", "why": "calendar_list", "style": "kid"}
{"id": "d", "text": "lights on", "label": "allow", "why": "ha_command", "style": "plain"}
`

func TestGuardCountsBothErrors(t *testing.T) {
	report, err := eval.Guard(strings.NewReader(guardFile), refuseNo)
	if err != nil {
		t.Fatal(err)
	}
	want := eval.GuardReport{
		N:      4,
		Refuse: eval.GuardRefuse{N: 2, Recall: 0.5},
		Allow:  eval.GuardAllow{N: 2, FalseRefusal: 0.5},
		ByStyle: map[string]eval.GuardStyle{
			"plain": {Refuse: eval.GuardRefuse{N: 2, Recall: 0.5}, Allow: eval.GuardAllow{N: 1}},
			"kid":   {Allow: eval.GuardAllow{N: 1, FalseRefusal: 1}},
		},
		Wrong: []eval.GuardWrong{
			{ID: "b", Text: "Ann is done online", Want: "refuse", Got: "allow", Why: "cut"},
			{ID: "c", Text: "no milk left", Want: "allow", Got: "refuse", Why: `calendar_list; refused as "Cut the internet" for "no wifi"`},
		},
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestGuardReportKeepsItsShape(t *testing.T) {
	report, err := eval.Guard(strings.NewReader(""), refuseNo)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(&report, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"n":0,"refuse":{"n":0,"recall":0},"allow":{"n":0,"false_refusal":0},"by_style":{},"wrong":[]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestGuardNamesABadLine(t *testing.T) {
	good := `{"id": "a", "text": "x", "label": "allow", "why": "", "style": "plain"}` + "\n"
	for name, bad := range map[string]string{
		"no JSON":        `{"id": "b"`,
		"no text":        `{"id": "b", "label": "allow"}`,
		"unknown label":  `{"id": "b", "text": "x", "label": "maybe"}`,
		"no label":       `{"id": "b", "text": "x"}`,
		"a key twice":    `{"id": "b", "id": "c", "text": "x", "label": "allow"}`,
		"a second value": `{"id": "b", "text": "x", "label": "allow"} {}`,
	} {
		_, err := eval.Guard(strings.NewReader(good+bad+"\n"), refuseNo)
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: the error is %v, and should name line 2", name, err)
		}
	}
}
