package target

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
)

// listener is a stand-in for speakers, and keeps what was said. Each sentence takes a second.
type listener struct {
	mu    sync.Mutex
	said  []string
	fault error
	// most is how many sentences there were at a time in one room, however it was written.
	now, most map[string]int
}

func (*listener) Has(string) bool { return true }

func (l *listener) Speak(_ context.Context, room, sentence string) error {
	key := people.Fold(room)
	l.mu.Lock()
	l.now[key]++
	l.most[key] = max(l.most[key], l.now[key])
	l.mu.Unlock()
	time.Sleep(time.Second)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now[key]--
	if l.fault == nil {
		l.said = append(l.said, room+": "+sentence)
	}
	return l.fault
}

func newListener() *listener {
	return &listener{now: map[string]int{}, most: map[string]int{}}
}

// TestARoomHearsEachSentenceOnce is two people who both want to be spoken to in the kitchen.
func TestARoomHearsEachSentenceOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		b := &Book{Secret: noSecrets, Speech: OncePerRoom(l, time.Now)}
		sam := &people.Person{Name: "sam", SpeakIn: []string{"kitchen", "bedroom"}}
		tom := &people.Person{Name: "tom", SpeakIn: []string{"Kitchen"}}
		tell := func(text string) {
			var all sync.WaitGroup
			for _, p := range []*people.Person{sam, tom} {
				for _, one := range b.Of(p) {
					if one.Kind() != notify.KindSpeech {
						continue
					}
					all.Go(func() {
						m := &notify.Message{ID: "ntc_1", From: "bus", Person: string(p.Name), Level: notify.Urgent, Text: text}
						if err := one.Sender.Send(t.Context(), m); err != nil {
							t.Error(err)
						}
					})
				}
			}
			all.Wait()
		}
		heard := func() string {
			said := slices.Clone(l.said)
			for i := range said {
				said[i] = strings.ToLower(said[i])
			}
			slices.Sort(said)
			l.said = nil
			return strings.Join(said, "|")
		}
		tell("The bath runs over!")
		if got := heard(); got != "bedroom: the bath runs over!|kitchen: the bath runs over!" {
			t.Errorf("they heard %s", got)
		}
		tell("The oven burns.")
		tell("The bath runs over!")
		if got := heard(); got != "bedroom: the oven burns.|kitchen: the oven burns." {
			t.Errorf("then they heard %s", got)
		}
		time.Sleep(notify.Merge)
		tell("The bath runs over!")
		if got := heard(); got != "bedroom: the bath runs over!|kitchen: the bath runs over!" {
			t.Errorf("a minute later they heard %s", got)
		}
		if l.most["kitchen"] != 1 || l.most["bedroom"] != 1 {
			t.Errorf("two things were said at once: %v", l.most)
		}
	})
}

func TestWhatWasNotSaidIsSaidTheNextTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		o := OncePerRoom(l, time.Now)
		l.fault = notify.Retry("the speaker in the kitchen did not answer")
		if err := o.Speak(t.Context(), "kitchen", "Come down."); err != l.fault {
			t.Errorf("got %v", err)
		}
		l.fault = nil
		if err := o.Speak(t.Context(), "kitchen", "Come down."); err != nil || len(l.said) != 1 {
			t.Errorf("got %v and %q", err, l.said)
		}
		// A room in which somebody speaks for long does not hold whoever waits for ever.
		go func() { _ = o.Speak(t.Context(), "kitchen", "A long tale.") }()
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := o.Speak(short, "kitchen", "Help!"); err == nil || err.Error() != "something else is still being said in the kitchen" {
			t.Errorf("got %v", err)
		}
		time.Sleep(2 * time.Second)
	})
}

func TestAHouseWithoutSpeakersSaysSo(t *testing.T) {
	b := &Book{Secret: noSecrets}
	all := b.Of(&people.Person{Name: "sam", SpeakIn: []string{"bedroom"}})
	if got := all[len(all)-1]; got.Key != "speech:bedroom" || got.Sender != nil || !strings.Contains(got.Broken, "askhub.toml has no speakers; write the room under [[speakers.rooms]]") {
		t.Errorf("it is %+v", got)
	}
}
