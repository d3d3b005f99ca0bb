package routing

import (
	"bytes"
	"html"
	"sort"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A section is what a known heading starts. Tables count only under the heading
// that they belong to; prose and deeper headings are for people.
type section int

const (
	sectionNone section = iota
	sectionTopics
	sectionOverlaps
	sectionNeverRoute
	// sectionPeople is a known heading under which nothing is read: the admin app,
	// the reply shape, the change log.
	sectionPeople
)

// title is how the file calls a section that is read.
func (s section) title() string {
	switch s {
	case sectionTopics:
		return "Topic to project map"
	case sectionOverlaps:
		return "Preferred project when two overlap"
	case sectionNeverRoute:
		return "Never-route list (control actions)"
	}
	return ""
}

// headings are the known headings as normalHeading makes them.
var headings = map[string]section{
	"topic to project map":                   sectionTopics,
	"preferred project when two overlap":     sectionOverlaps,
	"never route list":                       sectionNeverRoute,
	"what the admin app may send to the hub": sectionPeople,
	"reply shape":                            sectionPeople,
	"change log":                             sectionPeople,
	"changelog":                              sectionPeople,
}

// A row is one line of a table: its cells as plain text, in the file's order.
type row struct {
	line  int
	cells []string
	// extra holds the text of cells beyond the header's, which Markdown drops.
	extra string
}

// A table is a Markdown table with the section that it stands in.
type table struct {
	section section
	header  row
	rows    []row
}

// A stray is a line that looks like a table's row to a person and is none to Markdown.
type stray struct {
	section section
	line    int
}

// A document is what Markdown makes of the file.
type document struct {
	// headings holds the line of each known section's first heading.
	headings map[section]int
	tables   []table
	strays   []stray
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// read walks the Markdown in src, whose lines end in "\n".
func read(src []byte) document {
	d := document{headings: map[section]int{}}
	at := newLines(src)

	// open are the known headings that the walk is under, outermost first: a heading
	// closes those of its own level and deeper.
	type level struct {
		depth   int
		section section
	}
	var open []level
	current := func() section {
		if len(open) == 0 {
			return sectionNone
		}
		return open[len(open)-1].section
	}
	looksLikeRow := func(n ast.Node) {
		lines := n.Lines()
		for i := range lines.Len() {
			seg := lines.At(i)
			if bytes.HasPrefix(bytes.TrimSpace(seg.Value(src)), []byte("|")) {
				d.strays = append(d.strays, stray{current(), at.line(seg.Start)})
				return
			}
		}
	}

	_ = ast.Walk(markdown.Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			for len(open) > 0 && open[len(open)-1].depth >= n.Level {
				open = open[:len(open)-1]
			}
			if s, ok := headings[normalHeading(plain(n, src))]; ok {
				open = append(open, level{n.Level, s})
				if _, seen := d.headings[s]; !seen {
					d.headings[s] = at.line(n.Pos())
				}
			}
			return ast.WalkSkipChildren, nil
		case *tables.Table:
			d.tables = append(d.tables, readTable(n, src, current(), at))
			return ast.WalkSkipChildren, nil
		case *ast.Paragraph, *ast.TextBlock, *ast.CodeBlock:
			looksLikeRow(n)
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			// A row in a comment was put there on purpose.
			if n.HTMLBlockType != ast.HTMLBlockType2 {
				looksLikeRow(n)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return d
}

func readTable(n *tables.Table, src []byte, s section, at lines) table {
	t := table{section: s}
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		out := row{line: at.line(r.Pos())}
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			out.cells = append(out.cells, plain(c, src))
		}
		if r == n.FirstChild() {
			t.header = out
			continue
		}
		out.extra = beyond(src[r.Pos():], len(t.header.cells))
		t.rows = append(t.rows, out)
	}
	return t
}

// beyond is what the row at the start of src holds after its first n cells.
func beyond(src []byte, n int) string {
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		src = src[:i]
	}
	src = bytes.TrimPrefix(bytes.TrimSpace(src), []byte("|"))
	for i := 0; i < len(src); i++ {
		if src[i] == '|' && (i == 0 || src[i-1] != '\\') {
			if n--; n == 0 {
				return strings.Trim(string(src[i:]), "| \t")
			}
		}
	}
	return ""
}

// plain is the text of n as a reader sees it: no emphasis, backticks, links or
// escapes, white space as single spaces. A line break in a cell stays one.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			if n.IsRaw() || n.Parent() != nil && n.Parent().Kind() == ast.KindCodeSpan {
				b.Write(n.Value(src))
			} else {
				b.WriteString(unescape(n.Value(src)))
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(src))
		case *ast.RawHTML:
			tag := bytes.ToLower(n.Segments.Value(src))
			if bytes.HasPrefix(tag, []byte("<br")) {
				b.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	var kept []string
	for l := range strings.SplitSeq(b.String(), "\n") {
		if l = tidy(l); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// tidy makes white space single spaces and drops what nobody can see, such as a
// zero-width space that came along with a copied cell.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		const joiner, nonJoiner = '\u200d', '\u200c'
		if unicode.Is(unicode.Cf, r) && r != joiner && r != nonJoiner {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// unescape resolves backslash escapes and entities in one pass, so that "\&amp;"
// stays what its writer meant.
func unescape(b []byte) string {
	var out strings.Builder
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && i+1 < len(b) && util.IsPunct(b[i+1]):
			i++
			out.WriteByte(b[i])
		case b[i] == '&':
			const longest = 40
			end := bytes.IndexByte(b[i:min(len(b), i+longest)], ';')
			if end < 0 {
				out.WriteByte('&')
				continue
			}
			entity := string(b[i : i+end+1])
			if s := html.UnescapeString(entity); s != entity {
				out.WriteString(s)
				i += end
			} else {
				out.WriteByte('&')
			}
		default:
			out.WriteByte(b[i])
		}
	}
	return out.String()
}

// normalHeading is a heading without its number, its brackets, its case and its
// hyphens.
func normalHeading(s string) string {
	s, _, _ = strings.Cut(s, "(")
	s = strings.NewReplacer("->", " to ", "→", " to ").Replace(strings.ToLower(s))
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// lines finds the line of an offset.
type lines []int

func newLines(src []byte) lines {
	at := lines{0}
	for i, b := range src {
		if b == '\n' {
			at = append(at, i+1)
		}
	}
	return at
}

func (at lines) line(offset int) int {
	return max(1, sort.SearchInts(at, offset+1))
}
