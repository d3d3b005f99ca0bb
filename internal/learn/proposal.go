package learn

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/askhub/askhub/internal/hub/decide"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

// within is how soon after the answer words must come to correct it: as long as a
// question back waits for its answer (spec 5).
const within = 2 * time.Minute

// maxPhrase is how many words a phrase for routing.md has at most. What is longer is
// not said twice in the same words.
const maxPhrase = 12

// The headings of routing.md under which a proposal's text belongs.
const (
	SectionTopics   = "Topic to project map"
	SectionOverlaps = "Preferred project when two overlap"
)

// Proposal is a phrasing for routing.md that a person's correction suggests.
type Proposal struct {
	// ID is the newest correction's record.
	ID string `json:"id"`
	// Last is when that was, Times how often the same was corrected.
	Last  time.Time `json:"last"`
	Times int       `json:"times"`
	// Question is what was asked, Said the words that corrected it.
	Question string `json:"question"`
	Said     string `json:"said"`
	// Asked are the projects that were asked, or asked back between.
	Asked []string `json:"asked"`
	Meant string   `json:"meant"`
	// Section is the heading under which Add belongs: a row of the overlap table, or
	// one more topic of the row in line Line. Add is empty where the question is too
	// long to be a phrase; then Note says what to do.
	Section string `json:"section,omitzero"`
	Line    int    `json:"line,omitzero"`
	Add     string `json:"add,omitzero"`
	// Settles is whether the question would go to Meant with it.
	Settles bool   `json:"settles"`
	Note    string `json:"note,omitzero"`

	records []string
}

// Records are the ids of all corrections that it rests on.
func (p *Proposal) Records() []string { return p.records }

// Corrections reads a record, the oldest first, for what people corrected. Its zero
// value has no router: use NewCorrections.
type Corrections struct {
	view   routing.View
	router *decide.Embedded
	last   map[speaker]record.Record
	asked  map[string]record.Record // what was asked back, by id
	found  []Proposal
	// Untold counts records whose text was not kept.
	Untold int
}

// notOfProjects are the reasons of a question back whose answer says nothing about
// who answers what: which person was meant, or words that point at what was not said.
var notOfProjects = []string{"person", "unclear"}

// speaker is one asker at one way in.
type speaker struct{ asker, wayIn string }

// NewCorrections reads by what this household's file and projects say.
func NewCorrections(view routing.View) *Corrections {
	return &Corrections{
		view: view, router: decide.NewEmbedded(view),
		last: map[speaker]record.Record{}, asked: map[string]record.Record{},
	}
}

// Add reads one record.
func (c *Corrections) Add(r record.Record) {
	who := speaker{string(r.Asker), r.WayIn}
	before, there := c.last[who]
	if r.Question == "" {
		c.Untold++
		delete(c.last, who)
		return
	}
	c.last[who] = r
	if r.Status == routing.StatusClarify && r.InReplyTo == "" && !slices.Contains(notOfProjects, r.Route.Reason) {
		c.asked[r.ID] = r
	}
	switch {
	case r.InReplyTo != "":
		if asked, ok := c.asked[r.InReplyTo]; ok && r.Route.By == routing.ByChoice && len(r.Route.Projects) == 1 {
			c.note(asked, r, r.Route.Projects[0])
		}
	case there && before.InReplyTo == "" && before.Status != routing.StatusRefused && !slices.Contains(notOfProjects, before.Route.Reason) && !r.Time.After(before.Time.Add(within)):
		c.correct(before, r)
	}
}

// correct notes r where its words correct what was made of before.
func (c *Corrections) correct(before, r record.Record) {
	said, ok := c.router.Correction(r.Question)
	if !ok {
		return
	}
	if _, open := c.asked[before.ID]; open {
		// Asked back, a candidate's bare name is an answer.
		if said.Denies || slices.Contains(before.Route.Projects, said.Project) {
			c.note(before, r, said.Project)
		}
		return
	}
	alone := len(before.Route.Projects) == 1 && before.Route.Projects[0] == said.Project
	if said.Denies && !alone {
		c.note(before, r, said.Project)
	}
}

