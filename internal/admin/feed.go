package admin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// feedShown is how many notices the page has.
const feedShown = 50

// feed is the content of the notices' page.
type feed struct {
	Notices []hubNotice
	Away    bool
}

// feedPage serves GET /notices: what the household's projects had to say to whoever is signed
// in, whether a phone took it or not.
func (a *App) feedPage(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), lookWait)
	defer cancel()
	var got struct {
		Notices []hubNotice `json:"notices"`
	}
	query := url.Values{"person": {string(v.person.Name)}, "limit": {strconv.Itoa(feedShown)}}
	shown := &feed{}
	if err := a.cfg.Hub.call(ctx, http.MethodGet, "/notices?"+query.Encode(), nil, &got); err != nil {
		shown.Away = true
		_ = a.told(a.cfg.Hub, err) // logs it
	}
	shown.Notices = got.Notices
	a.pages.render(v.w, http.StatusOK, "feed", v.page("Notices", "/notices", shown))
	return nil
}
