package answer

import (
	"slices"
	"strings"

	"github.com/askhub/askhub/plan"
)

// Who wrote a sentence.
const (
	ByModel    = "model"
	ByTemplate = "template"
)

// Said is what may be said: a checked sentence with its proof, or none and why.
type Said struct {
	// Sentence is empty where there is none; Reason then says why, in plain words.
	Sentence string
	Reason   string
	By       string
	Proof    Proof
	// Refused is why a sentence was not said, for the record: the model's, and the
	// template's where there is no sentence at all.
	Refused []error
}

// Rule is a further law for a sentence, such as the ask contract's CheckSentence.
type Rule func(sentence string) error

// Say is the fallback rule: the model's sentence where it holds, else the templates'
// (by tool), else none, with a reason. model is empty where there is none. What does
// not hold is never said.
func Say(model string, templates map[string]*Template, intent plan.Intent, found []plan.Found, ctx Context, fits Rule) Said {
	var said Said
	try := func(sentence, by string) bool {
		proof, err := Check(sentence, intent, found, ctx)
		if err == nil && fits != nil {
			err = fits(sentence)
		}
		if err != nil {
			said.Refused = append(said.Refused, err)
			return false
		}
		said.Sentence, said.By, said.Proof = sentence, by, proof
		return true
	}
	if model != "" && try(model, ByModel) {
		return said
	}
	if sentence, ok := fromTemplates(templates, found, ctx); ok && try(sentence, ByTemplate) {
		return said
	}
	said.Reason = reason(found)
	return said
}

// fromTemplates writes one sentence for all look-ups that were not only there for
// another. What could not be found out beside it is said too.
func fromTemplates(templates map[string]*Template, found []plan.Found, ctx Context) (string, bool) {
	var parts []string
	lost := false
	skip := sources(found)
	for i := range found {
		f := &found[i]
		if slices.Contains(skip, f.Position) && f.Result.Outcome == plan.OutcomeOK {
			continue
		}
		s, ok := "", false
		if t := templates[f.Call.Tool]; t != nil {
			s, ok = t.Sentence(f, ctx)
		}
		if f.Result.Outcome == plan.OutcomeAmbiguous {
			s, ok = choose(f)
		}
		if !ok {
			lost = true
			continue
		}
		parts = append(parts, strings.TrimSuffix(s, "."))
	}
	switch {
	case len(parts) == 0:
		return "", false
	case lost && !anyLost(found):
		return "", false // a look-up that went well, and no words for it
	case lost:
		parts = append(parts, "I could not find out the rest")
	}
	for i := 1; i < len(parts); i++ {
		parts[i] = uncapital(parts[i])
	}
	out := strings.Join(parts, "; ")
	if strings.HasSuffix(out, "?") {
		return out, true
	}
	return out + ".", true
}

func anyLost(found []plan.Found) bool {
	return slices.ContainsFunc(found, func(f plan.Found) bool {
		return f.Result.Outcome == plan.OutcomeDenied || f.Result.Outcome == plan.OutcomeFailed
	})
}

// uncapital takes the capital off an ordinary first word.
func uncapital(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if low := lower(first); glue[low] && first != "I" || quantifiers[low] != noQuant {
		return low + s[len(first):]
	}
	return s
}

// choose asks which of the rows is meant, by the names that a sentence may say.
func choose(f *plan.Found) (string, bool) {
	title := len(f.Says.RowName) == 0 || slices.Contains(f.Says.RowName, "title")
	if !title || slices.Contains(f.Says.AttackerFields, "rows[].title") {
		return "", false
	}
	var names []string
	w := &writer{template: &Template{}}
	for _, r := range f.Result.Rows {
		s, ok := w.own(r.Title)
		if !ok || len(names) == 4 {
			return "", false
		}
		names = append(names, s)
	}
	if len(names) < 2 {
		return "", false
	}
	return "Which one is it, " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + "?", true
}

// reason is why there is no answer, in plain words.
func reason(found []plan.Found) string {
	has := func(o plan.Outcome) bool {
		return slices.ContainsFunc(found, func(f plan.Found) bool { return f.Result.Outcome == o })
	}
	switch {
	case has(plan.OutcomeDenied):
		return "you may not be told that"
	case has(plan.OutcomeFailed):
		return "that could not be looked up just now"
	case has(plan.OutcomeAmbiguous):
		return "several things fit, and it is not clear which one is meant"
	case has(plan.OutcomeOK):
		return "what was found cannot be said in one sure sentence"
	case has(plan.OutcomeNone):
		return "nothing was found"
	}
	return "nothing was looked up"
}
