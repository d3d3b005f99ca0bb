package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/notify"
)

// Notices takes notices and shows what became of them.
type Notices interface {
	// Add keeps a notice, and gives its id; its errors are those of notify.Outbox.
	Add(ctx context.Context, n notify.Notice) (id string, err error)
	// List gives notices, the newest first.
	List(ctx context.Context, q notify.Query) ([]notify.Entry, error)
}

// notifyRequest is the body of POST /notify (spec 1).
type notifyRequest struct {
	From    string `json:"from" doc:"The project whose token it is." example:"compass_nhs"`
	Level   string `json:"level" enum:"info,important,urgent" doc:"info goes to the person's feed; important also to their phone, outside quiet hours; urgent is also spoken, at any hour."`
	Message string `json:"message" maxLength:"300" doc:"One short sentence, safe to speak aloud." example:"The school bus is ten minutes late."`
	Person  string `json:"person" doc:"Who should hear it: a name of people.toml." example:"sam"`
}

// notifyReply is its reply, once the notice is durably kept.
type notifyReply struct {
	ID string `json:"id" doc:"The notice's id. The same words to the same person within a minute are one notice, and give the first id again." example:"ntc_01KEXAMPLE00000000000000000"`
}

// noticesReply is the reply of GET /notices.
type noticesReply struct {
	Notices []notice `json:"notices" doc:"The newest first."`
}

type notice struct {
	ID         string     `json:"id"`
	Time       time.Time  `json:"time"`
	From       string     `json:"from" doc:"The project that says it, or hub."`
	Person     string     `json:"person"`
	Level      string     `json:"level" enum:"info,important,urgent"`
	Message    string     `json:"message"`
	Deliveries []delivery `json:"deliveries" doc:"One for each target. The feed is this list itself."`
}

type delivery struct {
	Target string     `json:"target" doc:"The target as it may be shown, such as chat, push or ntfy at ntfy.sh." example:"push"`
	State  string     `json:"state" enum:"waiting,delivered,dead,skipped"`
	Tries  int        `json:"tries"`
	Due    *time.Time `json:"due,omitzero" doc:"While it waits: when it is sent, or tried again."`
	Done   *time.Time `json:"done,omitzero" doc:"When it was delivered or given up."`
	Reason string     `json:"reason,omitzero" doc:"Why it is not delivered, in plain words."`
}

var (
	aboutNotify = about{
		summary:     "Send a notice to a person",
		description: "A project has something to say to somebody. It is answered when the notice is durably kept; then it is delivered at least once to each of the person's targets, or shown as undelivered.",
		request:     notifyRequest{}, reply: notifyReply{}, status: http.StatusAccepted,
		codes: []ask.Code{
			ask.CodeAmbiguous, ask.CodeInvalidJSON, ask.CodeDuplicateKey, ask.CodeKeyCase, ask.CodeWrongType, ask.CodeMissingField,
			ask.CodeInvalidField, CodeUnknownPerson, CodeNotYourName, ask.CodeBodyTooLarge, ask.CodeNotJSON, ask.CodeTooMany, ask.CodeUnavailable,
		},
	}
	aboutNotices = about{
		summary:     "See notices",
		description: "What was sent to whom, and what became of it: everybody's, one person's feed, or what could not be delivered.",
		reply:       noticesReply{}, codes: []ask.Code{ask.CodeInvalidField, CodeUnknownPerson, ask.CodeUnavailable},
		query: []queryParam{
			{name: "state", kind: "string", doc: "undelivered gives those with a target that could not be reached; left out, all.", choices: []any{"undelivered"}},
			{name: "person", kind: "string", doc: "Whose feed; left out, everybody's."},
			{name: "limit", kind: "integer", doc: "How many at most, from 1 to 200; 50 where it is left out."},
		},
	}
)

