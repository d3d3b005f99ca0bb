package approve

import (
	"context"
	"errors"
	"net/http"

	"github.com/askhub/askhub/ask"
)

// The codes of approvals, beside those of the ask contract.
const (
	// CodeUnknown is an id under which nothing is kept.
	CodeUnknown ask.Code = "unknown_approval"
	// CodeDigest is a decision about something else than what is kept.
	CodeDigest ask.Code = "digest_mismatch"
	// CodeMuted is an asker whose requests are not taken for an hour.
	CodeMuted ask.Code = "asker_muted"
	// CodeTooMany is an asker of whom MaxPending requests wait.
	CodeTooMany ask.Code = "too_many_pending"
)

// Codes are these codes with their status.
func Codes() ask.CodeTable {
	return ask.CodeTable{
		CodeUnknown: http.StatusNotFound,
		CodeDigest:  http.StatusConflict,
		CodeMuted:   http.StatusForbidden,
		CodeTooMany: http.StatusTooManyRequests,
	}
}

// ProblemOf is what an error of a Desk is on the wire. What is none of its own errors is a
// CodeUnavailable, and says nothing of the cause.
func ProblemOf(err error) *ask.Problem {
	var p *ask.Problem
	switch {
	case err == nil:
		return nil
	case errors.As(err, &p):
		return p
	case errors.Is(err, ErrUnknown):
		return Codes().Problem(CodeUnknown, "id", "Nothing is kept under this id.")
	case errors.Is(err, ErrDigest):
		return Codes().Problem(CodeDigest, "digest", "What was shown is not what is kept; show it again, and decide anew.")
	case errors.Is(err, ErrMuted):
		return Codes().Problem(CodeMuted, "who", "Somebody said of a request of this asker that they did not ask for it; requests are taken again within an hour.")
	case errors.Is(err, ErrTooMany):
		return Codes().Problem(CodeTooMany, "who", "Three requests of this asker wait already; decide or withdraw one of them first.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ask.NewProblem(ask.CodeUnavailable, "", "It is not known yet what became of this; look again.")
	}
	return ask.NewProblem(ask.CodeUnavailable, "", "The approvals cannot be read or written just now; look again.")
}
