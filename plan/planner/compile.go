package planner

import (
	"slices"
	"strings"

	"github.com/askhub/askhub/plan"
)

// role is what a text argument takes, as its name and description tell.
type role uint8

const (
	roleOther role = iota
	roleID
	roleOn    // a day
	roleFirst // the first day
	roleLast  // the last day
	roleFrom  // who wrote or made something
	rolePerson
	roleAbout // words, a title, a subject
	rolePlace
	roleNumber
	roleQuestion // the whole question, for another project
)

func (r role) isDay() bool { return r == roleOn || r == roleFirst || r == roleLast }

// arg is an argument as the planner reads it.
type arg struct {
	plan.Arg
	role role
	// values are an enum's values in words, stemmed.
	values [][]string
	labels []string // the values as labels of times: this_week
	// name are the stems of its name, and mentions all of what describes it.
	name, mentions map[string]bool
	describe       string // in lower case
	// examples are what its description names as such: "such as pdf".
	examples map[string]string // by stem
}

// toolWords is a tool as the planner reads it.
type toolWords struct {
	tool plan.Offered
	// strong are the stems of what it is and does, weak those of its arguments.
	strong, weak map[string]bool
	groups       map[int]bool // of the strong ones
	// heads are the first words that say what it is about; id the stems of its id.
	heads []string
	id    map[string]bool
	args  []arg
	past  bool // it tells of what came or was written
}

// knownWord is a word that a tool says.
type knownWord struct{ word, stem string }

// compiled are the offered tools, read once.
type compiled struct {
	tools []toolWords
	// rarity is by stem: how many tools say it.
	rarity map[string]int
	groups map[int]int
	known  []knownWord // for typing errors
}

func splitLow(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80 || strings.ContainsRune("’“”…–—", r)
	})
}

func stems(text string) []string {
	fields := splitLow(text)
	out := fields[:0]
	for _, w := range fields {
		if !hard[w] {
			out = append(out, stem(w))
		}
	}
	return out
}

func compile(tools []plan.Offered) *compiled {
	c := &compiled{rarity: map[string]int{}, groups: map[int]int{}}
	for _, t := range tools {
		w := toolWords{tool: t, strong: map[string]bool{}, weak: map[string]bool{}, groups: map[int]bool{}}
		w.id = stemmed(strings.Join(splitLow(t.ID), " "))
		for _, s := range append(stems(t.Description), stems(t.ID)...) {
			w.strong[s] = true
		}
		open := true
		for _, s := range splitLow(t.Description) {
			c.know(s)
			switch said := !hard[s] && !soft[s]; {
			case open && said:
				w.heads = append(w.heads, stem(s))
			case len(w.heads) > 0 && s != "and" && s != "or":
				open = false
			}
		}
		for _, a := range t.Args {
			w.args = append(w.args, readArg(a, t.Remote))
		}
		for _, a := range w.args {
			for s := range a.mentions {
				w.weak[s] = true
			}
			for _, v := range a.Values {
				for _, s := range splitLow(v) {
					c.know(s)
				}
			}
		}
		for s := range w.strong {
			c.rarity[s]++
			if g := groups[s]; g != 0 {
				w.groups[g] = true
			}
		}
		for g := range w.groups {
			c.groups[g]++
		}
		for _, s := range []string{"came", "receiv", "arriv", "sent", "wrote", "sinc"} {
			w.past = w.past || w.strong[s]
		}
		c.tools = append(c.tools, w)
	}
	slices.SortFunc(c.known, func(a, b knownWord) int { return strings.Compare(a.word, b.word) })
	c.known = slices.Compact(c.known)
	return c
}

func (c *compiled) know(word string) {
	if len(word) > 4 && !hard[word] && !soft[word] {
		c.known = append(c.known, knownWord{word, stem(word)})
	}
}

func readArg(a plan.Arg, remote bool) arg {
	out := arg{Arg: a, name: map[string]bool{}, mentions: map[string]bool{}, describe: strings.ToLower(a.Describe)}
	for _, s := range stems(a.Name) {
		out.name[s], out.mentions[s] = true, true
	}
	for _, s := range stems(a.Describe) {
		out.mentions[s] = true
	}
	for _, v := range a.Values {
		words := strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return strings.ContainsRune("_-. /", r) })
		out.labels = append(out.labels, strings.Join(words, "_"))
		for i := range words {
			words[i] = stem(words[i])
		}
		out.values = append(out.values, words)
	}
	if _, after, ok := strings.Cut(out.describe, "such as "); ok && a.Values == nil {
		after, _, _ = strings.Cut(after, ";")
		out.examples = map[string]string{}
		for _, w := range splitLow(after) {
			if !hard[w] {
				out.examples[stem(w)] = w
			}
		}
	}
	if a.Values == nil {
		out.role = roleOf(&out, remote)
	}
	return out
}

// cues are the words of a name or a description by which an argument's role is known.
var cues = []struct {
	role  role
	words map[string]bool
}{
	{roleID, stemmed("id identifier reference ref isbn")},
	{roleOn, stemmed("date day yyyy weekday month week deadline")},
	{roleFrom, stemmed("sender author writer wrote written sent")},
	{rolePerson, stemmed("person who whose whom child pupil member borrower reader")},
	{rolePlace, stemmed("place room where location shelf branch shop street")},
	{roleNumber, stemmed("number limit maximum how many amount")},
	{roleAbout, stemmed("words word subject topic title keyword keywords contain search query phrase about name called text of content")},
}

func stemmed(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[stem(w)] = true
	}
	return m
}

func roleOf(a *arg, remote bool) role {
	// Here the words that hold a sentence together tell something: until, about, who.
	inWords := func(text string) map[string]bool {
		return stemmed(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' }), " "))
	}
	name := strings.ToLower(a.Name)
	plain, named := inWords(a.describe), inWords(name)
	switch {
	case remote && name == plan.QuestionArg:
		return roleQuestion
	case plain["id"] || plain["identifi"] || name == "id" || strings.HasSuffix(name, "_id"):
		return roleID
	}
	found := roleOther
	for _, from := range []map[string]bool{named, plain} {
		for _, c := range cues {
			for w := range c.words {
				if from[w] && found == roleOther {
					found = c.role
				}
			}
		}
	}
	dated := plain["yyyi"] || plain["dd"] || plain["day"] || plain["date"] || found == roleOn
	bound := map[string]role{
		"since": roleFirst, "from": roleFirst, "start": roleFirst, "begin": roleFirst, "after": roleFirst, "first": roleFirst, "earliest": roleFirst,
		"until": roleLast, "till": roleLast, "to": roleLast, "end": roleLast, "before": roleLast, "last": roleLast, "latest": roleLast,
	}
	if dated && (found == roleOn || found == roleOther) {
		for _, part := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-.", r) }) {
			if r := bound[part]; r != 0 {
				return r
			}
		}
		switch {
		case strings.Contains(a.describe, "first day"):
			return roleFirst
		case strings.Contains(a.describe, "last day"):
			return roleLast
		}
		return roleOn
	}
	return found
}

// takesID says that an argument is the id that an output gives.
func (a *arg) takesID(out plan.Output) bool {
	if a.role != roleID || a.Values != nil {
		return false
	}
	for _, s := range append(append(stems(out.Name), stems(out.Kind)...), stems(out.Describe)...) {
		if s != "id" && a.mentions[s] && !soft[s] {
			return true
		}
	}
	return false
}
