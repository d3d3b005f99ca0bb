package plan

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Validate reads a planner's reply and judges it against what is offered (spec 4, "A
// plan" and "Two rounds"). The plan that it gives is normalised: text trimmed,
// arguments in declared order, an absent nullable as null, duplicate calls dropped
// and references renumbered. The error is a RefusedError that names the first thing
// wrong.
func (o *Offer) Validate(reply []byte) (Plan, error) {
	return readDraft(reply, o.judge)
}

// Check judges a plan that was made in code, as Validate judges a reply.
func (o *Offer) Check(p Plan) (Plan, error) {
	return o.Validate(p.AppendJSON(nil))
}

func (o *Offer) judge(d *draft) (Plan, error) {
	p := Plan{Intent: Intent(d.text(d.intent)), Reason: Reason(d.text(d.reason))}
	if wrong := judgeHead(d); wrong != nil {
		return Plan{}, wrong
	}
	if d.count == 0 {
		return p, nil
	}
	j := judgement{offer: o, draft: d, calls: make([]Call, 0, d.count), room: make([]Argument, 0, len(d.args))}
	for i := range d.count {
		if wrong := j.call(i); wrong != nil {
			wrong.Call = i + 1
			if wrong.Rule != RuleTool {
				wrong.Tool = d.text(d.calls[i].tool)
			}
			return Plan{}, wrong
		}
	}
	p.Calls = dropDuplicates(j.calls, &j.round)
	return p, nil
}

// judgeHead judges all but the calls themselves, in the order of spec 4.
func judgeHead(d *draft) *RefusedError {
	intent, calls := Intent(d.text(d.intent)), d.count
	switch {
	case !d.object:
		return refuse(RuleNotObject, "a plan must be an object with intent, reason and calls")
	case d.extra.kind != 0:
		return refuse(RuleExtraField, "the field %s is unknown: a plan has intent, reason and calls", short(d.text(d.extra)))
	case d.intent.kind != '"' || intent != IntentLookup && intent != IntentAnalyse && intent != IntentWrite && intent != IntentNone:
		return refuse(RuleIntent, "intent must be lookup, analyse, write or none")
	case d.list.kind != '[':
		return refuse(RuleCallsList, "calls must be a list")
	case d.reason.kind != 0 && d.reason.kind != 'n' && (d.reason.kind != '"' || !slices.Contains(reasons, Reason(d.text(d.reason)))):
		return refuse(RuleReason, "reason must be null, no_tool, out_of_scope or needs_judgement")
	case d.reason.kind == '"' && intent != IntentNone:
		return refuse(RuleReason, "reason belongs to the intent none alone")
	case calls > 0 && (intent == IntentWrite || intent == IntentNone):
		return refuse(RuleCallsWith, "the intent %s carries no calls", intent)
	case calls == 0 && (intent == IntentLookup || intent == IntentAnalyse):
		return refuse(RuleNoCalls, "the intent %s carries at least one call", intent)
	case calls > MaxCalls:
		return refuse(RuleTooMany, "%d calls: a plan has at most %d", calls, MaxCalls)
	}
	return nil
}

var reasons = []Reason{ReasonNoTool, ReasonOutOfScope, ReasonNeedsJudgment}

// judgement judges the calls of one plan in turn.
type judgement struct {
	offer *Offer
	draft *draft
	tools [MaxCalls]*tool
	round [MaxCalls]int
	calls []Call
	room  []Argument // of all calls
}

// call judges the call at i (from 0) and, where it is right, adds it.
func (j *judgement) call(i int) *RefusedError {
	c := &j.draft.calls[i]
	switch {
	case !c.object:
		return refuse(RuleCall, "a call must be an object with tool and args")
	case c.extra.kind != 0:
		return refuse(RuleCallExtra, "the key %s is unknown: a call has tool and args", short(j.draft.text(c.extra)))
	case c.tool.kind != '"':
		return refuse(RuleTool, "tool must be the id of a tool that is offered")
	}
	id := j.draft.text(c.tool)
	t := j.offer.find(id)
	switch {
	case t == nil:
		return refuse(RuleTool, "the tool %s is not offered", short(id))
	case c.args.kind != '{':
		return refuse(RuleArgs, "args must be an object")
	}
	given := j.draft.args[c.first:c.end]
	if wrong := j.unknown(t, given); wrong != nil {
		return wrong
	}
	j.tools[i], j.round[i] = t, 1
	start, context := len(j.room), ""
	var wrong *RefusedError // the first wrong value; a wrong reference comes before it
	for k := range t.args {
		a, v := &t.args[k], j.draft.find(given, k, t.args[k].Name)
		text := j.draft.text(v)
		if a.Values == nil {
			text = trim(text)
		}
		if wrong := j.reference(i, a, text); wrong != nil {
			wrong.Arg = a.Name
			return wrong
		}
		if wrong == nil {
			if wrong = judgeValue(a, v.kind, text); wrong != nil {
				wrong.Arg = a.Name
			}
		}
		if text == contextToken && context == "" {
			context = a.Name
		}
		j.room = append(j.room, Argument{Name: a.Name, Value: text, Null: v.kind != '"'})
	}
	if wrong != nil {
		return wrong
	}
	if j.round[i] == 2 && context != "" {
		wrong := refuse(RuleContextMixed, "a call that takes a reference does not also take %s", contextToken)
		wrong.Arg = context
		return wrong
	}
	if j.round[i] == 1 && slices.Contains(j.round[:i], 2) {
		return refuse(RuleRoundOrder, "a call without a reference stands after one with a reference: round 1 comes first")
	}
	j.calls = append(j.calls, Call{Tool: t.id, Args: j.room[start:len(j.room):len(j.room)]})
	return nil
}

