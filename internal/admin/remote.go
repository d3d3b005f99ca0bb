package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// HubName is the owner of the Hub's own approvals.
const HubName = "hub"

// maxReply is the largest reply that is read, in bytes.
const maxReply = 8 << 20

// Remote is the Hub or a project, as the app calls it with its own token for it.
type Remote struct {
	// Name is the owner's name in its approvals: HubName, or the project's.
	Name string
	// Title is how people call it.
	Title string
	// URL is its address, with no slash at the end.
	URL string
	// Token is what it wants to see, asked for anew at each call. A project without one has
	// no approvals of its own.
	Token func() ask.BearerToken
	HTTP  *http.Client
}

// errAway is a remote that does not answer, or not as the contract says.
var errAway = errors.New("not answering")

// call sends one request and reads its reply into into. A refusal in the contract's words
// is an *ask.Problem; everything else that goes wrong is an errAway.
func (r *Remote) call(ctx context.Context, method, path string, body, into any) error {
	var sent io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, r.URL+path, sent)
	if err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	req.Header.Set("Authorization", "Bearer "+string(r.Token()))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := r.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errAway, err)
	case len(raw) > maxReply:
		return fmt.Errorf("%w: its reply is over %d MB", errAway, maxReply>>20)
	case resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusCreated:
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("%w: %w", errAway, err)
		}
		return nil
	}
	var p ask.Problem
	if err := json.Unmarshal(raw, &p); err != nil || p.Code == "" {
		return fmt.Errorf("%w: status %d", errAway, resp.StatusCode)
	}
	p.Status = resp.StatusCode
	return &p
}

// approvals are all that it has, those that wait first. One in another's name is no
// approval of its.
func (r *Remote) approvals(ctx context.Context) ([]approve.Approval, error) {
	var got struct {
		Approvals []approve.Approval `json:"approvals"`
	}
	if err := r.call(ctx, http.MethodGet, "/approvals", nil, &got); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(got.Approvals, func(a approve.Approval) bool { return a.Owner != r.Name || !goodID(a.ID) }), nil
}

// approval is one of them.
func (r *Remote) approval(ctx context.Context, id string) (approve.Approval, error) {
	var got approve.Approval
	if err := r.call(ctx, http.MethodGet, "/approvals/"+url.PathEscape(id), nil, &got); err != nil {
		return got, err
	}
	if got.Owner != r.Name || got.ID != id {
		return approve.Approval{}, fmt.Errorf("%w: it gave another approval", errAway)
	}
	return got, nil
}

// decide tells it a person's answer, and gives the approval as it then stands.
func (r *Remote) decide(ctx context.Context, d approve.Decision) (got approve.Approval, err error) {
	path := "/approve"
	if r.Name != HubName {
		path = "/approvals/" + url.PathEscape(d.ID)
	}
	err = r.call(ctx, http.MethodPost, path, &d, &got)
	return got, err
}

// goodID is 128 bits in lower-case hex.
func goodID(id string) bool {
	if len(id) != 32 {
		return false
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return true
}

// remotes are the Hub and the projects that have approvals of their own.
func (a *App) remotes() []*Remote {
	return append([]*Remote{a.cfg.Hub}, a.projects()...)
}

// projects are those that the app has a token for, as things stand now.
func (a *App) projects() []*Remote {
	return slices.DeleteFunc(slices.Clone(a.cfg.Projects), func(r *Remote) bool { return r.Token() == "" })
}

// remote is the owner of that name.
func (a *App) remote(name string) (*Remote, bool) {
	all := a.remotes()
	i := slices.IndexFunc(all, func(r *Remote) bool { return r.Name == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// told is what a remote's failure means to the person.
func (a *App) told(r *Remote, err error) error {
	p, ok := errors.AsType[*ask.Problem](err)
	if !ok {
		a.cfg.Log.Warn("a call failed", "to", r.Name, "cause", err)
		return away(r.Title)
	}
	switch {
	case p.Code == CodeUnknownApproval:
		return ownCodes.Problem(CodeUnknownApproval, "", "There is no such approval any more.")
	case p.Code == "digest_mismatch":
		return changedMeanwhile()
	case p.Code == approve.CodeMuted, p.Code == approve.CodeTooMany:
		// Of these the person hears in the owner's own words, whatever the status.
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden:
		a.cfg.Log.Error("a call was refused: is its token in the secrets file the right one?", "to", r.Name, "cause", p)
		return away(r.Title)
	case p.Status >= 500:
		a.cfg.Log.Warn("a call failed", "to", r.Name, "cause", p)
		return away(r.Title)
	}
	return &ask.Problem{Type: p.Type, Title: p.Title, Status: p.Status, Detail: p.Detail, Code: CodeRefused, Field: p.Field}
}
