package recordtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askhub/askhub/internal/record"
)

// runPast checks what record.Past demands.
func runPast(t *testing.T, open func(t *testing.T) record.Store) {
	ctx := context.Background()
	day := time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC)
	five := func(t *testing.T) (record.Store, record.Past, []record.Record) {
		t.Helper()
		s := open(t)
		past, ok := s.(record.Past)
		if !ok {
			t.Fatalf("%T is no record.Past", s)
		}
		var list []record.Record
		for i := range 5 {
			r := Small("sam", "harry", day.Add(time.Duration(i)*time.Hour))
			r.Question = "what lessons does Harry have?"
			list = append(list, r)
		}
		// The order of saving is not the order of asking.
		if err := s.Save(ctx, record.Batch{Records: []record.Record{list[3], list[0], list[4], list[1], list[2]}}); err != nil {
			t.Fatal(err)
		}
		return s, past, list
	}
	t.Run("the past is told from a time on, the oldest first", func(t *testing.T) {
		_, past, list := five(t)
		for from, want := range map[time.Time][]record.Record{
			day.Add(-time.Hour):                       list,
			day.Add(3 * time.Hour):                    list[3:],
			day.Add(3*time.Hour + 1*time.Microsecond): list[4:],
			day.Add(5 * time.Hour):                    nil,
		} {
			var got []record.Record
			if err := past.Since(ctx, from, func(r record.Record) error { got = append(got, r); return nil }); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("since %v: %s", from, d)
			}
		}
	})
	t.Run("an error of who listens ends it", func(t *testing.T) {
		_, past, _ := five(t)
		enough, n := errors.New("enough"), 0
		err := past.Since(ctx, day, func(record.Record) error {
			if n++; n == 2 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || n != 2 {
			t.Errorf("%d records, %v", n, err)
		}
	})
	t.Run("a mark stays, and is made once", func(t *testing.T) {
		_, past, list := five(t)
		if got, err := past.Dropped(ctx); len(got) > 0 || err != nil {
			t.Errorf("marked from the start: %q, %v", got, err)
		}
		for range 2 {
			if err := past.Drop(ctx, list[1].ID, list[2].ID); err != nil {
				t.Fatal(err)
			}
		}
		got, err := past.Dropped(ctx)
		if d := cmp.Diff([]string{list[1].ID, list[2].ID}, got); d != "" || err != nil {
			t.Error(d, err)
		}
	})
	t.Run("all are marked or none", func(t *testing.T) {
		_, past, list := five(t)
		for _, unknown := range []string{record.NewID(), "", "' OR 1=1 --", "ask_\x00"} {
			if err := past.Drop(ctx, list[0].ID, unknown); !errors.Is(err, record.ErrNotFound) {
				t.Errorf("%q: %v", unknown, err)
			}
		}
		if got, err := past.Dropped(ctx); len(got) > 0 || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("a mark goes with its record", func(t *testing.T) {
		s, past, list := five(t)
		if err := past.Drop(ctx, list[0].ID, list[4].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sweep(ctx, day.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got, err := past.Dropped(ctx); len(got) != 1 || err != nil {
			t.Errorf("after a sweep: %q, %v", got, err)
		}
		if _, err := s.Remove(ctx, "harry"); err != nil {
			t.Fatal(err)
		}
		if got, err := past.Dropped(ctx); len(got) > 0 || err != nil {
			t.Errorf("after a removal: %q, %v", got, err)
		}
	})
}
