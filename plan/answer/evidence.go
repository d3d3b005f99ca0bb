package answer

import (
	"strings"
	"time"

	"github.com/askhub/askhub/plan"
)

// evidence is what a sentence may rest on: the results, taken apart.
type evidence struct {
	looks  []look
	ents   []entity
	values []value
	labels []label
	// states are by word, synonyms and the names of boolean values among them.
	states map[string][]stateRef
	// vocabulary is by stem: which look-ups declare the word, and which were asked for it.
	vocabulary map[string]wordUse
}

// look is one look-up.
type look struct {
	found *plan.Found
	index int
	// facts is its facts' entity; its rows' entities follow.
	facts   int
	rows    int
	ok      bool
	absent  bool // it says that nothing fits
	partial bool // there is more than the rows that it gives
	// dated is whether a row holds an instant.
	dated bool
	// asked are the times that were looked at.
	asked []when
	// fieldWords are the words of the keys of its rows and facts.
	attackers map[string]bool // title, snippet, fields.<key>, facts.<key>
	names     map[string]bool // title, fields.<key>
}

// entity is a row of a look-up, or its facts.
type entity struct {
	look int
	row  int // -1 for the facts
}

type valueKind uint8

const (
	isText valueKind = iota
	isNumber
	isBool
	isInstant
)

// value is one value of an entity.
type value struct {
	ent      int
	key      string // of the field or fact; "title" and "ref" for those of a row
	special  bool   // title, ref or snippet, and no field of that name
	kind     valueKind
	text     string
	number   float64
	yes      bool
	when     instant
	attacker bool
	name     bool // one by which the row may be named
}

type label struct {
	look    int
	at      int // in the breakdown
	words   []token
	count   plan.Count
	trusted bool
}

// stateRef says what a state word means in one look-up.
type stateRef struct {
	look     int
	field    string
	values   []any
	declared bool // by stateFields, and no boolean's own name
	negated  bool
}

// wordUse is a bit for each look-up.
type wordUse struct{ declared, asked uint32 }

// maxFound bounds the look-ups: one bit each.
const maxFound = 32

func gather(found []plan.Found, c *calendar, zone *time.Location) *evidence {
	if len(found) > maxFound {
		found = found[:maxFound]
	}
	e := &evidence{states: map[string][]stateRef{}, vocabulary: map[string]wordUse{}}
	rows := 0
	for i := range found {
		rows += len(found[i].Result.Rows)
	}
	e.ents = make([]entity, 0, rows+len(found))
	e.values = make([]value, 0, rows*6+8*len(found))
	for i := range found {
		e.look(&found[i], i, c, zone)
	}
	return e
}

func (e *evidence) look(f *plan.Found, index int, c *calendar, zone *time.Location) {
	l := look{
		found: f, index: index, facts: len(e.ents), rows: len(f.Result.Rows), ok: f.Result.Outcome == plan.OutcomeOK,
		attackers: map[string]bool{"snippet": true}, names: map[string]bool{},
	}
	for _, p := range f.Says.AttackerFields {
		l.attackers[strings.TrimPrefix(p, "rows[].")] = true
	}
	for _, n := range f.Says.RowName {
		l.names[n] = true
	}
	e.ents = append(e.ents, entity{index, -1})
	first := len(e.values)
	for k, v := range f.Result.Facts {
		x := newValue(l.facts, k, v, zone)
		x.attacker = l.attackers["facts."+k]
		e.values = append(e.values, x)
		e.declare(k, index)
	}
	facts := e.values[first:]
	fields := map[string]fieldUse{}
	for i := range f.Result.Rows {
		e.row(&l, &f.Result.Rows[i], i, zone, fields)
	}
	for k := range fields {
		e.declare(k, index)
	}
	for key := range f.Says.GroupBy {
		e.declare(key, index)
	}
	e.breakdown(&l)
	e.words(&l, c)
	e.stateWords(&l)
	l.absent = f.Result.Outcome == plan.OutcomeNone
	if l.ok {
		l.absent = l.rows == 0 && len(f.Result.Facts) == 0 && len(f.Result.Breakdown) == 0
		for _, x := range facts {
			if x.kind == isNumber && counts(x.key) {
				l.absent = l.rows == 0 && x.number == 0
				l.partial = l.rows > 0 && x.number != float64(l.rows)
			}
		}
	}
	e.looks = append(e.looks, l)
}

