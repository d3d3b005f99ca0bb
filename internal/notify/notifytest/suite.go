// Package notifytest has the conformance suites that every store of notices and of push
// subscriptions passes.
package notifytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/internal/notify"
)

// start is when the suites' clocks begin.
var start = time.Date(2026, 10, 10, 7, 30, 0, 0, time.UTC)

// cap3 lets three notices pass in ten minutes.
var cap3 = notify.Cap{Most: 3, Window: 10 * time.Minute}

// Entry is a notice from a project to Sam, to be sent at once to these targets.
func Entry(id, message string, at time.Time, targets ...string) *notify.Entry {
	e := &notify.Entry{ID: id, At: at, Notice: notify.Notice{From: "compass_nhs", Person: "sam", Message: message, Level: notify.Important}}
	for _, t := range targets {
		e.Deliveries = append(e.Deliveries, notify.Delivery{Target: t, Name: "the " + t, State: notify.Waiting, Due: at, First: at})
	}
	return e
}

// suite is one open store under test.
type suite struct {
	*testing.T
	store notify.Keeping
}

func (s suite) add(e *notify.Entry) notify.Added {
	s.Helper()
	got, err := s.store.Add(context.Background(), e, cap3)
	if err != nil {
		s.Fatal(err)
	}
	return got
}

func (s suite) take(now time.Time, holder string, each int, targets ...string) []notify.Taken {
	s.Helper()
	got, err := s.store.Take(context.Background(), notify.Taking{Now: now, Lease: time.Minute, Holder: holder, Targets: targets, Each: each})
	if err != nil {
		s.Fatal(err)
	}
	return got
}

func (s suite) settle(results ...notify.Result) {
	s.Helper()
	if err := s.store.Settle(context.Background(), results); err != nil {
		s.Fatal(err)
	}
}

// first is the notice of the id that most cases have.
func (s suite) first() notify.Entry {
	s.Helper()
	e, err := s.store.Get(context.Background(), "ntc_1")
	if err != nil {
		s.Fatal(err)
	}
	return e
}

func notices(list []notify.Taken) (ids []string) {
	for _, t := range list {
		ids = append(ids, t.Notice)
	}
	return ids
}

// Run checks what notify.Keeping demands. open gives an empty store.
func Run(t *testing.T, open func(t *testing.T) notify.Keeping) {
	run := func(name string, f func(s suite)) {
		t.Run(name, func(t *testing.T) { f(suite{t, open(t)}) })
	}
	run("a notice comes back whole", wholeNotice)
	run("what is not kept is not found", unknownNotice)
	run("the same words within a minute are one notice", merged)
	run("a raised level brings what the first one lacked", raised)
	run("a noisy project is held back, and nobody else is", capped)
	run("urgent notices have a cap of their own", cappedUrgent)
	run("the cap of urgent notices holds a raised level too", cappedRaise)
	run("a merged notice hurries what waits for its first try", hurried)
	run("a clock that steps back swallows no notice", clockBack)
	run("what is due is taken once, the longest due first", taking)
	run("a delivery whose holder died is taken again", leased)
	run("a result counts for its holder only", settledByHolder)
	run("each delivery has an outcome of its own", outcomes)
	run("due names targets and the next time", due)
	run("the feed is the person's, the newest first", feed)
	run("undelivered are those with a dead delivery", undelivered)
	run("a sweep drops what is old and waits for nothing", sweep)
	run("odd words are kept", oddWords)
	run("the same words at once are one notice", mergedAtOnce)
	run("takers at once never share a delivery", takenAtOnce)
	run("an ended context changes nothing", ended)
}

func wholeNotice(s suite) {
	want := Entry("ntc_1", "Dinner is ready.", start, "chat", "push:sam")
	want.Asked = true
	want.Deliveries[1].Due = start.Add(time.Hour)
	want.Deliveries[1].First = start.Add(time.Hour)
	want.Deliveries = append(want.Deliveries, notify.Delivery{Target: "speech:none", Name: "speech", State: notify.Skipped, Due: start, First: start, Done: start, Reason: "nothing speaks here"})
	s.add(want)
	for i := range want.Deliveries {
		want.Deliveries[i].Notice = "ntc_1"
	}
	if d := cmp.Diff(*want, s.first()); d != "" {
		s.Error(d)
	}
}

func unknownNotice(s suite) {
	for _, id := range []string{"", "ntc_9", "' OR 1=1 --", "a\x00b", "\xff"} {
		if _, err := s.store.Get(context.Background(), id); !errors.Is(err, notify.ErrNotFound) {
			s.Errorf("%q: %v", id, err)
		}
	}
}

