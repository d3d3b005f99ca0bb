package answer

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/askhub/askhub/plan"
)

// Spec is what a tool's author writes for its sentences.
//
// A text holds words and, in braces, what a result gives:
//
//	{count}                      how many rows there are
//	{count:lesson:lessons}       "one lesson", "3 lessons"
//	{facts.unread}               a fact; also with forms: {facts.unread:new mail:new mails}
//	{rows: {title} at {fields.start|clock}}   each row, as a list: a, b and c
//	{first: {title}}             the first row
//	{args.day}                   what the look-up was asked for; as words of the asker's own with |quote
//	{as_of}                      "as of today at 8:15", where the result is older than two minutes
//	{who} {whose} {have}         you, your, you have; or Harry, Harry's, Harry has
//	{state:cancelled}            inside a row: the word where it holds
//
// After a bar stands how a value is said: day ("tomorrow", "on Friday"), clock
// ("9:00"), when (both), quote (other people's text; needed for an attacker field, and
// refused without). What stands in square brackets is left out where a value in it is
// missing. A missing value elsewhere makes the whole text unsayable.
type Spec struct {
	Says plan.Statement
	// About is an example of the tool's describe line; its words may be used.
	About string
	// Paths are all result paths that the texts may name: facts.count,
	// rows[].title, rows[].fields.start.
	Paths []string
	// None is for an empty result, One for one row, Few for several, up to Most; Many is
	// for more. A missing One, Few or Many falls to the next of them that is there.
	None, One, Few, Many string
	// Most is how many rows Few lists; 0 is 3. A list that is longer ends in "and 2 more".
	Most int
}

// Template writes a tool's sentences. It is built once and safe to share.
type Template struct {
	says  plan.Statement
	cases [4]*text
	most  int
}

const (
	caseNone = iota
	caseOne
	caseFew
	caseMany
)

var caseNames = [4]string{"none", "one", "few", "many"}

// NewTemplate builds a tool's template. Each fault of its texts is an error that
// names the tool, the text and the mend.
func NewTemplate(s Spec) (*Template, error) {
	t := &Template{says: s.Says, most: s.Most}
	if t.most == 0 {
		t.most = 3
	}
	if s.Most < 0 {
		return nil, fmt.Errorf("tool %s: template: most is %d, and a list holds at least one row", s.Says.Tool, s.Most)
	}
	for i, src := range [4]string{s.None, s.One, s.Few, s.Many} {
		if src == "" {
			continue
		}
		parsed, err := parseText(src)
		if err == nil {
			err = newLint(&s).text(parsed, false)
		}
		if err != nil {
			return nil, fmt.Errorf("tool %s: template for %s: %w", s.Says.Tool, caseNames[i], err)
		}
		t.cases[i] = parsed
	}
	if t.cases[caseFew] == nil && t.cases[caseOne] == nil && t.cases[caseMany] == nil {
		return nil, fmt.Errorf("tool %s: template: no text says what was found", s.Says.Tool)
	}
	return t, nil
}

// choose is the text for a result.
func (t *Template) choose(r *plan.Result) *text {
	empty := r.Outcome == plan.OutcomeNone || len(r.Rows) == 0 && zeroFacts(r)
	order := []int{caseFew, caseOne, caseMany}
	switch {
	case r.Outcome != plan.OutcomeNone && r.Outcome != plan.OutcomeOK:
		return nil
	case empty:
		order = []int{caseNone}
	case len(r.Rows) == 1:
		order = []int{caseOne, caseFew, caseMany}
	case len(r.Rows) > t.most:
		order = []int{caseMany, caseFew}
	case len(r.Rows) > 1:
		order = []int{caseFew, caseMany}
	}
	for _, i := range order {
		if t.cases[i] != nil {
			return t.cases[i]
		}
	}
	return nil
}

// zeroFacts says that the facts tell of nothing: there are none, or each number is zero.
func zeroFacts(r *plan.Result) bool {
	for _, v := range r.Facts {
		n, number := asNumber(v)
		if !number || n != 0 {
			return false
		}
	}
	return len(r.Breakdown) == 0
}

