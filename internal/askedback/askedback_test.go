package askedback

import (
	"strconv"
	"testing"
	"time"
)

func TestWhatWasAskedBackIsContinuedOnceInItsOwnTalk(t *testing.T) {
	var m Memory
	now := time.Unix(1000, 0)
	talk := Talk{WayIn: "kitchen", Asker: "sam", Mark: "School or mail?"}
	m.Put(talk, "ask_1", now)
	for _, other := range []Talk{
		{WayIn: "phone", Asker: "sam", Mark: "School or mail?"},
		{WayIn: "kitchen", Asker: "emma", Mark: "School or mail?"},
		{WayIn: "kitchen", Asker: "sam", Mark: "Which lamp?"},
	} {
		if id := m.Take(other, now); id != "" {
			t.Errorf("%+v continues %s", other, id)
		}
	}
	if id := m.Take(talk, now.Add(time.Minute)); id != "ask_1" {
		t.Errorf("got %q, want ask_1", id)
	}
	if id := m.Take(talk, now.Add(time.Minute)); id != "" {
		t.Errorf("got %q a second time", id)
	}
}

func TestAfterTwoMinutesItIsTooLate(t *testing.T) {
	var m Memory
	now := time.Unix(1000, 0)
	m.Put(Talk{Mark: "a"}, "ask_1", now)
	if id := m.Take(Talk{Mark: "a"}, now.Add(2*time.Minute)); id != "" {
		t.Errorf("got %q", id)
	}
}

func TestItHoldsNoMoreThanItsBound(t *testing.T) {
	var m Memory
	now := time.Unix(1000, 0)
	for i := range most + 10 {
		m.Put(Talk{Mark: strconv.Itoa(i)}, "ask_"+strconv.Itoa(i), now.Add(time.Duration(i)*time.Millisecond))
	}
	if len(m.talks) != most {
		t.Errorf("it holds %d, want %d", len(m.talks), most)
	}
	last := strconv.Itoa(most + 9)
	if id := m.Take(Talk{Mark: last}, now.Add(2*time.Second)); id != "ask_"+last {
		t.Errorf("the newest is gone: got %q", id)
	}
	if id := m.Take(Talk{Mark: "0"}, now.Add(2*time.Second)); id != "" {
		t.Errorf("the oldest is still there: got %q", id)
	}
}
