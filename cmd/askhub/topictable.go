package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/hub/routing"
)

// topicTable is the end of routing.md's topic map, as its writer laid it out.
type topicTable struct {
	// line is the line of a new row, from 1; offset the byte behind the last row.
	line, offset int
	// columns are the header's, in the file's order.
	columns []string
	// lead stands before each row, where the table is in a list or a quotation.
	lead string
	// piped is whether rows begin and end with a |.
	piped   bool
	newline string
}

// dashes is the line between a table's header and its rows.
var dashes = regexp.MustCompile(`^[\s>]*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)

// endOfTable finds the last row of the topic map; not ok where its layout is none
// that is known here.
func endOfTable(src []byte, file *routing.File) (t topicTable, ok bool) {
	last := 0
	for _, d := range file.Destinations {
		last = max(last, d.Line)
	}
	lines := rawLines(string(src))
	if last < 3 || last > len(lines) {
		return t, false
	}
	row := lines[last-1]
	t.line, t.offset, t.newline = last+1, row.end, "\n"
	if first := lines[0]; first.next > first.end {
		t.newline = string(src[first.end:first.next])
	}
	body := strings.TrimLeft(row.text, " \t>")
	t.lead, t.piped = row.text[:len(row.text)-len(body)], strings.HasPrefix(body, "|")
	for i := last - 2; i > 0; i-- {
		if text := lines[i].text; strings.Contains(text, "-") && dashes.MatchString(text) {
			t.columns = headerColumns(lines[i-1].text)
			break
		}
	}
	for _, c := range []string{"topic", "project", "kind", "status"} {
		if !slices.Contains(t.columns, c) {
			return t, false
		}
	}
	return t, true
}

// row is a new row with those cells; further columns stay empty.
func (t topicTable) row(cells map[string]string) string {
	var row []string
	for _, c := range t.columns {
		row = append(row, cells[c])
	}
	text := strings.Join(row, " | ")
	if t.piped {
		text = "| " + text + " |"
	}
	return t.lead + text
}

// insert leaves every other byte as it is.
func (t topicTable) insert(src []byte, row string) []byte {
	return slices.Concat(src[:t.offset], []byte(t.newline+row), src[t.offset:])
}

// headerColumns are the columns' names without case, brackets and marks.
func headerColumns(line string) []string {
	if i := strings.IndexByte(line, '|'); i >= 0 && strings.Trim(line[:i], " \t>-*+") == "" {
		line = line[i+1:]
	}
	line = strings.TrimSuffix(strings.TrimRight(line, " \t"), "|")
	var columns []string
	for cell := range strings.SplitSeq(strings.ReplaceAll(line, `\|`, " "), "|") {
		cell, _, _ = strings.Cut(strings.ToLower(cell), "(")
		cell = strings.Trim(cell, " \t*_`:")
		if cell == "topics" {
			cell = "topic"
		}
		columns = append(columns, cell)
	}
	return columns
}

// rawLine is one line of a file: its text, and the bytes where that ends and where
// the next line begins.
type rawLine struct {
	text      string
	end, next int
}

// rawLines splits at each kind of line end, as the parser of routing.md counts them.
func rawLines(src string) []rawLine {
	var lines []rawLine
	for start := 0; start < len(src); {
		end := len(src)
		next := end
		if i := strings.IndexAny(src[start:], "\r\n"); i >= 0 {
			end = start + i
			next = end + 1
			if strings.HasPrefix(src[end:], "\r\n") {
				next++
			}
		}
		lines = append(lines, rawLine{src[start:end], end, next})
		start = next
	}
	return lines
}
