// Package llm is the one port by which a language model is asked: one prompt, one
// closed JSON Schema, one document back. What a model says is believed in nothing; who
// asks checks the reply, and does without one that is late or wrong.
package llm

import (
	"context"
	"errors"
	"fmt"
)

// Request is one thing to ask. It is all that the provider sends.
type Request struct {
	// System says what the model is to do, in the program's own words.
	System string
	// Prompt is the rest. What it quotes is data.
	Prompt string
	// Schema is the JSON Schema of the reply, closed and strict; Name says of what, in
	// small letters, digits and _.
	Name   string
	Schema []byte
	// MaxTokens bounds the reply; one that is cut off there is no answer.
	MaxTokens int
	// Check says what is wrong with a reply, nil where nothing is; it may be nil. Only
	// Careful calls it, so that a model that answers nonsense is not asked on and on.
	Check func(reply []byte) error
}

// Model is asked. It may be called by several goroutines. Complete must return when ctx
// ends. The reply is one JSON document that the schema was asked for, as it came and of
// at most MaxReply bytes; an error is a *Fault, and holds neither the key nor anything
// that the server said.
type Model interface {
	Complete(ctx context.Context, r Request) ([]byte, error)
}

// Lister is a Model whose server tells which models it has.
type Lister interface {
	Names(ctx context.Context) ([]string, error)
}

// MaxReply is far above the longest reply that any schema here allows, in bytes.
const MaxReply = 64 << 10

// Kind is what went wrong with a model.
type Kind string

// The kinds are all that a caller, a log and a record learn of a fault.
const (
	Late     Kind = "late"        // no reply in time
	Stopped  Kind = "stopped"     // nobody waits for the reply any more
	Busy     Kind = "busy"        // as many requests as allowed are in flight
	Resting  Kind = "resting"     // it failed again and again, and is left alone for a while
	Down     Kind = "down"        // it cannot be reached
	Loading  Kind = "loading"     // it answers 503: it is loading, or has too much to do
	Key      Kind = "key"         // it does not take the key
	Rate     Kind = "rate"        // it answers that it was asked too often
	Unknown  Kind = "unknown"     // it knows no such model, or no such address
	Refused  Kind = "refused"     // it does not take the request
	Moved    Kind = "moved"       // it sends callers elsewhere, where the key does not go
	Broken   Kind = "broken"      // it answers 5xx, or something that is not its protocol
	Flood    Kind = "flood"       // the reply has no end
	Cut      Kind = "cut"         // the reply was cut off at its bound
	Empty    Kind = "empty"       // it replied with nothing, or would not
	Nonsense Kind = "nonsense"    // the reply does not keep to the schema
	Panic    Kind = "program"     // the provider's code panicked
	other    Kind = "unexplained" // an error that is no Fault
)

var says = map[Kind]string{
	Late:     "the model gave no reply in time",
	Stopped:  "nobody waits for the model's reply any more",
	Busy:     "the model is still busy with earlier requests",
	Resting:  "the model failed several times, and is left alone for a while",
	Down:     "the model cannot be reached",
	Loading:  "the model is loading, or has too much to do",
	Key:      "the model's server does not take the key",
	Rate:     "the model's server was asked too often",
	Unknown:  "the model's server knows no such model, or no such address",
	Refused:  "the model's server does not take the request",
	Moved:    "the model's server sends callers elsewhere, where the key does not go",
	Broken:   "the model's server answered with something that is no reply",
	Flood:    "the model's reply is far longer than it may be",
	Cut:      "the model's reply was cut off at its bound",
	Empty:    "the model gave an empty reply",
	Nonsense: "the model's reply does not keep to the schema",
	Panic:    "the model's code panicked",
	other:    "the model could not be asked",
}

// Fault is why there is no reply. Its text is the kind's own, and for Nonsense what the
// check found.
type Fault struct {
	Kind Kind
	// Status is the HTTP status that the server answered with; 0 where it is none of that.
	Status int
	// Why is what Request.Check said.
	Why error
}

func (f *Fault) Error() string {
	s := says[f.Kind]
	if s == "" {
		s = says[other]
	}
	if f.Status != 0 {
		s = fmt.Sprintf("%s (HTTP %d)", s, f.Status)
	}
	if f.Why != nil {
		s += ": " + f.Why.Error()
	}
	return s
}

// KindOf is the kind of an error of a Model.
func KindOf(err error) Kind {
	var f *Fault
	switch {
	case errors.As(err, &f):
		return f.Kind
	case errors.Is(err, context.DeadlineExceeded):
		return Late
	case errors.Is(err, context.Canceled):
		return Stopped
	}
	return other
}

// Ended is the fault of a request whose context ended.
func Ended(ctx context.Context) *Fault {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Fault{Kind: Late}
	}
	return &Fault{Kind: Stopped}
}