func merged(s suite) {
	first := s.add(Entry("ntc_1", "Dinner is ready.", start, "chat"))
	again := s.add(Entry("ntc_2", "Dinner is ready.", start.Add(notify.Merge-time.Millisecond), "chat"))
	if first.Merged || !again.Merged || again.ID != "ntc_1" {
		s.Errorf("first %+v, again %+v", first, again)
	}
	for name, other := range map[string]func(e *notify.Entry){
		"another message": func(e *notify.Entry) { e.Message = "Dinner is cold." },
		"another person":  func(e *notify.Entry) { e.Person = "tom" },
		"another project": func(e *notify.Entry) { e.From = "email_agent" },
	} {
		e := Entry("ntc_"+name, "Dinner is ready.", start, "chat")
		other(e)
		if got := s.add(e); got.Merged {
			s.Errorf("%s was merged", name)
		}
	}
	for i, mark := range []string{"a", "b", "a"} {
		e := Entry("ntc_mark"+fmt.Sprint(i), "Something waits.", start)
		e.From, e.Mark = notify.Hub, mark
		if got := s.add(e); got.Merged != (i == 2) {
			s.Errorf("of the marks a, b, a, number %d merged: %t", i, got.Merged)
		}
	}
	if late := s.add(Entry("ntc_3", "Dinner is ready.", start.Add(11*time.Minute), "chat")); late.Merged {
		s.Error("eleven minutes later it is another notice")
	}
	if edge := s.add(Entry("ntc_4", "Dinner is ready.", start.Add(12*time.Minute), "chat")); edge.Merged {
		s.Error("a minute later it is another notice")
	}
}

func raised(s suite) {
	low := Entry("ntc_1", "The bath runs over.", start, "chat")
	low.Level = notify.Info
	s.add(low)
	high := Entry("ntc_2", "The bath runs over.", start.Add(time.Second), "chat", "push:sam")
	high.Level = notify.Urgent
	s.add(high)
	s.add(low)
	e := s.first()
	if e.Level != notify.Urgent || len(e.Deliveries) != 2 || e.Deliveries[1].Target != "push:sam" || e.Deliveries[1].State != notify.Waiting {
		s.Errorf("it is %+v", e)
	}
}

func capped(s suite) {
	ctx := context.Background()
	for i := range 3 {
		s.add(Entry(fmt.Sprint("ntc_", i), fmt.Sprint("Message ", i, "."), start.Add(time.Duration(i)*time.Minute)))
	}
	at := start.Add(4 * time.Minute)
	for i := range 3 {
		_, err := s.store.Add(ctx, Entry("ntc_x", fmt.Sprint("More ", i, "."), at), cap3)
		many, ok := errors.AsType[*notify.TooMany](err)
		if !ok || many.After != 6*time.Minute || many.First != (i == 0) {
			s.Fatalf("refusal %d is %+v, %v", i, many, err)
		}
	}
	if again := s.add(Entry("ntc_y", "Message 2.", start.Add(2*time.Minute+time.Second))); !again.Merged {
		s.Error("a repeat is no further notice, so the cap does not count it")
	}
	other := Entry("ntc_z", "Message 0.", at)
	other.From = "email_agent"
	s.add(other)
	hub := Entry("ntc_h", "Something waits.", at)
	hub.From = notify.Hub
	s.add(hub)
	s.add(Entry("ntc_l", "Message 3.", start.Add(10*time.Minute)))
	if _, err := s.store.Get(ctx, "ntc_x"); !errors.Is(err, notify.ErrNotFound) {
		s.Errorf("a refused notice is kept: %v", err)
	}
}

func cappedUrgent(s suite) {
	for i := range 3 {
		s.add(Entry(fmt.Sprint("ntc_", i), fmt.Sprint("Message ", i, "."), start))
	}
	for i := range 4 {
		e := Entry(fmt.Sprint("ntc_u", i), fmt.Sprint("Fire ", i, "!"), start)
		e.Level = notify.Urgent
		_, err := s.store.Add(context.Background(), e, cap3)
		if _, many := errors.AsType[*notify.TooMany](err); many != (i == 3) {
			s.Errorf("urgent notice %d: %v", i, err)
		}
	}
}

func taking(s suite) {
	for i, at := range []time.Duration{2 * time.Second, time.Second, 3 * time.Second} {
		s.add(Entry(fmt.Sprint("ntc_", i), fmt.Sprint("Message ", i, "."), start.Add(at), "chat", "push:sam"))
	}
	now := start.Add(2 * time.Second)
	if got := notices(s.take(now, "a", 9, "chat")); !slices.Equal(got, []string{"ntc_1", "ntc_0"}) {
		s.Errorf("taken for the chat: %v", got)
	}
	if got := s.take(now, "b", 9, "chat"); len(got) > 0 {
		s.Errorf("taken again: %v", got)
	}
	got := s.take(now.Add(time.Second), "b", 2, "push:sam", "chat")
	if ids := notices(got); !slices.Equal(ids, []string{"ntc_1", "ntc_0", "ntc_2"}) {
		s.Errorf("taken for both: %v", ids)
	}
	if first := got[0]; first.Message != "Message 1." || first.Person != "sam" || first.Level != notify.Important || first.From != "compass_nhs" || !first.NoticeAt.Equal(start.Add(time.Second)) {
		s.Errorf("it brings %+v", first)
	}
}

