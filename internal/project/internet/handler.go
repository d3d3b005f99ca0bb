package internet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// Desk is where a change waits for a person's yes.
type Desk interface {
	Ask(ctx context.Context, r approve.Request) (approve.Approval, error)
	List(ctx context.Context) ([]approve.Approval, error)
}

// changesPath is where changes are asked for.
const changesPath = "/changes"

// maxWhy is the longest reason that is taken, in code points.
const maxWhy = 500

// changeBudget is how long the network may take to say how it stands.
const changeBudget = 8 * time.Second

// Changes serves /changes to who presents the token, and leaves all else to rest. Nothing
// changes by it: a change that is asked for waits at the desk.
func (n *Internet) Changes(desk Desk, token ask.BearerToken, rest http.Handler) (http.Handler, error) {
	if err := token.Check(); err != nil {
		return nil, err
	}
	n.desk, n.digest = desk, ask.Digest(token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != changesPath {
			rest.ServeHTTP(w, r)
			return
		}
		if problem := n.changes(w, r); problem != nil {
			ask.WriteProblem(w, problem)
		}
	}), nil
}

func (n *Internet) changes(w http.ResponseWriter, r *http.Request) *ask.Problem {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST")
		return ask.NewProblem(ask.CodeMethodNotAllowed, "", "Use GET or POST here.")
	}
	token, problem := ask.BearerFrom(r)
	if problem != nil {
		return problem
	}
	if !ask.SameDigest(ask.Digest(token), n.digest) {
		return ask.Unauthorized()
	}
	ctx, cancel := context.WithTimeout(r.Context(), changeBudget)
	defer cancel()
	if r.Method == http.MethodPost {
		return n.askFor(ctx, w, r)
	}
	s, err := n.scene(ctx, n.cfg.Devices)
	if err != nil {
		return n.unable(err)
	}
	var reply struct {
		Changes    []Form    `json:"changes"`
		Impossible []Unable  `json:"impossible"`
		Missing    []Missing `json:"missing"`
		Unsettled  []Settled `json:"unsettled"`
	}
	reply.Changes, reply.Impossible = s.forms()
	reply.Missing = s.missing
	if reply.Unsettled, err = n.Unsettled(ctx); err != nil {
		n.cfg.Log.Warn("what became of the changes of before cannot be told", "why", err)
	}
	_ = ask.WriteJSON(w, reply)
	return nil
}

// asked is the body of POST /changes.
type asked struct {
	Change string                    `json:"change"`
	Who    string                    `json:"who"`
	Why    string                    `json:"why"`
	Fields map[string]jsontext.Value `json:"fields"`
}

func (n *Internet) askFor(ctx context.Context, w http.ResponseWriter, r *http.Request) *ask.Problem {
	var body asked
	if problem := ask.ReadJSON(w, r, &body); problem != nil {
		return problem
	}
	request, problem := n.request(ctx, body)
	if problem != nil {
		return problem
	}
	a, err := n.desk.Ask(ctx, request)
	if err != nil {
		n.cfg.Log.Warn("a change was not taken by the desk", "why", err)
		return approve.ProblemOf(err)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return n.unable(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", "/approvals/"+a.ID)
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(raw)
	return nil
}

// request is the change as it goes to the desk, with the state before and after.
func (n *Internet) request(ctx context.Context, body asked) (approve.Request, *ask.Problem) {
	var none approve.Request
	if problem := ask.CheckName("who", body.Who); problem != nil {
		return none, problem
	}
	if !n.cfg.Known(body.Who) {
		return none, ask.NewProblem(ask.CodeInvalidField, "who", "Name somebody of the household.")
	}
	if why := []rune(body.Why); len(why) > maxWhy || body.Why != "" && ask.CheckSafe(body.Why) != nil {
		return none, ask.NewProblem(ask.CodeInvalidField, "why", fmt.Sprintf("Give the reason in at most %d characters of plain text.", maxWhy))
	}
	c, ok := changeNamed(body.Change)
	if !ok {
		return none, ask.NewProblem(ask.CodeInvalidField, "change", "There is no such change: GET /changes lists them.")
	}
	can := n.cfg.Backend.Abilities()
	if a := c.need(can); !a.Can {
		return none, impossible(&ImpossibleError{"change", a.Why})
	}
	s, err := n.scene(ctx, n.cfg.Devices)
	if err != nil {
		return none, n.unable(err)
	}
	in, problem := c.read(s, body.Fields)
	if problem != nil {
		return none, problem
	}
	m, problem := c.make(s, in)
	if problem != nil {
		return none, problem
	}
	action := Action{Change: c.name, Device: m.device.Name, Backend: can.Name, Minutes: m.minutes, Before: m.device.State, After: m.after}
	if err := n.cfg.Backend.Apply(ctx, m.device.Device, action.Before, action.after(n.cfg.Now()), true); err != nil {
		return none, n.unable(err)
	}
	raw, err := json.Marshal(action)
	if err != nil {
		return none, n.unable(err)
	}
	return approve.Request{What: m.what, Who: body.Who, Why: body.Why, Action: raw}, nil
}

// scene is how the devices stand now.
func (n *Internet) scene(ctx context.Context, devices []Device) (*scene, error) {
	s := &scene{can: n.cfg.Backend.Abilities(), now: n.cfg.Now().In(n.cfg.Zone)}
	var first error
	for _, d := range devices {
		state, err := n.cfg.Backend.State(ctx, d)
		var down *UnableError
		switch {
		case errors.As(err, &down) && down.Err == nil: // its own fault, which hinders no other
			s.missing = append(s.missing, Missing{d.Name, sentence(down.Why)})
			first = cmp.Or(first, err)
		case err != nil:
			return nil, err
		default:
			s.devices = append(s.devices, standing{d, state})
		}
	}
	if len(s.devices) == 0 {
		return nil, first
	}
	if c, ok := n.cfg.Backend.(Catalogued); ok && s.can.Services.Can {
		var err error
		if s.services, err = c.Services(ctx); err != nil {
			return nil, err
		}
		slices.SortFunc(s.services, func(a, b Service) int { return compareFold(a.Name, b.Name) })
	}
	return s, nil
}

// unable is what the network's own fault becomes over the wire.
func (n *Internet) unable(err error) *ask.Problem {
	var not *ImpossibleError
	var down *UnableError
	switch {
	case errors.As(err, &not):
		return impossible(not)
	case errors.Is(err, ErrMoved):
		return conflict("device", "The device has just been changed by somebody else: look again.")
	case errors.As(err, &down):
		n.cfg.Log.Warn("a change cannot be asked for", "why", err)
		return ask.NewProblem(ask.CodeUnavailable, "", sentence(down.Why))
	case errors.Is(err, context.DeadlineExceeded):
		return ask.NewProblem(ask.CodeUnavailable, "", "The network took too long to say how it stands.")
	}
	n.cfg.Log.Error("a change cannot be asked for", "why", err)
	return ask.NewProblem(ask.CodeInternal, "", "Something went wrong here; nothing was changed.")
}
