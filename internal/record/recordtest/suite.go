package recordtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

// Example is a record with every field set.
func Example() record.Record {
	now := time.Date(2026, 10, 10, 7, 30, 0, 0, time.UTC)
	return record.Record{
		ID: record.NewID(), Time: now, Asker: "sam", Person: "harry",
		WayIn: "phone", Source: "phone", Want: "speech",
		Question: "what does Harry have on today?", Status: routing.StatusAnswered,
		Reply: "Harry has maths today; no email.",
		Route: record.Route{Kind: "fanout", Projects: []string{"compass_nhs", "email_agent"}, Reason: "overlap:what do I have on", By: routing.ByEmbedded},
		Decision: record.Decision{
			Outcome: routing.OutcomeFanout, Confidence: 0.75,
			Why: "have on names a whole day", Words: []string{"have", "on"},
		},
		Parts: []routing.Part{
			{Project: "compass_nhs", Status: routing.StatusAnswered, Answer: "Harry has maths today.", Person: "harry", Expires: now.Add(time.Hour), Took: 41 * time.Millisecond},
			{Project: "email_agent", Status: routing.StatusUnavailable, Reason: routing.ReasonDown, Person: "sam", Took: 3 * time.Millisecond, Remembered: true},
		},
		Timings: record.Timings{Guard: 12 * time.Microsecond, Decide: 80 * time.Microsecond, Dispatch: 42 * time.Millisecond, Total: 42100 * time.Microsecond},
		Choices: []string{"school", "email"}, InReplyTo: record.NewID(), Expires: now.Add(time.Hour),
	}
}

// Small is a record by asker about person at that time.
func Small(asker ask.Asker, person ask.Person, at time.Time) record.Record {
	return record.Record{ID: record.NewID(), Time: at, Asker: asker, Person: person, WayIn: "phone", Status: routing.StatusAnswered}
}