func leased(s suite) {
	s.add(Entry("ntc_1", "Dinner is ready.", start, "chat"))
	s.take(start, "a", 9, "chat")
	if got := s.take(start.Add(time.Minute-time.Millisecond), "b", 9, "chat"); len(got) > 0 {
		s.Error("taken while it is held")
	}
	if got := s.take(start.Add(time.Minute), "b", 9, "chat"); len(got) != 1 {
		s.Errorf("%d taken when the lease is over", len(got))
	}
}

func settledByHolder(s suite) {
	s.add(Entry("ntc_1", "Dinner is ready.", start, "chat"))
	s.take(start, "a", 9, "chat")
	s.take(start.Add(time.Hour), "b", 9, "chat")
	r := notify.Result{Notice: "ntc_1", Target: "chat", Holder: "a", State: notify.Dead, Tried: true, Due: start, At: start, Reason: "late"}
	s.settle(r)
	if d := s.first().Deliveries[0]; d.State != notify.Waiting || d.Tries != 0 {
		s.Errorf("the first holder's result counted: %+v", d)
	}
	r.Holder, r.State, r.Reason = "b", notify.Delivered, ""
	s.settle(r)
	r.State = notify.Dead
	s.settle(r)
	if d := s.first().Deliveries[0]; d.State != notify.Delivered || d.Tries != 1 || !d.Done.Equal(start) {
		s.Errorf("it is %+v", d)
	}
	s.settle(notify.Result{Notice: "ntc_none", Target: "chat", Holder: "b", State: notify.Dead})
}

func outcomes(s suite) {
	s.add(Entry("ntc_1", "Dinner is ready.", start, "chat", "phone:a", "phone:b"))
	s.take(start, "a", 9, "chat", "phone:a", "phone:b")
	later := start.Add(5 * time.Minute)
	result := func(target string, state notify.State, reason string) notify.Result {
		return notify.Result{Notice: "ntc_1", Target: target, Holder: "a", State: state, Tried: true, Due: later, At: start.Add(time.Second), Reason: reason}
	}
	s.settle(result("chat", notify.Delivered, ""), result("phone:a", notify.Waiting, "it is down"), result("phone:b", notify.Dead, "no such topic"))
	var got []string
	for _, d := range s.first().Deliveries {
		got = append(got, fmt.Sprintf("%s %s %d %s", d.Target, d.State, d.Tries, d.Reason))
	}
	want := []string{"chat delivered 1 ", "phone:a waiting 1 it is down", "phone:b dead 1 no such topic"}
	if d := cmp.Diff(want, got); d != "" {
		s.Error(d)
	}
	if got := s.take(later.Add(-time.Millisecond), "b", 9, "phone:a", "phone:b", "chat"); len(got) > 0 {
		s.Errorf("taken before it is due: %v", got)
	}
	if got := s.take(later, "b", 9, "phone:a", "phone:b", "chat"); len(got) != 1 || got[0].Tries != 1 {
		s.Errorf("taken: %+v", got)
	}
	counts, err := s.store.Counts(context.Background())
	if err != nil || counts != (notify.Counts{Waiting: 1, Dead: 1}) {
		s.Errorf("counted %+v, %v", counts, err)
	}
}

func due(s suite) {
	ctx := context.Background()
	if targets, next, err := s.store.Due(ctx, start); len(targets) > 0 || !next.IsZero() || err != nil {
		s.Errorf("an empty store: %v %v %v", targets, next, err)
	}
	s.add(Entry("ntc_1", "One.", start, "phone:a", "chat"))
	s.add(Entry("ntc_2", "Two.", start, "phone:a"))
	s.add(Entry("ntc_3", "Three.", start.Add(time.Hour), "phone:b"))
	targets, next, err := s.store.Due(ctx, start)
	if !slices.Equal(targets, []string{"chat", "phone:a"}) || !next.Equal(start.Add(time.Hour)) || err != nil {
		s.Errorf("%v %v %v", targets, next, err)
	}
	s.take(start, "a", 9, "chat")
	if targets, _, _ := s.store.Due(ctx, start); !slices.Equal(targets, []string{"phone:a"}) {
		s.Errorf("with the chat's taken: %v", targets)
	}
}

