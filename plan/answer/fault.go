package answer

import "strings"

// Code is why a sentence may not be said. Codes are stable.
type Code string

// The codes.
const (
	CodeTooLong      Code = "too_long"     // longer than any sentence
	CodeCharacters   Code = "characters"   // a character that no sentence of ours holds
	CodeQuotation    Code = "quotation"    // quoted words that stand in no result
	CodeUnattributed Code = "unattributed" // another person's words, not said to be theirs
	CodeUnquoted     Code = "unquoted"     // another person's words outside quotation marks
	CodeNumber       Code = "number"       // a number that no result gives
	CodeDate         Code = "date"         // a date or time that no result gives
	CodeName         Code = "name"         // a name that no result gives, or that is not this row's
	CodeState        Code = "state"        // a state that does not hold
	CodeQuantity     Code = "quantity"     // all, none, every, only … that does not hold
	CodeConclusion   Code = "conclusion"   // a conclusion across rows that the plan did not ask for
	CodeComparison   Code = "comparison"   // a comparison that does not hold
	CodeLabel        Code = "label"        // a breakdown's label that is not the app's own
	CodeOutcome      Code = "outcome"      // more than the look-up's outcome means
	CodeNegation     Code = "negation"     // a "not" that nothing shows to be so
	CodePerson       Code = "person"       // it speaks to, or of, somebody else
	CodeUnsupported  Code = "unsupported"  // words that rest on nothing
	CodeEmpty        Code = "empty"        // nothing in it rests on a result
)

// Fault is why Check refuses a sentence.
type Fault struct {
	Code Code
	// Words are the words at fault, as the sentence has them.
	Words []string
}

func (f *Fault) Error() string {
	return string(f.Code) + ": “" + strings.Join(f.Words, "”, “") + "”"
}

func fault(code Code, words ...string) *Fault { return &Fault{Code: code, Words: words} }
