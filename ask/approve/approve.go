// Package approve is a write that needs a person's yes (spec 1, "Approval"): who wants
// something asks for it, a person sees exactly what will run and decides, and it runs at
// most once. The Hub and every project that has such writes use it alike.
package approve

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// State is where an approval stands.
type State string

// The states of spec 1. An approval is pending, then exactly one of denied, expired or
// approved; what is approved is executing, then done, failed or unknown.
const (
	Pending   State = "pending"
	Denied    State = "denied"
	Expired   State = "expired"
	Approved  State = "approved"
	Executing State = "executing"
	Done      State = "done"
	Failed    State = "failed"
	// Unknown is an execution that nobody saw the end of. It is never run again.
	Unknown State = "unknown"
)

// Request is what somebody asks a person's yes for.
type Request struct {
	// What is one sentence that says what will happen.
	What string
	// Who is who asks for it: the asker's name.
	Who string
	// Why is the asker's reason or words; it may be empty.
	Why string
	// Action is the one thing that will run, as a JSON object.
	Action jsontext.Value
}

// Approval is one request and what has become of it: the body of GET /approvals/{id}.
type Approval struct {
	// ID is 128 random bits in lower-case hex.
	ID string `json:"id"`
	// Owner is who executes it: "hub", or the project's name.
	Owner  string         `json:"owner"`
	What   string         `json:"what"`
	Who    string         `json:"who"`
	Why    string         `json:"why"`
	Action jsontext.Value `json:"action"`
	// Digest is SHA-256 in hex over the RFC 8785 form of what, who, why and action.
	Digest  string    `json:"digest"`
	State   State     `json:"state"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	// Result is what came of it, from the moment that it is decided.
	Result *Result `json:"result,omitzero"`
}

// Result is what came of an approval.
type Result struct {
	// Message is one short sentence for a person.
	Message string `json:"message"`
	// By is whose passkey decided, as whoever holds the approval token says; empty where nobody did.
	By string `json:"by,omitzero"`
	// Decided is when the person decided, or when it expired or was withdrawn.
	Decided time.Time `json:"decided,omitzero"`
	// Ended is when the execution ended.
	Ended time.Time `json:"ended,omitzero"`
}

// Answer is what a person says to an approval.
type Answer string

// A person says yes or no.
const (
	Yes Answer = "yes"
	No  Answer = "no"
)

// Decision is the body of POST /approve at the Hub and of POST /approvals/{id} at a project.
type Decision struct {
	ID       string `json:"id"`
	Decision Answer `json:"decision"`
	// Digest is the digest of what the person saw.
	Digest string `json:"digest"`
	// By is whose passkey decided, as whoever holds the approval token says.
	By string `json:"by,omitzero"`
	// Mute goes with a no that means "I did not ask for this": the asker's requests are
	// refused for an hour.
	Mute bool `json:"mute,omitzero"`
}

// Execute runs an approved action. Its message is one short sentence for a person. An error
// means that it is certain that nothing was done or that it was not done whole, unless it
// wraps ErrUncertain; the error's text stays in the log, and its message is for the person.
// It is called at most once for an approval, and should end when its context does.
type Execute func(ctx context.Context, a Approval) (message string, err error)
