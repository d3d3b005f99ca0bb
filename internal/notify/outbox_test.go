package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/people"
)

const household = `
zone = "Europe/London"

[[person]]
name = "sam"
aliases = ["Mum"]
role = "adult"
phone = ["the phone"]
quiet = "22:00-07:00"

[[person]]
name = "tom"
role = "adult"
`

func parsed(t testing.TB, text string) *people.Household {
	t.Helper()
	house, err := people.Parse("people.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return house
}

// listener is a target that notes what it gets.
type listener struct {
	mu   sync.Mutex
	got  []Message
	at   []time.Time
	fail func(times int) error // how the try of that number, from 1, ends
	hang bool
}

func (l *listener) Send(ctx context.Context, m *Message) error {
	if l.hang {
		<-ctx.Done()
		return ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got, l.at = append(l.got, *m), append(l.at, time.Now())
	if l.fail != nil {
		return l.fail(len(l.got))
	}
	return nil
}

func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.got)
}

// bubble is an outbox within a synctest bubble, whose targets are listeners.
type bubble struct {
	*testing.T
	*Outbox
	store   *Memory
	targets map[string]*listener // by key
	// broken is what is wrong with all targets; nil is nothing.
	broken atomic.Pointer[string]
	stop   func()
}

// inBubble runs f over an outbox with these targets, for everybody the same. The bubble's
// clock begins at midnight of 2000-01-01, UTC.
func inBubble(t *testing.T, keys []string, f func(b *bubble)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{T: t, store: NewMemory(), targets: map[string]*listener{}}
		var list []Target
		for _, key := range keys {
			b.targets[key] = &listener{}
			list = append(list, Target{Key: key, Name: "the " + key, Sender: b.targets[key]})
		}
		house := parsed(t, household)
		b.Outbox = New(Config{
			Store: b.store, Household: func() *people.Household { return house }, Now: time.Now,
			Targets: func(*people.Person) []Target {
				now := slices.Clone(list)
				for i := range now {
					if why := b.broken.Load(); why != nil {
						now[i].Sender, now[i].Broken = nil, *why
					}
				}
				return now
			},
		})
		b.run()
		f(b)
		b.stop()
	})
}

// run runs the outbox until stop.
func (b *bubble) run() {
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() { b.Outbox.Run(ctx); close(done) }()
	b.stop = func() { cancel(); <-done }
}