// fieldUse remembers what is the same for a field in each row.
type fieldUse struct{ attacker, name bool }

func (e *evidence) row(l *look, r *plan.Row, i int, zone *time.Location, fields map[string]fieldUse) {
	ent := len(e.ents)
	e.ents = append(e.ents, entity{l.index, i})
	if r.Ref != "" {
		e.values = append(e.values, value{ent: ent, key: "ref", special: true, text: r.Ref, name: true})
	}
	if r.Title != "" {
		e.values = append(e.values, value{
			ent: ent, key: "title", special: true, text: r.Title, name: l.names["title"] || len(l.names) == 0 && !l.attackers["title"],
			attacker: l.attackers["title"],
		})
	}
	if r.Snippet != "" {
		e.values = append(e.values, value{ent: ent, key: "snippet", special: true, text: r.Snippet, attacker: true})
	}
	for k, v := range r.Fields {
		use, seen := fields[k]
		if !seen {
			use = fieldUse{attacker: l.attackers["fields."+k], name: l.names[k]}
			fields[k] = use
		}
		x := newValue(ent, k, v, zone)
		x.attacker, x.name = use.attacker, use.name
		if x.kind == isInstant {
			l.dated = true
		}
		e.values = append(e.values, x)
	}
}

func newValue(ent int, key string, v any, zone *time.Location) value {
	x := value{ent: ent, key: key}
	switch v := v.(type) {
	case string:
		x.text = v
		if at, ok := parseInstant(v, zone); ok {
			x.kind, x.when = isInstant, at
		}
	case bool:
		x.kind, x.yes = isBool, v
	case time.Time:
		x.kind, x.when = isInstant, newInstant(v, zone, false)
	default:
		if n, ok := asNumber(v); ok {
			x.kind, x.number = isNumber, n
		}
	}
	return x
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case int32:
		return float64(v), true
	case uint:
		return float64(v), true
	case uint32:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float32:
		return float64(v), true
	case interface{ Float64() (float64, error) }:
		n, err := v.Float64()
		return n, err == nil
	}
	return 0, false
}

// parseInstant reads what a result writes for a time: RFC 3339, a day, a clock.
func parseInstant(s string, zone *time.Location) (instant, bool) {
	switch {
	case len(s) == 10 && s[4] == '-':
		if t, err := time.Parse(time.DateOnly, s); err == nil {
			return newInstant(t, zone, true), true
		}
	case len(s) > 15 && len(s) < 40 && s[4] == '-' && s[7] == '-' && (s[10] == 'T' || s[10] == 't'):
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return newInstant(t, zone, false), true
		}
		for _, form := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
			if t, err := time.ParseInLocation(form, s, zone); err == nil {
				return newInstant(t, zone, false), true
			}
		}
	case (len(s) == 4 || len(s) == 5) && s[len(s)-3] == ':':
		if m, ok := digital(s, false); ok {
			return instant{clockOnly: true, minute: m}, true
		}
	}
	return instant{}, false
}

// counts is the name of a fact that counts all that was found.
func counts(key string) bool {
	switch key {
	case "count", "total", "number", "n", "size", "found":
		return true
	}
	return false
}

func splitWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '_' || r == '.' || r == '-' || r == ' ' || r == ',' || r == ':' })
}

func (e *evidence) declare(name string, look int) {
	for name != "" {
		w := name
		if i := strings.IndexAny(name, "_.- "); i >= 0 {
			w, name = name[:i], name[i+1:]
		} else {
			name = ""
		}
		if w == "" {
			continue
		}
		w = stem(lower(w))
		use := e.vocabulary[w]
		use.declared |= 1 << look
		e.vocabulary[w] = use
	}
}

