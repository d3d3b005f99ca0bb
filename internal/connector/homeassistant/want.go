package homeassistant

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// verbWant are words that order something, and the state that is then wanted.
type verbWant struct{ words, want string }

// verbs are the ways to order something, longer ones first, with the state that is wanted.
var verbs = []verbWant{
	{"turn on", "on"},
	{"switch on", "on"},
	{"put on", "on"},
	{"turn off", "off"},
	{"switch off", "off"},
	{"turn up", ""},
	{"turn down", ""},
	{"open", "open"},
	{"close", "closed"},
	{"shut", "closed"},
	{"lock", "locked"},
	{"unlock", "unlocked"},
	{"start", "on"},
	{"stop", "off"},
	{"activate", "scene"},
	{"dim", ""},
	{"set", ""},
	{"pause", "paused"},
	{"play", "playing"},
	{"raise", "open"},
	{"lower", "closed"},
}

// verbOf is the order in the words, and what follows "to" in them.
func verbOf(words []string) (verb, rest string) {
	if verb = phrase(words); verb == "" {
		for _, v := range verbs {
			if slices.Contains(words, v.words) {
				verb = v.words
				break
			}
		}
	}
	if i := slices.Index(words, "to"); i > 0 && verb != "" {
		rest = " " + strings.Join(words[i:], " ")
	}
	return verb, rest
}

// phrase is an order of two words, which may stand around what it is about: "turn the lamp on
// the desk off". The second one then stands at the end, or is the only one of its kind there.
func phrase(words []string) string {
	first := ""
	for _, w := range words {
		if slices.ContainsFunc(verbs, func(v verbWant) bool { return strings.HasPrefix(v.words, w+" ") }) {
			first = w // "turn the switch on" does not switch on
			break
		}
	}
	var said []string // the orders that may be meant
	for _, v := range verbs {
		begin, end, two := strings.Cut(v.words, " ")
		switch {
		case !two || begin != first || !slices.Contains(words, end):
		case at(words, []string{begin, end}) >= 0:
			return v.words
		default:
			said = append(said, v.words)
		}
	}
	if i := slices.IndexFunc(said, func(v string) bool { return strings.HasSuffix(v, " "+words[len(words)-1]) }); i >= 0 {
		return said[i]
	}
	if len(said) == 1 {
		return said[0]
	}
	return ""
}

// want is how it is to be afterwards. Where neither state nor number says it, what differs
// from before was carried out.
type want struct {
	state  string
	number *float64
	before map[string]entity
}

func wantOf(words []string, before map[string]entity) want {
	w := want{before: before}
	verb, rest := verbOf(words)
	for _, v := range verbs {
		if v.words == verb {
			w.state = v.want
		}
	}
	for f := range strings.FieldsSeq(rest) {
		if n, err := strconv.ParseFloat(strings.TrimRight(f, "%°c"), 64); err == nil {
			w.number = &n
			break
		}
	}
	return w
}

// met says whether e is as it is wanted, and known whether that can be told at all.
func (w want) met(e entity) (met, known bool) {
	if w.number != nil {
		return w.metNumber(e)
	}
	switch w.state {
	case "", "scene":
		return e.answers() && e.differs(w.before[e.ID]), true
	case "on":
		if e.domain() == "scene" {
			return e.differs(w.before[e.ID]), true
		}
		if e.domain() == "cover" {
			return e.State == "open" || e.State == "opening", true
		}
		return !slices.Contains([]string{"off", "standby"}, e.State) && e.State != "docked" && e.State != "closed" && e.answers(), true
	case "off":
		return slices.Contains([]string{"off", "idle", "standby", "paused", "docked", "returning", "closed", "closing"}, e.State), true
	case "open":
		return e.State == "open" || e.State == "opening" || e.State == "on", true
	case "closed":
		return e.State == "closed" || e.State == "closing" || e.State == "off", true
	case "locked":
		return e.State == "locked" || e.State == "locking", true
	case "unlocked":
		return e.State == "unlocked" || e.State == "unlocking", true
	}
	return e.State == w.state, true
}

// metNumber compares a level, with what rounding may have done to it.
func (w want) metNumber(e entity) (met, known bool) {
	near := func(v *float64, scale, off float64) (bool, bool) {
		if v == nil {
			return false, true
		}
		return math.Abs(*v*scale-*w.number) <= off, true
	}
	switch e.domain() {
	case "light":
		return near(e.Attributes.Brightness, 100.0/255, 1)
	case "cover":
		return near(e.Attributes.Position, 1, 1)
	case "fan":
		return near(e.Attributes.Percentage, 1, 1)
	case "climate":
		return near(e.Attributes.Temperature, 1, 0.5)
	case "media_player":
		if e.Attributes.Volume == nil {
			return false, false // what is off does not say how loud it is
		}
		return near(e.Attributes.Volume, 100, 1)
	}
	return false, false
}

// became is how these are now. A colour, a sound and the like have no words here: that they are
// others than before is said so.
func (w want) became(done []entity) string {
	if len(done) == 1 {
		e := done[0]
		was := w.before[e.ID]
		switch {
		case w.number != nil && e.domain() == "media_player" && e.Attributes.Volume != nil:
			return the(e) + " " + of(e, "is", "are") + " at volume " + strconv.Itoa(int(math.Round(*e.Attributes.Volume*100))) + "%"
		case w.number != nil && e.domain() == "cover" && e.Attributes.Position != nil && e.State != "closed":
			return the(e) + " " + of(e, "is", "are") + " at " + strconv.Itoa(int(math.Round(*e.Attributes.Position))) + "%"
		case w.number != nil && e.domain() == "climate" && e.State == "off" && e.Attributes.Temperature != nil:
			return the(e) + " " + of(e, "is", "are") + " set to " + strconv.FormatFloat(math1(*e.Attributes.Temperature), 'f', -1, 64) + " °C, and off"
		case w.number == nil && w.state == "" && isState(e) == isState(was) && e.differs(was):
			return the(e) + " " + of(e, "has", "have") + " changed, and " + isState(e)
		}
	}
	return stateOf(done)
}
