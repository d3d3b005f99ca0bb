package calendar

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/emersion/go-ical"
)

// Limits on one calendar. A household's calendar is far below each of them.
const (
	// MaxSize is the most bytes of iCalendar text that are read.
	MaxSize = 10 << 20
	// MaxEntries is the most events and tasks.
	MaxEntries = 50_000
	// maxDepth is how deep components may nest; an alarm in an event is three.
	maxDepth = 8
	// maxLine is the longest unfolded line that is kept; a longer one (an
	// attachment as text) is left out.
	maxLine = 64 << 10
)

// Why a text is not a calendar that can be used.
var (
	ErrTooLarge = errors.New("the calendar is too large")
	ErrWebPage  = errors.New("this is a web page and not a calendar, maybe a page to log in")
	ErrNotOne   = errors.New("this is not a calendar: it does not start with BEGIN:VCALENDAR")
	ErrCut      = errors.New("the calendar is cut off before its end")
)

// decode turns text into component trees, one for each VCALENDAR in it. The
// library's own decoder is not used: it gives up on a whole feed for one bad
// line, panics on a parameter without a colon and nests without a limit.
func decode(text []byte) ([]*ical.Component, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("%w: more than %d MB", ErrTooLarge, MaxSize>>20)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if err := looksLikeOne(text); err != nil {
		return nil, err
	}
	var (
		roots   []*ical.Component
		stack   []*ical.Component
		entries int
	)
	lines := lineReader{rest: text}
	for {
		line, ok := lines.next()
		if !ok {
			break
		}
		prop, ok := parseLine(line)
		if !ok {
			if len(stack) > 1 {
				markBad(stack[len(stack)-1], line)
			}
			continue
		}
		switch prop.Name {
		case "BEGIN":
			name := strings.ToUpper(strings.TrimSpace(prop.Value))
			if len(stack) == 0 && name != ical.CompCalendar {
				return nil, ErrNotOne
			}
			if len(stack) == maxDepth {
				return nil, fmt.Errorf("the calendar nests deeper than %d levels", maxDepth)
			}
			if entries++; entries > MaxEntries {
				return nil, fmt.Errorf("%w: more than %d entries", ErrTooLarge, MaxEntries)
			}
			c := ical.NewComponent(name)
			if len(stack) == 0 {
				roots = append(roots, c)
			} else {
				top := stack[len(stack)-1]
				top.Children = append(top.Children, c)
			}
			stack = append(stack, c)
		case "END":
			name := strings.TrimSpace(prop.Value)
			if len(stack) == 0 || !strings.EqualFold(stack[len(stack)-1].Name, name) {
				return nil, fmt.Errorf("the calendar ends a %.20q that it did not begin", name)
			}
			stack = stack[:len(stack)-1]
		default:
			if len(stack) == 0 {
				continue // what stands behind the end is nobody's
			}
			stack[len(stack)-1].Props.Add(prop)
		}
	}
	if len(stack) > 0 {
		return nil, ErrCut
	}
	if len(roots) == 0 {
		return nil, ErrNotOne
	}
	return roots, nil
}

// badLine marks a component whose line about time could not be read, so that
// the entry counts as a fault and is not taken for something simpler.
const badLine = "X-ASKHUB-BAD-LINE"

func markBad(c *ical.Component, line string) {
	for _, name := range []string{"DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "STATUS"} {
		if len(line) >= len(name) && strings.EqualFold(line[:len(name)], name) {
			c.Props.Set(&ical.Prop{Name: badLine, Value: name})
		}
	}
}

func looksLikeOne(text []byte) error {
	head := bytes.ToLower(bytes.TrimSpace(text[:min(len(text), 1024)]))
	switch {
	case bytes.HasPrefix(head, []byte("begin:vcalendar")):
		return nil
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")),
		bytes.Contains(head, []byte("<html")), bytes.Contains(head, []byte("<head")):
		return ErrWebPage
	}
	return ErrNotOne
}

// lineReader gives unfolded content lines: a line that starts with a space or
// a tab goes on with the one before it.
type lineReader struct{ rest []byte }

func (r *lineReader) next() (string, bool) {
	for len(r.rest) > 0 {
		line := r.physical()
		long := len(line) > maxLine
		if len(r.rest) > 0 && (r.rest[0] == ' ' || r.rest[0] == '\t') {
			var b bytes.Buffer
			b.Write(line[:min(len(line), maxLine)])
			for len(r.rest) > 0 && (r.rest[0] == ' ' || r.rest[0] == '\t') {
				more := r.physical()[1:]
				if b.Len()+len(more) > maxLine {
					long = true
					continue
				}
				b.Write(more)
			}
			line = b.Bytes()
		}
		if long || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		return strings.ToValidUTF8(string(line), "\uFFFD"), true
	}
	return "", false
}

func (r *lineReader) physical() []byte {
	i := bytes.IndexAny(r.rest, "\r\n")
	if i < 0 {
		line := r.rest
		r.rest = nil
		return line
	}
	line := r.rest[:i]
	if r.rest[i] == '\r' && i+1 < len(r.rest) && r.rest[i+1] == '\n' {
		i++
	}
	r.rest = r.rest[i+1:]
	return line
}

// parseLine splits NAME;PARAM=VALUE,"VALUE":VALUE.
func parseLine(line string) (*ical.Prop, bool) {
	i := strings.IndexAny(line, ";:")
	if i <= 0 {
		return nil, false
	}
	p := ical.NewProp(line[:i])
	rest := line[i:]
	for rest[0] == ';' {
		eq := strings.IndexByte(rest, '=')
		if eq < 2 {
			return nil, false
		}
		name := rest[1:eq]
		if strings.ContainsAny(name, ":;\"") {
			return nil, false
		}
		rest = "," + rest[eq+1:]
		for rest != "" && rest[0] == ',' {
			var value string
			if len(rest) > 1 && rest[1] == '"' {
				end := strings.IndexByte(rest[2:], '"')
				if end < 0 {
					return nil, false
				}
				value, rest = rest[2:2+end], rest[end+3:]
			} else {
				end := strings.IndexAny(rest[1:], ",;:")
				if end < 0 {
					return nil, false
				}
				value, rest = rest[1:1+end], rest[1+end:]
			}
			p.Params.Add(name, value)
		}
		if rest == "" || (rest[0] != ';' && rest[0] != ':') {
			return nil, false
		}
	}
	p.Value = rest[1:]
	return p, true
}

// text undoes the escaping of a TEXT value, and forgives one that is not escaped.
func text(c *ical.Component, name string, limit int) string {
	p := c.Props.Get(name)
	if p == nil {
		return ""
	}
	var b strings.Builder
	v := p.Value
	for i := 0; i < len(v) && b.Len() < limit; i++ {
		if v[i] != '\\' || i+1 == len(v) {
			b.WriteByte(v[i])
			continue
		}
		i++
		switch v[i] {
		case 'n', 'N':
			b.WriteByte('\n')
		default:
			b.WriteByte(v[i])
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(b.String(), ""))
}
