package email

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/planner"
)

// wordsPlanner plans the ways to ask for mail that do not name it, such as "what did
// the garage say". What it does not know is for the embedded planner.
type wordsPlanner struct{}

var _ planner.Planner = wordsPlanner{}

var errOtherWords = errors.New("this is none of the ways to ask for mail without its name")

// way is one of them. Each group of its pattern is the argument of the same name; the
// others are null.
type way struct {
	pattern *regexp.Regexp
	tool    string
	args    []string
}

const (
	someDay = `(?:\s+(?P<since>today|yesterday))?\W*$`
	someone = `(?P<sender>(?:the |my |our )?[\w'’.-]+(?: [\w'’.-]+)?)`
)

var ways = []way{
	// A day summary says nothing of mail, and is about the mail of that day too (spec 2,
	// section 2): a person's own day, for somebody else's is no question about this mail.
	{regexp.MustCompile(`(?i)^\W*what(?:'s| is| do| have|'ve)?\s+(?:i|we)(?:'ve| have)?\s*(?:have|got)?\s+on\b.*\b(?P<date>today|yesterday)\W*$`), ToolSince, []string{"date", "until", "state"}},
	{regexp.MustCompile(`(?i)^\W*(?:is there |do i have )?(?:anything|what(?:'s| is)) (?:new )?in (?:my|the) inbox (?P<date>today|yesterday)\W*$`), ToolSince, []string{"date", "until", "state"}},
	{regexp.MustCompile(`(?i)^\W*(?:is there |was there )?anything (?:new )?about (?P<words>[\w'’ -]+?)` + someDay), ToolAbout, []string{"words", "state", "since"}},
	{regexp.MustCompile(`(?i)^\W*what did ` + someone + ` (?:say|write|reply|answer)` + someDay), ToolFrom, []string{"sender", "about", "state", "since"}},
	{regexp.MustCompile(`(?i)^\W*(?:did|has|have) ` + someone + ` (?:write|written|wrote|get|got|come|reply|replied|answer|answered) back(?: to me| to us)?` + someDay), ToolFrom, []string{"sender", "about", "state", "since"}},
}

// nobody are words in a sender's place that name none.
var nobody = wordSet("i we you he she they it this that anybody anyone somebody someone everybody everyone")

// Plan sees the question alone.
func (wordsPlanner) Plan(_ context.Context, ask planner.Ask) ([]byte, error) {
	for _, w := range ways {
		m := w.pattern.FindStringSubmatch(ask.Question)
		if m == nil {
			continue
		}
		call := plan.Call{Tool: w.tool}
		for _, name := range w.args {
			group := w.pattern.SubexpIndex(name)
			if name == "until" { // the whole of the day
				group = w.pattern.SubexpIndex("date")
			}
			value := ""
			if group >= 0 {
				value = strings.TrimSpace(m[group])
			}
			if name == "sender" && nobody[strings.ToLower(strings.Fields(value)[0])] {
				return nil, errOtherWords
			}
			call.Args = append(call.Args, plan.Argument{Name: name, Value: value, Null: value == ""})
		}
		return plan.Plan{Intent: plan.IntentLookup, Calls: []plan.Call{call}}.AppendJSON(nil), nil
	}
	return nil, errOtherWords
}