// words takes in what the tool and its call say of themselves. The words that came
// in by an argument are what was asked for, and claim nothing by themselves.
func (e *evidence) words(l *look, c *calendar) {
	e.declare(l.found.Says.Tool, l.index)
	asked := map[string]bool{}
	taken := false // a value came from another result, and nobody here knows its words
	for _, a := range l.found.Call.Args {
		e.declare(a.Name, l.index)
		if a.Null {
			continue
		}
		taken = taken || strings.HasPrefix(a.Value, "@")
		ts, _ := tokens(strings.ReplaceAll(a.Value, "_", " "), nil)
		for _, t := range ts {
			if t.kind == tokWord {
				w := stem(t.low)
				asked[w] = true
				use := e.vocabulary[w]
				use.asked |= 1 << l.index
				e.vocabulary[w] = use
			}
		}
		l.asked = append(l.asked, c.all(ts)...)
	}
	if taken {
		return
	}
	ts, _ := tokens(l.found.About, nil)
	for _, t := range ts {
		w := stem(t.low)
		if t.kind != tokWord || asked[w] || t.low == "" || t.capital() && t.text != ts[0].text {
			continue
		}
		use := e.vocabulary[w]
		use.declared |= 1 << l.index
		e.vocabulary[w] = use
	}
	l.asked = append(l.asked, c.all(ts)...)
}

// all are the dates that stand in ts.
func (c *calendar) all(ts []token) []when {
	var out []when
	for i := 0; i < len(ts); {
		w, n := c.at(ts, i)
		if n == 0 {
			i++
			continue
		}
		out = append(out, w)
		i += n
	}
	return out
}

func (e *evidence) breakdown(l *look) {
	for i, b := range l.found.Result.Breakdown {
		declared := false
		for _, name := range l.found.Says.GroupBy[b.Key] {
			declared = declared || name == b.Label
		}
		ts, bad := tokens(b.Label, nil)
		e.labels = append(e.labels, label{look: l.index, at: i, words: ts, count: b, trusted: declared && b.Enum && bad == "" && len(ts) > 0})
		e.declare(b.Key, l.index)
	}
}

func (e *evidence) stateWords(l *look) {
	add := func(word string, r stateRef) {
		if len(r.values) == 0 {
			return
		}
		e.states[word] = append(e.states[word], r)
		if _, closed := r.values[0].(bool); !closed {
			return // what is not "paid" may still be something else than "unpaid"
		}
		other, found := strings.CutPrefix(word, "un")
		if !found {
			other = "un" + word
		}
		r.negated = !r.negated
		e.states[other] = append(e.states[other], r)
	}
	for word, s := range l.found.Says.States {
		r := stateRef{look: l.index, field: s.Field, values: s.Values, declared: true}
		add(word, r)
		for _, syn := range s.Synonyms {
			add(syn, r)
		}
	}
	seen := map[string]bool{}
	for i := len(e.values) - 1; i >= 0 && e.values[i].ent >= l.facts; i-- {
		v := &e.values[i]
		if v.kind != isBool || seen[v.key] {
			continue
		}
		seen[v.key] = true
		word := strings.TrimPrefix(strings.TrimPrefix(v.key, "is_"), "has_")
		if _, declared := l.found.Says.States[word]; !declared && !strings.Contains(word, "_") {
			add(word, stateRef{look: l.index, field: v.key, values: []any{true}})
		}
	}
}

// truth says whether a state holds for an entity: yes, no, or not told.
func (r stateRef) truth(v *value) (holds, known bool) {
	for _, want := range r.values {
		switch want := want.(type) {
		case bool:
			if v.kind == isBool {
				known = true
				holds = holds || want == v.yes
			}
		case string:
			if v.kind == isText || v.kind == isInstant {
				known = true
				holds = holds || want == v.text
			}
		}
	}
	return holds != r.negated, known
}
