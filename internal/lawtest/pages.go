package lawtest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)[^)]*\)`)
	heading = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	span    = regexp.MustCompile("`([^`]+)`")
	// inside are paths that only this repository can mean.
	inside   = regexp.MustCompile(`^(\./)?(ask|plan|chat|internal|cmd|examples|docs|bench|packaging|tools|eval)/[\w./-]*$`)
	fileName = regexp.MustCompile(`^[\w-]+\.(go|md|json|toml|html|sql|txt|py|ts)$`)
	branch   = regexp.MustCompile(`^\s*[\w.-]+/(\s|$)`)
	target   = regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
	goal     = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
)

// twice is how many of a line's first bytes no other line of its page begins with: a merge
// that keeps both sides leaves such.
const twice = 45

// Pages complains of what the Markdown pages name and the tree does not have: links
// and their headings, paths in code spans, trees in code blocks, make targets. And of
// what stands on a page twice.
func Pages(t *Tree) []string {
	makefile, _ := t.read("Makefile")
	var goals []string
	for _, m := range goal.FindAllStringSubmatch(string(makefile), -1) {
		goals = append(goals, m[1])
	}
	var faults []string
	for _, page := range t.withEnding(".md") {
		if strings.Contains("/"+page, "/testdata/") {
			continue
		}
		text, err := t.read(page)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		prose, blocks := split(string(text))
		complain := func(line int, format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s:%d ", page, line)+fmt.Sprintf(format, args...))
		}
		first := map[string]int{}
		for n, line := range prose {
			if len(line) > twice && !strings.HasPrefix(line, "|") {
				if before := first[line[:twice]]; before > 0 {
					complain(n+1, "begins as line %d does", before)
				}
				first[line[:twice]] = n + 1
			}
			for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(line, ""), -1) {
				if why := t.badLink(page, m[1]); why != "" {
					complain(n+1, "links to %s: %s", m[1], why)
				}
			}
			if page == "CHANGELOG.md" { // it may name what is gone
				continue
			}
			for _, m := range span.FindAllStringSubmatch(line, -1) {
				if inside.MatchString(m[1]) && !t.exists(m[1]) {
					complain(n+1, "names %s, which is not there", m[1])
				}
				for _, g := range target.FindAllStringSubmatch(m[1], -1) {
					if !slices.Contains(goals, g[1]) {
						complain(n+1, "names make %s, which the Makefile lacks", g[1])
					}
				}
			}
		}
		for _, b := range blocks {
			for _, name := range b.tree() {
				if !t.exists(name.path) {
					complain(name.line, "its tree names %s, which is not there", name.path)
				}
			}
		}
	}
	return faults
}

func (t *Tree) exists(p string) bool {
	_, err := os.Stat(filepath.Join(t.Root, filepath.FromSlash(p)))
	return err == nil
}

func (t *Tree) badLink(page, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return ""
	}
	file, anchor, _ := strings.Cut(to, "#")
	full := page
	if file != "" {
		full = path.Join(path.Dir(page), file)
	}
	if !t.exists(full) {
		return "there is no such file"
	}
	if anchor == "" || !strings.HasSuffix(full, ".md") {
		return ""
	}
	text, err := t.read(full)
	if err != nil {
		return err.Error()
	}
	prose, _ := split(string(text))
	for _, line := range prose {
		if m := heading.FindStringSubmatch(line); m != nil && slug(m[1]) == anchor {
			return ""
		}
	}
	return "there is no such heading"
}

// slug is the anchor that a heading gets on the usual code hosts.
func slug(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, s)
}

// A block is a fenced code block; line is the number of its first line.
type block struct {
	line  int
	lines []string
}

// split takes a page apart: its lines with those of code blocks emptied, and the blocks.
func split(text string) (prose []string, blocks []block) {
	prose = strings.Split(text, "\n")
	fenced := false
	for n, line := range prose {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && !fenced:
			blocks = append(blocks, block{line: n + 2})
		case !fence && fenced:
			last := &blocks[len(blocks)-1]
			last.lines = append(last.lines, line)
		}
		if fence {
			fenced = !fenced
		}
		if fence || fenced {
			prose[n] = ""
		}
	}
	return prose, blocks
}

type named struct {
	path string
	line int
}

// tree reads a block as a tree of folders, or not at all where it is none: a line
// begins with one or more names ("merge/  reply/"), deeper ones stand further in,
// and a file's name in the words after a folder is in that folder.
func (b block) tree() []named {
	folders := 0
	for _, line := range b.lines {
		if branch.MatchString(line) {
			folders++
		}
	}
	if folders < 3 {
		return nil
	}
	type level struct {
		indent int
		dir    string
	}
	var all []named
	stack := []level{{-1, ""}}
	for n, line := range b.lines {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		isName := func(w string) bool { return strings.HasSuffix(w, "/") || fileName.MatchString(w) }
		if !isName(words[0]) { // the description of the line above, run on
			dir := stack[len(stack)-1].dir
			for _, w := range words {
				if fileName.MatchString(w) {
					all = append(all, named{path.Join(dir, w), b.line + n})
				}
			}
			continue
		}
		for indent <= stack[len(stack)-1].indent {
			stack = stack[:len(stack)-1]
		}
		parent := stack[len(stack)-1].dir
		if strings.HasSuffix(words[0], "/") {
			stack = append(stack, level{indent, path.Join(parent, words[0])})
		}
		dir, leading := parent, true
		for _, w := range words {
			leading = leading && isName(w)
			switch {
			case leading && strings.HasSuffix(w, "/"):
				dir = path.Join(parent, w)
				all = append(all, named{dir, b.line + n})
			case fileName.MatchString(w):
				all = append(all, named{path.Join(dir, w), b.line + n})
			}
		}
	}
	return all
}
