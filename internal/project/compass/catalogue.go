package compass

import (
	"context"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/compass/read"
	"github.com/askhub/askhub/plan"
	"github.com/askhub/askhub/plan/answer"
)

// The look-ups.
const (
	onTool         = "events.on"
	comingTool     = "events.coming"
	nowTool        = "events.now"
	followingTool  = "events.following"
	precedingTool  = "events.preceding"
	nextTool       = "events.next"
	firstTool      = "events.first"
	lastTool       = "events.last"
	pastTool       = "events.last_time"
	whenTool       = "events.when"
	endsTool       = "events.ends"
	hasTool        = "events.has"
	countTool      = "events.count"
	daysTool       = "events.days"
	untilTool      = "events.until"
	untilEndTool   = "events.until_end"
	lengthTool     = "events.length"
	placeTool      = "events.place"
	placeNowTool   = "events.place_now"
	freeTool       = "events.free"
	busyTool       = "events.busy"
	schoolDayTool  = "school.day"
	firstLesson    = "school.first_lesson"
	lastLesson     = "school.last_lesson"
	untilFirst     = "school.until_first_lesson"
	untilLast      = "school.until_last_lesson"
	homeworkTool   = "homework.due"
	overdueTool    = "homework.overdue"
	homeworkIsDone = "homework.done"
)

// lookups are what can be looked up about one person, and how.
var lookups = []struct {
	id, description string
	look            func(*looking) plan.Result
}{
	{onTool, "What is planned in a stretch of time: lessons, appointments and other events.", (*looking).on},
	{comingTool, "What is coming up in the next weeks.", (*looking).coming},
	{nowTool, "What is on right now.", (*looking).rightNow},
	{followingTool, "What comes right after the subject, on the same day.", (*looking).following},
	{precedingTool, "What comes right before the subject, on the same day.", (*looking).preceding},
	{nextTool, "The next lesson, appointment or event.", (*looking).next},
	{firstTool, "The first lesson or event of a day.", (*looking).first},
	{lastTool, "The last lesson or event of a day.", (*looking).last},
	{pastTool, "When there last was something, such as the last dentist appointment.", (*looking).lastTime},
	{whenTool, "When something is or was, by what it is called.", (*looking).when},
	{endsTool, "When something ends, by what it is called.", (*looking).when},
	{hasTool, "Whether there is something of a kind or of a name.", (*looking).has},
	{countTool, "How many lessons, appointments or events there are.", (*looking).count},
	{daysTool, "On how many days there are lessons or events.", (*looking).count},
	{untilTool, "How long it is until something starts.", (*looking).howLong},
	{untilEndTool, "How long it is until something ends.", (*looking).howLong},
	{lengthTool, "How long something lasts.", (*looking).length},
	{placeTool, "Where something is: the room or the place.", (*looking).one},
	{placeNowTool, "In which room or place the person has something now.", (*looking).rightNow},
	{freeTool, "Whether the person is free, with nothing on.", (*looking).free},
	{busyTool, "Whether the person is busy.", (*looking).free},
	{schoolDayTool, "Whether there is school on a day.", (*looking).schoolDay},
	{firstLesson, "When school starts: the first lesson of a day.", (*looking).schoolEdge},
	{lastLesson, "When school ends: the last lesson of a day.", (*looking).schoolEdge},
	{untilFirst, "How long it is until school starts.", (*looking).schoolEdge},
	{untilLast, "How long it is until school ends.", (*looking).schoolEdge},
	{homeworkTool, "The homework that is due.", (*looking).homework},
	{overdueTool, "The homework that is overdue.", (*looking).homework},
	{homeworkIsDone, "Whether homework is marked as done.", (*looking).homework},
}

type (
	kindArg   string
	tagArg    string
	partArg   string
	boundArg  string
	tenseArg  string
	eventArgs struct {
		Subject  *string   `arg:"subject" describe:"what the entry is called, such as PE or York trip" max:"120"`
		Kind     *kindArg  `arg:"kind" describe:"only entries of this kind"`
		Calendar *tagArg   `arg:"calendar" describe:"only this calendar"`
		From     *string   `arg:"from" describe:"the first day, as YYYY-MM-DD; null with a to is today" max:"10"`
		To       *string   `arg:"to" describe:"the last day, as YYYY-MM-DD" max:"10"`
		Part     *partArg  `arg:"part" describe:"only that part of the day"`
		At       *string   `arg:"at" describe:"only what is on at that time, as HH:MM" max:"5"`
		After    *string   `arg:"after" describe:"only from that time of the day on, as HH:MM" max:"5"`
		Before   *string   `arg:"before" describe:"only up to that time of the day, as HH:MM" max:"5"`
		Bound    *boundArg `arg:"bound" describe:"only outside school, or only what is still to come"`
		Tense    *tenseArg `arg:"tense" describe:"past for what was, left for what is still to come"`
	}
)

