// Package people knows the household: who lives there, by which names they are
// called, who may ask about whom (spec 5, "People and permission"), and which
// person a question names.
package people

import (
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
)

// Guest is the asker that nobody recognised. It is no person of the household.
const Guest ask.Asker = "guest"

// Role is what a person is in the household.
type Role string

// The roles of spec 5.
const (
	RoleAdult Role = "adult"
	RoleChild Role = "child"
	RoleGuest Role = "guest"
)

// Groups that asked_by may name beside single people.
const (
	// Adults are all people whose role is adult.
	Adults = "adults"
	// Everyone is every adult and child; a guest has to be named.
	Everyone = "everyone"
)

// Person is one person of people.toml.
type Person struct {
	// Name is the person's name as the file has it, in NFC.
	Name ask.Person
	// Aliases are further names, such as "Mum".
	Aliases []string
	Role    Role
	// AskedBy are those who may ask about this person beside themselves: names,
	// Adults or Everyone. Nobody where it is empty.
	AskedBy []string
	// Phone are the targets of notifications to this person.
	Phone []string
	// Quiet is when only urgent notices reach the phone.
	Quiet Quiet
	// SpeakIn are the rooms in which urgent notices to this person are said aloud, each once.
	// Whoever is in such a room hears them.
	SpeakIn []string
}

// Quiet is a stretch of every day, which may pass midnight. The zero Quiet never holds.
type Quiet struct {
	// From and To are times since midnight on the household's clock; To is not in it.
	From, To time.Duration
}

// Holds is whether t, read on its own zone's clock, lies in the quiet hours.
func (q Quiet) Holds(t time.Time) bool {
	at := time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second
	if q.From <= q.To {
		return q.From <= at && at < q.To
	}
	return at >= q.From || at < q.To
}

// Household is the people of one people.toml. It does not change, so it may be
// shared. The zero Household has nobody in it, and everyone asks for themselves only.
type Household struct {
	zone   *time.Location
	people []Person
	// byName holds each folded name and alias with the index of its person.
	byName map[string]int
	// mayAsk holds, for each person, the indexes of those who may ask about them.
	mayAsk []map[int]bool
}

// Zone is the household's time zone; the machine's own where the file names none.
func (h *Household) Zone() *time.Location {
	if h.zone == nil {
		return time.Local
	}
	return h.zone
}

// People are all people in the file's order.
func (h *Household) People() []Person { return append([]Person(nil), h.people...) }

// Find is the person of that name or alias, in any case.
func (h *Household) Find(name string) (Person, bool) {
	i, ok := h.byName[Fold(name)]
	if !ok {
		return Person{}, false
	}
	return h.people[i], true
}

// Role is the asker's role. Whoever is not in the file is a guest.
func (h *Household) Role(asker ask.Asker) Role {
	if p, ok := h.Find(string(asker)); ok {
		return p.Role
	}
	return RoleGuest
}

// MayAsk is whether the asker may ask about that person: always about oneself;
// about others only where the file names the asker. A guest asks about nobody else.
func (h *Household) MayAsk(asker ask.Asker, about ask.Person) bool {
	if Fold(string(asker)) == Fold(string(about)) {
		return true
	}
	a, ok := h.byName[Fold(string(asker))]
	if !ok {
		return false
	}
	p, ok := h.byName[Fold(string(about))]
	if !ok {
		return false
	}
	return a == p || h.mayAsk[p][a]
}

// Listed are the people on a project's list, each with the names that count for
// them there: the aliases of those on the list, and nobody else's (spec 5).
func (h *Household) Listed(list []ask.Person) []Listed {
	out := make([]Listed, len(list))
	for i, name := range list {
		out[i].Person = name
		p, ok := h.Find(string(name))
		if !ok {
			continue
		}
		for _, alias := range append([]string{string(p.Name)}, p.Aliases...) {
			if Fold(alias) != Fold(string(name)) {
				out[i].Aliases = append(out[i].Aliases, alias)
			}
		}
	}
	return out
}

// Spoken is a person's name as a sentence has it.
func Spoken(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return name
	}
	return string(unicode.ToUpper(first)) + name[size:]
}
