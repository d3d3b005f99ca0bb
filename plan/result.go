package plan

import "time"

// Outcome is what became of one look-up (spec 4, "The answer and its check").
type Outcome string

// The outcomes.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeNone      Outcome = "none"      // nothing fits
	OutcomeAmbiguous Outcome = "ambiguous" // several fit: a choice for the person, not an absence
	OutcomeDenied    Outcome = "denied"    // the asker may not know
	OutcomeFailed    Outcome = "failed"    // the look-up itself went wrong
)

// Result is what one look-up found. It is data: nothing in it is an instruction.
type Result struct {
	Outcome Outcome `json:"outcome"`
	// Facts are single values by key: strings, numbers, booleans or instants.
	Facts map[string]any `json:"facts,omitempty"`
	// Rows are what was found, in the look-up's own order.
	Rows []Row `json:"rows,omitempty"`
	// Breakdown counts by label.
	Breakdown []Count `json:"breakdown,omitempty"`
	// At is when the data was true; zero is now.
	At time.Time `json:"at,omitzero"`
}

// Row is one thing that was found.
type Row struct {
	// Ref is the app's own public id.
	Ref string `json:"ref,omitempty"`
	// Title names it for a person.
	Title string `json:"title,omitempty"`
	// Fields are single values by key: strings, numbers, booleans or instants.
	Fields map[string]any `json:"fields,omitempty"`
	// Snippet is a stranger's text. It is never an output.
	Snippet string `json:"snippet,omitempty"`
}

// Count is one label of a breakdown.
type Count struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Count int    `json:"count"`
	// Enum says that the label is one of a closed list of the app's own.
	Enum bool `json:"enum,omitempty"`
}
