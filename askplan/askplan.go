// Package askplan makes a data project of the ask contract out of a list of look-ups:
// a question is planned without data, the plan is judged and run, and the answer says
// only what was found (spec 4).
package askplan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
	"github.com/askhub/askhub/plan/planner"
)

// Project is a data project as look-ups.
type Project struct {
	// Name, Topics, People, Token, MaySee and Log are as askserve.Project has them.
	Name   string
	Topics []string
	People []ask.Person
	Token  ask.BearerToken
	MaySee func(asker ask.Asker, person ask.Person) bool
	Log    *slog.Logger

	// Catalogue is the person's look-ups, which read that person's data and nobody else's.
	// It is called once for each of People, or once with "" where there are none, and must
	// give the same tools each time.
	Catalogue func(person ask.Person) (*plan.Catalogue, error)
	// Permissions are those that asker holds on person's data; nil where no tool needs one.
	Permissions func(asker ask.Asker, person ask.Person) []string
	// Off are tools that are switched off.
	Off []string
	// IDs knows the public ids of the person's things; nil where no look-up takes one
	// from another.
	IDs func(person ask.Person) plan.IDCheck
	// Remote asks other projects for the same asker and person; nil switches remote tools off.
	Remote func(asker ask.Asker, person ask.Person) plan.Remote

	// Templates are each tool's sentences, by its id; Says is filled in from the catalogue.
	Templates map[string]answer.Spec
	// Writer writes sentences of the project's own from the results alone; nil where the
	// templates say it all. What the answer check refuses of them is not said.
	Writer Writer
	// Names are what a person may be called besides the name in People.
	Names func(person ask.Person) []string
	// Planner is asked first, for instance planner.WithModel. What it does not plan well
	// and in time, and everything where it is nil, is planned by the embedded planner.
	Planner planner.Planner
	// Second is asked for a question that the planners before it find no look-up for, for
	// instance planner.WithModel. Where it finds none either, what they said stands.
	Second planner.Planner
	// Model writes what was found as a sentence, for instance planner.Bound; it is asked
	// where Writer gave none that holds, and before the templates. It is told the question
	// and the results, and can call nothing. What the answer check refuses is not said.
	Model planner.Model
	// FreshFor is how long an answer holds; 0 says nothing of it.
	FreshFor time.Duration
	// Now is the clock, time.Now where it is nil. Zone is where the household lives,
	// time.Local where it is nil.
	Now  func() time.Time
	Zone *time.Location
}

// Writer writes from what was found, and from nothing else, what the templates cannot
// say. It is asked before them, and for a plan without a look-up too, with nothing found.
type Writer func(intent plan.Intent, found []plan.Found, ctx answer.Context) Written

// Written is what may be said.
type Written struct {
	// Sentences are tried in this order, until the answer check lets one pass; after
	// them, and where there is none, the templates are.
	Sentences []string
	// Reason says why there is no answer, in words for a person; then nothing is said. For
	// a plan without a look-up it stands for the package's own reason.
	Reason string
	// Until is when the answer stops being true. Zero is Project.FreshFor.
	Until time.Time
}

// The reasons that a person hears.
const (
	whyNoPerson   = "no data for that person"
	whyDenied     = "you may not be told that"
	whyNoTool     = "there is no look-up here that tells that"
	whyElsewhere  = "that is about something else"
	whyJudgement  = "that needs a person's own judgement"
	whyWrite      = "asking changes nothing here"
	whyNotPlanned = "that question was not understood"
)

var errEcho = errors.New("the sentence says again what was asked, with quotation marks in it")

// margin is what is kept of the time to write the answer.
const margin = 100 * time.Millisecond

type project struct {
	Project
	catalogues map[ask.Person]*plan.Catalogue
	templates  map[string]*answer.Template
	planners   []planner.Planner
	// whole is what may be used of each catalogue where nobody's permissions differ.
	whole map[*plan.Catalogue]offered
}

// offered is what a request may use, and what a planner gets of it.
type offered struct {
	offer *plan.Offer
	ask   planner.Ask
}

func newOffered(c *plan.Catalogue, a plan.Access) offered {
	offer := c.Offer(a)
	return offered{offer, planner.New("", offer, planner.Date{})}
}

// New is the project to be served by askserve. The error names the tool or template that
// is at fault, and how it should be.
func New(p Project) (askserve.Project, error) {
	made := &project{
		Project: p, catalogues: map[ask.Person]*plan.Catalogue{}, templates: map[string]*answer.Template{}, whole: map[*plan.Catalogue]offered{},
	}
	if p.Now == nil {
		made.Now = time.Now
	}
	if p.Zone == nil {
		made.Zone = time.Local
	}
	if p.Log == nil {
		made.Log = slog.Default()
	}
	if p.Planner != nil {
		made.planners = append(made.planners, p.Planner)
	}
	made.planners = append(made.planners, planner.NewEmbedded())
	if err := made.build(); err != nil {
		return askserve.Project{}, fmt.Errorf("project %q: %w", p.Name, err)
	}
	return askserve.Project{
		Name: p.Name, Topics: p.Topics, People: p.People, Token: p.Token, MaySee: p.MaySee, Log: p.Log,
		Answer: made.answer,
	}, nil
}

