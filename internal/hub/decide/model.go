package decide

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/llm"
)

// Mode is who decides where a model is configured.
type Mode string

// The modes. Whatever the model does not decide well and in time, the embedded router
// decides.
const (
	// ModeModel asks the model about every question (spec 2, step 4).
	ModeModel Mode = "model"
	// ModeEmbedded asks it about none.
	ModeEmbedded Mode = "embedded"
	// ModeSureFirst asks it about those of which the embedded router is not sure.
	ModeSureFirst Mode = "sure-first"
)

// surePlain is the confidence from which a decision of the embedded router stands
// without the model's. It is a judgement; with it nine questions in ten of the
// development file are answered without a model (docs/measurements.md).
const surePlain = 0.80

// maxTokens bounds a reply: three long names and a short reason.
const maxTokens = 160

// shortest is the least time in which it makes sense to ask a model at all.
const shortest = 50 * time.Millisecond

// Decider decides with a model beside the embedded router. It may be shared.
type Decider struct {
	model llm.Model
	// reader is the same model without its limits.
	reader llm.Model
	mode   Mode
	now    func() time.Time
	// observe is told of each time that the model was asked.
	observe func(took time.Duration, err error)
}

// NewDecider asks m as the mode says, and reader, the same model without limits of time,
// to Warm it. now is the clock. observe is told how long each
// asking took and why it was for nothing, nil where it was not; it may be nil.
func NewDecider(m, reader llm.Model, mode Mode, now func() time.Time, observe func(took time.Duration, err error)) *Decider {
	if observe == nil {
		observe = func(time.Duration, error) {}
	}
	return &Decider{m, reader, mode, now, observe}
}

// Decide chooses what a question that passed the guard is for, within patience. A nil
// Decider has no model. It returns by ctx's end or patience, whatever the model does, where
// the model is an llm.Careful.
func (d *Decider) Decide(ctx context.Context, told *Told, embedded *Embedded, question string, patience time.Duration) routing.Decision {
	own := embedded.Decide(question)
	if d == nil || d.mode == ModeEmbedded || d.mode == ModeSureFirst && sure(&own) {
		return own
	}
	why := ""
	switch {
	case told.unfit != "":
		why = told.unfit
	case patience < shortest:
		why = "no time was left for the model"
	case utf8.RuneCountInString(question) > ask.MaxQuestion:
		why = "the question is longer than a model is told"
	}
	if why != "" {
		own.Why = why
		return own
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	start := d.now()
	decided, err := d.byModel(ctx, told, question)
	d.observe(d.now().Sub(start), err)
	if err != nil {
		own.Why = err.Error() + ", so the embedded router decided"
		return own
	}
	return decided
}

// Warm has the model read the household, so that a server that keeps what it has read is
// in time for the first question. No question waits for it, and none is told.
func (d *Decider) Warm(ctx context.Context, told *Told) error {
	if told.unfit != "" {
		return nil
	}
	_, err := d.reader.Complete(ctx, llm.Request{System: system, Prompt: told.Prompt(""), Name: "decision", Schema: told.schema, MaxTokens: 1})
	if kind := llm.KindOf(err); err != nil && kind != llm.Cut && kind != llm.Empty {
		return err
	}
	return nil
}

func sure(d *routing.Decision) bool {
	return d.Outcome != routing.OutcomeClarify && d.Confidence >= surePlain
}

// byModel is the model's decision. A wrong reply is not repaired (spec 2, step 4).
func (d *Decider) byModel(ctx context.Context, told *Told, question string) (routing.Decision, error) {
	reply, err := d.model.Complete(ctx, llm.Request{
		System: system, Prompt: told.Prompt(question), Name: "decision", Schema: told.schema, MaxTokens: maxTokens,
		Check: func(reply []byte) error {
			_, err := told.Read(reply)
			return err
		},
	})
	if err != nil {
		return routing.Decision{}, err
	}
	return told.Read(reply)
}
