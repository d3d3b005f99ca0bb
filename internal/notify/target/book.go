package target

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
)

// Book knows where each person is reached. It is safe for concurrent use.
type Book struct {
	Secret Secret
	// Push and Chat may be nil: then nobody is reached that way. Speech is nil where the
	// house has no speakers.
	Push, Chat notify.Sender
	Speech     notify.Speaker

	mu    sync.Mutex
	known map[string]page
}

// page is an address as it was read.
type page struct {
	address string
	target  notify.Target
}

// Of are all the person's targets. A phone that is none is among them, with what is wrong.
func (b *Book) Of(p *people.Person) []notify.Target {
	var out []notify.Target
	if b.Chat != nil {
		out = append(out, notify.Target{Key: notify.KindChat.Key("all"), Name: "chat", Sender: b.Chat})
	}
	for _, raw := range Phones(p) {
		if raw == Push {
			if t := b.push(p); t.Sender != nil || t.Broken != "" {
				out = append(out, t)
			}
			continue
		}
		t := b.phone(raw)
		if t.Broken != "" {
			t.Name += Which(p, raw)
		}
		out = append(out, t)
	}
	for _, room := range p.SpeakIn {
		out = append(out, aloud(b.Speech, room))
	}
	return out
}

// push is the admin app's push to the person's browsers. Only adults sign in there: nobody
// else is told to switch it on.
func (b *Book) push(p *people.Person) notify.Target {
	t := notify.Target{Key: notify.KindPush.Key(string(p.Name)), Name: "push"}
	switch {
	case p.Role == people.RoleAdult:
		t.Sender = b.Push
	case len(p.Phone) == 0:
		t.Name, t.Broken = "phone", "people.toml names no phone for "+string(p.Name)
	default:
		t.Broken = "push comes from the admin app, which is for adults; write the address of " + string(p.Name) + "'s phone in its place"
	}
	return t
}

// Phones are the addresses of the person's phones: the admin app's push where there are
// none, each once.
func Phones(p *people.Person) []string {
	if len(p.Phone) == 0 {
		return []string{Push}
	}
	var out []string
	seen := map[string]bool{}
	for _, raw := range p.Phone {
		if !seen[raw] {
			out = append(out, raw)
		}
		seen[raw] = true
	}
	return out
}

// Which says which of several addresses that is, as people count. An address may be secret,
// so that it cannot be shown itself.
func Which(p *people.Person, raw string) string {
	if len(p.Phone) < 2 {
		return ""
	}
	return fmt.Sprintf(" (number %d under phone)", slices.Index(p.Phone, raw)+1)
}

// phone reads an address once, and anew where a secret in it has changed.
func (b *Book) phone(raw string) notify.Target {
	address, err := expand(strings.TrimSpace(raw), b.Secret)
	if err != nil {
		t := unread(raw)
		t.Broken = err.Error()
		return t
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.known[raw]; ok && p.address == address {
		return p.target
	}
	t, err := read(raw, address)
	if err != nil {
		t.Broken = err.Error()
	}
	if b.known == nil {
		b.known = map[string]page{}
	}
	b.known[raw] = page{address, t}
	return t
}
