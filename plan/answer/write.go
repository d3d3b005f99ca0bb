package answer

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/askhub/askhub/plan"
)

// writer writes one sentence of a template.
type writer struct {
	template *Template
	found    *plan.Found
	ctx      *Context
	most     int
	zone     *time.Location
	now      time.Time
	states   map[string]plan.StateField
}

func (w *writer) init() {
	w.zone = w.ctx.Zone
	if w.zone == nil {
		w.zone = w.ctx.Now.Location()
	}
	w.now = w.ctx.Now.In(w.zone)
	w.states = w.template.says.States
}

// text writes a text for a row, or for the whole result where row is nil; ok is false
// where a value is missing.
func (w *writer) text(t *text, row *plan.Row) (said string, ok bool) {
	var b strings.Builder
	for _, p := range t.parts {
		s, ok := w.part(p, row)
		if !ok && p.kind != partOptional {
			return "", false
		}
		if day, on := strings.CutPrefix(s, "on "); ok && on && p.kind == partValue && bounds(b.String()) {
			s = day
		}
		if ok {
			b.WriteString(s)
		}
	}
	return b.String(), true
}

// bounds says that a text ends in a word that a day follows without "on".
func bounds(s string) bool { return strings.HasSuffix(s, "since ") || strings.HasSuffix(s, "until ") }

func (w *writer) part(p part, row *plan.Row) (string, bool) {
	rows := w.found.Result.Rows
	switch p.kind {
	case partWords:
		return p.words, true
	case partOptional:
		return w.text(p.inner, row)
	case partFirst:
		if len(rows) == 0 {
			return "", false
		}
		return w.text(p.inner, &rows[0])
	case partRows:
		return w.list(p.inner, rows)
	case partState:
		s := w.states[p.words]
		v := newValue(0, s.Field, row.Fields[s.Field], w.zone)
		yes, known := stateRef{values: s.Values}.truth(&v)
		return p.words, yes && known
	}
	return w.value(p, row)
}

// list is "a, b and c", or "a, b and 2 more".
func (w *writer) list(t *text, rows []plan.Row) (string, bool) {
	var parts []string
	for i := range rows {
		if len(parts) == w.most {
			break
		}
		s, ok := w.text(t, &rows[i])
		if !ok {
			return "", false
		}
		parts = append(parts, strings.TrimSpace(s))
	}
	if more := len(rows) - len(parts); more > 0 {
		parts = append(parts, strconv.Itoa(more)+" more")
	}
	return joined(parts), len(parts) > 0
}

