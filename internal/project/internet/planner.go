package internet

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/planner"
)

// wordsPlanner plans the ways to ask about time online that hang on a whole turn of
// phrase, such as "is his internet off". What it does not know is for the embedded planner.
type wordsPlanner struct{}

var _ planner.Planner = wordsPlanner{}

var errOtherWords = errors.New("this is none of the ways to ask about the internet")

// way is one of them. Each group of its pattern is the argument of the same name.
type way struct {
	pattern *regexp.Regexp
	tool    string
	args    []string
}

const (
	anyDay  = `(?:.*\b(?P<date>today|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4}-\d\d-\d\d))?\b[^?]*\W*$`
	aDevice = `(?:.*\b(?P<device>tablet|phone|laptop|computer|console|telly|tv|pc|ipad|xbox|playstation|switch)\b)?`
)

func dayWay(p, tool string) way {
	return way{regexp.MustCompile(`(?i)` + p), tool, []string{"date", "device"}}
}

func deviceWay(p, tool string) way {
	return way{regexp.MustCompile(`(?i)` + p), tool, []string{"device"}}
}

var ways = []way{
	deviceWay(`\b(?:internet|wi-?fi|online access)\b.*\b(?:on|off|cut|back|working|down)\b.*?`+aDevice, ToolInternet),
	deviceWay(`\bcut off\b.*?`+aDevice, ToolInternet),
	deviceWay(`^\W*(?:is|are)\b.*\b(?:tablet|phone|laptop|console|computer|device)s?\b.*\b(?:cut|off|blocked|online)\b`, ToolInternet),
	deviceWay(`\b(?:bed-?time|curfew|schedules?)\b.*?`+aDevice, ToolBedtime),
	deviceWay(`\b(?:limits?|allowances?)\b.*?`+aDevice, ToolLimit),
	dayWay(`\b(?:was|were|got|been)\b.*\b(?:blocked|refused|filtered|stopped)\b`+anyDay, ToolBlocked),
	deviceWay(`\b(?:blocked|blocks|block(?:ed)? list|not allowed|filtered)\b.*?`+aDevice, ToolRules),
	{regexp.MustCompile(`(?i)^\W*(?:was|were|has|have|did|is)\b.*?\b(?:on|use|used|visit|visited|open|opened|watch|watched|been on|go on|look at)\s+(?P<site>[\w.-]+(?:\.[\w-]+)*)(?:\s+(?P<date>today|yesterday))?\W*$`), ToolSite, []string{"site", "date"}},
	dayWay(`\bhow (?:long|much|many)\b`+anyDay, ToolUse),
	dayWay(`\b(?:screen ?time|internet use|internet usage|time online|usage)\b`+anyDay, ToolUse),
	dayWay(`\b(?:what|which|give (?:me|us))\b.*\b(?:sites?|pages?|apps?|websites?|do|did|doing|look(?:ed|ing)? (?:up|at)|online|visit(?:ed)?)\b`+anyDay, ToolSites),
	dayWay(`\b(?:on the internet|online)\b`+anyDay, ToolUse),
}

// write are questions for a change, which are answered alike however they are put.
var write = regexp.MustCompile(`(?i)^\W*(?:please |can you |could you |will you )?(?:turn|switch|cut|block|unblock|give|set|change|stop|pause|restore|allow|extend|add|remove|take)\b`)

// telling are questions that only begin like one.
var telling = regexp.MustCompile(`(?i)^\W*(?:please |can you |could you )?give (?:me|us) (?:the|a list|all|what|which|how)\b`)

// commonPlace are words after "on" that are no site.
var commonPlace = map[string]bool{
	"the": true, "internet": true, "online": true, "it": true, "today": true, "yesterday": true, "tablet": true, "phone": true, "off": true, "on": true,
	"laptop": true, "computer": true, "console": true, "wifi": true, "wi-fi": true, "web": true, "anything": true, "something": true,
}

// Plan sees the question alone.
func (wordsPlanner) Plan(_ context.Context, ask planner.Ask) ([]byte, error) {
	if write.MatchString(ask.Question) && !telling.MatchString(ask.Question) {
		return plan.Plan{Intent: plan.IntentWrite}.AppendJSON(nil), nil
	}
	for _, w := range ways {
		m := w.pattern.FindStringSubmatch(ask.Question)
		if m == nil {
			continue
		}
		call := plan.Call{Tool: w.tool}
		for _, name := range w.args {
			value := ""
			if group := w.pattern.SubexpIndex(name); group >= 0 {
				value = strings.ToLower(strings.TrimSpace(m[group]))
			}
			if name == "device" && value == "" {
				value = deviceWord.FindString(strings.ToLower(ask.Question))
			}
			call.Args = append(call.Args, plan.Argument{Name: name, Value: value, Null: value == ""})
		}
		if w.tool == ToolSite && commonPlace[call.Args[0].Value] {
			continue
		}
		return plan.Plan{Intent: plan.IntentLookup, Calls: []plan.Call{call}}.AppendJSON(nil), nil
	}
	return nil, errOtherWords
}

var deviceWord = regexp.MustCompile(`\b(?:tablet|phone|laptop|computer|console|telly|tv|pc|ipad|xbox|playstation)\b`)
