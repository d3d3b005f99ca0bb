package plan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Rule is a rule of spec 4 that a plan broke. It is a stable code.
type Rule string

// The rules in the order in which they are judged: of the whole plan, then of each
// call in turn.
const (
	RuleNotJSON    Rule = "not_json"
	RuleNotObject  Rule = "not_an_object"
	RuleExtraField Rule = "extra_field"
	RuleIntent     Rule = "intent"
	RuleCallsList  Rule = "calls_not_a_list"
	RuleReason     Rule = "reason"
	RuleCallsWith  Rule = "calls_not_allowed" // calls with write or none
	RuleNoCalls    Rule = "no_calls"          // none with lookup or analyse
	RuleTooMany    Rule = "too_many_calls"

	RuleCall         Rule = "call_not_an_object"
	RuleCallExtra    Rule = "call_extra_key"
	RuleTool         Rule = "tool_not_offered"
	RuleArgs         Rule = "args_not_an_object"
	RuleUnknownArg   Rule = "unknown_argument"
	RuleReference    Rule = "reference"
	RuleMissing      Rule = "missing_argument"
	RuleType         Rule = "wrong_type"
	RuleControl      Rule = "control_character"
	RuleEmpty        Rule = "empty_text"
	RuleTooLong      Rule = "too_long"
	RuleNotAValue    Rule = "not_a_value"
	RuleContextMixed Rule = "context_mixed"
	RuleRoundOrder   Rule = "round_order"
)

// RefusedError says the first thing wrong with a plan. Nothing of the plan runs.
type RefusedError struct {
	Rule Rule
	// Call is the call's position from 1; 0 where the fault is the whole plan's.
	Call int
	// Tool and Arg are as the plan has them, and empty where none is meant.
	Tool, Arg string
	// Fault says what is wrong and how it should be.
	Fault string
}

func (e *RefusedError) Error() string {
	var b strings.Builder
	if e.Call > 0 {
		fmt.Fprintf(&b, "call %d", e.Call)
		if e.Tool != "" {
			fmt.Fprintf(&b, " (%s)", short(e.Tool))
		}
		b.WriteString(": ")
	}
	if e.Arg != "" {
		fmt.Fprintf(&b, "argument %s: ", short(e.Arg))
	}
	fmt.Fprintf(&b, "%s [%s]", e.Fault, e.Rule)
	return b.String()
}

func refuse(rule Rule, format string, args ...any) *RefusedError {
	return &RefusedError{Rule: rule, Fault: fmt.Sprintf(format, args...)}
}

// short quotes a text that the planner wrote, so that no message grows or breaks
// with it. A plain name stays as it is.
func short(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	if q := strconv.Quote(text); q[1:len(q)-1] != text || strings.ContainsAny(text, " :()") {
		return q
	}
	return text
}
