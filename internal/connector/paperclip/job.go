package paperclip

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxTitle is how long a title is at most, in code points. The description has the words
// whole in any case.
const MaxTitle = 100

// Job is exactly what will be filed, and where: the action of its approval.
type Job struct {
	Destination string `json:"destination"`
	Server      string `json:"server"`
	Company     string `json:"company"`
	Project     string `json:"project,omitzero"`
	Parent      string `json:"parent,omitzero"`
	Assignee    string `json:"assignee,omitzero"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// ErrNoJob is words that ask for a job and do not say which.
var ErrNoJob = errors.New("the words name no job")

// Draft is the job that those words ask for, here. Its title are the words without the
// request to file them, and its description all of them as they were said.
func (c *Client) Draft(words string) (Job, error) {
	title := Title(words)
	if title == "" {
		return Job{}, ErrNoJob
	}
	return Job{
		Destination: Name, Server: c.cfg.URL, Company: c.cfg.Company, Project: c.cfg.Project, Parent: c.cfg.Parent, Assignee: c.cfg.Assignee,
		Title: title, Description: words,
	}, nil
}

// Action is the job as its approval holds it.
func (j Job) Action() (jsontext.Value, error) { return json.Marshal(j) }

// ReadJob reads what Action wrote, and refuses everything else.
func ReadJob(action jsontext.Value) (Job, error) {
	var j Job
	err := json.Unmarshal(action, &j, json.RejectUnknownMembers(true))
	if err == nil && (j.Title == "" || j.Description == "" || j.Company == "") {
		err = errors.New("the job is not whole")
	}
	return j, err
}

// asking is how people begin when they want a job filed. What follows is the job.
var asking = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:hey|hi|ok|okay|please|now|then|so|and|hub|askhub|jervis)[\s,]+)*` +
		`(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) like (?:you )?to |i want (?:you )?to |i need (?:you )?to |let's |let us )?(?:please )?` +
		`(?:(?:file|open|create|add|make|raise|log|start|put in|submit|set up) (?:a |an |another |one more |this |that |the )?(?:new )?(?:paperclip )?(?:job|task|ticket|issue)` +
		`|(?:new |slow |paperclip )*(?:job|task)|work ?bench)` +
		`(?: (?:in|on|at|with|for|into) (?:paperclip|the work ?bench))?` +
		`(?:\s*[:,;–—\n-]+\s*(?:please )?(?:to |for |that says )?|\s+(?:please )?(?:to|for|about|called|saying|that says)\s+|[\s.!?]*$)`)
})

// Title is what the job in those words is called: one line that begins with a capital. It
// is empty where they name none.
func Title(words string) string {
	lines := strings.Split(strings.TrimSpace(words), "\n") // a line break may stand for the colon
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	s := oneLine(asking().ReplaceAllString(strings.Join(lines, "\n"), ""))
	s = strings.TrimRight(s, " .!?;:,")
	if strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return shorten(string(unicode.ToUpper(first))+s[size:], MaxTitle)
}

// oneLine is s without line breaks and without what nobody sees.
func oneLine(s string) string {
	s = strings.ReplaceAll(s, "’", "'")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// shorten is s, or its leading whole words and an ellipsis that says so.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)[:most-1]
	if at := strings.LastIndexByte(string(runes), ' '); at > 0 {
		return strings.TrimRight(string(runes)[:at], " ,;:-–—") + "…"
	}
	return string(runes) + "…"
}
