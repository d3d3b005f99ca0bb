package eval

import (
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/people"
	"github.com/google/go-cmp/cmp"
)

func TestPersonScoresFirmAndDoubtfulLinesApart(t *testing.T) {
	file := `{"id":"1","question":"is Harry in","asker":"sam","routed_people":["harry"],"other_people":["emma"],"want":"harry"}
{"id":"2","question":"is Emma in","asker":"sam","routed_people":["harry"],"other_people":["emma"],"want":"sam"}
{"id":"3","question":"is Emma in","asker":"sam","caller_person":"tom","routed_people":["emma"],"want":"tom"}
{"id":"4","question":"are Harry and Emma in","asker":"sam","routed_people":["emma","harry"],"want":"ambiguous"}
{"id":"5","question":"will you look","asker":"sam","routed_people":["will"],"want":"sam","accept":["will"]}
{"id":"6","question":"is it on in May","asker":"sam","routed_people":["may"],"want":"sam","doubt":true}
{"id":"7","question":"when is mum back","asker":"harry","routed_people":["sam"],"want":"harry","tags":["person_doubt:alias"]}
{"id":"8","question":"is Zoe in","asker":"sam","routed_people":["zoë"],"want":"zoë"}
`
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Person(strings.NewReader(file), house.Listed)
	if err != nil {
		t.Fatal(err)
	}
	want := PersonReport{
		Firm: Sum{5, 4}, Doubt: Sum{3, 1},
		Wrong: []PersonWrong{
			{"6", "is it on in May", "sam", "may"},
			{"7", "when is mum back", "harry", "sam"},
			{"8", "is Zoe in", "zoë", "sam"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Person(strings.NewReader(`{"question":"x"}`), house.Listed); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a line without asker and want: %v", err)
	}
}
