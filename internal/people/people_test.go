package people

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

func parse(t *testing.T, src string) *Household {
	t.Helper()
	h, err := Parse("people.toml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const family = `
zone = "Europe/London"
[[person]]
name = "Sam"
aliases = ["Mum"]
role = "adult"
[[person]]
name = "tom"
role = "adult"
asked_by = ["sam", "nan"]
[[person]]
name = "zoë"
role = "child"
asked_by = ["adults"]
[[person]]
name = "nan"
role = "guest"
asked_by = ["everyone"]
`

func TestMayAsk(t *testing.T) {
	h := parse(t, family)
	for _, c := range []struct {
		asker ask.Asker
		about ask.Person
		want  bool
		why   string
	}{
		{"sam", "sam", true, "about oneself"},
		{"SAM", "mum", true, "about oneself by an alias"},
		{"sam", "ZOË", true, "an adult where adults may"},
		{"zoë", "sam", false, "asked_by is absent, so only Sam herself"},
		{"tom", "sam", false, "the same"},
		{"sam", "tom", true, "named"},
		{"zoë", "tom", false, "not named"},
		{"nan", "tom", true, "a guest who is named"},
		{"nan", "zoë", false, "a guest is no adult"},
		{"zoë", "nan", true, "everyone"},
		{"guest", "nan", false, "the unknown speaker is not among everyone"},
		{"guest", "zoë", false, "the unknown speaker asks about nobody"},
		{"guest", "guest", true, "but for themselves"},
		{"stranger", "nan", false, "nor does one who is not in the file"},
		{"sam", "stranger", false, "nobody allowed it"},
	} {
		if got := h.MayAsk(c.asker, c.about); got != c.want {
			t.Errorf("MayAsk(%s, %s) = %v: %s", c.asker, c.about, got, c.why)
		}
	}
	if h.Role("mum") != RoleAdult || h.Role("guest") != RoleGuest || h.Role("stranger") != RoleGuest {
		t.Error("a role is the person's own, and guest for whoever is not in the file")
	}
	var nobody Household
	if !nobody.MayAsk("sam", "sam") || nobody.MayAsk("sam", "tom") || nobody.Role("sam") != RoleGuest {
		t.Error("in an empty household people ask for themselves only")
	}
}

func TestShippedHouseholds(t *testing.T) {
	if h := parse(t, string(Default())); len(h.People()) != 0 {
		t.Errorf("the template should start without people, has %d", len(h.People()))
	}
	// The example in the template's comments must be right too.
	_, example, _ := strings.Cut(string(Default()), "# [[person]]")
	example = "[[person]]" + strings.ReplaceAll(example, "\n# ", "\n")
	if p, ok := parse(t, example).Find("mum"); !ok || p.Name != "alex" {
		t.Errorf("the template's example gives %+v", p)
	}
	h := parse(t, string(Sample()))
	if !h.MayAsk("sam", "harry") || h.MayAsk("emma", "harry") || h.MayAsk("harry", "tom") {
		t.Error("in the demo household adults ask about children, and children about themselves")
	}
	if h.Zone().String() != "Europe/London" {
		t.Errorf("zone = %v", h.Zone())
	}
}

func TestFaultsNameLineFieldAndMend(t *testing.T) {
	person := func(rest string) string { return "zone = \"UTC\"\n[[person]]\nname = \"sam\"\n" + rest }
	for _, c := range []struct {
		src, field string
		line       int
		mend       string
	}{
		{"zone = \"Mars/Base\"", "zone", 1, "Europe/London"},
		{"zoen = \"UTC\"", "zoen", 1, "use zone"},
		{person("role = \"adult\"\nage = 3"), "person.age", 5, "use zone"},
		{person(""), "person.role", 2, "adult"},
		{person("role = \"boss\""), "person.role", 4, "adult"},
		{person("role = 3"), "person.role", 4, `role = "…"`},
		{person("role = \"adult\"\nphone = \"push\""), "person.phone", 5, `phone = ["…", "…"]`},
		{person("role = \"adult\"\naliases = “Mum”"), "person.aliases", 5, "straight ones"},
		{person("role = \"adult\"\nquiet = \"25:00-07:00\""), "person.quiet", 5, "21:00-07:00"},
		{person("role = \"adult\"\nquiet = \"late\""), "person.quiet", 5, "21:00-07:00"},
		{person("role = \"adult\"\nphone = [\" \"]"), "person.phone", 5, "take it out"},
		{person("role = \"adult\"\nspeak_in = [\" \"]"), "person.speak_in", 5, "[[speakers.rooms]]"},
		{person("role = \"adult\"\nasked_by = [\"bob\"]"), "person.asked_by", 5, "everyone"},
		{person("role = \"adult\"\naliases = [\"SAM\"]"), "person.aliases", 5, "take one out"},
		{person("role = \"adult\"\naliases = [\"guest\"]"), "person.aliases", 5, "choose another"},
		{person("role = \"adult\"\naliases = [\"Everyone\"]"), "person.aliases", 5, "choose another"},
		{person("role = \"adult\"\naliases = [\"?\"]"), "person.aliases", 5, "letters"},
		{person("role = \"adult\"\naliases = [\"a\\u0007b\"]"), "person.aliases", 5, "take it out"},
		{person("role = \"adult\"\n\n[[person]]\nrole = \"child\"\nname = \"Sam\""), "person.name", 8, "names of their own"},
		{person("role = \"adult\"\n[[person]]\nrole = \"child\"\nname = \"bo\"\naliases = [\"sam\"]"), "person.aliases", 8, "names of their own"},
		{"[[person]]\nrole = \"child\"", "person.name", 1, "write the name"},
		{"[[person]\n", "", 1, "write it like"},
		{"zone = \"UTC\"\nzone = \"UTC\"", "zone", 2, "keep one of the two"},
	} {
		_, err := Parse("people.toml", []byte(c.src))
		var fault *Error
		if !errors.As(err, &fault) {
			t.Errorf("%q: no fault found (%v)", c.src, err)
			continue
		}
		if c.field != "" && fault.Field != c.field || fault.Line != c.line || !strings.Contains(fault.Mend, c.mend) {
			t.Errorf("%q: %v\n\twant field %q, line %d, mend %q", c.src, err, c.field, c.line, c.mend)
		}
	}
}

func TestEveryFaultIsNamedAtOnce(t *testing.T) {
	for src, want := range map[string][]string{
		"zone = \"London\"\n[[person]]\nname = \"sam\"\nrole = \"parent\"\nquiet = \"9pm\"\n[[person]]\nname = \"Sam\"\nrole = \"adult\"": {"1 zone", "4 person.role", "5 person.quiet", "7 person.name"},
		"zoen = \"UTC\"\n[[person]]\nname = \"sam\"\nage = 9":                                                                             {"1 zoen", "4 person.age"},
		// Nobody is missed in asked_by for a fault in their own name.
		"[[person]]\nname = \"sam\"\nrole = \"boss\"\n[[person]]\nname = \"bo\"\nrole = \"child\"\nasked_by = [\"sam\"]": {"3 person.role"},
		"[[person]]\nname = \"sam\"\nrole = \"adult\"\nasked_by = [\"al\", \"adults\", \"bo\"]":                          {"4 person.asked_by", "4 person.asked_by"},
		"[[person]]\nname = \"sam\"\nrole = \"adult\"":                                                                   nil,
	} {
		_, err := Parse("people.toml", []byte(src))
		var got []string
		for _, f := range Faults(err) {
			got = append(got, fmt.Sprint(f.Line, " ", f.Field))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

func TestNobodyIsSpokenToInARoomThatTheyDidNotName(t *testing.T) {
	h := parse(t, "[[person]]\nname=\"a\"\nrole=\"adult\"\nspeak_in=[\"Living  room\", \"living room\", \"attic\"]\n[[person]]\nname=\"b\"\nrole=\"child\"")
	if got := h.People(); !slices.Equal(got[0].SpeakIn, []string{"Living room", "attic"}) || len(got[1].SpeakIn) != 0 {
		t.Errorf("they are spoken to in %q and %q", got[0].SpeakIn, got[1].SpeakIn)
	}
}

func TestQuietHoursMayPassMidnight(t *testing.T) {
	h := parse(t, "[[person]]\nname=\"a\"\nrole=\"adult\"\nquiet=\"21:00-07:00\"\n[[person]]\nname=\"b\"\nrole=\"adult\"\nquiet=\"13:00-14:30\"\n[[person]]\nname=\"c\"\nrole=\"adult\"")
	at := func(hour, minute int) time.Time { return time.Date(2026, 1, 1, hour, minute, 0, 0, time.UTC) }
	for _, c := range []struct {
		name string
		t    time.Time
		want bool
	}{
		{"a", at(20, 59), false},
		{"a", at(21, 0), true},
		{"a", at(3, 0), true},
		{"a", at(7, 0), false},
		{"b", at(13, 0), true},
		{"b", at(14, 30), false},
		{"c", at(0, 0), false},
	} {
		p, _ := h.Find(c.name)
		if got := p.Quiet.Holds(c.t); got != c.want {
			t.Errorf("%s at %s: quiet = %v", c.name, c.t.Format("15:04"), got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(Sample()))
	f.Add("[[person]]\nname = \"a\"\n")
	f.Fuzz(func(t *testing.T, src string) {
		h, err := Parse("people.toml", []byte(src))
		if err != nil {
			return
		}
		for _, p := range h.People() {
			if got, ok := h.Find(string(p.Name)); !ok || got.Name != p.Name {
				t.Fatalf("%q is in the file and is not found", p.Name)
			}
			if !h.MayAsk(ask.Asker(p.Name), p.Name) {
				t.Fatalf("%q may not ask about themselves", p.Name)
			}
		}
	})
}
