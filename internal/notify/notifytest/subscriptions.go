package notifytest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/notify"
)

// RunSubscriptions checks what notify.Subscriptions demands. open gives an empty one.
func RunSubscriptions(t *testing.T, open func(t *testing.T) notify.Subscriptions) {
	ctx := context.Background()
	sub := func(endpoint, person string, at time.Duration) notify.Subscription {
		return notify.Subscription{
			Endpoint: "https://push.example/" + endpoint, P256dh: "key of " + endpoint, Auth: "secret of " + endpoint,
			Person: ask.Person(person), Added: start.Add(at),
		}
	}
	filled := func(t *testing.T) (notify.Subscriptions, []notify.Subscription) {
		s := open(t)
		list := []notify.Subscription{sub("a", "sam", time.Hour), sub("b", "tom", 0), sub("c", "sam", 0)}
		for _, one := range list {
			if err := s.Add(ctx, one); err != nil {
				t.Fatal(err)
			}
		}
		return s, list
	}
	t.Run("each person has their own, the oldest first", func(t *testing.T) {
		s, list := filled(t)
		got, err := s.Of(ctx, "sam")
		if d := cmp.Diff([]notify.Subscription{list[2], list[0]}, got); d != "" || err != nil {
			t.Error(d, err)
		}
		if got, err := s.Of(ctx, "%"); len(got) > 0 || err != nil {
			t.Errorf("of nobody: %v, %v", got, err)
		}
		all, err := s.All(ctx)
		if d := cmp.Diff([]notify.Subscription{list[2], list[0], list[1]}, all); d != "" || err != nil {
			t.Error(d, err)
		}
	})
	t.Run("the same browser again takes its own place", func(t *testing.T) {
		s, _ := filled(t)
		again := sub("a", "tom", 2*time.Hour)
		again.Auth = "another"
		if err := s.Add(ctx, again); err != nil {
			t.Fatal(err)
		}
		got, err := s.Of(ctx, "tom")
		if len(got) != 2 || got[1].Auth != "another" || err != nil {
			t.Errorf("%+v, %v", got, err)
		}
		if got, _ := s.Of(ctx, "sam"); len(got) != 1 {
			t.Errorf("it is still Sam's: %+v", got)
		}
	})
	t.Run("what is removed is gone, also the second time", func(t *testing.T) {
		s, list := filled(t)
		for range 2 {
			if err := s.Remove(ctx, list[0].Endpoint); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := s.All(ctx); len(got) != 2 {
			t.Errorf("%+v", got)
		}
	})
}