func joined(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func (w *writer) value(p part, row *plan.Row) (string, bool) {
	you := w.ctx.Person == "" || w.ctx.Person == w.ctx.Asker
	switch p.words {
	case "count":
		return w.number(p, float64(len(w.found.Result.Rows)))
	case "who", "whose", "have":
		who, whose, have := "you", "your", "you have"
		if !you {
			who = personName(w.ctx.Person)
			whose, have = who+"'s", who+" has"
		}
		return map[string]string{"who": who, "whose": whose, "have": have}[p.words], true
	}
	if p.words == "as_of" {
		return w.age()
	}
	kind, key, _ := strings.Cut(p.words, ".")
	var v any
	switch {
	case kind == "args":
		said, ok := w.argument(key)
		if ok && p.form == "quote" {
			said = "“" + said + "”"
		}
		return said, ok
	case kind == "facts":
		v = w.found.Result.Facts[key]
	case p.words == "title":
		v = row.Title
	case p.words == "ref":
		v = row.Ref
	case p.words == "snippet":
		v = row.Snippet
	default:
		v = row.Fields[key]
	}
	return w.say(p, newValue(0, key, v, w.zone))
}

// personName is a person as a sentence names them.
func personName(p string) string {
	words := strings.Fields(strings.ReplaceAll(p, "_", " "))
	for i, x := range words {
		r := []rune(x)
		r[0] = unicode.ToUpper(r[0])
		words[i] = string(r)
	}
	return strings.Join(words, " ")
}

// age says when an older result was true; it is missing for a fresh one.
func (w *writer) age() (string, bool) {
	at := w.found.Result.At
	if at.IsZero() || w.now.Sub(at) < 2*time.Minute {
		return "", false
	}
	said, ok := w.instant("when", newInstant(at, w.zone, false))
	return "as of " + strings.TrimPrefix(said, "on "), ok
}

func (w *writer) argument(name string) (string, bool) {
	for _, a := range w.found.Call.Args {
		if a.Name == name && !a.Null && !strings.HasPrefix(a.Value, "@") {
			s := strings.ReplaceAll(a.Value, "_", " ")
			return s, s != "" && Quotable(s) == s
		}
	}
	return "", false
}

func (w *writer) say(p part, v value) (string, bool) {
	switch p.form {
	case "day", "clock", "when":
		if v.kind != isInstant {
			return "", false
		}
		return w.instant(p.form, v.when)
	case "quote":
		q := Quotable(v.text)
		return "“" + q + "”", q != ""
	}
	switch v.kind {
	case isNumber:
		return w.number(p, v.number)
	case isText:
		if p.words != "title" && len(v.text) < 5 && digitsOnly(v.text) { // room 4
			return v.text, true
		}
		return w.own(v.text)
	}
	return "", false
}

// number is 3, 12.5, or with its noun "one lesson", "3 lessons".
func (w *writer) number(p part, n float64) (string, bool) {
	s := strconv.FormatFloat(n, 'f', -1, 64)
	if n < 0 || len(s) > 15 {
		return "", false
	}
	switch {
	case p.plural[0] == "":
		return s, true
	case n == 0:
		return "no " + p.plural[1], true
	case n == 1:
		return "one " + p.plural[0], true
	}
	return s + " " + p.plural[1], true
}

// own is the household's own text as it stands, or quoted where its marks or its
// words could turn the sentence.
func (w *writer) own(s string) (string, bool) {
	said := Quotable(s)
	if said == "" {
		return "", false
	}
	if said == s && w.plain(s) {
		return s, true
	}
	return "“" + said + "”", true
}

// plain is text whose words claim nothing and end nothing.
func (w *writer) plain(s string) bool {
	ts, bad := tokens(s, nil)
	if bad != "" {
		return false
	}
	for i, t := range ts {
		switch {
		case t.kind == tokNumber && i > 0 && digitsOnly(t.low):
		case t.kind != tokWord, w.isState(strings.TrimPrefix(t.low, "un")), quantifiers[t.low] != noQuant, negates[t.low], compares[t.low], endWords[t.low] && i == len(ts)-1:
			return false
		}
	}
	for i := range ts {
		if _, n := (&calendar{now: w.now}).at(ts, i); n > 0 {
			return false
		}
	}
	return !onlyClaims(ts)
}

// isState says that a word would be read as a state that is claimed.
func (w *writer) isState(word string) bool {
	for name, s := range w.states {
		if strings.TrimPrefix(name, "un") == word || slices.Contains(s.Synonyms, word) || slices.Contains(s.Synonyms, "un"+word) {
			return true
		}
	}
	if w.found == nil {
		return false
	}
	for _, r := range w.found.Result.Rows {
		for _, key := range []string{word, "is_" + word, "has_" + word} {
			if _, yes := r.Fields[key].(bool); yes {
				return true
			}
		}
	}
	return false
}

// instant is how people say a time as it lies from now.
func (w *writer) instant(form string, x instant) (string, bool) {
	clock := strconv.Itoa(x.minute/60) + ":" + strconv.Itoa(100 + x.minute%60)[1:]
	switch {
	case form == "clock":
		return clock, !x.dateOnly
	case x.clockOnly && form == "when":
		return "at " + clock, true
	case x.clockOnly:
		return "", false
	}
	day := w.day(x)
	if form == "day" || x.dateOnly {
		return day, true
	}
	return day + " at " + clock, true
}

func (w *writer) day(x instant) string {
	today := dayNumber(w.now)
	date := time.Unix(int64(x.day)*86400, 0).UTC()
	switch d := x.day - today; {
	case d == 0:
		return "today"
	case d == 1:
		return "tomorrow"
	case d == -1:
		return "yesterday"
	case d > 1 && d < 7:
		return "on " + date.Weekday().String()
	case abs(d) < 180:
		return "on " + date.Format("Monday 2 January")
	}
	return "on " + date.Format("2 January 2006")
}

// sources are the positions of look-ups that only found what a later one needed.
func sources(found []plan.Found) []int {
	var out []int
	for _, f := range found {
		for _, a := range f.Call.Args {
			if len(a.Value) > 3 && strings.HasPrefix(a.Value, "@r") && a.Value[3] == '.' {
				if n := int(a.Value[2] - '0'); !slices.Contains(out, n) {
					out = append(out, n)
				}
			}
		}
	}
	return out
}