func feed(s suite) {
	for i, person := range []string{"sam", "tom", "sam"} {
		e := Entry(fmt.Sprint("ntc_", i), fmt.Sprint("Message ", i, "."), start.Add(time.Duration(i)*time.Second), "chat", "push:sam")
		e.Person = person
		s.add(e)
	}
	list, err := s.store.List(context.Background(), notify.Query{Person: "sam", Limit: 10})
	if err != nil || len(list) != 2 || list[0].ID != "ntc_2" || list[1].ID != "ntc_0" || len(list[1].Deliveries) != 2 {
		s.Errorf("%+v, %v", list, err)
	}
	if list, _ := s.store.List(context.Background(), notify.Query{Limit: 2}); len(list) != 2 || list[0].ID != "ntc_2" || list[1].ID != "ntc_1" {
		s.Errorf("the newest two: %+v", list)
	}
}

func undelivered(s suite) {
	s.add(Entry("ntc_1", "One.", start, "chat"))
	s.add(Entry("ntc_2", "Two.", start, "chat"))
	s.take(start, "a", 9, "chat")
	s.settle(notify.Result{Notice: "ntc_1", Target: "chat", Holder: "a", State: notify.Dead, Due: start, At: start, Reason: "no such topic"})
	list, err := s.store.List(context.Background(), notify.Query{Undelivered: true, Limit: 10})
	if err != nil || len(list) != 1 || list[0].ID != "ntc_1" || list[0].Deliveries[0].Reason != "no such topic" {
		s.Errorf("%+v, %v", list, err)
	}
}

func sweep(s suite) {
	s.add(Entry("ntc_old", "One.", start))
	s.add(Entry("ntc_waits", "Two.", start, "chat"))
	s.add(Entry("ntc_new", "Three.", start.Add(time.Hour)))
	n, err := s.store.Sweep(context.Background(), start.Add(time.Minute))
	if n != 1 || err != nil {
		s.Errorf("%d swept, %v", n, err)
	}
	list, _ := s.store.List(context.Background(), notify.Query{Limit: 10})
	if len(list) != 2 || list[0].ID != "ntc_new" || list[1].ID != "ntc_waits" {
		s.Errorf("left: %+v", list)
	}
	if again := s.add(Entry("ntc_4", "One.", start.Add(time.Second))); again.Merged {
		s.Error("it is one with a notice that is gone")
	}
}

func oddWords(s suite) {
	want := Entry("ntc_1", "Zoë’s “dinner” 🍲 is; DROP TABLE notices --", start, "chat")
	want.Person = "Mary Jane O'Neill"
	s.add(want)
	if got := s.first(); got.Message != want.Message || got.Person != want.Person {
		s.Errorf("%+v", got)
	}
	list, err := s.store.List(context.Background(), notify.Query{Person: "Mary Jane O'Neill", Limit: 1})
	if err != nil || len(list) != 1 {
		s.Errorf("%v, %v", list, err)
	}
}

func mergedAtOnce(s suite) {
	var all sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]bool{}
	for i := range 8 {
		all.Go(func() {
			got, err := s.store.Add(context.Background(), Entry(fmt.Sprint("ntc_", i), "Dinner is ready.", start, "chat"), cap3)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.Error(err)
			}
			ids[got.ID] = true
		})
	}
	all.Wait()
	list, err := s.store.List(context.Background(), notify.Query{Limit: 10})
	if len(ids) != 1 || len(list) != 1 || err != nil {
		s.Errorf("%d ids and %d notices, %v", len(ids), len(list), err)
	}
}

func takenAtOnce(s suite) {
	const n = 40
	for i := range n {
		e := Entry(fmt.Sprint("ntc_", i), fmt.Sprint("Message ", i, "."), start, "chat")
		e.From = notify.Hub
		s.add(e)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	taken := map[string]int{}
	for w := range 4 {
		all.Go(func() {
			for {
				got, err := s.store.Take(context.Background(), notify.Taking{Now: start, Lease: time.Hour, Holder: fmt.Sprint(w), Targets: []string{"chat"}, Each: 3})
				if err != nil {
					s.Error(err)
				}
				if len(got) == 0 {
					return
				}
				mu.Lock()
				for _, t := range got {
					taken[t.Notice]++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for id, times := range taken {
		if times > 1 {
			s.Errorf("%s was taken %d times", id, times)
		}
	}
	// A taker that meets another's hold may give up early; whoever comes next gets the rest.
	if rest := s.take(start, "last", n, "chat"); len(taken)+len(rest) != n {
		s.Errorf("%d of %d were taken", len(taken)+len(rest), n)
	}
}

func ended(s suite) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.store.Add(gone, Entry("ntc_1", "Dinner is ready.", start, "chat"), cap3); err == nil {
		s.Error("added although its context had ended")
	}
	if _, err := s.store.Get(context.Background(), "ntc_1"); !errors.Is(err, notify.ErrNotFound) {
		s.Errorf("it is kept: %v", err)
	}
}
