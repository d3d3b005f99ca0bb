package routing_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

//go:embed testdata/household.md
var household []byte

// householdFile is what testdata/household.md says.
var householdFile = &routing.File{
	Destinations: []routing.Destination{
		{Project: "email_agent", Topics: []string{"email", "inbox", "mail"}, Kind: routing.KindQuery, Line: 12},
		{Project: "compass_nhs", Topics: []string{"school", "Compass", "R&B | band"}, Kind: routing.KindQuery, Placeholder: true, Line: 13},
		{Project: "home_assistant", Topics: []string{"lamp", "timer"}, Kind: routing.KindCommand, Line: 19},
		{Project: "artemis", Topics: []string{"tap"}, Kind: routing.KindCommand, Note: "action only", Placeholder: true, Line: 20},
		{Project: "paperclip", Topics: []string{"file a job"}, Kind: routing.KindDecision, Line: 21},
		{Project: "front_door_cam", Topics: []string{"who is at the door"}, Kind: routing.KindPeer, Note: "intercom", Placeholder: true, Line: 22},
		{Project: "dsh", Topics: []string{"chat"}, Kind: routing.KindPeer, Note: "keeps its own chat", Line: 23},
		{Project: "jervis", Topics: []string{"Hey Jervis"}, Kind: routing.KindWayIn, Note: "voice only", Line: 24},
		{Project: "apprise", Topics: []string{"notify"}, Kind: routing.KindCommand, Line: 25},
	},
	Overlaps: []routing.Overlap{
		{
			Phrases:   []string{"today", "schedule"},
			Preferred: routing.Side{Projects: []string{"home_assistant"}, Note: "calendar"},
			Other:     routing.Side{Projects: []string{"compass_nhs"}, Note: "timetable"},
			Reason:    "the whole day", Line: 44,
		},
		{
			Phrases:   []string{"what do I have on"},
			Preferred: routing.Side{Projects: []string{"compass_nhs", "email_agent", "home_assistant"}},
			Reason:    "merge", Line: 45,
		},
		{
			Phrases:   []string{"what's up", "so?"},
			Preferred: routing.Side{Projects: []string{"compass_nhs", "email_agent"}},
			Line:      46,
		},
		{
			Phrases:   []string{"reminder"},
			Preferred: routing.Side{Projects: []string{"home_assistant"}},
			Other:     routing.Side{Projects: []string{"apprise"}},
			Line:      47,
		},
	},
	NeverRoute: []routing.Control{
		{Action: "Cut the kids' internet; restore it", Line: 53},
		{Action: "Change any parental control", Line: 54},
	},
	WaysIn: []string{"phone_app", "admin_app"},
}

func TestAHouseholdsFilePassesWithoutComplaint(t *testing.T) {
	crlf := bytes.ReplaceAll(household, []byte("\n"), []byte("\r\n"))
	for name, src := range map[string][]byte{
		"as it is":           household,
		"Windows line ends":  crlf,
		"old Mac line ends":  bytes.ReplaceAll(household, []byte("\n"), []byte("\r")),
		"a byte order mark":  append([]byte("\ufeff"), crlf...),
		"no line end at end": bytes.TrimRight(household, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			f, problems := routing.Parse("routing.md", src)
			if len(problems) > 0 {
				t.Errorf("problems: %v", problems)
			}
			if d := cmp.Diff(householdFile, f); d != "" {
				t.Error(d)
			}
		})
	}
}

// small is a correct file; the faults below each break one thing in it.
const small = `## 1. Topic to project map
| Topic (what the user says) | Project | Kind | Status |
|---|---|---|---|
| email, inbox | email_agent | query /ask | active service |
| lamp, timer | home_assistant | command (direct) | active service |
| chat | dsh | peer (keeps its own chat) | active service |

| Name | Why it is not a destination |
|---|---|
| phone_app | voice |

## 2. Preferred project when two overlap
| Overlap | Preferred | Other | Reason |
|---|---|---|---|
| "message" | email_agent | dsh | the inbox |

## 3. Never-route list (control actions)
| Control action | Refuse? | Phrasings |
|---|---|---|
| cut the kids' internet | yes | "wifi off for the kids" / "no, no more web" |
`