// Run checks what record.Store demands. open gives an empty store.
func Run(t *testing.T, open func(t *testing.T) record.Store) {
	ctx := context.Background()
	day := time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC)
	save := func(t *testing.T, s record.Store, list ...record.Record) {
		t.Helper()
		if err := s.Save(ctx, record.Batch{Records: list}); err != nil {
			t.Fatal(err)
		}
	}

	t.Run("what was saved comes back whole", func(t *testing.T) {
		s, want := open(t), Example()
		save(t, s, want)
		got, err := s.Get(ctx, want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
	t.Run("an id that is not kept is not found", func(t *testing.T) {
		for _, id := range []string{"", record.NewID(), "' OR 1=1 --", "ask_\x00", "ask_\xff"} {
			if _, err := open(t).Get(ctx, id); !errors.Is(err, record.ErrNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
	})
	t.Run("saving a record again changes nothing", func(t *testing.T) {
		s, r := open(t), Example()
		save(t, s, r)
		r2 := r
		r2.Reply = "something else"
		save(t, s, r2, r2)
		if got, _ := s.Get(ctx, r.ID); got.Reply != r.Reply {
			t.Errorf("reply became %q", got.Reply)
		}
	})
	t.Run("a batch is kept whole or not at all", func(t *testing.T) {
		s := open(t)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		r := Example()
		if err := s.Save(gone, record.Batch{Records: []record.Record{r}}); err == nil {
			t.Fatal("saved although its context had ended")
		}
		if _, err := s.Get(ctx, r.ID); !errors.Is(err, record.ErrNotFound) {
			t.Errorf("a part of it is kept: %v", err)
		}
	})
	t.Run("an empty batch is fine", func(t *testing.T) { save(t, open(t)) })
	t.Run("odd text is kept", func(t *testing.T) {
		s, r := open(t), Small("sam", "harry", day)
		r.Question = "a\x00b\u2028 “quoted” 'single' \\ 🙂"
		save(t, s, r)
		got, err := s.Get(ctx, r.ID)
		if err != nil || got.Question != r.Question {
			t.Errorf("%q, %v", got.Question, err)
		}
		broken := Small("sam\x00\xff", "harry", day)
		broken.Question = "\xff\xfe"
		save(t, s, broken)
		if _, err := s.Get(ctx, broken.ID); err != nil {
			t.Errorf("a record of bytes that are not UTF-8: %v", err)
		}
	})

	family := func(t *testing.T) (record.Store, map[string]record.Record) {
		s := open(t)
		part := Small("sam", "sam", day.Add(2*time.Hour))
		part.Parts = []routing.Part{{Project: "compass_nhs", Person: "harry"}, {Project: "email_agent", Person: "sam"}}
		m := map[string]record.Record{
			"sam about harry":       Small("sam", "harry", day.Add(time.Hour)),
			"harry about himself":   Small("harry", "harry", day),
			"harry in a part":       part,
			"emma about emma":       Small("emma", "emma", day),
			"a name that begins so": Small("harry2", "emma", day),
		}
		for _, r := range m {
			save(t, s, r)
		}
		return s, m
	}
	t.Run("each person can see who asked about them", func(t *testing.T) {
		s, m := family(t)
		got, err := s.About(ctx, "harry")
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range got {
			ids = append(ids, r.ID)
		}
		want := []string{m["harry about himself"].ID, m["sam about harry"].ID, m["harry in a part"].ID}
		if d := cmp.Diff(want, ids); d != "" {
			t.Error(d)
		}
		if got, err := s.About(ctx, "%"); err != nil || len(got) > 0 {
			t.Errorf("about %%: %d records, %v", len(got), err)
		}
	})
	t.Run("each person can have it removed", func(t *testing.T) {
		s, m := family(t)
		n, err := s.Remove(ctx, "harry")
		if err != nil || n != 3 {
			t.Fatalf("%d removed, %v", n, err)
		}
		if got, _ := s.About(ctx, "harry"); len(got) > 0 {
			t.Errorf("%d records are left", len(got))
		}
		for _, name := range []string{"emma about emma", "a name that begins so"} {
			if _, err := s.Get(ctx, m[name].ID); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n, err := s.Remove(ctx, "harry"); n != 0 || err != nil {
			t.Errorf("the second time: %d, %v", n, err)
		}
	})
	t.Run("a sweep takes out what is older and no more", func(t *testing.T) {
		s := open(t)
		var old []record.Record
		for i := range 1203 {
			old = append(old, Small("sam", "sam", day.Add(time.Duration(i)*time.Millisecond)))
		}
		limit := day.Add(2 * time.Second)
		edge, later := Small("sam", "sam", limit), Small("sam", "sam", limit.Add(time.Hour))
		save(t, s, append(old, edge, later)...)
		n, err := s.Sweep(ctx, limit)
		if err != nil || n != len(old) {
			t.Fatalf("%d swept, want %d, %v", n, len(old), err)
		}
		for _, r := range []record.Record{edge, later} {
			if _, err := s.Get(ctx, r.ID); err != nil {
				t.Error(err)
			}
		}
	})
	runPast(t, open)
	t.Run("many at once", func(t *testing.T) {
		s := open(t)
		var wg sync.WaitGroup
		errs := make(chan error, 64)
		for w := range 4 {
			wg.Go(func() {
				for i := range 5 {
					r := Small(ask.Asker(fmt.Sprint("a", w)), "sam", day)
					if err := s.Save(ctx, record.Batch{Records: []record.Record{r}}); err != nil {
						errs <- err
						continue
					}
					if _, err := s.Get(ctx, r.ID); err != nil {
						errs <- fmt.Errorf("save %d is not seen: %w", i, err)
					}
				}
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			t.Error(err)
		}
		if got, err := s.About(ctx, "sam"); err != nil || len(got) != 20 {
			t.Errorf("%d records, %v", len(got), err)
		}
	})
}
