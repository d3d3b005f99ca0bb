package answer

import (
	"fmt"
	"slices"
	"strings"
)

// lint holds a parsed text against what its tool declares.
type lint struct {
	spec  *Spec
	words map[string]bool
}

func newLint(s *Spec) *lint {
	l := &lint{spec: s, words: map[string]bool{}}
	take := func(text string) {
		for _, w := range splitWords(text) {
			l.words[stem(lower(w))] = true
		}
	}
	take(s.Says.Tool)
	take(s.About)
	about, _ := tokens(s.About, nil) // as the check cuts it: "ten-minute" is one word
	for _, t := range about {
		l.words[stem(t.low)] = true
	}
	for _, p := range s.Paths {
		take(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(p, "facts."), "rows[]."), "fields."))
	}
	for key := range s.Says.GroupBy {
		take(key)
	}
	for word, st := range s.Says.States {
		take(word)
		for _, syn := range st.Synonyms {
			take(syn)
		}
	}
	return l
}

var forms = []string{"", "day", "clock", "when", "quote"}

func (l *lint) text(t *text, inRow bool) error {
	for _, p := range t.parts {
		if err := l.part(p, inRow); err != nil {
			return err
		}
	}
	return nil
}

func (l *lint) part(p part, inRow bool) error {
	switch p.kind {
	case partWords:
		return l.literal(p.words)
	case partOptional:
		return l.text(p.inner, inRow)
	case partRows, partFirst:
		if inRow {
			return fmt.Errorf("a list of rows inside a row")
		}
		return l.text(p.inner, true)
	case partState:
		if !inRow {
			return fmt.Errorf("{state:%s} stands outside a row: put it inside {rows: …}", p.words)
		}
		if _, ok := l.spec.Says.States[p.words]; !ok {
			return fmt.Errorf("{state:%s}: stateFields has no such state", p.words)
		}
		return nil
	}
	return l.value(p, inRow)
}

// literal lets only such words stand in a text as the check takes for glue or as the
// tool's own.
func (l *lint) literal(s string) error {
	ts, bad := tokens(s, nil)
	if bad != "" {
		return fmt.Errorf("%q is no character of a sentence", bad)
	}
	for _, t := range ts {
		switch {
		case t.kind == tokQuote:
			return fmt.Errorf("“%s”: quotation marks come with |quote, and hold what a result gives", t.text)
		case t.kind == tokNumber || isNumberWord(t.low) && t.low != "one":
			return fmt.Errorf("%q: a number comes from a result", t.text)
		case t.kind == tokPunct, glue[t.low], posted[t.low], quantifiers[t.low] == noSuch, quantifiers[t.low] == nothing, l.words[stem(t.low)]:
		default:
			return fmt.Errorf("%q is neither an ordinary word nor one of the tool's own: name it in describe, in a key, or leave it out", t.text)
		}
	}
	return nil
}

func (l *lint) value(p part, inRow bool) error {
	if !slices.Contains(forms, p.form) {
		return fmt.Errorf("{%s|%s}: say day, clock, when or quote", p.words, p.form)
	}
	for _, form := range p.plural {
		if err := l.literal(form); err != nil {
			return err
		}
	}
	switch p.words {
	case "count", "who", "whose", "have", "as_of":
		if p.form != "" {
			return fmt.Errorf("{%s} takes no form", p.words)
		}
		return nil
	}
	if name, ok := strings.CutPrefix(p.words, "args."); ok {
		if name == "" || p.form != "" && p.form != "quote" {
			return fmt.Errorf("{%s}: write {args.name} or {args.name|quote}", p.words)
		}
		return nil
	}
	path := p.words
	if !strings.HasPrefix(path, "facts.") {
		if !inRow {
			return fmt.Errorf("{%s} is a row's, and stands outside {rows: …}", p.words)
		}
		path = "rows[]." + path
	}
	if !slices.Contains(l.spec.Paths, path) {
		return fmt.Errorf("{%s}: %s is not among the declared paths", p.words, path)
	}
	stranger := path == "rows[].snippet" || slices.Contains(l.spec.Says.AttackerFields, path)
	if stranger && p.form != "quote" {
		return fmt.Errorf("{%s} is text that other people wrote: write {%s|quote}, after a word such as titled or from", p.words, p.words)
	}
	if path == "rows[].title" && !stranger && len(l.spec.Says.RowName) > 0 && !slices.Contains(l.spec.Says.RowName, "title") {
		return fmt.Errorf("{title}: rowName does not let a row be named by its title")
	}
	return nil
}