// maxSaid is the longest sentence that a template writes, in code points: what spec 1
// takes as one short sentence.
const maxSaid = 300

// Sentence writes what was found; ok is false where there is no text for it, or a
// value is missing or not fit to be said. It is always one sentence.
func (t *Template) Sentence(f *plan.Found, ctx Context) (sentence string, ok bool) {
	chosen := t.choose(&f.Result)
	if chosen == nil {
		return "", false
	}
	for most := t.most; most > 0; most-- {
		w := &writer{template: t, found: f, ctx: &ctx, most: most}
		w.init()
		said, ok := w.text(chosen, nil)
		if !ok {
			return "", false
		}
		if said = finish(said); utf8.RuneCountInString(said) <= maxSaid {
			return said, said != ""
		}
	}
	return "", false
}

// finish makes a sentence of it: one space between words, a capital, a full stop.
func finish(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	s = strings.ToUpper(string(r)) + s[n:]
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// text is a parsed template.
type text struct{ parts []part }

type partKind uint8

const (
	partWords partKind = iota
	partValue          // facts.x, fields.x, title, ref, args.x, who, whose, have, count
	partRows
	partFirst
	partOptional
	partState
)

type part struct {
	kind   partKind
	words  string // literal words, a value's name, or a state
	form   string // day, clock, when, quote, or empty
	plural [2]string
	inner  *text
}

var errBrace = errors.New("a brace or a bracket does not close")

// parseText reads a template's text.
func parseText(s string) (*text, error) {
	t := &text{}
	for s != "" {
		i := strings.IndexAny(s, "{}[]")
		if i < 0 {
			t.parts = append(t.parts, part{words: s})
			return t, nil
		}
		if i > 0 {
			t.parts = append(t.parts, part{words: s[:i]})
		}
		if s[i] == '}' || s[i] == ']' {
			return nil, errBrace
		}
		inner, rest, err := enclosed(s[i:])
		if err != nil {
			return nil, err
		}
		p, err := parsePart(s[i] == '[', inner)
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, p)
		s = rest
	}
	return t, nil
}

// enclosed is what stands between s's first character and the one that closes it.
func enclosed(s string) (inner, rest string, err error) {
	depth := []byte{}
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			depth = append(depth, s[i]+2)
		case '}', ']':
			if depth[len(depth)-1] != s[i] {
				return "", "", errBrace
			}
			if depth = depth[:len(depth)-1]; len(depth) == 0 {
				return s[1:i], s[i+1:], nil
			}
		}
	}
	return "", "", errBrace
}

func parsePart(optional bool, s string) (part, error) {
	nested := func(kind partKind, s string) (part, error) {
		inner, err := parseText(s)
		return part{kind: kind, inner: inner}, err
	}
	if optional {
		return nested(partOptional, s)
	}
	if rest, ok := strings.CutPrefix(s, "rows:"); ok {
		return nested(partRows, strings.TrimSpace(rest))
	}
	if rest, ok := strings.CutPrefix(s, "first:"); ok {
		return nested(partFirst, strings.TrimSpace(rest))
	}
	if strings.ContainsAny(s, "{}[]") {
		return part{}, fmt.Errorf("{%s} is neither a list of rows nor a value", s)
	}
	if rest, ok := strings.CutPrefix(s, "state:"); ok {
		return part{kind: partState, words: rest}, nil
	}
	p := part{kind: partValue}
	s, p.form, _ = strings.Cut(s, "|")
	var one, many string
	name, forms, plural := strings.Cut(s, ":")
	if plural {
		one, many, plural = strings.Cut(forms, ":")
		if !plural || one == "" || many == "" {
			return p, fmt.Errorf("{%s}: write both forms, as in {count:lesson:lessons}", s)
		}
		p.plural = [2]string{one, many}
	}
	p.words = name
	return p, nil
}