func (b *bubble) add(n Notice) string {
	b.Helper()
	if n.From == "" {
		n.From = "compass_nhs"
	}
	id, err := b.Add(b.Context(), n)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

// until moves the clock to that time of the first day, in UTC.
func until(hour, minute int) {
	time.Sleep(time.Until(time.Date(2000, 1, 1, hour, minute, 0, 0, time.UTC)))
	synctest.Wait()
}

func (b *bubble) delivery(id, target string) Delivery {
	b.Helper()
	e, err := b.store.Get(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	at := slices.IndexFunc(e.Deliveries, func(d Delivery) bool { return d.Target == target })
	if at < 0 {
		b.Fatalf("%s is not among %+v", target, e.Deliveries)
	}
	return e.Deliveries[at]
}

func TestALevelReachesItsTargets(t *testing.T) {
	for level, want := range map[Level][]string{
		Info: {"chat:all"}, Important: {"chat:all", "phone:a", "push:sam"}, Urgent: {"chat:all", "phone:a", "push:sam", "speech:all"},
	} {
		inBubble(t, []string{"chat:all", "phone:a", "push:sam", "speech:all"}, func(b *bubble) {
			until(12, 0)
			b.add(Notice{Person: "Mum", Message: "Dinner is ready.", Level: level})
			synctest.Wait()
			var got []string
			for key, l := range b.targets {
				if l.count() > 0 {
					got = append(got, key)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				b.Errorf("%s reached %v, want %v", level, got, want)
			}
			if m := b.targets["chat:all"].got[0]; m.Person != "sam" || m.Text != "Dinner is ready." || m.From != "compass_nhs" || m.Level != level || m.ID == "" {
				b.Errorf("it got %+v", m)
			}
		})
	}
}

func TestAnUrgentNoticeSaysThatNothingSpeaks(t *testing.T) {
	inBubble(t, []string{"chat:all", "phone:a"}, func(b *bubble) {
		until(12, 0)
		id := b.add(Notice{Person: "sam", Message: "The bath runs over!", Level: Urgent})
		if d := b.delivery(id, noSpeech); d.State != Skipped || d.Reason != "people.toml names no room in which notices to Sam are said aloud" {
			b.Errorf("it is %+v", d)
		}
	})
}

func TestAPersonWithoutAPhoneIsShownAsUndelivered(t *testing.T) {
	inBubble(t, []string{"chat:all"}, func(b *bubble) {
		id := b.add(Notice{Person: "sam", Message: "Dinner is ready.", Level: Important})
		if d := b.delivery(id, noPhone); d.State != Dead || d.Reason != "people.toml names no phone for sam" {
			b.Errorf("it is %+v", d)
		}
	})
}

func TestQuietHoursHoldWhatIsImportant(t *testing.T) {
	for _, c := range []struct {
		name   string
		notice Notice
		held   bool
	}{
		{"important", Notice{Level: Important}, true},
		{"urgent", Notice{Level: Urgent}, false},
		{"important and just asked for", Notice{Level: Important, Asked: true}, false},
	} {
		inBubble(t, []string{"chat:all", "phone:a"}, func(b *bubble) {
			until(3, 0)
			c.notice.Person, c.notice.Message = "sam", "Dinner is ready."
			b.add(c.notice)
			synctest.Wait()
			if n := b.targets["chat:all"].count(); n != 1 {
				b.Errorf("%s: the feed's chat got %d", c.name, n)
			}
			if got := b.targets["phone:a"].count(); (got == 0) != c.held {
				b.Errorf("%s: the phone got %d at once", c.name, got)
			}
			until(7, 1)
			phone := b.targets["phone:a"]
			if phone.count() != 1 {
				b.Fatalf("%s: the phone got %d in the end", c.name, phone.count())
			}
			if at := phone.at[0].UTC(); c.held && (at.Hour() != 7 || at.Minute() != 0) {
				b.Errorf("%s: it came at %s", c.name, at)
			}
		})
	}
}

func TestWhatQuietHoursHoldIsSentWhenItBecomesUrgent(t *testing.T) {
	for name, again := range map[string]Notice{"urgent": {Level: Urgent}, "asked for": {Level: Important, Asked: true}} {
		inBubble(t, []string{"phone:a"}, func(b *bubble) {
			until(3, 0)
			b.add(Notice{Person: "sam", Message: "The bath runs over.", Level: Important})
			time.Sleep(30 * time.Second)
			again.Person, again.Message = "sam", "The bath runs over."
			b.add(again)
			synctest.Wait()
			if n := b.targets["phone:a"].count(); n != 1 {
				b.Errorf("%s: the phone got %d", name, n)
			}
		})
	}
}

func TestARetryDoesNotWakeAnybody(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(21, 50)
		b.targets["phone:a"].fail = func(times int) error {
			if time.Now().UTC().Hour() < 23 && time.Now().UTC().Day() == 1 {
				return Retry("it is down")
			}
			return nil
		}
		id := b.add(Notice{Person: "sam", Message: "Dinner is ready.", Level: Important})
		until(24+7, 30)
		for _, at := range b.targets["phone:a"].at {
			if h := at.UTC().Hour(); h >= 22 || h < 7 {
				b.Errorf("it was tried at %s", at.UTC())
			}
		}
		if d := b.delivery(id, "phone:a"); d.State != Delivered {
			b.Errorf("it is %+v", d)
		}
	})
}

func TestATargetThatIsBrokenWhenItsTimeComesIsTriedAgain(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(23, 0)
		id := b.add(Notice{Person: "sam", Message: "Dinner is ready.", Level: Important})
		until(24+6, 50)
		b.broken.Store(new("the secrets file cannot be read"))
		until(24+7, 1)
		if d := b.delivery(id, "phone:a"); d.State != Waiting || d.Reason != "the secrets file cannot be read" {
			b.Errorf("it is %+v", d)
		}
		b.broken.Store(nil)
		until(24+8, 0)
		if d := b.delivery(id, "phone:a"); d.State != Delivered || b.targets["phone:a"].count() != 1 {
			b.Errorf("it is %+v", d)
		}
	})
}

