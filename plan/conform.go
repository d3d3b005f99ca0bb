package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// ParseResult reads a tool's result in its JSON form. A key that a result does not
// have, a value of the wrong type and whatever does not match the tool's own
// declaration are errors: the look-up failed.
func (c *Catalogue) ParseResult(tool string, doc []byte) (Result, error) {
	at, ok := c.byID[tool]
	if !ok {
		return Result{}, fmt.Errorf("the catalogue has no tool %s", short(tool))
	}
	var r Result
	if err := json.Unmarshal(doc, &r, json.RejectUnknownMembers(true)); err != nil {
		return Result{}, fmt.Errorf("is no result: %s", decodeFault(err))
	}
	if wrong := c.tools[at].conform(&r); wrong != "" {
		return Result{}, fmt.Errorf("does not match the declaration of %s: %s", tool, wrong)
	}
	return r, nil
}

// decodeFault tells where a result is wrong without its contents.
func decodeFault(err error) string {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		where := short(string(semantic.JSONPointer))
		if where == "" {
			where = "it"
		}
		if errors.Is(err, json.ErrUnknownName) {
			return where + " is no part of a result"
		}
		return where + " has the wrong type"
	}
	return jsonFault(err).Error()
}

// conform says what in a result does not match the tool's own declaration, or "". It
// holds no value of the result.
func (t *tool) conform(r *Result) string {
	switch r.Outcome {
	case OutcomeOK, OutcomeNone, OutcomeAmbiguous, OutcomeDenied, OutcomeFailed:
	default:
		return "the outcome is none of ok, none, ambiguous, denied and failed"
	}
	if wrong := conformValues("facts.", r.Facts); wrong != "" {
		return wrong
	}
	for i := range r.Rows {
		if wrong := conformValues("rows[].fields.", r.Rows[i].Fields); wrong != "" {
			return wrong
		}
	}
	for _, out := range t.outputs {
		for _, v := range out.read(r) {
			if _, ok := outputText(v); !ok {
				return fmt.Sprintf("%s is no text and no number, and the output %s reads it", out.Path, out.Name)
			}
		}
	}
	if wrong := t.conformStates(r); wrong != "" {
		return wrong
	}
	return t.conformBreakdown(r)
}

// conformValues says which value under a path is no single value.
func conformValues(path string, values map[string]any) string {
	for key, v := range values {
		if !isKey(key) {
			return path + "<key>: a key is not made of lower case letters, digits and _"
		}
		if !isSingle(v) {
			return path + short(key) + " is no text, number, true, false or instant"
		}
	}
	return ""
}

func isKey(key string) bool {
	for i := range len(key) {
		if c := key[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return key != ""
}

func isSingle(v any) bool {
	switch v := v.(type) {
	case nil, string, bool, time.Time:
		return true
	case float64:
		return !math.IsInf(v, 0) && !math.IsNaN(v)
	}
	_, ok := number(v)
	return ok
}

// conformStates wants a text or a truth value where a state is read.
func (t *tool) conformStates(r *Result) string {
	for word, state := range t.says.States {
		for i := range r.Rows {
			switch r.Rows[i].Fields[state.Field].(type) {
			case nil, string, bool:
			default:
				return fmt.Sprintf("rows[].fields.%s is no text, true or false, and the state %s reads it", state.Field, word)
			}
		}
	}
	return ""
}

func (t *tool) conformBreakdown(r *Result) string {
	for _, c := range r.Breakdown {
		labels, declared := t.says.GroupBy[c.Key]
		switch {
		case c.Count < 0:
			return "a breakdown has a count below 0"
		case c.Enum && !declared:
			return "a breakdown says that its label is of a closed list, and groupBy has no such key"
		case c.Enum && !slices.Contains(labels, c.Label):
			return fmt.Sprintf("the breakdown by %s has a label that is not in groupBy's list", c.Key)
		}
	}
	return ""
}

// read is every value at the output's path.
func (o *Output) read(r *Result) []any {
	if key, ok := strings.CutPrefix(o.Path, "facts."); ok {
		if v, is := r.Facts[key]; is && v != nil {
			return []any{v}
		}
		return nil
	}
	var out []any
	key, isField := strings.CutPrefix(o.Path, "rows[].fields.")
	for i := range r.Rows {
		switch {
		case !isField:
			out = append(out, r.Rows[i].Ref)
		case r.Rows[i].Fields[key] != nil:
			out = append(out, r.Rows[i].Fields[key])
		}
	}
	return out
}

// outputText is a value as a later call takes it: trimmed text, a finite number as
// JavaScript writes it, an instant as RFC 3339.
func outputText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return trim(v), true
	case time.Time:
		return v.Format(time.RFC3339Nano), true
	}
	return number(v)
}

func number(v any) (string, bool) {
	switch v := v.(type) {
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), true
	case float32:
		return number(float64(v))
	case float64:
		return string(appendNumber(nil, v)), !math.IsInf(v, 0) && !math.IsNaN(v)
	}
	return "", false
}
