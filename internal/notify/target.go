package notify

import (
	"context"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/people"
)

// Kind is what a target is to its person.
type Kind string

// The kinds. A target's key begins with its kind.
const (
	KindChat   Kind = "chat"
	KindPush   Kind = "push"
	KindPhone  Kind = "phone"
	KindSpeech Kind = "speech"
)

// Phone says whether quiet hours hold a target of this kind.
func (k Kind) Phone() bool { return k == KindPush || k == KindPhone }

// Key is the key of a target of this kind; name tells it from others of its kind.
func (k Kind) Key(name string) string { return string(k) + ":" + name }

// KindOf is the kind of the target with that key.
func KindOf(key string) Kind {
	kind, _, _ := strings.Cut(key, ":")
	return Kind(kind)
}

// Message is what a target gets.
type Message struct {
	// ID is the notice's, by which a target may know a repeat.
	ID     string
	From   string
	Person string
	Level  Level
	Text   string
	At     time.Time
}

// Title is who speaks, as a person reads it.
func (m *Message) Title() string {
	if m.From == Hub || m.From == Spoken {
		return "askhub"
	}
	return strings.ReplaceAll(m.From, "_", " ")
}

// Sender brings a message to one target. It ends when ctx does. Its error is a *Fault,
// whose words may be shown to anybody; of any other error nobody is told more than that
// there was one, since it may hold a secret.
type Sender interface {
	Send(ctx context.Context, m *Message) error
}

// Speaker says things aloud in the rooms of the house. Whoever connects the speakers
// implements it.
type Speaker interface {
	// Has is whether something can be said in the room of that name.
	Has(room string) bool
	// Speak says one sentence there, as it is. It ends when ctx does; its error is like a
	// Sender's.
	Speak(ctx context.Context, room, sentence string) error
}

// Fault is why a message was not delivered.
type Fault struct {
	// Reason is in plain words, without a secret.
	Reason string
	// State is Dead where trying again is of no use, Skipped where there is nobody to take
	// it, and Waiting where it may work later.
	State State
	// After is how long the target wants to be left alone; zero where it does not say.
	After time.Duration
}

func (f *Fault) Error() string { return f.Reason }

// Retry is a fault that may be over later.
func Retry(reason string) *Fault { return &Fault{Reason: reason, State: Waiting} }

// Hopeless is a fault that stays until somebody mends it.
func Hopeless(reason string) *Fault { return &Fault{Reason: reason, State: Dead} }

// Target is one place where one person is reached.
type Target struct {
	// Key tells targets apart and holds no secret; two people may share one.
	Key string
	// Name is the target as it may be shown.
	Name string
	// Sender is nil where Broken says what is wrong with the target.
	Sender Sender
	Broken string
}

// Kind is the target's.
func (t *Target) Kind() Kind { return KindOf(t.Key) }

// noPhone and noSpeech are the targets of those who have none.
const (
	noPhone  = "phone:none"
	noSpeech = "speech:none"
)

// plan are a notice's deliveries to that person.
func plan(n *Notice, p *people.Person, zone *time.Location, targets []Target, now time.Time) []Delivery {
	var out []Delivery
	phone := n.Level != Info
	add := func(d Delivery) {
		if d.Due.IsZero() {
			d.Due = now
		}
		d.First = d.Due
		if d.State != Waiting {
			d.Done = now
		}
		out = append(out, d)
	}
	phones, speech := false, false
	for i := range targets {
		t := &targets[i]
		d := Delivery{Target: t.Key, Name: t.Name, State: Waiting}
		switch kind := t.Kind(); {
		case kind.Phone():
			if phones = true; !phone {
				continue
			}
			if held(n.Level, n.Asked) {
				d.Due = awake(p, zone, now)
			}
		case kind == KindSpeech:
			if speech = true; n.Level != Urgent {
				continue
			}
		}
		if t.Sender == nil {
			d.State, d.Reason = Dead, t.Broken
		}
		add(d)
	}
	if phone && !phones {
		add(Delivery{Target: noPhone, Name: "phone", State: Dead, Reason: "people.toml names no phone for " + string(p.Name)})
	}
	if n.Level == Urgent && !speech {
		add(Delivery{Target: noSpeech, Name: "speech", State: Skipped, Reason: "people.toml names no room in which notices to " + people.Spoken(string(p.Name)) + " are said aloud"})
	}
	return out
}

// held says whether quiet hours hold a notice from the phone.
func held(l Level, asked bool) bool { return l != Urgent && !asked }