func TestQuietHoursEndByTheHouseholdsClock(t *testing.T) {
	house := parsed(t, household)
	sam, _ := house.Find("sam")
	for now, want := range map[string]string{
		"2026-07-01T22:00:00Z": "2026-07-02T06:00:00Z", // 23:00 in summer
		"2026-07-01T06:00:00Z": "2026-07-01T06:00:00Z", // 7:00: over
		"2026-07-01T12:00:00Z": "2026-07-01T12:00:00Z",
		"2026-03-28T23:00:00Z": "2026-03-29T06:00:00Z", // the clock goes forward in between
		"2026-10-25T00:30:00Z": "2026-10-25T07:00:00Z", // the clock goes back in between
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := awake(&sam, house.Zone(), at).UTC().Format(time.RFC3339); got != want {
			t.Errorf("at %s it is %s, want %s", now, got, want)
		}
	}
}

func TestAFailedDeliveryIsTriedAgainWithBackOff(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(12, 0)
		phone := b.targets["phone:a"]
		phone.fail = func(times int) error {
			if times < 6 {
				return Retry("it is down")
			}
			return nil
		}
		id := b.add(Notice{Person: "sam", Message: "Dinner is ready.", Level: Important})
		until(13, 0)
		if d := b.delivery(id, "phone:a"); d.State != Delivered || d.Tries != 6 || d.Reason != "" {
			b.Errorf("it is %+v", d)
		}
		for i := 1; i < len(phone.at); i++ {
			wait, usual := phone.at[i].Sub(phone.at[i-1]), firstPause<<(i-1)
			if wait < usual*3/4 || wait > usual*5/4 {
				b.Errorf("pause %d is %s, want about %s", i, wait, usual)
			}
		}
	})
}

func TestWhatATargetRefusesForGoodIsDeadAtOnce(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(12, 0)
		phone := b.targets["phone:a"]
		phone.fail = func(times int) error {
			if times == 1 {
				return Hopeless("there is no such topic")
			}
			return nil
		}
		first := b.add(Notice{Person: "sam", Message: "One.", Level: Important})
		second := b.add(Notice{Person: "sam", Message: "Two.", Level: Important})
		synctest.Wait()
		if d := b.delivery(first, "phone:a"); d.State != Dead || d.Reason != "there is no such topic" || d.Tries != 1 {
			b.Errorf("the first is %+v", d)
		}
		if d := b.delivery(second, "phone:a"); d.State != Delivered {
			b.Errorf("the second is %+v", d)
		}
	})
}

func TestATargetThatStaysDeadGetsDeadLettersAfterADay(t *testing.T) {
	inBubble(t, []string{"chat:all", "phone:a"}, func(b *bubble) {
		until(12, 0)
		b.targets["phone:a"].fail = func(int) error { return Retry("it is down") }
		var all []string
		for i := range 40 {
			all = append(all, b.add(Notice{From: Hub, Person: "sam", Message: fmt.Sprintf("Number %d.", i), Level: Urgent}))
		}
		until(24+13, 0)
		for _, id := range all {
			if d := b.delivery(id, "phone:a"); d.State != Dead || d.Reason == "" || strings.Contains(d.Reason, "0m0s") {
				b.Errorf("it is %+v", d)
			}
			if d := b.delivery(id, "chat:all"); d.State != Delivered {
				b.Errorf("the chat's is %+v", d)
			}
		}
		// Forty notices did not become forty times the calls.
		if n := b.targets["phone:a"].count(); n > 100 {
			b.Errorf("a dead target was called %d times", n)
		}
	})
}

