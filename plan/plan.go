// Package plan is the ask catalogue (spec 4): typed look-ups that a planner
// chooses without seeing any data, validated, run in at most two rounds, and
// answered only with what the results say. It knows no HTTP, no storage and no
// model.
package plan

// Intent is what a plan wants.
type Intent string

// The intents. Analyse lets the answer conclude across rows.
const (
	IntentLookup  Intent = "lookup"
	IntentAnalyse Intent = "analyse"
	IntentWrite   Intent = "write"
	IntentNone    Intent = "none"
)

// Reason is why a plan has no call; it belongs to IntentNone alone.
type Reason string

// The reasons.
const (
	ReasonNoTool        Reason = "no_tool"
	ReasonOutOfScope    Reason = "out_of_scope"
	ReasonNeedsJudgment Reason = "needs_judgement"
)

// MaxCalls is the most look-ups of one plan.
const MaxCalls = 4

// Plan is a planner's reply after Validate: normalised, and nothing in it is
// beyond what was offered.
type Plan struct {
	Intent Intent
	// Reason is empty for every intent but IntentNone.
	Reason Reason
	Calls  []Call
}

// Call is one look-up of a plan.
type Call struct {
	Tool string
	// Args are in the tool's declared order.
	Args []Argument
}

// Argument is one argument's value as it was planned: text, a reference such as
// @r1.customer_ref, the context token, or null.
type Argument struct {
	Name  string
	Value string
	Null  bool
}

// StateField says which field of a row holds a state, and the values that mean it.
type StateField struct {
	Field string
	// Values are strings or booleans, at least one.
	Values   []any
	Synonyms []string
}

// Statement is what the answer check and the templates need to know of a tool.
type Statement struct {
	// Tool is its id.
	Tool string
	// States are by state word.
	States map[string]StateField
	// RowName are the fields, or "title", by which a sentence may name a row besides its ref.
	RowName []string
	// GroupBy is the closed list of labels of each breakdown key.
	GroupBy map[string][]string
	// AttackerFields are the result paths that hold other people's text, such as
	// rows[].title, rows[].fields.subject, rows[].snippet or facts.sender.
	AttackerFields []string
}

// Found is one look-up with its result, as the answer is written and checked from it.
type Found struct {
	// Position is from 1 to MaxCalls.
	Position int
	Call     Call
	// Args are the call's arguments as it ran: references and @context replaced. They are
	// nil where it did not run.
	Args []Argument
	// About is the line for a person on what was read.
	About  string
	Says   Statement
	Result Result
}

// AppendJSON writes the plan in its JSON form, all three fields and every argument
// said.
func (p Plan) AppendJSON(b []byte) []byte {
	b = quoted(append(b, `{"intent":`...), string(p.Intent))
	b = append(b, `,"reason":`...)
	if p.Reason == "" {
		b = append(b, "null"...)
	} else {
		b = quoted(b, string(p.Reason))
	}
	b = append(b, `,"calls":[`...)
	for i, c := range p.Calls {
		if i > 0 {
			b = append(b, ',')
		}
		b = quoted(append(b, `{"tool":`...), c.Tool)
		b = object(append(b, `,"args":`...), c.Args, func(b []byte, a Argument) []byte {
			b = append(quoted(b, a.Name), ':')
			if a.Null {
				return append(b, "null"...)
			}
			return quoted(b, a.Value)
		})
		b = append(b, '}')
	}
	return append(b, "]}"...)
}
