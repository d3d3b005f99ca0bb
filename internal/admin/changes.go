package admin

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// changesWait is how long a page waits for what can be changed: the project has to look
// at the network for that.
const changesWait = 10 * time.Second

// change is one change that a project says can be asked for just now.
type change struct {
	Change string  `json:"change"`
	Title  string  `json:"title"`
	Fields []field `json:"fields"`
}

// field is one of its fields.
type field struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	// Type is choice, number, time, days or text.
	Type     string   `json:"type"`
	Choices  []choice `json:"choices"`
	Unit     string   `json:"unit"`
	Required bool     `json:"required"`
	// Min and Max bound a number, where they are given.
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

type choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// impossible is a change that cannot be had, and why.
type impossible struct {
	Title string `json:"title"`
	Why   string `json:"why"`
}

// unsettled is a change of which nobody saw the end, and how things stand now.
type unsettled struct {
	What string `json:"what"`
	Now  string `json:"now"`
}

// offered is a project's reply to GET /changes.
type offered struct {
	Changes    []change     `json:"changes"`
	Impossible []impossible `json:"impossible"`
	Unsettled  []unsettled  `json:"unsettled"`
}

// offer is what one project offers, for the page.
type offer struct {
	Owner, Title string
	offered
	Away bool
}

// Weekdays are the choices of a field of type days.
func (field) Weekdays() []choice {
	return []choice{{"mon", "Mon"}, {"tue", "Tue"}, {"wed", "Wed"}, {"thu", "Thu"}, {"fri", "Fri"}, {"sat", "Sat"}, {"sun", "Sun"}}
}

// changesPage serves GET /changes: a form for each change that a project offers. The Hub is
// not asked, and has no part in it.
func (a *App) changesPage(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), changesWait)
	defer cancel()
	projects := a.projects()
	offers := make([]offer, len(projects))
	var all sync.WaitGroup
	for i, r := range projects {
		all.Go(func() {
			offers[i] = offer{Owner: r.Name, Title: r.Title}
			if err := r.call(ctx, http.MethodGet, "/changes", nil, &offers[i].offered); err != nil {
				offers[i].Away = isAway(a.told(r, err))
			}
		})
	}
	all.Wait()
	a.pages.render(v.w, http.StatusOK, "changes", v.page("Limits", "/changes", offers))
	return nil
}

// wish is the body of POST /api/changes.
type wish struct {
	Owner  string         `json:"owner"`
	Change string         `json:"change"`
	Why    string         `json:"why"`
	Fields map[string]any `json:"fields"`
}

// changeAsked is the body of a project's POST /changes.
type changeAsked struct {
	Change string         `json:"change"`
	Who    string         `json:"who"`
	Why    string         `json:"why"`
	Fields map[string]any `json:"fields"`
}

// change serves POST /api/changes: the project makes an approval of it, and nothing changes
// before a yes.
func (a *App) change(v *visit) error {
	var body wish
	if p := ask.ReadJSON(v.w, v.r, &body); p != nil {
		return p
	}
	r, ok := a.remote(body.Owner)
	if !ok || r.Name == HubName {
		return ask.NewProblem(ask.CodeInvalidField, "owner", "There is no such project.")
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), executionWait)
	defer cancel()
	sent := changeAsked{Change: body.Change, Who: string(v.person.Name), Why: body.Why, Fields: body.Fields}
	var x approve.Approval
	if err := r.call(ctx, http.MethodPost, "/changes", &sent, &x); err != nil {
		return a.told(r, err)
	}
	if x.Owner != r.Name || !goodID(x.ID) {
		return away(r.Title)
	}
	a.note(ctx, v, DidRequest, x.What, r.Name, x.ID)
	return ask.WriteJSON(v.w, &done{"/approvals/" + r.Name + "/" + x.ID})
}
