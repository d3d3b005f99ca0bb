package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/record/recordtest"
)

var everything = record.Keep{Days: 30, Text: true}

func closeLog(t *testing.T, l *record.Log) {
	t.Helper()
	if err := l.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestRecordsShareACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := recordtest.NewMemory()
		l := record.NewLog(m, everything, nil)
		for range 100 {
			l.Add(recordtest.Example())
		}
		if m.Len() != 0 {
			t.Error("Add waited for the store")
		}
		time.Sleep(150 * time.Millisecond)
		if m.Len() != 100 || m.Saves() != 1 {
			t.Errorf("%d records in %d saves, want 100 in 1", m.Len(), m.Saves())
		}
		closeLog(t, l)
	})
}

func TestARecordIsSeenBeforeItIsSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := record.NewLog(recordtest.NewMemory(), everything, nil)
		r := recordtest.Example()
		l.Add(r)
		if got, err := l.Get(t.Context(), r.ID); err != nil || got.Reply != r.Reply {
			t.Error(got, err)
		}
		if _, err := l.Get(t.Context(), record.NewID()); !errors.Is(err, record.ErrNotFound) {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if _, err := l.Get(t.Context(), r.ID); err != nil {
			t.Error(err)
		}
		closeLog(t, l)
	})
}

func TestANormalStopLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := recordtest.NewMemory()
		l := record.NewLog(m, everything, nil)
		for range 1000 {
			l.Add(recordtest.Example())
		}
		closeLog(t, l)
		closeLog(t, l) // a second time is fine
		if m.Len() != 1000 {
			t.Errorf("%d records", m.Len())
		}
		l.Add(recordtest.Example())
		if s := l.Stats(); s.Lost != 1 || s.Saved != 1000 {
			t.Errorf("after the end: %+v", s)
		}
	})
}

func TestAStopBesideABrokenStoreSaysWhatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := recordtest.NewMemory()
		full := errors.New("the disk is full")
		m.Fail(full)
		l := record.NewLog(m, everything, nil)
		for range 3 {
			l.Add(recordtest.Example())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := l.Close(ctx)
		if err == nil || !strings.Contains(err.Error(), "3 requests are not in the record") {
			t.Error(err)
		}
	})
}

func TestAStopWaitsForAStoreThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := recordtest.NewMemory()
		m.Fail(errors.New("down"))
		l := record.NewLog(m, everything, nil)
		l.Add(recordtest.Example())
		time.Sleep(time.Minute) // the waits between tries have grown long
		m.Fail(nil)
		began := time.Now()
		closeLog(t, l)
		if m.Len() != 1 || time.Since(began) > time.Second {
			t.Errorf("%d records after %v", m.Len(), time.Since(began))
		}
	})
}

func TestAFailingStoreIsTriedAgainAndNeverStopsTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := recordtest.NewMemory()
		m.Fail(errors.New("the disk is full"))
		var out bytes.Buffer
		l := record.NewLog(m, everything, slog.New(slog.NewTextHandler(&out, nil)))
		first := recordtest.Example()
		l.Add(first)
		for range record.MaxWaiting + 9 {
			l.Add(recordtest.Example())
		}
		time.Sleep(time.Minute)
		s := l.Stats()
		if s.Waiting != record.MaxWaiting || s.Lost != 10 || s.Failed < 5 || s.Failed > 30 || s.Err == nil {
			t.Errorf("%+v", s)
		}
		if _, err := l.Get(t.Context(), first.ID); err != nil {
			t.Error(err)
		}
		m.Fail(nil)
		time.Sleep(time.Minute)
		if s := l.Stats(); m.Len() != record.MaxWaiting || s.Waiting != 0 || s.Err != nil {
			t.Errorf("%d saved, %+v", m.Len(), s)
		}
		closeLog(t, l)
		if !strings.Contains(out.String(), "the disk is full") || strings.Contains(out.String(), first.Question) {
			t.Errorf("the log: %.300s", out.String())
		}
	})
}

func TestZeroDaysKeepNothingButCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := recordtest.NewMemory()
		// From a time when more was kept.
		if err := m.Save(t.Context(), record.Batch{Records: []record.Record{recordtest.Small("sam", "sam", time.Now())}}); err != nil {
			t.Fatal(err)
		}
		l := record.NewLog(m, record.Keep{Days: 0, Text: true}, nil)
		var ids []string
		for range 5000 {
			r := recordtest.Example()
			l.Add(r)
			ids = append(ids, r.ID)
		}
		if _, err := l.Get(t.Context(), ids[0]); !errors.Is(err, record.ErrNotFound) {
			t.Errorf("kept: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if m.Len() != 0 || m.Count("phone", "answered") != 5000 {
			t.Errorf("%d records, %d counted", m.Len(), m.Count("phone", "answered"))
		}
		closeLog(t, l)
	})
}

func TestTextCanBeKeptOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := recordtest.NewMemory()
		l := record.NewLog(m, record.Keep{Days: 30}, nil)
		r := recordtest.Example()
		r.Parts = append(r.Parts, routing.Part{Project: "x", Status: routing.StatusNoAnswer, Reason: "I know no timetable of Harry's"})
		l.Add(r)
		unsaved, err := l.Get(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		saved, err := l.Get(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []record.Record{unsaved, saved} {
			text := fmt.Sprintf("%+v", got)
			for _, said := range []string{r.Question, r.Reply, r.Parts[0].Answer, "names a whole day", "timetable"} {
				if strings.Contains(text, said) {
					t.Errorf("%q is kept", said)
				}
			}
			if got.Asker != "sam" || len(got.Parts) != 3 || got.Parts[1].Reason != routing.ReasonDown || got.Route.Reason != r.Route.Reason {
				t.Errorf("too much is gone: %s", text)
			}
		}
		if r.Parts[0].Answer == "" || r.Question == "" {
			t.Error("the Hub's own copy was changed")
		}
		closeLog(t, l)
	})
}

func TestOldRecordsAreSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := recordtest.NewMemory()
		l := record.NewLog(m, record.Keep{Days: 30, Text: true}, nil)
		old := recordtest.Small("sam", "sam", time.Now().AddDate(0, 0, -31))
		edge := recordtest.Small("sam", "sam", time.Now().AddDate(0, 0, -29))
		l.Add(old)
		l.Add(edge)
		time.Sleep(2 * time.Minute)
		if m.Len() != 1 {
			t.Errorf("%d records", m.Len())
		}
		if _, err := l.Get(t.Context(), edge.ID); err != nil {
			t.Error(err)
		}
		time.Sleep(26 * time.Hour) // and on, without a restart
		if m.Len() != 0 {
			t.Errorf("%d records a day later", m.Len())
		}
		closeLog(t, l)
	})
}

func TestRemovingAPersonReachesWhatIsNotSavedYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := record.NewLog(recordtest.NewMemory(), everything, nil)
		r := recordtest.Small("sam", "harry", time.Now())
		l.Add(r)
		if list, err := l.About(t.Context(), "harry"); err != nil || len(list) != 1 {
			t.Error(len(list), err)
		}
		l.Add(recordtest.Small("sam", "harry", time.Now()))
		if n, err := l.Remove(t.Context(), "harry"); n != 2 || err != nil {
			t.Error(n, err)
		}
		if _, err := l.Get(t.Context(), r.ID); !errors.Is(err, record.ErrNotFound) {
			t.Error(err)
		}
		closeLog(t, l)
	})
}

func TestManyAddAndReadAtOnce(t *testing.T) {
	m := recordtest.NewMemory()
	l := record.NewLog(m, everything, nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				r := recordtest.Example()
				l.Add(r)
				if _, err := l.Get(t.Context(), r.ID); err != nil {
					t.Error(err)
				}
				_ = l.Stats()
			}
			if err := l.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if m.Len() != 400 {
		t.Errorf("%d records after the flush", m.Len())
	}
	closeLog(t, l)
}

func TestIDsAreOnesOwnAndSortByTime(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			last := ""
			for range 2000 {
				id := record.NewID()
				if id <= last {
					t.Errorf("%s after %s", id, last)
				}
				last = id
				mu.Lock()
				if seen[id] || len(id) != 30 {
					t.Errorf("%s twice, or too short", id)
				}
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if at, ok := record.IDTime(record.NewID()); !ok || time.Since(at).Abs() > time.Minute {
		t.Error(at, ok)
	}
	for _, id := range []string{"", "ask_", "ask_0", strings.ToLower(record.NewID())[:29], "thr_" + record.NewID()[4:]} {
		if _, ok := record.IDTime(id); ok {
			t.Errorf("%q passed for an id", id)
		}
	}
}

func TestWhomARecordConcerns(t *testing.T) {
	r := recordtest.Example()
	got := r.People()
	if want := []ask.Person{"sam", "harry"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// BenchmarkAdd is what the record costs in the answer's path.
func BenchmarkAdd(b *testing.B) {
	for name, keep := range map[string]record.Keep{"all": everything, "no text": {Days: 30}, "counts": {}} {
		b.Run(name, func(b *testing.B) {
			l := record.NewLog(nowhere{}, keep, nil)
			r := recordtest.Example()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				l.Add(r)
				// Adding alone would soon measure how fast a full Log turns down.
				if n++; n%1000 == 0 {
					b.StopTimer()
					_ = l.Flush(context.Background())
					b.StartTimer()
				}
			}
			if lost := l.Stats().Lost; lost > 0 {
				b.Errorf("%d were lost", lost)
			}
			_ = l.Close(context.Background())
		})
	}
}

// nowhere takes everything at once.
type nowhere struct{ record.Store }

func (nowhere) Save(context.Context, record.Batch) error { return nil }

func BenchmarkNewID(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		record.NewID()
	}
}
