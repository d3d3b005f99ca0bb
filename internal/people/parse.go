package people

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the household's zone must load on a machine without zone files
	"unicode"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/pattern"
	"github.com/askhub/askhub/internal/tomlfault"
	"golang.org/x/text/unicode/norm"
)

// maxName is the longest name or alias, in code points.
const maxName = 64

//go:embed template.toml
var template []byte

//go:embed sample.toml
var sample []byte

// Default is the people.toml that a new household starts from.
func Default() []byte { return append([]byte(nil), template...) }

// Sample is the people.toml of the demo household: Sam, Tom, Harry and Emma.
func Sample() []byte { return append([]byte(nil), sample...) }

// Error is a fault in people.toml: where it is, and how it is mended.
type Error struct {
	// File is the name that Parse was given; Line counts from 1, 0 is unknown.
	File string
	Line int
	// Field is such as "person.role"; it may be empty.
	Field string
	// Fault is what is wrong, Mend what to write instead.
	Fault, Mend string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, " line %d", e.Line)
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Fault)
	if e.Mend != "" {
		b.WriteString("; " + e.Mend)
	}
	return b.String()
}

type document struct {
	Zone   string  `toml:"zone"`
	Person []entry `toml:"person"`
}

type entry struct {
	Name    string   `toml:"name"`
	Aliases []string `toml:"aliases"`
	Role    string   `toml:"role"`
	AskedBy []string `toml:"asked_by"`
	Phone   []string `toml:"phone"`
	Quiet   string   `toml:"quiet"`
	SpeakIn []string `toml:"speak_in"`
}

// Parse reads a people.toml; name is what errors call it. An error holds an *Error for
// each fault, with its line, field and mend; Faults takes them apart.
func Parse(name string, src []byte) (*Household, error) {
	var doc document
	if faults := tomlfault.Decode(src, &doc); len(faults) > 0 {
		return nil, unreadable(name, faults)
	}
	p := parser{file: name, lines: tomlfault.Lines(src), household: &Household{byName: map[string]int{}}}
	p.zone(doc.Zone)
	for i, e := range doc.Person {
		p.person(i, e)
	}
	if len(p.faults) == 0 { // who is called what has to be known first
		for i := range p.household.people {
			p.permission(i)
		}
	}
	if len(p.faults) > 0 {
		return nil, errors.Join(p.faults...)
	}
	return p.household, nil
}

// Faults are the single faults in an error of Parse; none where it has another cause.
func Faults(err error) []*Error {
	var one *Error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*Error
		for _, e := range joined.Unwrap() {
			all = append(all, Faults(e)...)
		}
		return all
	}
	if errors.As(err, &one) {
		return []*Error{one}
	}
	return nil
}

// unreadable are the faults of a file that is no people.toml.
func unreadable(name string, faults []tomlfault.Fault) error {
	all := make([]error, len(faults))
	for i, f := range faults {
		mend := f.Mend
		if f.Wrong == tomlfault.Unknown {
			mend = "use zone, and name, aliases, role, asked_by, phone, quiet and speak_in under [[person]]"
		}
		all[i] = &Error{File: name, Line: f.Line, Field: index().ReplaceAllString(f.Field, ""), Fault: f.Wrong, Mend: mend}
	}
	return errors.Join(all...)
}

// index is which [[person]] it is, which the line says too.
var index = pattern.Lazy(`\[\d+\]`)

type parser struct {
	file string
	// lines are where the fields stand in it.
	lines     map[string]int
	household *Household
	faults    []error // in the file's order, so that one look shows them all
}

// fault keeps an error at person i's key, or at the person where the key is absent.
func (p *parser) fault(i int, key, fault, mend string) {
	person := fmt.Sprintf("person[%d]", i)
	line := cmp.Or(p.lines[person+"."+key], p.lines[person])
	p.faults = append(p.faults, &Error{File: p.file, Line: line, Field: "person." + key, Fault: fault, Mend: mend})
}

func (p *parser) zone(name string) {
	if name == "" {
		return
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		p.faults = append(p.faults, &Error{
			File: p.file, Line: p.lines["zone"], Field: "zone",
			Fault: fmt.Sprintf("%q is not a time zone", name), Mend: `write one such as "Europe/London"`,
		})
		return
	}
	p.household.zone = zone
}