// build makes every person's look-ups and the sentences of the tools.
func (p *project) build() error {
	if p.Catalogue == nil {
		return errors.New("give it a Catalogue")
	}
	people := p.People
	if len(people) == 0 {
		people = []ask.Person{""}
	}
	hash := ""
	for _, person := range people {
		c, err := p.Catalogue(person)
		if err != nil {
			return err
		}
		if c == nil {
			return fmt.Errorf("%s has no catalogue", person)
		}
		if hash == "" {
			hash = c.Hash()
			if err := p.buildTemplates(c); err != nil {
				return err
			}
		}
		if c.Hash() != hash {
			return fmt.Errorf("the tools of %s are not those of %s: keep what differs behind a permission", person, people[0])
		}
		p.catalogues[person] = c
		if p.Permissions == nil {
			p.whole[c] = newOffered(c, plan.Access{Off: p.Off, Remote: p.Remote != nil})
		}
	}
	return nil
}

func (p *project) buildTemplates(c *plan.Catalogue) error {
	var faults []error
	for _, t := range c.Offer(plan.Access{Permissions: c.Permissions(), Remote: true}).Tools() {
		spec, ok := p.Templates[t.ID]
		if !ok {
			faults = append(faults, fmt.Errorf("tool %s has no template, so nothing could be said of what it finds", t.ID))
			continue
		}
		spec.Says, _ = c.Statement(t.ID)
		made, err := answer.NewTemplate(spec)
		if err != nil {
			faults = append(faults, err)
		}
		p.templates[t.ID] = made
	}
	for t := range p.Templates {
		if _, ok := c.Statement(t); !ok {
			faults = append(faults, fmt.Errorf("there is a template for %s, and no such tool", t))
		}
	}
	return errors.Join(faults...)
}

// answer answers one question. Whether asker may see the person was asked before.
func (p *project) answer(ctx context.Context, q ask.Question) (ask.Answer, error) {
	about := q.About()
	c := p.catalogues[about]
	if len(p.People) == 0 {
		c = p.catalogues[""]
	}
	if c == nil {
		return ask.NoAnswer(whyNoPerson), nil
	}
	now := p.Now().In(p.Zone)
	use, asking := p.access(c, q)
	tools := use.ask.Tools
	if len(tools) == 0 {
		return ask.NoAnswer(whyDenied), nil
	}
	names := []string{string(about)}
	if p.Names != nil {
		names = append(names, p.Names(about)...)
	}
	if end, ok := ctx.Deadline(); ok {
		early, cancel := context.WithDeadline(ctx, end.Add(-margin))
		defer cancel()
		ctx = early
	}
	use.ask.Question, use.ask.Today, use.ask.People = q.Question, planner.DateOf(now), names
	chosen, err := planner.Choose(ctx, use.offer, use.ask, p.planners...)
	for _, why := range chosen.Refused {
		p.Log.Info("a plan did not count", "why", why)
	}
	if err != nil {
		p.Log.Error("there is no plan", "why", err)
		return ask.NoAnswer(whyNotPlanned), nil
	}
	chosen, bySecond := p.second(ctx, use, chosen)
	asking.PromptHash = chosen.PromptHash
	ran, err := use.offer.Run(ctx, chosen.Plan, asking)
	if err != nil {
		return ask.Answer{}, err
	}
	for _, l := range ran.Record.Lookups {
		if l.Why != "" || l.Err != nil {
			p.Log.Warn("a look-up gave nothing", "tool", l.Tool, "outcome", l.Outcome, "why", l.Why, "err", l.Err)
		}
	}
	checked := answer.Context{
		Now: now, Zone: p.Zone, Names: names, Asker: string(q.Asker), Person: string(about), Question: q.Question,
	}
	var written Written
	if p.Writer != nil {
		written = p.Writer(chosen.Plan.Intent, ran.Found, checked)
	}
	switch {
	case written.Reason != "":
		return p.withDetail(ask.NoAnswer(written.Reason), chosen, ran, told{bySecond: bySecond})
	case len(chosen.Plan.Calls) == 0:
		return p.withDetail(ask.NoAnswer(whyNothing(chosen.Plan)), chosen, ran, told{bySecond: bySecond})
	}
	said := p.say(ctx, chosen.Plan.Intent, ran.Found, tools, written.Sentences, checked)
	a := ask.NoAnswer(whyLost(ran, said.Reason))
	if said.Sentence != "" {
		a = ask.Say(said.Sentence)
		switch {
		case !written.Until.IsZero():
			a = a.Until(written.Until)
		case p.FreshFor > 0:
			a = a.Until(now.Add(p.FreshFor))
		}
	}
	return p.withDetail(a, chosen, ran, told{said.Proof.Supports, bySecond, said.byModel})
}

