package paperclip

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/ask"
)

func TestTheTitleIsTheJobInThePersonsWords(t *testing.T) {
	for words, want := range map[string]string{
		"file a job: find a plumber":                               "Find a plumber",
		"File a job to find a plumber.":                            "Find a plumber",
		"please file a job, find a plumber":                        "Find a plumber",
		"can you please file a new job for Harry's birthday?":      "Harry's birthday",
		"I’d like you to file a job about the boiler":              "The boiler",
		"hey hub, create a task in paperclip: mow the lawn":        "Mow the lawn",
		"slow task: compare heat pumps":                            "Compare heat pumps",
		"work bench: sand the door":                                "Sand the door",
		"open an issue - the gate squeaks":                         "The gate squeaks",
		"file a job\n\nfind a plumber\nsoon":                       "Find a plumber soon",
		"research this: which heat pump is quietest?":              "Research this: which heat pump is quietest",
		"plan this, a party for Harry":                             "Plan this, a party for Harry",
		"file a job: file a job: twice":                            "File a job: twice",
		"file a job: 2 new tyres":                                  "2 new tyres",
		"file a job:  many   spaces\tand\u200b hidden \u202echars": "Many spaces and hidden chars",
		"find a plumber":                                           "Find a plumber",
		"file a job: été":                                          "Été",
	} {
		if got := Title(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	for _, words := range []string{"file a job", "File a job.", "please file a job:", "slow task", "file a job: ...", "can you file a job?", ""} {
		if got := Title(words); got != "" {
			t.Errorf("%q names no job, got %q", words, got)
		}
	}
}

func TestALongJobIsWholeInItsDescription(t *testing.T) {
	words := "file a job: " + strings.Repeat("compare the heat pumps of every maker ", 60)
	job, err := New(Config{Company: "c"}).Draft(words)
	if err != nil || job.Description != words {
		t.Fatalf("got %+v, %v", job, err)
	}
	if n := utf8.RuneCountInString(job.Title); n > MaxTitle || !strings.HasSuffix(job.Title, "maker…") && !strings.HasSuffix(job.Title, "…") {
		t.Errorf("the title has %d characters: %q", n, job.Title)
	}
	if one := Title("file a job: " + strings.Repeat("é", 500)); utf8.RuneCountInString(one) != MaxTitle || !strings.HasSuffix(one, "é…") {
		t.Errorf("one long word became %q", one)
	}
}

func TestAJobReadsBackAsItWasWritten(t *testing.T) {
	job, err := New(Config{URL: "http://127.0.0.1:3100", Company: "c", Project: "p", Assignee: "a"}).Draft("file a job: find a plumber\nsoon, \"please\" \u202e")
	if err != nil {
		t.Fatal(err)
	}
	action, err := job.Action()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadJob(action)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(job, got); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{`{}`, `[]`, `{"title":"x"}`, strings.Replace(string(action), `"title"`, `"Title"`, 1), strings.Replace(string(action), `{`, `{"more":1,`, 1)} {
		if _, err := ReadJob([]byte(wrong)); err == nil {
			t.Errorf("%s was read as a job", wrong)
		}
	}
	if _, err := New(Config{}).Draft("file a job"); !errors.Is(err, ErrNoJob) {
		t.Errorf("got %v", err)
	}
}

func FuzzTitle(f *testing.F) {
	for _, words := range []string{"file a job: find a plumber", "please, could you file a job to x", "\u202efile a job\u0000", "file a job: " + strings.Repeat("x ", 200)} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		title := Title(words)
		if n := utf8.RuneCountInString(title); n > MaxTitle || !utf8.ValidString(title) {
			t.Errorf("%q became %q", words, title)
		}
		if strings.ContainsFunc(title, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("%q became %q", words, title)
		}
		if title == "" {
			return
		}
		if q := (ask.Question{Question: words, Asker: "sam"}); q.Validate() == nil {
			if job, err := New(Config{}).Draft(words); err != nil || job.Description != words {
				t.Errorf("%q became %+v, %v", words, job, err)
			}
		}
	})
}
