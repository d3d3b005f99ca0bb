package target

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/pattern"
)

// apprise is one configuration of an Apprise API server.
type apprise struct {
	address *url.URL
	user    *url.Userinfo
	tag     string
}

var (
	_ notify.Sender = (*apprise)(nil)
	_ Checker       = (*apprise)(nil)
)

// keyForm is the end of an address that names a configuration.
var keyForm = pattern.Lazy(`(?:^|/)notify/[A-Za-z0-9_-]{1,128}/?$`)

func appriseOf(u *url.URL) (notify.Sender, string, error) {
	switch {
	case u.Hostname() == "":
		return nil, "", &Wrong{"it names no Apprise API server", "write apprise+http://HOST/notify/KEY"}
	case !keyForm().MatchString(u.Path):
		return nil, "", &Wrong{"it names no configuration of the Apprise API server", "write apprise+http://HOST/notify/KEY, with the KEY under which the server keeps its services"}
	case u.Fragment != "":
		return nil, "", &Wrong{"it has a # part", "take it out"}
	}
	a := &apprise{user: u.User, address: &url.URL{Scheme: strings.TrimPrefix(u.Scheme, "apprise+"), Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}}
	for key, values := range u.Query() {
		if key != "tag" && key != "tags" {
			return nil, "", &Wrong{fmt.Sprintf("it has a setting %.20q that nobody here knows", key), "use tag, or take it out"}
		}
		a.tag = values[0]
	}
	return a, "Apprise API at " + u.Host, nil
}

// appriseMessage is what an Apprise API server takes.
type appriseMessage struct {
	Title  string `json:"title"`
	Body   string `json:"body"`
	Type   string `json:"type"`
	Format string `json:"format"`
	Tag    string `json:"tag,omitzero"`
}

// Send implements notify.Sender. Only a 200 says that something was sent: an unknown key
// is answered with a 204.
func (a *apprise) Send(ctx context.Context, m *notify.Message) error {
	kind := "warning"
	if m.Level == notify.Info {
		kind = "info"
	}
	answer, err := post(ctx, a.address, a.authorize, &appriseMessage{Title: m.Title(), Body: m.Text, Type: kind, Format: "text", Tag: a.tag})
	if err != nil {
		return err
	}
	switch status := answer.status; {
	case status == http.StatusOK:
		return nil
	case status == http.StatusNoContent:
		return notify.Hopeless("the Apprise API server keeps nothing under this key, so nothing was sent")
	case status == http.StatusFailedDependency:
		return notify.Retry("the Apprise API server could not send it to all of its services, or none has the tag (where all of them have tags, the address needs ?tag=)")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return notify.Hopeless("the Apprise API server does not let askhub in; see the name and password in the address")
	case later(status):
		fault := notify.Retry(fmt.Sprintf("the Apprise API server answers %d just now", status))
		fault.After = answer.after
		return fault
	default:
		return notify.Hopeless(fmt.Sprintf("it answers %d, so this is no Apprise API server, or not its address", status))
	}
}

func (a *apprise) authorize(req *http.Request) {
	if a.user != nil {
		password, _ := a.user.Password()
		req.SetBasicAuth(a.user.Username(), password)
	}
}

// Check implements Checker.
func (a *apprise) Check(ctx context.Context) error {
	_, err := get(ctx, &url.URL{Scheme: a.address.Scheme, Host: a.address.Host, Path: "/"})
	return err
}
