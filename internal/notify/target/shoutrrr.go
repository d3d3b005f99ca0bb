package target

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/pattern"
)

// service is one that shoutrrr knows. What it says of a fault may quote the whole address,
// so no word of it is passed on but a status.
type service struct {
	address string

	mu sync.Mutex
	// since is when the call began that goes on; zero where none does.
	since time.Time
}

// stuck is when a call that was given up, and that shoutrrr has not ended, is taken for one
// that never ends: until then no other call joins it.
const stuck = 5 * time.Minute

var _ notify.Sender = (*service)(nil)

// services are the names of those that shoutrrr knows and that reach a person.
var services = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, name := range new(router.ServiceRouter).ListServices() {
		names[name] = true
	}
	// A log is no phone, and ntfy has an address of its own here.
	delete(names, "logger")
	delete(names, "ntfy")
	return names
})

// callsAtOnce are services that call their server when they are only set up.
var callsAtOnce = []string{"matrix"}

func shoutrrrOf(scheme, address string) (notify.Sender, string, error) {
	name, _, _ := strings.Cut(scheme, "+")
	if !services()[name] {
		return nil, "", foreign(scheme)
	}
	if !slices.Contains(callsAtOnce, name) {
		if _, err := new(router.ServiceRouter).Locate(address); err != nil {
			return nil, "", &Wrong{"it is not how shoutrrr writes " + name, "see shoutrrr's page on " + name}
		}
	}
	return &service{address: address}, shown(name, address), nil
}

// hosted are services whose address has a server's host where a host stands; with others a
// token may stand there.
var hosted = []string{"bark", "generic", "gotify", "matrix", "mattermost", "rocketchat", "signal", "smtp", "zulip"}

// shown is a service's name with its server, where that can be said, so that two webhooks
// are told apart.
func shown(name, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || !slices.Contains(hosted, name) {
		return name
	}
	return name + " at " + u.Host
}

// statusIn finds the status of a server's answer in shoutrrr's words.
var statusIn = pattern.Lazy(`\b([45][0-9][0-9])\b`)

// Send implements notify.Sender. Shoutrrr takes no context, so a call that lasts too long
// is left behind.
func (s *service) Send(ctx context.Context, m *notify.Message) error {
	began, ok := s.begin(time.Now())
	if !ok {
		return notify.Retry("the last message is still on its way")
	}
	done := make(chan error, 1)
	go func() {
		err := s.send(m)
		s.end(began)
		done <- err
	}()
	select {
	case err := <-done:
		return s.fault(err)
	case <-ctx.Done():
		return notify.Retry("it does not answer in time")
	}
}

// begin says whether a call may begin now.
func (s *service) begin(now time.Time) (began time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.since.IsZero() && now.Sub(s.since) < stuck {
		return now, false
	}
	s.since = now
	return now, true
}

// end ends the call that began then, unless another has taken its place.
func (s *service) end(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.Equal(began) {
		s.since = time.Time{}
	}
}

func (s *service) send(m *notify.Message) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = errors.New("shoutrrr panicked")
		}
	}()
	service, err := new(router.ServiceRouter).Locate(s.address)
	if err != nil {
		return err
	}
	return service.Send(m.Title()+": "+m.Text, &types.Params{})
}

func (s *service) fault(err error) error {
	if err == nil {
		return nil
	}
	if web, ok := errors.AsType[*url.Error](err); ok {
		return unreachable(web.Err)
	}
	if status := statusIn().FindString(strings.ReplaceAll(err.Error(), s.address, "")); status != "" {
		return notify.Retry(fmt.Sprintf("the service answers %s", status))
	}
	return notify.Retry("the service did not take it")
}
