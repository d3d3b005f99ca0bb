package events

import (
	"fmt"
	"sync"
	"testing"
)

func publish(t *testing.T, s *Stream, n int) {
	t.Helper()
	s.Publish(Request, map[string]int{"n": n})
}

func TestAWatcherGetsWhatCameAfter(t *testing.T) {
	s := New("a")
	publish(t, s, 1)
	from := s.Now()
	list, last, missed, changed := s.After(from)
	if len(list) != 0 || last != from || missed {
		t.Errorf("nothing has come: %v %s %v", list, last, missed)
	}
	select {
	case <-changed:
		t.Error("it says that there is more")
	default:
	}
	publish(t, s, 2)
	publish(t, s, 3)
	<-changed
	list, last, missed, _ = s.After(from)
	if len(list) != 2 || string(list[0].Data) != `{"n":2}` || list[1].ID != last || list[1].Kind != Request || missed {
		t.Errorf("got %v %s %v", list, last, missed)
	}
}

func TestWhoWasAwayTooLongIsToldSo(t *testing.T) {
	s := New("b")
	from := s.Now()
	for n := range kept {
		publish(t, s, n)
	}
	if list, _, missed, _ := s.After(from); len(list) != kept || missed {
		t.Errorf("as many as are kept: %d, missed %v", len(list), missed)
	}
	publish(t, s, kept)
	if list, _, missed, _ := s.After(from); len(list) != kept || !missed || string(list[0].Data) != `{"n":1}` {
		t.Errorf("one more: %d, missed %v", len(list), missed)
	}
	// An id of another process, of the future, or of no form is not an id of here.
	for _, id := range []string{"a-1", "b-99999", "b", "", "b--1", "b-1e3"} {
		if list, last, missed, _ := s.After(id); len(list) != 0 || last != s.Now() || !missed {
			t.Errorf("%q: %d events from %s, missed %v", id, len(list), last, missed)
		}
	}
}

func TestWhatIsNoJSONIsNotSeenAndHidesNoOther(t *testing.T) {
	s := New("a")
	from := s.Now()
	s.Publish(Notice, func() {})
	publish(t, s, 7)
	if list, last, missed, _ := s.After(from); len(list) != 1 || list[0].ID != "a-2" || last != "a-2" || missed {
		t.Errorf("got %v %s %v", list, last, missed)
	}
}

func TestManyPublishAndWatchAtOnce(t *testing.T) {
	s := New("a")
	from := s.Now()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 20 {
				s.Publish(Project, map[string]int{"n": n})
			}
		})
		all.Go(func() {
			seen, at := 0, from
			for seen < 160 {
				list, last, missed, changed := s.After(at)
				for i, e := range list {
					if want := fmt.Sprintf("a-%d", seen+i+1); e.ID != want {
						t.Errorf("got %s where %s was to come", e.ID, want)
						return
					}
				}
				if seen, at = seen+len(list), last; missed {
					t.Error("some were missed")
					return
				}
				if seen < 160 {
					<-changed
				}
			}
		})
	}
	all.Wait()
}
