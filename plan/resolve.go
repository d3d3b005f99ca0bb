package plan

import (
	"context"
	"fmt"
)

// IDCheck says whether id is one of the app's own public ids, and of this kind where
// kind is not empty.
type IDCheck func(ctx context.Context, kind, id string) bool

// Given is what the app puts in place of what a plan only names.
type Given struct {
	// Context is what the page that asked is about: what @context stands for. Empty,
	// where no page asked.
	Context string
	// IDs checks what a reference carries. Without it only safe outputs pass.
	IDs IDCheck
}

// ResolveError is why a call's arguments could not be filled, so that it did not
// run.
type ResolveError struct {
	// Outcome is the call's: none, ambiguous, denied or failed.
	Outcome Outcome
	// Arg is the argument; empty where the fault is the call's.
	Arg string
	// Fault says why, without any value.
	Fault string
}

func (e *ResolveError) Error() string {
	if e.Arg == "" {
		return e.Fault
	}
	return fmt.Sprintf("argument %s: %s", short(e.Arg), e.Fault)
}

func unresolved(outcome Outcome, format string, args ...any) *ResolveError {
	return &ResolveError{Outcome: outcome, Fault: fmt.Sprintf(format, args...)}
}

// Resolve gives the arguments of the call at position (from 1) as it runs:
// references replaced by what the results of the calls before it hold, and @context
// by what the page is about. results[0] is that of the plan's first call. The error
// is a ResolveError.
func (o *Offer) Resolve(ctx context.Context, p Plan, position int, results []Result, given Given) ([]Argument, error) {
	if position < 1 || position > len(p.Calls) {
		return nil, unresolved(OutcomeFailed, "the plan has no call %d", position)
	}
	call := p.Calls[position-1]
	t := o.find(call.Tool)
	if t == nil || len(call.Args) != len(t.args) {
		return nil, unresolved(OutcomeFailed, "the plan was not judged against this offer")
	}
	out := make([]Argument, len(call.Args))
	for i, arg := range call.Args {
		value, err := o.resolveOne(ctx, p, &t.args[i], arg, position, results, given)
		if err != nil {
			err.Arg = arg.Name
			return nil, err
		}
		arg.Value = value
		out[i] = arg
	}
	return out, nil
}

func (o *Offer) resolveOne(ctx context.Context, p Plan, a *Arg, arg Argument, position int, results []Result, given Given) (string, *ResolveError) {
	if arg.Null || a.Values != nil {
		return arg.Value, nil
	}
	if arg.Value == contextToken {
		if given.Context == "" {
			return "", unresolved(OutcomeFailed, "no page asked, so %s stands for nothing", contextToken)
		}
		return asTyped(a, given.Context)
	}
	from, name, ok := parseReference(arg.Value)
	if !ok {
		return arg.Value, nil
	}
	if from >= position || from > len(results) {
		return "", unresolved(OutcomeFailed, "%s has no result", arg.Value)
	}
	var source *Output
	if t := o.find(p.Calls[from-1].Tool); t != nil {
		source = t.output(name)
	}
	if source == nil {
		return "", unresolved(OutcomeFailed, "%s is no output of that call", arg.Value)
	}
	value, err := source.only(&results[from-1], from)
	if err != nil {
		return "", err
	}
	if !source.Safe && (given.IDs == nil || !given.IDs(ctx, source.Kind, value)) {
		if given.IDs == nil {
			return "", unresolved(OutcomeFailed, "the output %s is not safe, and there is no id check", name)
		}
		return "", unresolved(OutcomeFailed, "what the output %s holds is none of the app's own %sids", name, kindWord(source.Kind))
	}
	return asTyped(a, value)
}

func kindWord(kind string) string {
	if kind == "" {
		return ""
	}
	return kind + " "
}

// only is the one value that stands at the output's path.
func (o *Output) only(r *Result, from int) (string, *ResolveError) {
	if r.Outcome != OutcomeOK {
		return "", unresolved(r.Outcome, "the outcome of call %d is %s", from, r.Outcome)
	}
	found := ""
	for _, v := range o.read(r) {
		text, ok := outputText(v)
		switch {
		case !ok || text == "" || text == found:
		case found != "":
			return "", unresolved(OutcomeAmbiguous, "call %d found several: a choice for the person", from)
		default:
			found = text
		}
	}
	if found == "" {
		return "", unresolved(OutcomeNone, "call %d has nothing at %s", from, o.Path)
	}
	return found, nil
}

// asTyped judges a value that no planner wrote as if it had been typed.
func asTyped(a *Arg, value string) (string, *ResolveError) {
	value = trim(value)
	if looksLikeReference(value) || looksLikeContext(value) {
		return "", unresolved(OutcomeFailed, "the value looks like a reference or the context token")
	}
	if wrong := judgeText(a, value); wrong != nil {
		return "", unresolved(OutcomeFailed, "the value %s", wrong.Fault)
	}
	return value, nil
}
