package internet

import (
	"context"
	"regexp"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/askplan"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
)

// topics are those of the project's row in routing.md.
var topics = []string{"screen time", "internet use", "time limits", "time online", "what did the kids do online", "internet bedtime"}

// freshFor is how long an answer holds.
const freshFor = time.Minute

var paths = []string{
	"facts.slots", "facts.day", "facts.last", "facts.known_since", "facts.devices_missing", "facts.count",
	"rows[].title", "rows[].fields.last", "rows[].fields.look_ups", "rows[].fields.minutes", "rows[].fields.used", "rows[].fields.from", "rows[].fields.to", "rows[].fields.times",
	"rows[].fields.until", "rows[].fields.device",
}

// What an answer has to own up to.
const (
	saysKnown = "[, {as_of}][; known since {facts.known_since|when}][; with {facts.devices_missing:device:devices} missing]"
)

// templates are the sentences of each look-up.
func templates() map[string]answer.Spec {
	sites := func(verb, named string) answer.Spec {
		return answer.Spec{
			About: "the sites that devices asked for, or were refused, on which day, when last", Paths: paths,
			None: "{whose} devices " + verb + " no sites" + named + " {facts.day|day}" + saysKnown,
			Few:  "{whose} devices " + verb + " sites named {rows: {title|quote}} {facts.day|day}" + saysKnown,
		}
	}
	site := sites("asked for", " named {args.site|quote}")
	site.Few = "{whose} devices asked for a site named {first: {title|quote}, {fields.last|when}}" + saysKnown
	devices := func(about, none, row string) answer.Spec {
		return answer.Spec{About: about, Paths: paths, None: none, Few: "{rows: " + row + "}"}
	}
	return map[string]answer.Spec{
		ToolUse: {
			About: "roughly how many ten-minute slots were active, up to when, as far as known", Paths: paths,
			None: "{have} no active ten-minute slots {facts.day|day}" + saysKnown,
			Few:  "{have} roughly {facts.slots:active ten-minute slot:active ten-minute slots} {facts.day|day}" + saysKnown,
		},
		ToolSites:   sites("asked for", ""),
		ToolSite:    site,
		ToolBlocked: sites("were refused", ""),
		ToolRules:   devices("what the rules block at all times, or at some hours, named", "{have} nothing blocked by the rules", "{title} on {fields.device}[ {fields.times}]"),
		ToolLimit:   devices("how many minutes the daily limit allows, each day, used", "{have} no daily limit", "{title}: {fields.minutes:minute:minutes} each day, {fields.used} used"),
		ToolBedtime: devices("from when to when the bedtime", "{have} no bedtime", "{title}: [from {fields.from|clock} to {fields.to|clock}][{fields.times}]"),
		ToolInternet: devices("whether the internet is connected, off for bedtime, cut, or its limit spent", "{have} no device",
			"[{title} is {state:connected}][{title} is {state:cut}[ until {fields.until|when}]][{title} is {state:off} for bedtime until {fields.until|when}][the limit of {title} is {state:spent}]"),
	}
}

// several are words for more than one person.
var several = regexp.MustCompile(`(?i)\b(?:kids|children|boys|girls|everyone|everybody|family|they|we|who|whose)\b`)

const whySeveral = "that is about several people, and I can answer for one at a time"

// refuseSeveral refuses a question about several people where it names none: an answer about
// whoever asks would be about somebody else.
func refuseSeveral(_ plan.Intent, _ []plan.Found, ctx answer.Context) askplan.Written {
	if (ctx.Person == "" || ctx.Person == ctx.Asker) && several.MatchString(ctx.Question) {
		return askplan.Written{Reason: whySeveral}
	}
	return askplan.Written{}
}

// build makes the project out of the look-ups.
func (n *Internet) build() (err error) {
	n.made, err = askplan.New(askplan.Project{
		Name: n.cfg.Name, Topics: topics, People: n.names, MaySee: n.cfg.MaySee, Log: n.cfg.Log,
		Catalogue: func(person ask.Person) (*plan.Catalogue, error) { return n.Catalogue(person), nil },
		Templates: templates(), Planner: wordsPlanner{}, Writer: refuseSeveral, Second: n.cfg.Second, Model: n.cfg.Model, FreshFor: freshFor,
		Now: func() time.Time { return n.cfg.Now() }, Zone: n.cfg.Zone,
	})
	return err
}

// Project is n over the ask contract, to be served by askserve. Run keeps what it
// answers from fresh.
func (n *Internet) Project(token ask.BearerToken) askserve.Project {
	p := n.made
	p.Token = token
	return p
}

// Answer answers one question. Whether the asker may see the person is asked before, by
// Project.
func (n *Internet) Answer(ctx context.Context, q ask.Question) (ask.Answer, error) {
	return n.made.Answer(ctx, q)
}
