package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the documentation gives as something to say goes where that page says, by the
// shipped routing.md and without a model: who sets a household up tries just these.
func TestWhatTheDocumentationSaysCanBeSaid(t *testing.T) {
	for page, destination := range map[string]string{"timers.md": "home_assistant", "home-assistant.md": "home_assistant", "speakers.md": "speakers"} {
		raw, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		var sayings []string
		for line := range strings.Lines(string(raw)) {
			switch cell, _, _ := strings.Cut(line, " | "); {
			case strings.HasPrefix(line, `| "`):
				sayings = append(sayings, quotedIn(cell)...)
			case strings.HasPrefix(line, `"`):
				sayings = append(sayings, quotedIn(line)...)
			}
		}
		if len(sayings) < 4 {
			t.Fatalf("%s gives only %q to say", page, sayings)
		}
		for saying, decided := range decideLines(t, sayings) {
			if strings.EqualFold(saying, "how long is left?") {
				continue // asked back, as the page says
			}
			if decided.Outcome != "route" && decided.Outcome != "fanout" || !slices.Contains(decided.Projects, destination) {
				t.Errorf("%s: %q is decided as %s %q, want %s", page, saying, decided.Outcome, decided.Projects, destination)
			}
		}
	}
}

type decidedLine struct {
	Question, Outcome string
	Projects          []string
}

// decideLines is what askhub routing decide says of each.
func decideLines(t *testing.T, questions []string) map[string]decidedLine {
	t.Helper()
	var out, errs strings.Builder
	e := &env{
		ctx: t.Context(), stdin: strings.NewReader(strings.Join(questions, "\n") + "\n"), stdout: &out, stderr: &errs,
		getenv: func(string) string { return "" }, environ: func() []string { return nil },
	}
	if code := run(e, []string{"routing", "decide", "--lines", "--config", t.TempDir()}); code != exitFine {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	decided := map[string]decidedLine{}
	for line := range strings.Lines(out.String()) {
		var d decidedLine
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		decided[d.Question] = d
	}
	return decided
}

var quote = regexp.MustCompile(`"([^"]+)"`)

func quotedIn(s string) (found []string) {
	for _, m := range quote.FindAllStringSubmatch(s, -1) {
		if !strings.Contains(m[1], "…") {
			found = append(found, m[1])
		}
	}
	return found
}