const (
	lessons      = "lesson"
	appointments = "appointment"
	tensePast    = "past"
	tenseLeft    = "left"
)

func (kindArg) Values() []string  { return []string{lessons, appointments} }
func (tagArg) Values() []string   { return []string{School, Health} }
func (partArg) Values() []string  { return slices.Clone(read.PartsOfDay) }
func (boundArg) Values() []string { return []string{read.AfterSchool, read.BeforeSchool, read.FromNow} }
func (tenseArg) Values() []string { return []string{tensePast, tenseLeft} }

// wanted is what a look-up was asked for.
type wanted struct {
	tool    string
	subject string
	kind    string
	tag     string
	span    read.Span
	past    bool
	left    bool
}

func (a eventArgs) wanted(tool string) wanted {
	return wanted{
		tool: tool, subject: or(a.Subject), kind: or(a.Kind), tag: or(a.Calendar), past: or(a.Tense) == tensePast, left: or(a.Tense) == tenseLeft,
		span: read.Span{From: or(a.From), To: or(a.To), PartOfDay: or(a.Part), At: or(a.At), After: or(a.After), Before: or(a.Before), Bound: or(a.Bound)},
	}
}

func or[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// wantedOf is the same out of a call's arguments.
func wantedOf(f *plan.Found) wanted {
	w := wanted{tool: f.Call.Tool}
	into := map[string]*string{
		"subject": &w.subject, "kind": &w.kind, "calendar": &w.tag, "from": &w.span.From, "to": &w.span.To, "part": &w.span.PartOfDay,
		"at": &w.span.At, "after": &w.span.After, "before": &w.span.Before, "bound": &w.span.Bound,
	}
	for _, a := range f.Args {
		if p := into[a.Name]; p != nil && !a.Null {
			*p = a.Value
		}
		if a.Name == "tense" {
			w.past, w.left = a.Value == tensePast, a.Value == tenseLeft
		}
	}
	return w
}

// about is the line for a person, in the words that a sentence on the look-up may use.
func (c *Compass) about(w wanted) string {
	said := "what the calendar has planned on"
	switch tool, _, _ := strings.Cut(w.tool, "."); {
	case tool == "homework":
		said = "the pieces of homework in the school calendar, still marked open or done, since when"
	case w.tool == daysTool || w.tool == countTool:
		said = "how many times the calendar has something, once or more, ahead"
	}
	if w.past || w.tool == pastTool {
		said = "what of the past year the calendar knows"
	}
	if win, ok := c.windowOf(w); ok && w.span.Named() {
		said += " " + win.Label
	}
	return said + ", now, at that time, for the rest of it, starting or ahead, how long each lasts, when it was read"
}

func (c *Compass) windowOf(w wanted) (read.Window, bool) {
	return w.window(c.cfg.Now().In(c.cfg.Zone))
}

// catalogue is what may be looked up for one person, and nothing else can be. The
// titles in a calendar are the household's own words, or a school's or a surgery's in a
// calendar that the household chose to follow, and they are cleaned before they get
// into the index; so they name a row.
func (c *Compass) catalogue(person ask.Person) (*plan.Catalogue, error) {
	h := c.people[person]
	var tools []plan.Tool
	for _, l := range lookups {
		spec := plan.Spec{ID: l.id, Description: l.description, AttackerFields: []string{}, RowName: []string{"title"}}
		if strings.HasPrefix(l.id, "homework.") {
			spec.States = []plan.State{
				{Word: "done", StateField: plan.StateField{Field: "done", Values: []any{true}}},
				{Word: "open", StateField: plan.StateField{Field: "done", Values: []any{false}}},
			}
		}
		tools = append(tools, plan.New(spec,
			func(a eventArgs) string { return c.about(a.wanted(l.id)) },
			func(_ context.Context, a eventArgs) (plan.Result, error) {
				return c.look(h, a.wanted(l.id), l.look), nil
			}))
	}
	return plan.NewCatalogue(tools, nil)
}

// templates are the plain sentences for when the writer's own do not pass the check.
func templates() map[string]answer.Spec {
	m := map[string]answer.Spec{}
	for _, l := range lookups {
		at := "starts"
		if strings.HasPrefix(l.id, "homework.") {
			at = "due"
		}
		m[l.id] = answer.Spec{
			About: "when it was read", Most: maxNamed, Paths: []string{"rows[].title", "rows[].fields." + at, "facts.when_read", "facts.unreachable_calendars", "facts.unreadable"},
			Few: "{have} {rows: {title} {fields." + at + "|when}}[; read {facts.when_read|when}][; {facts.unreachable_calendars:calendar is:calendars are} unreachable][; there are {facts.unreadable:unreadable entry:unreadable entries}]",
		}
	}
	return m
}