// notify serves POST /notify.
func (s *Server) notify(w http.ResponseWriter, r *http.Request, who caller) *ask.Problem {
	var body notifyRequest
	if p := ask.ReadJSON(w, r, &body); p != nil {
		return p
	}
	n := notify.Notice{From: body.From, Person: body.Person, Message: body.Message, Level: notify.Level(body.Level)}
	if p := n.Validate(); p != nil {
		return p
	}
	if n.From != who.name {
		return ownCodes.Problem(CodeNotYourName, "from", "This token is another project's; send that project's own name.")
	}
	id, err := s.cfg.Notices.Add(r.Context(), n)
	if p := noticeProblem(w, r, err); p != nil {
		return p
	}
	accepted, err := json.Marshal(&notifyReply{ID: id})
	if err != nil {
		return ask.NewProblem(ask.CodeInternal, "", "The answer could not be written.")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write(accepted)
	return nil
}

// noticeProblem is the problem that keeps a notice from being taken; nil where none does.
func noticeProblem(w http.ResponseWriter, r *http.Request, err error) *ask.Problem {
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*ask.Problem](err); ok {
		return p
	}
	if many, ok := errors.AsType[*notify.TooMany](err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(int((many.After+time.Second-1)/time.Second)))
		return ask.NewProblem(ask.CodeTooMany, "", "This project has sent too many notices; wait as long as Retry-After says.")
	}
	if errors.Is(err, notify.ErrUnknownPerson) {
		return ownCodes.Problem(CodeUnknownPerson, "person", "Send the name of a person in people.toml.")
	}
	return storeFault(r.Context(), "The notice cannot be kept just now; try again.", err)
}

// The bounds of a list of notices.
const (
	usualNotices = 50
	mostNotices  = 200
)

// notices serves GET /notices.
func (s *Server) notices(w http.ResponseWriter, r *http.Request, _ caller) *ask.Problem {
	query := r.URL.Query()
	q := notify.Query{Limit: usualNotices}
	switch query.Get("state") {
	case "":
	case "undelivered":
		q.Undelivered = true
	default:
		return ask.NewProblem(ask.CodeInvalidField, "state", `Send "state" as undelivered, or leave it out.`)
	}
	if limit := query.Get("limit"); limit != "" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > mostNotices {
			return ask.NewProblem(ask.CodeInvalidField, "limit", `Send "limit" as a number from 1 to 200, or leave it out.`)
		}
		q.Limit = n
	}
	if name := query.Get("person"); name != "" {
		person, ok := s.cfg.Household().Find(name)
		if !ok {
			return ownCodes.Problem(CodeUnknownPerson, "person", "Send the name of a person in people.toml, or leave person out.")
		}
		q.Person = string(person.Name)
	}
	list, err := s.cfg.Notices.List(r.Context(), q)
	if err != nil {
		return storeFault(r.Context(), "The notices cannot be read just now; try again.", err)
	}
	out := toNotices(list)
	_ = ask.WriteJSON(w, &out) // who asked has gone: nobody is left to tell
	return nil
}

// NoticesJSON are notices in the form of GET /notices.
func NoticesJSON(list []notify.Entry) ([]byte, error) { return json.Marshal(toNotices(list)) }

func toNotices(list []notify.Entry) noticesReply {
	out := noticesReply{Notices: make([]notice, len(list))}
	for i := range list {
		out.Notices[i] = toNotice(&list[i])
	}
	return out
}

func toNotice(e *notify.Entry) notice {
	out := notice{ID: e.ID, Time: e.At.UTC(), From: e.From, Person: e.Person, Level: string(e.Level), Message: e.Message, Deliveries: []delivery{}}
	for _, d := range e.Deliveries {
		one := delivery{Target: d.Name, State: string(d.State), Tries: d.Tries, Done: instant(d.Done), Reason: d.Reason}
		if d.State == notify.Waiting {
			one.Due = instant(d.Due)
		}
		out.Deliveries = append(out.Deliveries, one)
	}
	return out
}
