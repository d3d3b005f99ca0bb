package routing

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Severity says what a problem does to the file.
type Severity string

// An error refuses the file, a warning does not.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is a fault of a routing.md, with the mend in its message.
type Problem struct {
	// Line is the line in the file, from 1. A problem of the whole file stands at line 1.
	Line     int      `json:"line"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
}

// MaxFile is the largest routing.md that is read, in bytes.
const MaxFile = 1 << 20

// maxLine is the longest line, in bytes. A line of nothing but ">" would keep the
// Markdown reader busy for minutes.
const maxLine = 8 << 10

// HasErrors is whether a problem refuses the file.
func HasErrors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error })
}

// Parse reads the text of a routing.md (spec 2, "What the file looks like"). The
// problems come in the order of their lines. The file is nil where one of them is
// an error. name is how the messages call the file as a whole.
func Parse(name string, src []byte) (*File, []Problem) {
	p := parser{file: &File{}}
	if src = p.clean(name, src); src != nil {
		p.document(read(src))
	}
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return a.Line - b.Line })
	if HasErrors(p.problems) {
		return nil, p.problems
	}
	return p.file, p.problems
}

// parser gathers the file and what is wrong with it.
type parser struct {
	file     *File
	problems []Problem
	// mapBroken is whether a part of the topic map could not be read.
	mapBroken bool
}

func (p *parser) errorf(line int, format string, args ...any) {
	p.problems = append(p.problems, Problem{line, Error, fmt.Sprintf(format, args...)})
}

func (p *parser) warnf(line int, format string, args ...any) {
	p.problems = append(p.problems, Problem{line, Warning, fmt.Sprintf(format, args...)})
}

// clean gives src with plain line ends and without a byte order mark, or nil where
// it is no text that can be read.
func (p *parser) clean(name string, src []byte) []byte {
	if len(src) > MaxFile {
		p.errorf(1, "%s is larger than %d KB: take out what is not routing", name, MaxFile>>10)
		return nil
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	src = bytes.ReplaceAll(src, []byte("\r"), []byte("\n"))
	if !utf8.Valid(src) {
		good := 0
		for good < len(src) {
			r, n := utf8.DecodeRune(src[good:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			good += n
		}
		p.errorf(1+bytes.Count(src[:good], []byte("\n")), "%s is not UTF-8 here: save it as UTF-8", name)
		return nil
	}
	for i, b := range src {
		if b < ' ' && b != '\n' && b != '\t' || b == 0x7f {
			p.errorf(1+bytes.Count(src[:i], []byte("\n")), "a control character (code %d) stands here: take it out", b)
			return nil
		}
	}
	n := 0
	for l := range bytes.Lines(src) {
		if n++; len(l) > maxLine {
			p.errorf(n, "the line is longer than %d KB: give a row fewer words, or make two rows of it", maxLine>>10)
			return nil
		}
	}
	if len(src) == 0 {
		return []byte("\n")
	}
	return src
}

// A shape is one of the tables that the file may hold, told by its header.
type shape struct {
	// section is where its rows count; sectionNone where nothing of it is read.
	section section
	// header is how the file writes it, in messages.
	header string
	// needs are the columns by which it is told, as normalColumn makes them.
	needs []string
	read  func(*parser, table, map[string]int)
}

var shapes = []shape{
	{sectionTopics, "Topic (what the user says) | Project | Kind | Status", []string{"topic", "project", "kind", "status"}, (*parser).topics},
	{sectionOverlaps, "Overlap | Preferred | Other | Reason", []string{"overlap", "preferred", "other"}, (*parser).overlaps},
	{sectionNeverRoute, "Control action | Refuse?", []string{"control action"}, (*parser).controls},
	{sectionNone, "Name | Why it is not a destination", []string{"name", "why it is not a destination"}, (*parser).waysIn},
	{sectionNone, "Project | Expected topics (placeholder) | First build step", []string{"project", "expected topics", "first build step"}, nil},
	// What is not control is for people: it is never a refusal.
	{sectionNone, "Action | Path | Why", []string{"action", "path", "why"}, nil},
}

// normalColumn is a column's name without its brackets, case and marks.
func normalColumn(s string) string {
	s = normalHeading(s)
	switch s {
	case "topics":
		return "topic"
	case "control actions":
		return "control action"
	}
	return s
}

func (p *parser) document(d document) {
	for _, t := range d.tables {
		p.table(t)
	}
	for _, s := range d.strays {
		if s.section.title() != "" {
			p.mapBroken = p.mapBroken || s.section == sectionTopics
			p.errorf(s.line, "this line starts with | and is not part of a table: take out the empty line above it, or give the table a header row and a line of dashes with as many columns")
		}
	}
	p.sections(d)
	p.whole()
}

// sections reports what is missing as a whole.
func (p *parser) sections(d document) {
	for _, s := range []section{sectionTopics, sectionNeverRoute} {
		line, found := d.headings[s]
		has := slices.ContainsFunc(d.tables, func(t table) bool {
			sh, _ := shapeOf(t)
			return t.section == s && sh != nil && sh.section == s && len(t.rows) > 0
		})
		p.mapBroken = p.mapBroken || s == sectionTopics && !has
		switch {
		case has:
		case !found:
			p.errorf(1, "the heading %q is missing: add it with its table (%s)", s.title(), headerOf(s))
		default:
			p.errorf(line, "%q has no row: add a table (%s) with at least one", s.title(), headerOf(s))
		}
	}
}

// headerOf is the header of the table that section s needs.
func headerOf(s section) string {
	for _, sh := range shapes {
		if sh.section == s {
			return sh.header
		}
	}
	return ""
}

// shapeOf tells a table by its header, and gives the index of each column.
func shapeOf(t table) (*shape, map[string]int) {
	columns := map[string]int{}
	for i, c := range t.header.cells {
		if c = normalColumn(c); c != "" {
			if _, twice := columns[c]; !twice {
				columns[c] = i
			}
		}
	}
	for i := range shapes {
		if !slices.ContainsFunc(shapes[i].needs, func(c string) bool { _, ok := columns[c]; return !ok }) {
			return &shapes[i], columns
		}
	}
	return nil, columns
}

func (p *parser) table(t table) {
	sh, columns := shapeOf(t)
	switch {
	case sh == nil:
		if t.section.title() != "" {
			p.warnf(t.header.line, "the table with the header %q is not known under %q and is not read: write %s, or move it under another heading",
				strings.Join(t.header.cells, " | "), t.section.title(), headerOf(t.section))
		}
	case sh.section == sectionNone:
		if sh.read != nil && t.section != sectionNone {
			sh.read(p, t, columns)
		}
	case sh.section == t.section:
		before := len(p.problems)
		for _, r := range t.rows {
			if r.extra != "" {
				p.errorf(r.line, "the row has more cells than its header (%q is left over): write a | inside a cell as \\|", r.extra)
			}
		}
		sh.read(p, t, columns)
		p.mapBroken = p.mapBroken || t.section == sectionTopics && HasErrors(p.problems[before:])
	case sh.section == sectionNeverRoute:
		p.errorf(t.header.line, "these control actions do not count here: move the table under the heading %q", sh.section.title())
	default:
		p.warnf(t.header.line, "the table %s does not count here: move it under the heading %q", sh.header, sh.section.title())
	}
}

// cell is the cell of a column; it is empty where the row or the table lacks it.
func (r row) cell(columns map[string]int, column string) string {
	i, ok := columns[column]
	if !ok || i >= len(r.cells) {
		return ""
	}
	return r.cells[i]
}

// filled reports the cells that the row lacks.
func (p *parser) filled(r row, columns map[string]int, needs ...string) bool {
	var missing []string
	for _, c := range needs {
		if r.cell(columns, c) == "" {
			missing = append(missing, c)
		}
	}
	if missing == nil {
		return true
	}
	p.errorf(r.line, "the row has no %s: fill the cell, or put an empty line between the table and the text below it", strings.Join(missing, " and no "))
	return false
}

func (p *parser) topics(t table, columns map[string]int) {
	for _, r := range t.rows {
		if !p.filled(r, columns, "topic", "project", "kind", "status") {
			continue
		}
		d := Destination{Line: r.line}
		var empty bool
		var err error
		if d.Topics, empty = parseTopics(r.cell(columns, "topic")); empty {
			p.errorf(r.line, "a topic between two commas is empty: take the extra comma out")
		}
		if d.Project, _, err = parseName(r.cell(columns, "project")); err != nil {
			p.errorf(r.line, "%v", err)
		}
		if d.Kind, d.Note, err = parseKind(r.cell(columns, "kind")); err != nil {
			p.errorf(r.line, "%v", err)
		}
		if d.Placeholder, err = parseStatus(r.cell(columns, "status")); err != nil {
			p.errorf(r.line, "%v", err)
		}
		p.file.Destinations = append(p.file.Destinations, d)
	}
}

func (p *parser) overlaps(t table, columns map[string]int) {
	for _, r := range t.rows {
		if !p.filled(r, columns, "overlap", "preferred", "other") {
			continue
		}
		o := Overlap{Line: r.line, Reason: oneLine(r.cell(columns, "reason"))}
		if o.Reason == "" {
			o.Reason = oneLine(r.cell(columns, "why"))
		}
		var phrases, preferred, other error
		o.Phrases, phrases = parsePhrases(r.cell(columns, "overlap"), splitSlash)
		if phrases == nil && len(o.Phrases) == 0 {
			phrases = errors.New("the overlap holds no words: write what is said in quotation marks")
		}
		o.Preferred, preferred = parseSide(r.cell(columns, "preferred"))
		o.Other, other = parseSide(r.cell(columns, "other"))
		if err := errors.Join(phrases, preferred, other); err != nil {
			p.errorf(r.line, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
			continue
		}
		p.file.Overlaps = append(p.file.Overlaps, o)
	}
}

// notRefused are the words in the column Refuse? that a control action cannot carry.
var notRefused = []string{"no", "n", "false", "never", "allow", "allowed", "route"}

func (p *parser) controls(t table, columns map[string]int) {
	var phrasings []string
	for _, c := range t.header.cells {
		switch c := normalColumn(c); {
		case c == "control action" || strings.HasPrefix(c, "refuse") || c == "why" || c == "reason" || c == "":
		case isPhrasings(c):
			phrasings = append(phrasings, c)
		default:
			p.warnf(t.header.line, "the column %q is not read: call it Phrasings if it holds further ways to say the action", c)
		}
	}
	for _, r := range t.rows {
		if !p.filled(r, columns, "control action") {
			continue
		}
		c := Control{Line: r.line, Action: oneLine(r.cell(columns, "control action"))}
		for _, column := range phrasings {
			more, err := parsePhrases(r.cell(columns, column), splitPhrasings)
			if err != nil {
				p.errorf(r.line, "%v", err)
			}
			c.Phrasings = append(c.Phrasings, more...)
		}
		if refuse := r.cell(columns, "refuse"); slices.Contains(notRefused, normalHeading(refuse)) {
			p.errorf(r.line, "%q is marked %q, and what stands here is always refused: take the row out, or put it into the table Action | Path | Why", c.Action, refuse)
		}
		p.file.NeverRoute = append(p.file.NeverRoute, c)
	}
}

// isPhrasings is whether a column holds further ways to say a control action.
func isPhrasings(column string) bool {
	for _, w := range []string{"phras", "words", "wording", "said", "say", "example"} {
		if strings.Contains(column, w) {
			return true
		}
	}
	return false
}

func (p *parser) waysIn(t table, columns map[string]int) {
	for _, r := range t.rows {
		if !p.filled(r, columns, "name") {
			continue
		}
		// A way in is not always a project, so any name will do.
		name, _ := splitNote(r.cell(columns, "name"))
		if name != "" && !slices.Contains(p.file.WaysIn, name) {
			p.file.WaysIn = append(p.file.WaysIn, name)
		}
	}
}

// whole checks what no row shows by itself.
func (p *parser) whole() {
	byName := map[string]Destination{}
	byTopic := map[string]Destination{}
	settled := map[string]int{}
	for _, o := range p.file.Overlaps {
		for _, phrase := range o.Phrases {
			key := strings.ToLower(phrase)
			if line := settled[key]; line != 0 {
				p.warnf(o.Line, "the overlap %q stands in line %d already: keep one", phrase, line)
				continue
			}
			settled[key] = o.Line
		}
	}
	for _, d := range p.file.Destinations {
		if d.Project == "" {
			continue
		}
		if first, twice := byName[d.Project]; twice {
			p.errorf(d.Line, "the project %s stands in line %d already: put all its topics into one row", d.Project, first.Line)
			continue
		}
		byName[d.Project] = d
		if d.Kind != KindWayIn && d.Kind != "" && slices.Contains(p.file.WaysIn, d.Project) {
			p.warnf(d.Line, "%s is a destination here and no destination in the table of ways in: keep one", d.Project)
		}
		for _, topic := range d.Topics {
			key := strings.ToLower(topic)
			first, twice := byTopic[key]
			switch {
			case !twice:
				byTopic[key] = d
			case first.Project == d.Project:
				p.warnf(d.Line, "the topic %q stands in this row twice: keep one", topic)
			case settled[key] == 0:
				p.warnf(d.Line, "the topic %q is also in the row of %s in line %d: say in the overlap table which of them wins", topic, first.Project, first.Line)
			}
		}
	}
	for _, o := range p.file.Overlaps {
		p.sides(o, byName)
	}
}

// sides checks the two sides of an overlap against each other, and against the topic
// map: but what that lacks may stand in the part of it that could not be read, whose
// fault is named already.
func (p *parser) sides(o Overlap, byName map[string]Destination) {
	for _, name := range slices.Concat(o.Preferred.Projects, o.Other.Projects) {
		if _, ok := byName[name]; !ok && !p.mapBroken {
			p.errorf(o.Line, "the overlap names %s, which has no row in the topic map: mend the name, or add its row", name)
		}
	}
	a, b := len(o.Preferred.Projects), len(o.Other.Projects)
	switch {
	case a+b < 2:
		p.errorf(o.Line, "%q stands only against a fanout: name the other project, or write fanout (a + b)", oneProject)
	case a == 1 && b == 1 && o.Preferred.Projects[0] == o.Other.Projects[0]:
		p.errorf(o.Line, "both sides of the overlap are %s: name two projects", o.Other.Projects[0])
	}
}

// oneLine is a cell for which a line break means nothing.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")
}
