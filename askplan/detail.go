package askplan

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
	"github.com/askhub/askhub/plan/planner"
)

// Detail is the data of an answer: how it came about. Nothing in it was written by
// anybody but the asker, the project and its planner, save the words that the answer
// itself says.
type Detail struct {
	// Plan is in its JSON form, normalised.
	Plan jsontext.Value `json:"plan"`
	// By is who planned: ByPlanner, ByEmbedded or BySecond.
	By string `json:"by"`
	// Writer is ByModel where the model's own sentence was said.
	Writer  string   `json:"writer,omitzero"`
	Lookups []Lookup `json:"lookups"`
	// Proof says on what the words of the answer rest; it is empty without an answer.
	Proof []answer.Support `json:"proof"`
	// Catalogue and Prompt are the hashes of the tools and of what a model was told.
	Catalogue string `json:"catalogue"`
	Prompt    string `json:"prompt,omitzero"`
}

// Lookup is the record of one look-up.
type Lookup struct {
	plan.LookupRecord
	// About says what was read. It is empty for a look-up that took something out of
	// another's result: that line could hold it.
	About string `json:"about,omitzero"`
}

// Who planned: the project's own Planner, the embedded one, or the Second. Who wrote.
const (
	ByPlanner  = "planner"
	ByEmbedded = "embedded"
	BySecond   = "second"
	ByModel    = answer.ByModel
)

// told is how what was said came about.
type told struct {
	proof             []answer.Support
	bySecond, byModel bool
}

func (p *project) withDetail(a ask.Answer, chosen planner.Chosen, ran plan.Ran, t told) (ask.Answer, error) {
	d := Detail{
		Plan: chosen.Plan.AppendJSON(nil), By: ByPlanner, Lookups: []Lookup{}, Proof: []answer.Support{},
		Catalogue: ran.Record.Catalogue, Prompt: ran.Record.Prompt,
	}
	switch {
	case t.bySecond:
		d.By = BySecond
	case chosen.By == len(p.planners)-1:
		d.By = ByEmbedded
	}
	if t.byModel {
		d.Writer = ByModel
	}
	for i, l := range ran.Record.Lookups {
		about := ran.Found[i].About
		if ran.Found[i].Call.Round() == 2 {
			about = ""
		}
		d.Lookups = append(d.Lookups, Lookup{LookupRecord: l, About: about})
	}
	if a.Answer != nil {
		d.Proof = append(d.Proof, t.proof...)
	}
	data, err := json.Marshal(d)
	a.Data = data
	return a, err
}
