package routing

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
)

// kindWords are the words that a cell of the kind column starts with.
var kindWords = []struct {
	word string
	kind Kind
}{
	{"query", KindQuery},
	{"command", KindCommand},
	{"decision", KindDecision},
	{"peer", KindPeer},
	{"way in", KindWayIn},
	{"way-in", KindWayIn},
}

// carried are the words that every row of a kind carries and that say nothing more.
var carried = map[string]Kind{
	"/ask":      KindQuery,
	"post /ask": KindQuery,
	"direct":    KindCommand,
	"approval":  KindDecision,
}

// bare are the notes that may follow a kind without brackets or a comma.
var bare = []string{"intercom", "action only", "voice only", "keeps its own chat"}

// parseKind reads a cell such as "query /ask", "command (direct, action only)" or
// "peer intercom" into the kind and its note.
func parseKind(cell string) (Kind, string, error) {
	unknown := fmt.Errorf("unknown kind %q: write query /ask, command (direct), decision (approval), peer or way in, with a note in brackets", cell)
	s := strings.ToLower(oneLine(cell))
	for _, k := range kindWords {
		rest, ok := strings.CutPrefix(s, k.word)
		if !ok {
			continue
		}
		if rest != "" && rest[0] != ' ' && !startsNote(rest) {
			return "", "", unknown
		}
		// What follows without a separator must be a known word: "query email" is a slip.
		spoken := strings.TrimSpace(rest)
		if i := strings.IndexAny(spoken, "(,;"); i >= 0 {
			spoken = strings.TrimSpace(spoken[:i])
		}
		if spoken != "" && !startsNote(spoken) && carried[spoken] == "" && !slices.Contains(bare, spoken) {
			return "", "", unknown
		}
		var notes []string
		for note := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune("(),;", r) }) {
			note = strings.TrimSpace(strings.TrimLeft(note, " -–—:"))
			switch of := carried[note]; {
			case note == "" || of == k.kind:
			case of != "":
				return "", "", fmt.Errorf("kind %q says two things: %q belongs to the kind %s", cell, note, of)
			default:
				notes = append(notes, note)
			}
		}
		return k.kind, strings.Join(notes, ", "), nil
	}
	return "", "", unknown
}

// startsNote is whether s starts with a mark that sets a note apart.
func startsNote(s string) bool {
	return strings.HasPrefix(s, "-") || strings.HasPrefix(s, "–") || strings.HasPrefix(s, "—") ||
		strings.HasPrefix(s, ":") || strings.HasPrefix(s, "(") || strings.HasPrefix(s, ",") || strings.HasPrefix(s, ";")
}

// parseStatus reads "active service" or "placeholder — not built"; what follows
// after a dash, a comma or in brackets is for people.
func parseStatus(cell string) (placeholder bool, err error) {
	s := strings.ToLower(oneLine(cell))
	for _, w := range []struct {
		word        string
		placeholder bool
	}{{"active service", false}, {"active", false}, {"placeholder", true}} {
		if rest, ok := strings.CutPrefix(s, w.word); ok {
			rest = strings.TrimSpace(rest)
			if rest == "" || startsNote(rest) || w.placeholder && rest == "not built" {
				return w.placeholder, nil
			}
		}
	}
	return false, fmt.Errorf("unknown status %q: write active service, or placeholder — not built", cell)
}

// parseName reads a project's name, maybe followed by a note in brackets.
func parseName(cell string) (name, note string, err error) {
	name, note = splitNote(cell)
	switch {
	case name == "":
		return "", "", fmt.Errorf("%q names no project: write its name as its capabilities do, such as email_agent", cell)
	case !ask.ValidProject(name):
		return "", "", fmt.Errorf("%.80q is no project's name: a name has lower-case letters, digits, _ and - only, at most 64, and a note stands in brackets after it", name)
	}
	return name, note, nil
}

// splitNote splits "name (note)" and "name — note".
func splitNote(cell string) (name, note string) {
	name = oneLine(cell)
	if head, tail, ok := strings.Cut(name, "("); ok {
		return strings.TrimSpace(head), strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(tail), ")"))
	}
	for _, dash := range []string{" — ", " – ", " - "} {
		if head, tail, ok := strings.Cut(name, dash); ok {
			return strings.TrimSpace(head), strings.TrimSpace(tail)
		}
	}
	return name, ""
}

// oneProject is the side that a fanout is set against.
const oneProject = "one project"