func TestEachFaultIsNamedWithItsLine(t *testing.T) {
	if _, problems := routing.Parse("routing.md", []byte(small)); len(problems) > 0 {
		t.Fatalf("the file without a fault: %v", problems)
	}
	for _, c := range []struct {
		name     string
		old, new string
		line     int
		severity routing.Severity
		message  string
	}{
		{"unknown kind", "query /ask", "querry /ask", 4, routing.Error, `unknown kind "querry /ask"`},
		{"a kind with a word too many", "command (direct)", "command please", 5, routing.Error, `unknown kind`},
		{"a kind that runs on", "query /ask", "query/ask", 4, routing.Error, `unknown kind`},
		{"a kind that says two things", "query /ask", "query (direct)", 4, routing.Error, `belongs to the kind command`},
		{"unknown status", "email_agent | query /ask | active service", "email_agent | query /ask | retired", 4, routing.Error, `unknown status "retired"`},
		{"half a status", "email_agent | query /ask | active service", "email_agent | query /ask | active soon", 4, routing.Error, `unknown status`},
		{"a project twice", "| chat | dsh", "| chat | email_agent", 6, routing.Error, "email_agent stands in line 4 already"},
		{"a name in capitals", "| chat | dsh", "| chat | DSH", 6, routing.Error, `"DSH" is no project's name`},
		{"a name with a space", "| home_assistant |", "| home assistant |", 5, routing.Error, `"home assistant" is no project's name`},
		{"a name that is a note", "| home_assistant |", "| (lamps) |", 5, routing.Error, "names no project"},
		{"a name that is too long", "| home_assistant |", "| " + strings.Repeat("x", 65) + " |", 5, routing.Error, "at most 64"},
		{"an empty topic", "email, inbox", "email,, inbox", 4, routing.Error, "topic between two commas is empty"},
		{"a topic twice in a row", "email, inbox", "email, inbox, Email", 4, routing.Warning, `"Email" stands in this row twice`},
		{"a topic in two rows", "lamp, timer", "lamp, inbox", 5, routing.Warning, `"inbox" is also in the row of email_agent in line 4`},
		{"no topic", "| email, inbox |", "| |", 4, routing.Error, "the row has no topic"},
		{"missing cells", "| chat | dsh | peer (keeps its own chat) | active service |", "| chat | dsh |", 6, routing.Error, "no kind and no status"},
		{"text right below a table", "| active service |\n\n| Name", "| active service |\nMore words.\n\n| Name", 7, routing.Error, "put an empty line"},
		{"a bar inside a cell", "email, inbox |", "email | inbox |", 4, routing.Error, `("active service" is left over)`},
		{"a row cut off", "\n| chat", "\n\n| chat", 7, routing.Error, "starts with | and is not part of a table"},
		{"a table without its dashes", "|---|---|---|---|\n| email", "| email", 2, routing.Error, "starts with | and is not part of a table"},
		{"an unknown header", "| Name | Why it is not a destination |", "| Name | Shoe size |", 8, routing.Warning, `"Name | Shoe size" is not known`},
		{"a way in that is a destination", "| phone_app |", "| dsh |", 6, routing.Warning, "dsh is a destination here"},
		{"an overlap without a known project", "email_agent | dsh |", "email_agent | dhs |", 15, routing.Error, "names dhs, which has no row"},
		{"an overlap in another case", "email_agent | dsh |", "email_agent | DSH |", 15, routing.Error, `"DSH" is no project's name`},
		{"an overlap with itself", "email_agent | dsh |", "dsh | dsh |", 15, routing.Error, "both sides of the overlap are dsh"},
		{"two projects without fanout", "email_agent | dsh |", "email_agent + dsh | one project |", 15, routing.Error, "write fanout (a + b)"},
		{"one project against one", "email_agent | dsh |", "email_agent | one project |", 15, routing.Error, "only against a fanout"},
		{"one project against itself", "email_agent | dsh |", "one project | one project |", 15, routing.Error, "only against a fanout"},
		{"a fanout of one", "email_agent | dsh |", "fanout (dsh) | one project |", 15, routing.Error, "needs two or three projects"},
		{"a fanout of the same", "email_agent | dsh |", "fanout (dsh + dsh) | one project |", 15, routing.Error, "names dsh twice"},
		{"a fanout of four", "email_agent | dsh |", "fanout (a + b + c + d) | one project |", 15, routing.Error, "at most 3"},
		{"a quote that stays open", `"message"`, `"message`, 15, routing.Error, "does not close it"},
		{"words beside the quotes", `"message"`, `"message" and mail`, 15, routing.Error, `"and mail" stands outside`},
		{"an empty phrase", `"message"`, `"message" / ""`, 15, routing.Error, "empty phrase"},
		{"an overlap without words", `"message"`, `/ ,`, 15, routing.Error, "holds no words"},
		{"an overlap twice", "the inbox |\n", "the inbox |\n| \"Message\" | dsh | email_agent | |\n", 16, routing.Warning, "stands in line 15 already"},
		{"no heading of the topic map", "## 1. Topic to project map", "## 1. Topics", 1, routing.Error, `"Topic to project map" is missing`},
		{"no never-route section", "## 3. Never-route list (control actions)", "## 3. Rules", 18, routing.Error, "move the table under the heading"},
		{"a never-route section without rows", "| cut the kids' internet | yes | \"wifi off for the kids\" / \"no, no more web\" |\n", "", 17, routing.Error, `has no row`},
		{"only the table of what is allowed", "| Control action | Refuse? | Phrasings |", "| Action | Path | Why |", 17, routing.Error, `has no row`},
		{"a control action that is let through", "| yes |", "| No |", 20, routing.Error, `always refused`},
		{"a column that nobody reads", "| Phrasings |", "| Colour |", 18, routing.Warning, `"colour" is not read`},
		{"a control character", "email, inbox", "email, in\x01box", 4, routing.Error, "control character (code 1)"},
		{"a line without end", "email, inbox", strings.Repeat("email, ", 2000) + "inbox", 4, routing.Error, "longer than 8 KB"},
		{"not UTF-8", "email, inbox", "email, inb\xf6x", 4, routing.Error, "routing.md is not UTF-8 here"},
		{"too large", "## 2.", strings.Repeat("x", routing.MaxFile), 1, routing.Error, "routing.md is larger than 1024 KB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(small, c.old) {
				t.Fatalf("%q is not in the file", c.old)
			}
			f, problems := routing.Parse("routing.md", []byte(strings.Replace(small, c.old, c.new, 1)))
			if !slices.ContainsFunc(problems, func(p routing.Problem) bool {
				return p.Line == c.line && p.Severity == c.severity && strings.Contains(p.Message, c.message)
			}) {
				t.Errorf("want %s in line %d with %q, got %v", c.severity, c.line, c.message, problems)
			}
			if (f == nil) != routing.HasErrors(problems) {
				t.Errorf("file = %v with problems %v", f, problems)
			}
		})
	}
}