// TestWhatIsOldIsNotSaidAloud has a speaker that comes back late, and a Hub that does.
func TestWhatIsOldIsNotSaidAloud(t *testing.T) {
	inBubble(t, []string{"phone:a", "speech:bedroom"}, func(b *bubble) {
		until(12, 0)
		speaker := b.targets["speech:bedroom"]
		speaker.fail = func(int) error {
			if time.Now().Before(time.Date(2000, 1, 1, 14, 0, 0, 0, time.UTC)) {
				return Retry("the speaker in the bedroom did not answer")
			}
			return nil
		}
		id := b.add(Notice{Person: "sam", Message: "There is smoke!", Level: Urgent})
		until(15, 0)
		if d := b.delivery(id, "speech:bedroom"); d.State != Dead || d.Tries < 2 || d.Reason != "it could not be said within an hour, and is no news any more" {
			b.Errorf("it is %+v", d)
		}
		b.stop()
		id = b.add(Notice{Person: "sam", Message: "The bath runs over!", Level: Urgent})
		until(17, 0)
		before := speaker.count()
		b.run()
		until(17, 30)
		if d := b.delivery(id, "speech:bedroom"); d.State != Dead || speaker.count() != before {
			b.Errorf("after the Hub was down it is %+v", d)
		}
		if d := b.delivery(id, "phone:a"); d.State != Delivered {
			b.Errorf("the phone's is %+v", d)
		}
	})
}

func TestADeliveryIsGivenUpAfterFiftyTries(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(12, 0)
		b.targets["phone:a"].fail = func(int) error { return Retry("it is down") }
		id := b.add(Notice{Person: "sam", Message: "Dinner is ready.", Level: Urgent})
		until(24+12, 0)
		if d := b.delivery(id, "phone:a"); d.State != Dead || d.Tries != MaxTries || d.Reason != "it is down" || b.targets["phone:a"].count() != MaxTries {
			b.Errorf("it is %+v", d)
		}
	})
}

func TestADeadTargetDelaysNobodyElse(t *testing.T) {
	inBubble(t, []string{"phone:dead", "phone:a", "phone:b"}, func(b *bubble) {
		until(12, 0)
		b.targets["phone:dead"].hang = true
		for i := range 100 {
			b.add(Notice{From: Hub, Person: "sam", Message: fmt.Sprintf("Number %d.", i), Level: Important})
			synctest.Wait()
			for _, key := range []string{"phone:a", "phone:b"} {
				if n := b.targets[key].count(); n != i+1 {
					b.Fatalf("%s has %d of %d", key, n, i+1)
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
}

func TestATargetThatWantsToBeLeftAloneIs(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(12, 0)
		phone := b.targets["phone:a"]
		phone.fail = func(times int) error {
			if times == 1 {
				return &Fault{Reason: "it has had too much", State: Waiting, After: 3 * time.Minute}
			}
			return nil
		}
		b.add(Notice{Person: "sam", Message: "One.", Level: Important})
		b.add(Notice{Person: "sam", Message: "Two.", Level: Important})
		until(13, 0)
		if phone.count() != 3 || phone.at[1].Sub(phone.at[0]) < 3*time.Minute {
			b.Errorf("it was called at %v", phone.at)
		}
	})
}

func TestAnotherOutboxTakesOverWhatOneLeftBehind(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(12, 0)
		b.stop()
		id := b.add(Notice{Person: "sam", Message: "Dinner is ready.", Level: Important})
		// Whoever took it has died.
		if _, err := b.store.Take(b.Context(), Taking{Now: time.Now(), Lease: lease, Holder: "dead", Targets: []string{"phone:a"}, Each: 9}); err != nil {
			b.Fatal(err)
		}
		b.run()
		until(12, 2)
		if d := b.delivery(id, "phone:a"); d.State != Delivered {
			b.Errorf("it is %+v", d)
		}
	})
}

func TestAStopGivesBackWhatIsUnderWay(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(12, 0)
		b.targets["phone:a"].hang = true
		id := b.add(Notice{Person: "sam", Message: "Dinner is ready.", Level: Important})
		synctest.Wait()
		b.stop()
		if d := b.delivery(id, "phone:a"); d.State != Waiting || d.Tries != 0 {
			b.Errorf("it is %+v", d)
		}
		if targets, _, _ := b.store.Due(b.Context(), time.Now()); len(targets) != 1 {
			b.Error("it is still held")
		}
		b.run()
	})
}

