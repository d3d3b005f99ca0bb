package routing_test

import (
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

func TestLintTellsWhereARowAndItsProjectDisagree(t *testing.T) {
	f, problems := routing.Parse("routing.md", []byte(strings.Replace(small, "(keeps its own chat) | active service", "(keeps its own chat) | placeholder", 1)))
	if f == nil {
		t.Fatal(problems)
	}
	for _, c := range []struct {
		name string
		caps ask.Capabilities
		want []string
	}{
		{"the same topics", ask.Capabilities{Project: "email_agent", Topics: []string{"Inbox", " EMAIL "}}, nil},
		{"a topic that it does not declare", ask.Capabilities{Project: "email_agent", Topics: []string{"email"}}, []string{`4 email_agent does not declare "inbox"`}},
		{"topics that the row lacks", ask.Capabilities{Project: "email_agent", Topics: []string{"email", "inbox", "mail", "spam"}}, []string{`4 email_agent declares "mail", "spam" as well: add them to the row`}},
		{"other topics altogether", ask.Capabilities{Project: "home_assistant", Topics: []string{"heating"}}, []string{`5 home_assistant does not declare "lamp", "timer": take them out of the row, or let the project declare them`, `5 home_assistant declares "heating" as well: add it to the row`}},
		{"a project without a row", ask.Capabilities{Project: "compass", Topics: []string{"school"}}, []string{"1 the project compass answers and has no row: add one for its topics (school)"}},
		{"a placeholder that answers", ask.Capabilities{Project: "dsh", Topics: []string{"chat"}}, []string{"6 dsh is marked as a placeholder and answers already"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := routing.Lint(f, []ask.Capabilities{c.caps})
			if len(got) != len(c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
			for i, want := range c.want {
				line, message, _ := strings.Cut(want, " ")
				if got[i].Line != int(line[0]-'0') || got[i].Severity != routing.Warning || !strings.HasPrefix(got[i].Message, message) {
					t.Errorf("got %v, want %q", got[i], want)
				}
			}
		})
	}
}