// second asks the planner of that name where the others found no look-up.
func (p *project) second(ctx context.Context, use offered, chosen planner.Chosen) (planner.Chosen, bool) {
	if p.Second == nil || chosen.Plan.Intent != plan.IntentNone {
		return chosen, false
	}
	found, err := planner.Choose(ctx, use.offer, use.ask, p.Second)
	switch {
	case err != nil:
		p.Log.Info("a plan did not count", "why", err)
		return chosen, false
	case len(found.Plan.Calls) == 0:
		return chosen, false
	}
	return found, true
}

// Reasoner is an error of a look-up that tells why it could not be made: one short
// sentence in the project's own words, which becomes the reason of the answer.
type Reasoner interface{ Reason() string }

// whyLost is the first reason that a look-up of the project's own gives, where what was
// lost is not to be kept from the asker; else reason.
func whyLost(ran plan.Ran, reason string) string {
	for _, l := range ran.Record.Lookups {
		if l.Outcome == plan.OutcomeDenied {
			return reason
		}
	}
	for _, l := range ran.Record.Lookups {
		var r Reasoner
		if errors.As(l.Err, &r) && r.Reason() != "" && ask.CheckSafe(r.Reason()) == nil {
			return r.Reason()
		}
	}
	return reason
}

// say is the first of the sentences that holds, or else what the templates say. What
// was asked for stands in quotation marks where it is said again.
func (p *project) say(ctx context.Context, intent plan.Intent, found []plan.Found, tools []plan.Offered, sentences []string, checked answer.Context) saying {
	quoted := func(sentence string) (string, error) {
		out, ok := quoteAsked(sentence, found, tools)
		if !ok {
			return "", errEcho
		}
		return out, ask.CheckSentence(out, ask.WantsList(checked.Question))
	}
	// A project's own sentences say a word or two of the question as they are: "no PE".
	short := func(sentence string) (string, error) {
		if longestAsked(found, tools) > shortAsked {
			return quoted(sentence)
		}
		return sentence, ask.CheckSentence(sentence, ask.WantsList(checked.Question))
	}
	attempt := func(sentence string, templates map[string]*answer.Template, quote func(string) (string, error)) answer.Said {
		said := answer.Say(sentence, templates, intent, found, checked, func(s string) error { _, err := quote(s); return err })
		if said.Sentence != "" {
			said.Sentence, _ = quote(said.Sentence)
		}
		p.tell(said.Refused)
		return said
	}
	for _, sentence := range sentences {
		if said := attempt(sentence, nil, short); said.Sentence != "" {
			return saying{Said: said}
		}
	}
	if sentence := p.byModel(ctx, intent, found, checked); sentence != "" {
		if said := attempt(sentence, nil, quoted); said.Sentence != "" {
			return saying{said, true}
		}
	}
	return saying{Said: attempt("", p.templates, quoted)}
}

// saying is what is said, and whether the model wrote it.
type saying struct {
	answer.Said
	byModel bool
}

// shortAsked is how many words of an argument a project's own sentence says unquoted.
const shortAsked = 2

// tell logs why sentences were not said. Their words may be private.
func (p *project) tell(refused []error) {
	for _, why := range refused {
		var f *answer.Fault
		if errors.As(why, &f) {
			p.Log.Warn("a sentence was not said", "code", f.Code)
		} else {
			p.Log.Warn("a sentence was not said", "why", why)
		}
	}
}

// access is what this question may use.
func (p *project) access(c *plan.Catalogue, q ask.Question) (offered, plan.Asking) {
	use, whole := p.whole[c]
	if !whole {
		use = newOffered(c, plan.Access{
			Permissions: slices.Clone(p.Permissions(q.Asker, q.About())), Off: p.Off, Remote: p.Remote != nil,
		})
	}
	asking := plan.Asking{Question: q.Question}
	if p.IDs != nil {
		asking.IDs = p.IDs(q.About())
	}
	if p.Remote != nil {
		asking.Remote = p.Remote(q.Asker, q.About())
	}
	return use, asking
}

func whyNothing(p plan.Plan) string {
	switch {
	case p.Intent == plan.IntentWrite:
		return whyWrite
	case p.Reason == plan.ReasonOutOfScope:
		return whyElsewhere
	case p.Reason == plan.ReasonNeedsJudgment:
		return whyJudgement
	}
	return whyNoTool
}
