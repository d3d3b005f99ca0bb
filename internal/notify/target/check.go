package target

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/askhub/askhub/internal/notify"
)

// Checker is a target of which one can find out whether it is there, sending nothing.
type Checker interface {
	// Check says what keeps the server from being reached; its error is a *notify.Fault, and
	// hopeless where something else answers.
	Check(ctx context.Context) error
}

// Address is where a target's server is, without what is secret in it; empty where nobody
// here knows.
func Address(s notify.Sender) string {
	switch s := s.(type) {
	case *ntfy:
		return s.base.Scheme + "://" + s.base.Host
	case *apprise:
		return s.address.Scheme + "://" + s.address.Host
	}
	return ""
}

// get finds out what a server answers there, asked without its secrets.
func get(ctx context.Context, u *url.URL) (said, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return said{}, unreachable(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return said{}, unreachable(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return said{}, unreachable(err)
	}
	return said{status: resp.StatusCode, body: reply}, nil
}