func TestAFaultInTheTopicMapIsNamedOnce(t *testing.T) {
	shipped := string(routing.Default())
	lines := strings.Split(shipped, "\n")
	row := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "`home_assistant` | command (direct)") })
	if row < 0 {
		t.Fatal("the shipped file has no row of home_assistant")
	}
	edited := func(from, to string) string {
		return strings.Join(append(append(slices.Clone(lines[:row]), strings.Replace(lines[row], from, to, 1)), lines[row+1:]...), "\n")
	}
	for name, src := range map[string]string{
		"a name that is none": edited("`home_assistant`", "Home Assistant"),
		"a cell that is gone": edited(" active service |", ""),
		"a bar too many":      edited("lights, ", "lights | "),
		"an empty line":       edited("| lights", "\n| lights"),
		"another heading":     strings.Replace(shipped, "Topic to project map", "Topics", 1),
		"no rows":             strings.Join(append(slices.Clone(lines[:row-3]), lines[row+9:]...), "\n"),
	} {
		_, problems := routing.Parse("routing.md", []byte(src))
		if !routing.HasErrors(problems) {
			t.Errorf("%s: no error", name)
		}
		for _, p := range problems {
			if strings.Contains(p.Message, "has no row in the topic map") {
				t.Errorf("%s: line %d complains of what follows from it: %s", name, p.Line, p.Message)
			}
		}
	}
	// A fault elsewhere hides nothing.
	src := strings.Replace(edited("", ""), "| `dsh` | Asked about", "| `dhs` | Asked about", 1)
	src = strings.Replace(src, "\"reminder\"", "\"reminder", 1)
	_, problems := routing.Parse("routing.md", []byte(src))
	if len(problems) != 2 {
		t.Errorf("an unknown project and an open quote: %v", problems)
	}
}

func TestAFileWithNothingInItIsRefused(t *testing.T) {
	for _, src := range []string{"", "\n", "# Hello\n", "\ufeff"} {
		f, problems := routing.Parse("routing.md", []byte(src))
		if f != nil || len(problems) != 2 {
			t.Errorf("%q: file %v, problems %v; want both sections named as missing", src, f, problems)
		}
	}
}

