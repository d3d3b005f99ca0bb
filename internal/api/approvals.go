package api

import (
	"context"
	"net/http"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// Approvals are those that the Hub itself carries out: an approve.Desk.
type Approvals interface {
	Get(ctx context.Context, id string) (approve.Approval, error)
	List(ctx context.Context) ([]approve.Approval, error)
	Decide(ctx context.Context, dec approve.Decision) (approve.Approval, error)
}

// approval is the reply of GET /approvals/{id} and of POST /approve.
type approval struct {
	ID      string          `json:"id" doc:"128 random bits in lower-case hexadecimal digits."`
	Owner   string          `json:"owner" doc:"Who carries it out: hub."`
	What    string          `json:"what" doc:"One sentence that says what will happen."`
	Who     string          `json:"who" doc:"Who asks for it."`
	Why     string          `json:"why" doc:"The asker's reason or words; may be empty."`
	Action  any             `json:"action" doc:"The one thing that will run: a JSON object."`
	Digest  string          `json:"digest" doc:"SHA-256 in hexadecimal digits over the RFC 8785 form of what, who, why and action."`
	State   string          `json:"state" enum:"pending,denied,expired,approved,executing,done,failed,unknown" doc:"unknown is an execution that nobody saw the end of; it is never run again by itself."`
	Created time.Time       `json:"created"`
	Expires time.Time       `json:"expires" doc:"From when on nobody can say yes any more."`
	Result  *approvalResult `json:"result,omitzero" doc:"From the moment that it is decided."`
}

type approvalResult struct {
	Message string     `json:"message" doc:"What came of it, in one short sentence for a person."`
	By      string     `json:"by,omitzero" doc:"Whose passkey decided; left out where nobody did."`
	Decided *time.Time `json:"decided,omitzero" doc:"When it was decided, withdrawn or expired."`
	Ended   *time.Time `json:"ended,omitzero" doc:"When the execution ended."`
}

// approvalList is the reply of GET /approvals.
type approvalList struct {
	Approvals []approval `json:"approvals" doc:"What waits first, then what is being carried out, then the rest; the newest first in each, and 500 at most."`
}

// approveRequest is the body of POST /approve.
type approveRequest struct {
	ID       string `json:"id" doc:"The approval's id."`
	Decision string `json:"decision" enum:"yes,no"`
	Digest   string `json:"digest" doc:"The digest of what the person was shown."`
	By       string `json:"by,omitzero" doc:"Whose passkey decided."`
	Mute     bool   `json:"mute,omitzero" doc:"With a no that means \"I did not ask for this\": the asker's requests are refused for an hour."`
}

func toApproval(a *approve.Approval) approval {
	out := approval{
		ID: a.ID, Owner: a.Owner, What: a.What, Who: a.Who, Why: a.Why, Action: a.Action, Digest: a.Digest,
		State: string(a.State), Created: a.Created.UTC(), Expires: a.Expires.UTC(),
	}
	if r := a.Result; r != nil {
		out.Result = &approvalResult{Message: r.Message, By: r.By, Decided: instant(r.Decided), Ended: instant(r.Ended)}
	}
	return out
}

// approvals serves GET /approvals.
func (s *Server) approvals(w http.ResponseWriter, r *http.Request, _ caller) *ask.Problem {
	list, err := s.desk().List(r.Context())
	if err != nil {
		return approvalProblem(r.Context(), err)
	}
	out := approvalList{Approvals: make([]approval, len(list))}
	for i := range list {
		out.Approvals[i] = toApproval(&list[i])
	}
	return s.give(w, &out)
}

// approval serves GET /approvals/{id}.
func (s *Server) approval(w http.ResponseWriter, r *http.Request, _ caller) *ask.Problem {
	a, err := s.desk().Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return approvalProblem(r.Context(), err)
	}
	out := toApproval(&a)
	return s.give(w, &out)
}

// approve serves POST /approve: a person's yes or no, and how the approval then stands.
func (s *Server) approve(w http.ResponseWriter, r *http.Request, _ caller) *ask.Problem {
	var body approveRequest
	if p := ask.ReadJSON(w, r, &body); p != nil {
		return p
	}
	if body.ID == "" {
		return ask.NewProblem(ask.CodeMissingField, "id", `Send the approval's id in "id".`)
	}
	a, err := s.desk().Decide(r.Context(), approve.Decision{
		ID: body.ID, Decision: approve.Answer(body.Decision), Digest: body.Digest, By: body.By, Mute: body.Mute,
	})
	if err != nil {
		return approvalProblem(r.Context(), err)
	}
	out := toApproval(&a)
	return s.give(w, &out)
}

func approvalProblem(ctx context.Context, err error) *ask.Problem {
	p := approve.ProblemOf(err)
	if p.Code == ask.CodeUnavailable {
		return storeFault(ctx, p.Detail, err)
	}
	return p
}

// give answers with v.
func (s *Server) give(w http.ResponseWriter, v any) *ask.Problem {
	if err := ask.WriteJSON(w, v); err != nil {
		s.measured.problem(ask.CodeInternal)
	}
	return nil
}

// desk is the Hub's, or one that has nothing.
func (s *Server) desk() Approvals {
	if s.cfg.Approvals == nil {
		return noApprovals{}
	}
	return s.cfg.Approvals
}

// noApprovals is the desk of a Hub that carries out nothing.
type noApprovals struct{}

func (noApprovals) Get(context.Context, string) (approve.Approval, error) {
	return approve.Approval{}, approve.ErrUnknown
}
func (noApprovals) List(context.Context) ([]approve.Approval, error) { return nil, nil }
func (noApprovals) Decide(context.Context, approve.Decision) (approve.Approval, error) {
	return approve.Approval{}, approve.ErrUnknown
}

var (
	aboutApprovals = about{
		summary: "See what waits for a yes", description: "And what became of the rest. Only what the Hub itself carries out; a project has its own approvals.",
		reply: approvalList{}, codes: []ask.Code{ask.CodeUnavailable},
	}
	aboutApproval = about{summary: "See one approval", description: "As it stands. Looking never decides anything.", reply: approval{}, codes: []ask.Code{approve.CodeUnknown, ask.CodeUnavailable}}
	aboutApprove  = about{
		summary: "Say yes or no",
		description: "Decides one approval, and gives it as it then stands: after a yes once its execution has ended, within 40 seconds. " +
			"It is carried out at most once; every later decision changes nothing and gets the first one's result.",
		request: approveRequest{}, reply: approval{},
		codes: []ask.Code{
			ask.CodeInvalidJSON, ask.CodeDuplicateKey, ask.CodeKeyCase, ask.CodeWrongType, ask.CodeMissingField, ask.CodeInvalidField,
			approve.CodeUnknown, approve.CodeDigest, ask.CodeBodyTooLarge, ask.CodeNotJSON, ask.CodeUnavailable,
		},
	}
	aboutEvents = about{
		summary: "Follow what happens",
		description: "Server-sent events, each with an id to go on from by Last-Event-ID: request (a question was answered), notice, approval (one is new or has changed), " +
			"project (one is up or down) and missed (there were more than are kept: look at the whole again). A removed token ends the stream within a second.",
		media: "text/event-stream", codes: []ask.Code{ask.CodeTooMany},
	}
)
