package notifytest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askhub/askhub/internal/notify"
)

func cappedRaise(s suite) {
	urgent := func(e *notify.Entry) *notify.Entry {
		e.Level = notify.Urgent
		return e
	}
	for i := range 3 {
		s.add(urgent(Entry(fmt.Sprint("ntc_u", i), fmt.Sprint("Fire ", i, "!"), start)))
	}
	s.add(Entry("ntc_1", "The bath runs over.", start, "chat"))
	at := start.Add(time.Second)
	for i := range 2 {
		_, err := s.store.Add(context.Background(), urgent(Entry("ntc_2", "The bath runs over.", at, "chat", "push:sam")), cap3)
		many, ok := errors.AsType[*notify.TooMany](err)
		if !ok || many.After != 10*time.Minute-time.Second || many.First != (i == 0) {
			s.Fatalf("raised over the cap: %+v, %v", many, err)
		}
	}
	if e := s.first(); e.Level != notify.Important || len(e.Deliveries) != 1 {
		s.Errorf("the refusal left %+v", e)
	}
	for _, again := range []*notify.Entry{Entry("ntc_3", "The bath runs over.", at, "chat"), urgent(Entry("ntc_4", "Fire 0!", at))} {
		if got := s.add(again); !got.Merged {
			s.Errorf("a repeat that raises nothing became %+v", got)
		}
	}
	for i := range 8 {
		e := Entry(fmt.Sprint("ntc_h", i), fmt.Sprint("Something waits ", i/2, "."), start, "chat")
		if e.From = notify.Hub; i%2 == 1 {
			e = urgent(e)
		}
		s.add(e)
	}
}

func hurried(s suite) {
	morning, soon := start.Add(time.Hour), start.Add(30*time.Second)
	for name, hurry := range map[string]func(e *notify.Entry){
		"Urgent.":    func(e *notify.Entry) { e.Level = notify.Urgent },
		"Asked for.": func(e *notify.Entry) { e.Asked = true },
	} {
		held := Entry("ntc_"+name, name, start, "phone:dead", "phone:held", "phone:tried")
		for i := range held.Deliveries {
			held.Deliveries[i].Due, held.Deliveries[i].First = morning, morning
		}
		held.Deliveries[0].State, held.Deliveries[0].Done = notify.Dead, start
		held.Deliveries[2].Due = start
		s.add(held)
		s.take(start, "a", 9, "phone:tried")
		s.settle(notify.Result{Notice: held.ID, Target: "phone:tried", Holder: "a", State: notify.Waiting, Tried: true, Due: morning, At: start, Reason: "it is down"})
		again := Entry("ntc_again", name, soon, "phone:dead", "phone:held", "phone:tried")
		hurry(again)
		s.add(again)
		e, err := s.store.Get(context.Background(), held.ID)
		if err != nil {
			s.Fatal(err)
		}
		for i, want := range []time.Time{morning, soon, morning} {
			if d := e.Deliveries[i]; !d.Due.Equal(want) {
				s.Errorf("%s %s is due at %s, want %s", name, d.Target, d.Due, want)
			}
		}
		if e.Level != again.Level || e.Asked != again.Asked {
			s.Errorf("%s It is %+v", name, e)
		}
		if got := s.take(soon, "a", 9, "phone:dead", "phone:held", "phone:tried"); len(got) != 1 || got[0].Asked != again.Asked || !got[0].First.Equal(soon) {
			s.Errorf("%s Taken: %+v", name, got)
		}
		s.settle(notify.Result{Notice: held.ID, Target: "phone:held", Holder: "a", State: notify.Delivered, Tried: true, At: soon})
		later := Entry("ntc_later", name, soon, "phone:held")
		hurry(later)
		s.add(later)
		if got := s.take(soon.Add(time.Minute), "a", 9, "phone:held"); len(got) > 0 {
			s.Errorf("%s What was delivered is sent again: %+v", name, got)
		}
	}
}

func clockBack(s suite) {
	for i := range 3 {
		s.add(Entry(fmt.Sprint("ntc_", i), fmt.Sprint("Message ", i, "."), start.Add(time.Hour)))
	}
	if got := s.add(Entry("ntc_back", "Message 0.", start)); got.Merged {
		s.Error("it is one with a notice of an hour later")
	}
	if got := s.add(Entry("ntc_near", "Message 0.", start.Add(time.Millisecond-notify.Merge))); !got.Merged || got.ID != "ntc_back" {
		s.Errorf("less than a minute back it is %+v", got)
	}
	if got := s.add(Entry("ntc_edge", "Message 0.", start.Add(-notify.Merge))); got.Merged {
		s.Error("a minute back it is one with the notice")
	}
	s.add(Entry("ntc_3", "Message 3.", start))
	// Three are within the cap's window each time, and the first refusal lies ahead of the second.
	for _, at := range []time.Time{start.Add(time.Hour - time.Second), start.Add(-notify.Merge / 2)} {
		_, err := s.store.Add(context.Background(), Entry("ntc_x", "One more.", at), cap3)
		if many, ok := errors.AsType[*notify.TooMany](err); !ok || !many.First {
			s.Errorf("at %s it is %+v, %v", at, many, err)
		}
	}
}