// parseSide reads one side of an overlap: a project, a fanout, or "one project".
func parseSide(cell string) (Side, error) {
	s := oneLine(cell)
	low := strings.ToLower(s)
	if low == oneProject {
		return Side{}, nil
	}
	rest, isFanout := strings.CutPrefix(low, "fanout")
	if !isFanout {
		rest, isFanout = strings.CutPrefix(low, "fan-out")
	}
	if isFanout = isFanout && (rest == "" || strings.ContainsRune(" (:", rune(rest[0]))); !isFanout {
		if strings.ContainsRune(s, '+') {
			return Side{}, fmt.Errorf("%q names several projects: write fanout (a + b)", cell)
		}
		name, note, err := parseName(s)
		if err != nil {
			return Side{}, err
		}
		return Side{Projects: []string{name}, Note: note}, nil
	}
	// The letters that CutPrefix took are ASCII, so the rest has the same length in s.
	s = strings.TrimSpace(strings.TrimLeft(s[len(s)-len(rest):], ": "))
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s = s[1 : len(s)-1]
	}
	var side Side
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '+' || r == ',' }) {
		name, _, err := parseName(part)
		if err != nil {
			return Side{}, err
		}
		if slices.Contains(side.Projects, name) {
			return Side{}, fmt.Errorf("the fanout names %s twice: name each project once", name)
		}
		side.Projects = append(side.Projects, name)
	}
	switch n := len(side.Projects); {
	case n < 2:
		return Side{}, fmt.Errorf("the fanout %q needs two or three projects: write fanout (a + b)", cell)
	case n > MaxProjects:
		return Side{}, fmt.Errorf("the fanout names %d projects, and one question reaches at most %d: take some out", n, MaxProjects)
	}
	return side, nil
}

// parseTopics splits a cell at its commas. empty is whether a topic between two
// commas is missing.
func parseTopics(cell string) (topics []string, empty bool) {
	for l := range strings.SplitSeq(cell, "\n") {
		// A comma before a line break ends the line, and no topic is missing there.
		if l != cell {
			l = strings.Trim(l, ", ")
		}
		for topic := range strings.SplitSeq(l, ",") {
			topic = unquote(topic)
			if topic == "" {
				empty = true
				continue
			}
			topics = append(topics, topic)
		}
	}
	return topics, empty
}

// unquote takes a pair of double quotes off.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) >= 2 && isQuote(r[0]) && isQuote(r[len(r)-1]) {
		s = strings.TrimSpace(string(r[1 : len(r)-1]))
	}
	return s
}

// unquoteSingle takes a pair of single quotes off.
func unquoteSingle(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range [][2]string{{"'", "'"}, {"‘", "’"}} {
		if len(s) > len(q[0])+len(q[1]) && strings.HasPrefix(s, q[0]) && strings.HasSuffix(s, q[1]) {
			return strings.TrimSpace(s[len(q[0]) : len(s)-len(q[1])])
		}
	}
	return s
}

// isQuote is whether r is a double quotation mark, straight or curly, of any
// country. A single one is an apostrophe.
func isQuote(r rune) bool { return strings.ContainsRune(`"“”„‟«»`, r) }

// parsePhrases reads phrases in quotes with " / ", a comma or "or" between them.
// Without quotes, the separators of sep split the cell.
func parsePhrases(cell string, sep func(string) []string) ([]string, error) {
	cell = strings.ReplaceAll(cell, "\n", " / ")
	if strings.IndexFunc(cell, isQuote) < 0 {
		var out []string
		for _, p := range sep(cell) {
			if p = unquoteSingle(p); p != "" {
				out = append(out, p)
			}
		}
		return out, nil
	}
	var out []string
	rest := cell
	for {
		i := strings.IndexFunc(rest, isQuote)
		between := rest
		if i >= 0 {
			between = rest[:i]
		}
		if w := strings.ToLower(strings.Trim(between, " /,;")); w != "" && w != "or" {
			return nil, fmt.Errorf("%q stands outside the quotation marks: put each phrase in quotes with \" / \" between them", strings.TrimSpace(between))
		}
		if i < 0 {
			break
		}
		rest = afterRune(rest[i:])
		end := strings.IndexFunc(rest, isQuote)
		if end < 0 {
			return nil, fmt.Errorf("%q opens a quotation mark and does not close it", cell)
		}
		phrase := strings.TrimSpace(rest[:end])
		if phrase == "" {
			return nil, fmt.Errorf("%q has an empty phrase: write the words between the quotes", cell)
		}
		out = append(out, phrase)
		rest = afterRune(rest[end:])
	}
	return out, nil
}

// afterRune is s without its first rune.
func afterRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[n:]
}

// splitSlash splits unquoted overlaps.
func splitSlash(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == ',' })
}

// splitPhrasings splits unquoted phrasings: at " / " or ";" where one is there, else
// at commas. A slash without spaces belongs to the words ("on/off").
func splitPhrasings(s string) []string {
	s = strings.ReplaceAll(s, " / ", ";")
	if strings.ContainsRune(s, ';') {
		return strings.FieldsFunc(s, func(r rune) bool { return r == ';' })
	}
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}