func (p *parser) person(i int, e entry) {
	h := p.household
	h.people = append(h.people, Person{AskedBy: e.AskedBy, Phone: e.Phone, Role: Role(e.Role)})
	person := &h.people[i]
	person.Name = ask.Person(p.name(i, "name", e.Name))
	for _, a := range e.Aliases {
		person.Aliases = append(person.Aliases, p.name(i, "aliases", a))
	}
	switch person.Role {
	case RoleAdult, RoleChild, RoleGuest:
	default:
		p.fault(i, "role", fmt.Sprintf("%q is not a role", e.Role), `write "adult", "child" or "guest"`)
	}
	for _, phone := range e.Phone {
		if strings.TrimSpace(phone) == "" {
			p.fault(i, "phone", "a target is empty", "write the target or take it out")
		}
	}
	if e.Quiet != "" {
		quiet, ok := parseQuiet(e.Quiet)
		if !ok {
			p.fault(i, "quiet", fmt.Sprintf("%q is not a stretch of the day", e.Quiet), `write it as "21:00-07:00"`)
		}
		person.Quiet = quiet
	}
	for _, room := range e.SpeakIn {
		room = strings.Join(strings.Fields(room), " ")
		same := func(other string) bool { return Fold(other) == Fold(room) }
		switch {
		case room == "":
			p.fault(i, "speak_in", "a room is empty", "write the name of a room as [[speakers.rooms]] in askhub.toml has it")
		case !slices.ContainsFunc(person.SpeakIn, same):
			person.SpeakIn = append(person.SpeakIn, room)
		}
	}
}

// name checks one name or alias of person i and claims it.
func (p *parser) name(i int, key, raw string) string {
	name := norm.NFC.String(strings.Join(strings.Fields(raw), " "))
	folded := Fold(name)
	switch {
	case name == "":
		p.fault(i, key, "it is empty", "write the name that is spoken")
		return name
	case len([]rune(name)) > maxName:
		p.fault(i, key, "it is too long", fmt.Sprintf("use at most %d letters", maxName))
		return name
	case strings.ContainsFunc(raw, unicode.IsControl):
		p.fault(i, key, fmt.Sprintf("%q holds a control character", raw), "take it out")
		return name
	case !speakable(folded):
		p.fault(i, key, fmt.Sprintf("%q cannot be found in a question", name), "use letters, digits, hyphens and apostrophes")
		return name
	case folded == string(Guest):
		p.fault(i, key, `"guest" is the speaker whom nobody recognised`, "choose another name")
		return name
	case folded == Adults || folded == Everyone:
		p.fault(i, key, fmt.Sprintf("%q names a group", name), "choose another name")
		return name
	}
	if j, taken := p.household.byName[folded]; taken {
		if j == i {
			p.fault(i, key, fmt.Sprintf("%q stands there twice", name), "take one out")
			return name
		}
		p.fault(i, key, fmt.Sprintf("%q is already %s's name or alias", name, p.household.people[j].Name), "give each person names of their own")
		return name
	}
	p.household.byName[folded] = i
	return name
}

// permission resolves who may ask about person i.
func (p *parser) permission(i int) {
	h := p.household
	may := map[int]bool{}
	for _, who := range h.people[i].AskedBy {
		switch Fold(who) {
		case Adults:
			for j, other := range h.people {
				if other.Role == RoleAdult {
					may[j] = true
				}
			}
		case Everyone:
			for j, other := range h.people {
				if other.Role != RoleGuest {
					may[j] = true
				}
			}
		default:
			j, ok := h.byName[Fold(who)]
			if !ok {
				p.fault(i, "asked_by", fmt.Sprintf("%q is nobody in this file", who), `write a person's name, "adults" or "everyone"`)
				continue
			}
			may[j] = true
		}
	}
	h.mayAsk = append(h.mayAsk, may)
}

// parseQuiet reads "21:00-07:00".
func parseQuiet(s string) (Quiet, bool) {
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		return Quiet{}, false
	}
	a, errA := time.Parse("15:04", strings.TrimSpace(from))
	b, errB := time.Parse("15:04", strings.TrimSpace(to))
	if errA != nil || errB != nil || a.Equal(b) {
		return Quiet{}, false
	}
	midnight := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	return Quiet{From: a.Sub(midnight), To: b.Sub(midnight)}, true
}
