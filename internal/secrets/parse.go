package secrets

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// assignment is one NAME=value of the file.
type assignment struct {
	name, value string
	// line is from 1; start and end are the bytes of the whole assignment, the line
	// end included, so that an edit can leave every other byte alone.
	line, start, end int
}

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parse reads systemd's environment.d syntax by its own rules. The assignments are in
// the file's order, values unquoted and not yet expanded. The problems are lines that systemd
// passes over; the error is a file that cannot be read safely, because what follows
// the fault would be taken for something else.
func parse(data []byte) (list []assignment, problems []error, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, nil, lineError(lineAt(data, i), "a NUL byte stands there; this is not a text file")
	}
	p := &parser{data: data, line: 1}
	for p.pos < len(p.data) {
		a, ok, err := p.next()
		switch {
		case errors.Is(err, errPassedOver):
			problems = append(problems, err)
		case err != nil:
			return nil, nil, err
		case ok:
			list = append(list, a)
		}
	}
	return list, problems, nil
}

// errPassedOver marks a line that systemd ignores.
var errPassedOver = errors.New("this line has no effect")

type parser struct {
	data []byte
	pos  int
	line int
}

func lineError(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))
}

func lineAt(data []byte, pos int) int {
	line := 1
	for i := range pos {
		if isNewline(data[i]) && (data[i] != '\n' || i == 0 || data[i-1] != '\r') {
			line++
		}
	}
	return line
}

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || isNewline(c) }

// newline steps over one line end, of two bytes too.
func (p *parser) newline() {
	if p.data[p.pos] == '\r' && p.pos+1 < len(p.data) && p.data[p.pos+1] == '\n' {
		p.pos++
	}
	p.pos++
	p.line++
}

// next reads up to the end of one comment, blank line or assignment.
func (p *parser) next() (a assignment, ok bool, err error) {
	start := p.pos
	for p.pos < len(p.data) && isSpace(p.data[p.pos]) {
		if isNewline(p.data[p.pos]) {
			p.newline()
			return a, false, nil
		}
		p.pos++
	}
	if p.pos == len(p.data) {
		return a, false, nil
	}
	if c := p.data[p.pos]; c == '#' || c == ';' {
		for p.pos < len(p.data) && !isNewline(p.data[p.pos]) {
			p.pos++
		}
		return a, false, nil
	}
	first := p.line
	from := p.pos
	for p.pos < len(p.data) && p.data[p.pos] != '=' && !isNewline(p.data[p.pos]) {
		p.pos++
	}
	key := strings.TrimRight(string(p.data[from:p.pos]), " \t")
	if p.pos == len(p.data) || p.data[p.pos] != '=' {
		return a, false, passedOver(first, "write it as NAME=value")
	}
	p.pos++
	value, quoted, err := p.value()
	if err != nil {
		return a, false, err
	}
	switch {
	case !nameForm.MatchString(key):
		return a, false, passedOver(first, "what stands before the = is not a name of letters, digits and _ (`export` is not supported)")
	case !utf8.Valid(value):
		return a, false, lineError(first, "%s is not UTF-8; save the file as UTF-8", key)
	case len(value) == 0 && !quoted:
		return a, false, passedOver(first, key+" has no value; give it one or take the line out")
	case len(value) == 0:
		return a, false, passedOver(first, key+" has an empty value; give it one or take the line out")
	}
	return assignment{key, string(value), first, start, p.pos}, true, nil
}

func passedOver(line int, mend string) error {
	return fmt.Errorf("line %d: %w: %s", line, errPassedOver, mend)
}

// value reads from behind the = to the end of the assignment. Quoted and bare pieces
// join; inside a bare piece a quote is an ordinary character, as systemd has it.
func (p *parser) value() (v []byte, quoted bool, err error) {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case isNewline(c):
			p.newline()
			return v, quoted, nil
		case c == ' ' || c == '\t':
			p.pos++
		case c == '\'' || c == '"':
			quoted = true
			if v, err = p.quoted(v, c); err != nil {
				return nil, false, err
			}
		default:
			return p.bare(v), quoted, nil
		}
	}
	return v, quoted, nil
}

// bare reads an unquoted piece, which lasts to the end of the assignment: a backslash
// keeps the next character as it is, and at the end of a line joins the next line.
func (p *parser) bare(v []byte) []byte {
	keep := len(v) // spaces beyond this are trailing ones
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		switch {
		case isNewline(c):
			p.newline()
			return v[:keep]
		case c == '\\' && p.pos+1 < len(p.data):
			p.pos++
			if isNewline(p.data[p.pos]) {
				p.newline()
			} else {
				v = append(v, p.data[p.pos])
				p.pos++
			}
			keep = len(v)
		case c == '\\':
			p.pos++
		default:
			v = append(v, c)
			p.pos++
			if c != ' ' && c != '\t' {
				keep = len(v)
			}
		}
	}
	return v[:keep]
}

// quoted reads a piece in quotes; it may run over several lines.
func (p *parser) quoted(v []byte, quote byte) ([]byte, error) {
	opened := p.line
	p.pos++
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		p.pos++
		switch {
		case c == quote:
			return v, nil
		case quote == '"' && c == '\\' && p.pos < len(p.data):
			e := p.data[p.pos]
			p.pos++
			switch e {
			case '"', '\\', '`', '$':
				v = append(v, e)
			case '\n':
				p.line++
			default:
				v = append(v, '\\', e)
			}
		default:
			if c == '\n' {
				p.line++
			}
			v = append(v, c)
		}
	}
	return nil, lineError(opened, "the quote that opens there is never closed; close it")
}

// expand replaces $NAME, ${NAME}, ${NAME:-else} and ${NAME:+instead} as systemd does:
// after unquoting, whatever the quotes were. $$ is one $. lookup gives "" for what is not set.
func expand(s string, lookup func(string) string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 || i == len(s)-1 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		switch n := nameLen(s); {
		case s[0] == '$':
			b.WriteByte('$')
			s = s[1:]
		case n > 0:
			b.WriteString(lookup(s[:n]))
			s = s[n:]
		case s[0] == '{':
			text, rest, ok := braces(s, lookup)
			if !ok {
				b.WriteString("$")
				continue
			}
			b.WriteString(text)
			s = rest
		default:
			b.WriteByte('$')
		}
	}
}

// braces expands the ${…} that s begins with the { of. A name that cannot be one is
// never set.
func braces(s string, lookup func(string) string) (text, rest string, ok bool) {
	n := strings.IndexAny(s, "}:")
	if n < 0 {
		return "", "", false
	}
	name, after := s[1:n], s[n:]
	if rest, ok = strings.CutPrefix(after, "}"); ok {
		return lookup(name), rest, true
	}
	if len(after) < 2 || (after[1] != '-' && after[1] != '+') {
		return "", "", false
	}
	depth := 1
	for i := 2; i < len(after); i++ {
		switch {
		case after[i] == '{' && after[i-1] == '$':
			depth++
		case after[i] == '}':
			depth--
		}
		if depth > 0 {
			continue
		}
		word, value := after[2:i], lookup(name)
		if after[1] == '+' {
			if value == "" {
				return "", after[i+1:], true
			}
			return expand(word, lookup), after[i+1:], true
		}
		if value == "" {
			value = expand(word, lookup)
		}
		return value, after[i+1:], true
	}
	return "", "", false
}

func nameLen(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