func TestANoisyProjectIsHeldBackAndThePersonToldOnce(t *testing.T) {
	inBubble(t, []string{"chat:all"}, func(b *bubble) {
		until(12, 0)
		refused := 0
		for i := range DefaultCap.Most + 5 {
			_, err := b.Add(b.Context(), Notice{From: "compass_nhs", Person: "sam", Message: fmt.Sprintf("Number %d.", i), Level: Info})
			if many, ok := errors.AsType[*TooMany](err); ok {
				refused++
				if many.After <= 0 || many.After > DefaultCap.Window {
					b.Errorf("it is to wait %s", many.After)
				}
			} else if err != nil {
				b.Fatal(err)
			}
		}
		if refused != 5 {
			b.Errorf("%d were refused", refused)
		}
		b.add(Notice{From: "email_agent", Person: "sam", Message: "A mail from school.", Level: Info})
		synctest.Wait()
		told := 0
		for _, m := range b.targets["chat:all"].got {
			if m.From == Hub {
				told++
				if m.Text != "compass_nhs sends too many notices, so some of them are not taken." {
					b.Errorf("the person reads %q", m.Text)
				}
			}
		}
		if told != 1 {
			b.Errorf("the person was told %d times", told)
		}
	})
}

func TestWhatIsNoNotice(t *testing.T) {
	inBubble(t, nil, func(b *bubble) {
		good := Notice{From: "compass_nhs", Person: "sam", Message: "Dinner is ready.", Level: Info}
		for field, spoil := range map[string]func(n *Notice){
			"from":    func(n *Notice) { n.From = "Not A Project" },
			"level":   func(n *Notice) { n.Level = "loud" },
			"message": func(n *Notice) { n.Message = "One. And two." },
			"person":  func(n *Notice) { n.Person = "sa\u202em" },
		} {
			n := good
			spoil(&n)
			_, err := b.Add(b.Context(), n)
			if err == nil || problemField(err) != field {
				b.Errorf("a wrong %s gives %v", field, err)
			}
		}
		good.Person = "nobody"
		if _, err := b.Add(b.Context(), good); !errors.Is(err, ErrUnknownPerson) {
			b.Errorf("nobody gives %v", err)
		}
	})
}

func problemField(err error) string {
	if p, ok := errors.AsType[*ask.Problem](err); ok {
		return p.Field
	}
	return ""
}

func TestAwaitSeesThePhonesOutcome(t *testing.T) {
	inBubble(t, []string{"chat:all", "phone:a", "phone:b"}, func(b *bubble) {
		until(12, 0)
		b.targets["phone:b"].fail = func(int) error { return Retry("it is down") }
		id := b.add(Notice{Person: "sam", Message: "Dinner is ready.", Level: Important})
		e, err := b.Await(b.Context(), id)
		if err != nil || e.Deliveries[1].State != Delivered || e.Deliveries[2].State != Waiting || e.Deliveries[2].Tries != 1 {
			b.Errorf("%+v, %v", e.Deliveries, err)
		}
	})
}

func TestAllAdultsAreTold(t *testing.T) {
	inBubble(t, []string{"phone:a"}, func(b *bubble) {
		until(12, 0)
		if err := b.TellAdults(b.Context(), Notice{Message: "Something waits for your yes in the admin app.", Level: Important}); err != nil {
			b.Fatal(err)
		}
		synctest.Wait()
		var who []string
		for _, m := range b.targets["phone:a"].got {
			who = append(who, m.Person)
		}
		slices.Sort(who)
		if !slices.Equal(who, []string{"sam", "tom"}) {
			b.Errorf("told: %v", who)
		}
	})
}