// note adds a correction to the proposals, or to the one that says the same.
func (c *Corrections) note(asked, r record.Record, meant string) {
	key := keyOf(asked.Question)
	i := slices.IndexFunc(c.found, func(p Proposal) bool { return p.Meant == meant && keyOf(p.Question) == key })
	if i < 0 {
		i = len(c.found)
		c.found = append(c.found, Proposal{Question: strings.Join(strings.Fields(asked.Question), " "), Meant: meant})
	}
	p := &c.found[i]
	p.ID, p.Last, p.Said = r.ID, r.Time, strings.Join(strings.Fields(r.Question), " ")
	p.Times++
	p.records = append(p.records, r.ID)
	p.Asked = slices.DeleteFunc(slices.Clone(asked.Route.Projects), func(project string) bool { return project == meant })
	if p.Asked == nil {
		p.Asked = []string{}
	}
}

// Proposals are what to add to routing.md, the newest first. Those of which a
// correction is dropped are left out, and so are those that the file has taken up, or
// whose project it does not name any more.
func (c *Corrections) Proposals(dropped []string) []Proposal {
	list := []Proposal{}
	for _, p := range c.found {
		d, ok := c.view.File.Find(p.Meant)
		if !ok || slices.ContainsFunc(p.records, func(id string) bool { return slices.Contains(dropped, id) }) {
			continue
		}
		if goesTo(c.router.Decide(p.Question), p.Meant) {
			continue
		}
		c.propose(&p, d)
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b Proposal) int { return b.Last.Compare(a.Last) })
	return list
}

func goesTo(d routing.Decision, project string) bool {
	return d.Outcome == routing.OutcomeRoute && len(d.Projects) == 1 && d.Projects[0] == project
}

// propose finds what to add: a row of the overlap table where two were in question,
// else one more topic of the row; of both the one that settles the question.
func (c *Corrections) propose(p *Proposal, to routing.Destination) {
	words := strings.Fields(phraseOf(p.Question))
	phrase := strings.Join(words, " ")
	if len(words) == 0 || len(words) > maxPhrase {
		p.Note = fmt.Sprintf("the question is too long to be a phrase: add the words of it that matter to the topics of %s", p.Meant)
		p.Section, p.Line = SectionTopics, to.Line
		return
	}
	other := c.other(p)
	overlap := func() {
		p.Section, p.Line = SectionOverlaps, 0
		p.Add = fmt.Sprintf("| \"%s\" | `%s` | `%s` | Somebody said: %s. |", phrase, p.Meant, other, phraseOf(p.Said))
	}
	if other != "" {
		if overlap(); c.settles(p, func(f *routing.File) {
			f.Overlaps = append(f.Overlaps, routing.Overlap{
				Phrases: []string{phrase}, Preferred: routing.Side{Projects: []string{p.Meant}}, Other: routing.Side{Projects: []string{other}},
			})
		}) {
			return
		}
	}
	p.Section, p.Line, p.Add = SectionTopics, to.Line, phrase
	if c.settles(p, func(f *routing.File) {
		for i := range f.Destinations {
			if d := &f.Destinations[i]; d.Project == p.Meant {
				d.Topics = append(slices.Clone(d.Topics), phrase)
			}
		}
	}) {
		return
	}
	if other != "" {
		overlap()
	}
	p.Note = "this alone does not settle it: askhub routing try shows what does"
}

// other is the one project that stood against the meant one and has a row; empty
// where there is none.
func (c *Corrections) other(p *Proposal) string {
	for _, project := range p.Asked {
		if _, ok := c.view.File.Find(project); ok {
			return project
		}
	}
	return ""
}

// settles is whether the question goes to the meant project in a file so changed.
func (c *Corrections) settles(p *Proposal, change func(*routing.File)) bool {
	file := *c.view.File
	file.Destinations, file.Overlaps = slices.Clone(file.Destinations), slices.Clone(file.Overlaps)
	change(&file)
	view := c.view
	view.File = &file
	p.Settles = goesTo(decide.NewEmbedded(view).Decide(p.Question), p.Meant)
	return p.Settles
}

// phraseOf is a question as a phrase of routing.md: words alone, so that no sign of
// it means anything to Markdown.
func phraseOf(question string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '\'' || r == '-':
			return r
		case r == '’':
			return '\''
		}
		return ' '
	}, question)
	return strings.Join(strings.Fields(clean), " ")
}
