package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/askhub/askhub/ask"
)

// The Hub's own codes, beside those of the ask contract.
const (
	// CodeAskerNotAllowed is an asker for whom this token may not speak.
	CodeAskerNotAllowed ask.Code = "asker_not_allowed"
	// CodeUnknownCaller is a token whose NAME the config does not know.
	CodeUnknownCaller ask.Code = "unknown_caller"
	// CodeNotForThisCaller is a call that this kind of caller may not make.
	CodeNotForThisCaller ask.Code = "not_for_this_caller"
	// CodeUnknownPerson is a person whom nobody here has heard of.
	CodeUnknownPerson ask.Code = "unknown_person"
	// CodeNotYourName is a notice in another project's name.
	CodeNotYourName ask.Code = "not_your_name"
	// CodeUnknownAsk is the id of no kept request.
	CodeUnknownAsk ask.Code = "unknown_ask"
	// CodeUnknownCode is a pairing code that no chat has.
	CodeUnknownCode ask.Code = "unknown_code"
)

// ownCodes has the status of each of the Hub's own codes.
var ownCodes = ask.CodeTable{
	CodeAskerNotAllowed:  http.StatusForbidden,
	CodeUnknownCaller:    http.StatusForbidden,
	CodeNotForThisCaller: http.StatusForbidden,
	CodeUnknownPerson:    http.StatusBadRequest,
	CodeNotYourName:      http.StatusForbidden,
	CodeUnknownAsk:       http.StatusNotFound,
	CodeUnknownCode:      http.StatusNotFound,
}

// storeFault is the problem of a store that failed. The caller learns what cannot be done, and
// the log why.
func storeFault(ctx context.Context, detail string, cause error) *ask.Problem {
	if ctx.Err() == nil && !errors.Is(cause, context.Canceled) { // else whoever asked has gone
		slog.Error("the store failed", "told", detail, "cause", cause)
	}
	return ask.NewProblem(ask.CodeUnavailable, "", detail)
}