// unknown refuses the first argument that the tool does not have.
func (j *judgement) unknown(t *tool, given []draftArg) *RefusedError {
	for k := range given {
		name := j.draft.text(given[k].name)
		if k < len(t.args) && t.args[k].Name == name { // mostly they stand in declared order
			continue
		}
		if !slices.ContainsFunc(t.args, func(a Arg) bool { return a.Name == name }) {
			wrong := refuse(RuleUnknownArg, "the tool has no such argument")
			wrong.Arg = name
			return wrong
		}
	}
	return nil
}

// find is what a call gives for the argument declared at k.
func (d *draft) find(given []draftArg, k int, name string) value {
	if k < len(given) && d.text(given[k].name) == name {
		return given[k].value
	}
	for i := range given {
		if d.text(given[i].name) == name {
			return given[i].value
		}
	}
	return value{}
}

// reference judges what looks like a reference, and puts the call in round 2.
func (j *judgement) reference(i int, a *Arg, text string) *RefusedError {
	if text == "" {
		return nil
	}
	if a.Values != nil {
		if looksLikeReference(trim(text)) {
			return refuse(RuleReference, "a closed list never takes a reference")
		}
		return nil
	}
	if !looksLikeReference(text) {
		return nil
	}
	from, output, ok := parseReference(text)
	switch {
	case !ok || !isOutputName(output):
		return refuse(RuleReference, "%s is no reference: it must be @r1 to @r%d, a dot and an output's name", short(text), MaxCalls)
	case from > i:
		return refuse(RuleReference, "%s must name an earlier call", text)
	case j.round[from-1] == 2:
		return refuse(RuleReference, "%s names a call that takes a reference itself: there are two rounds", text)
	case j.tools[from-1].output(output) == nil:
		return refuse(RuleReference, "%s: the tool %s gives no %s", text, j.tools[from-1].id, output)
	}
	j.round[i] = 2
	return nil
}

// judgeValue judges one argument's value, references apart. text is trimmed.
func judgeValue(a *Arg, kind jsontext.Kind, text string) *RefusedError {
	switch {
	case kind == 0 && !a.Nullable:
		return refuse(RuleMissing, "is missing")
	case kind == 0 || kind == 'n' && a.Nullable:
		return nil
	case kind == 'n':
		return refuse(RuleType, "must not be null")
	case kind != '"':
		return refuse(RuleType, "must be a text")
	case a.Values != nil:
		if !slices.Contains(a.Values, text) {
			return refuse(RuleNotAValue, "must be one of %s", strings.Join(a.Values, ", "))
		}
		return nil
	case text == contextToken || looksLikeReference(text): // judged already
		return nil
	}
	return judgeText(a, text)
}

// judgeText judges a trimmed text by the argument's own spec.
func judgeText(a *Arg, text string) *RefusedError {
	switch {
	case hasControl(text):
		return refuse(RuleControl, "has a control character")
	case text == "":
		return refuse(RuleEmpty, "is empty: it must hold something%s", orNull(a))
	case len(text) > a.MaxLength && utf8.RuneCountInString(text) > a.MaxLength:
		return refuse(RuleTooLong, "is longer than %d characters", a.MaxLength)
	}
	return nil
}

func orNull(a *Arg) string {
	if a.Nullable {
		return ", or be null"
	}
	return ""
}

// dropDuplicates leaves each call once. A reference to a call that went names the
// one that was kept.
func dropDuplicates(calls []Call, round *[MaxCalls]int) []Call {
	if len(calls) < 2 {
		return calls
	}
	var place [MaxCalls]int // of each call among those kept, from 0
	kept := calls[:0]
	for i, c := range calls {
		if round[i] == 2 {
			for k := range c.Args {
				if from, output, ok := parseReference(c.Args[k].Value); ok && place[from-1] != from-1 {
					c.Args[k].Value = reference(place[from-1]+1, output)
				}
			}
		}
		place[i] = slices.IndexFunc(kept, func(k Call) bool {
			return k.Tool == c.Tool && slices.Equal(k.Args, c.Args)
		})
		if place[i] < 0 {
			place[i] = len(kept)
			kept = append(kept, c)
		}
	}
	return kept
}