func TestKindsAsPeopleWriteThem(t *testing.T) {
	for cell, want := range map[string]struct {
		kind routing.Kind
		note string
	}{
		"query":                         {routing.KindQuery, ""},
		"Query, `/ask`":                 {routing.KindQuery, ""},
		"query (`POST /ask`)":           {routing.KindQuery, ""},
		"query /ask (read only)":        {routing.KindQuery, "read only"},
		"command (direct)":              {routing.KindCommand, ""},
		"command (direct, action only)": {routing.KindCommand, "action only"},
		"command, direct, action only":  {routing.KindCommand, "action only"},
		"command — direct":              {routing.KindCommand, ""},
		"decision, approval":            {routing.KindDecision, ""},
		"peer intercom":                 {routing.KindPeer, "intercom"},
		"peer, intercom":                {routing.KindPeer, "intercom"},
		"peer (keeps its own chat)":     {routing.KindPeer, "keeps its own chat"},
		"way in (voice only)":           {routing.KindWayIn, "voice only"},
		"**way-in**, voice only":        {routing.KindWayIn, "voice only"},
	} {
		src := strings.Replace(small, "| command (direct) |", "| "+cell+" |", 1)
		f, problems := routing.Parse("routing.md", []byte(src))
		if len(problems) > 0 {
			t.Errorf("%q: %v", cell, problems)
			continue
		}
		if d, _ := f.Find("home_assistant"); d.Kind != want.kind || d.Note != want.note {
			t.Errorf("%q is %q with note %q, want %q with %q", cell, d.Kind, d.Note, want.kind, want.note)
		}
	}
}

func TestPhrasingsAreSplitAsTheyAreWritten(t *testing.T) {
	for cell, want := range map[string][]string{
		`"one, two" / “three”`:    {"one, two", "three"},
		`no web / turn on/off it`: {"no web", "turn on/off it"},
		`no web; no, no tablet`:   {"no web", "no, no tablet"},
		`no web, no tablet`:       {"no web", "no tablet"},
		`no web<br>no tablet`:     {"no web", "no tablet"},
		`'no web'`:                {"no web"},
		"":                        nil,
	} {
		src := strings.Replace(small, `"wifi off for the kids" / "no, no more web"`, cell, 1)
		f, problems := routing.Parse("routing.md", []byte(src))
		if len(problems) > 0 {
			t.Errorf("%q: %v", cell, problems)
			continue
		}
		if d := cmp.Diff(want, f.NeverRoute[0].Phrasings); d != "" {
			t.Errorf("%q: %s", cell, d)
		}
	}
}

func TestAPlaceholderIsActiveOnceItsProjectDeclares(t *testing.T) {
	f, _ := routing.Parse("routing.md", routing.Default())
	compass, _ := f.Find("compass_nhs")
	email, _ := f.Find("email_agent")
	v := routing.View{File: f}
	if v.Active(compass) || !v.Active(email) {
		t.Error("without capabilities only the row says what is active")
	}
	v.Capabilities = []ask.Capabilities{{Project: "compass_nhs"}}
	if !v.Active(compass) {
		t.Error("a placeholder that declares its capabilities is active")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add(household)
	f.Add(routing.Default())
	f.Add([]byte("- > ## Never-route list\n  | Control action |\n  |---|\n  | `a \\| b` &amp; | |---|---|"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, problems := routing.Parse("routing.md", src)
		if (file == nil) != routing.HasErrors(problems) {
			t.Fatalf("file %v with problems %v", file, problems)
		}
		plain := bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		last := 1 + bytes.Count(plain, []byte("\n"))
		check := func(line int, what any) {
			if line < 1 || line > last {
				t.Fatalf("line %d of %d: %v", line, last, what)
			}
		}
		for _, p := range problems {
			check(p.Line, p)
		}
		if file == nil {
			return
		}
		if len(file.NeverRoute) == 0 || len(file.Destinations) == 0 {
			t.Fatal("a good file has destinations and a never-route list")
		}
		for _, d := range file.Destinations {
			check(d.Line, fmt.Sprint(d))
		}
		for _, o := range file.Overlaps {
			check(o.Line, fmt.Sprint(o))
			if len(o.Phrases) == 0 {
				t.Fatalf("an overlap without a phrase: %v", o)
			}
		}
		for _, c := range file.NeverRoute {
			check(c.Line, fmt.Sprint(c))
		}
	})
}
