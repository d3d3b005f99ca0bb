package admin

import (
	"net/http"
	"time"

	"github.com/askhub/askhub/ask/approve"
)

// deedsShown and pastShown are how many a page has.
const (
	deedsShown = 100
	pastShown  = 100
)

// historyShown is the content of the history's page.
type historyShown struct {
	Approvals []approvalShown
	Deeds     []Deed
	Away      []string
}

// historyPage serves GET /history: what became of each request, and what was done in the app.
func (a *App) historyPage(v *visit) error {
	ctx, now := v.r.Context(), a.cfg.Now()
	g := a.gather(ctx)
	shown := historyShown{Away: g.away}
	for _, x := range g.approvals {
		if !waits(&x, now) && len(shown.Approvals) < pastShown {
			shown.Approvals = append(shown.Approvals, a.show(&x))
		}
	}
	var err error
	if shown.Deeds, err = a.cfg.Store.Deeds(ctx, deedsShown); err != nil {
		return storeFault(a, err)
	}
	a.pages.render(v.w, http.StatusOK, "history", v.page("History", "/history", &shown))
	return nil
}

// Decided is when it was decided, for the page; zero where nobody did.
func (s *approvalShown) Decided() time.Time {
	if s.Result == nil {
		return time.Time{}
	}
	return s.Result.Decided
}

// By is whose passkey decided; empty where nobody's did.
func (s *approvalShown) By() string {
	if s.Result == nil {
		return ""
	}
	return s.Result.By
}

// digestFault says whether the digest is another than that of what is shown.
func digestFault(x *approve.Approval) bool {
	want, err := approve.Digest(x.What, x.Who, x.Why, x.Action)
	return err != nil || want != x.Digest
}
