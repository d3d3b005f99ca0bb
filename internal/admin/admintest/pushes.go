package admintest

import (
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/notify"
)

// RunPushes checks that with a person's last passkey the browsers go that take pushes for
// them, where both are kept in one store.
func RunPushes(t *testing.T, store admin.Store, pushes notify.Subscriptions) {
	s := &suite{t, store, t.Context()}
	kept := func(person ask.Person, want int) {
		t.Helper()
		if list, err := pushes.Of(s.ctx, person); err != nil || len(list) != want {
			t.Errorf("%s has %d browsers that take pushes, %v; want %d", person, len(list), err, want)
		}
	}
	add := func(person ask.Person) {
		for _, device := range []string{"phone", "laptop"} {
			s.must(pushes.Add(s.ctx, notify.Subscription{Endpoint: "https://push.example/" + string(person) + device, P256dh: "k", Auth: "a", Person: person, Added: time.Now()}))
		}
	}
	one, two := s.enrol("one", "sam"), s.enrol("two", "sam")
	s.enrol("three", "tom")
	add("sam")
	add("tom")
	s.must(s.Revoke(s.ctx, one.Name()))
	kept("sam", 2) // a passkey is left
	s.is(s.Revoke(s.ctx, one.Name()), admin.ErrUnknown)
	s.must(s.Revoke(s.ctx, two.Name()))
	kept("sam", 0)
	kept("tom", 2)

	s.enrol("four", "sam")
	add("sam")
	s.code("another", "sam")
	kept("sam", 2)
	if _, err := s.NewCode(s.ctx, admin.Code{ID: "anew", Digest: "d", Person: "sam", Expires: start.Add(time.Minute), Tries: 3}, true); err != nil {
		t.Fatal(err)
	}
	kept("sam", 0)
	kept("tom", 2)
}
