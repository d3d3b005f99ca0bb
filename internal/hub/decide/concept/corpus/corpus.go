// Package corpus is what the embedded router learns from: sentences written for it
// by hand, under the concept that each speaks of. It is for training and for
// tests; the program itself does not carry it.
package corpus

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/hub/decide/concept"
)

//go:embed *.txt slots.lst
var files embed.FS

// Line is one sentence of the corpus.
type Line struct {
	// Text may hold slots such as {room}.
	Text string
	// Concepts are what it speaks of. More than one, and not Several: it may be
	// any of them, and nobody can tell.
	Concepts []concept.Concept
	// Several is whether it speaks of all its concepts at once.
	Several bool
}

// Lines are all sentences, in the order of the files.
func Lines() ([]Line, error) {
	names, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, err
	}
	var lines []Line
	for _, name := range names {
		src, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var under Line
		n := 0
		for text := range strings.Lines(string(src)) {
			n++
			text = strings.TrimSpace(text)
			head, isHead := strings.CutPrefix(text, "= ")
			switch {
			case text == "":
			case isHead:
				if under, err = header(head); err != nil {
					return nil, fmt.Errorf("%s line %d: %w", name, n, err)
				}
			case under.Concepts == nil:
				return nil, fmt.Errorf("%s line %d: a sentence before the first concept", name, n)
			default:
				under.Text = text
				lines = append(lines, under)
			}
		}
	}
	return lines, nil
}

func header(s string) (Line, error) {
	var l Line
	part := " | "
	if strings.Contains(s, " + ") {
		l.Several, part = true, " + "
	}
	for name := range strings.SplitSeq(s, part) {
		c, ok := concept.ByName(strings.TrimSpace(name))
		if !ok {
			return Line{}, fmt.Errorf("no concept %q", name)
		}
		l.Concepts = append(l.Concepts, c)
	}
	return l, nil
}

// Slots are the entries that each slot may stand for.
func Slots() (map[string][]string, error) {
	slots := map[string][]string{}
	for _, e := range concept.LexiconEntries() {
		slots[e.Category] = e.Words
	}
	src, err := files.ReadFile("slots.lst")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(src)) {
		name, entries, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		slots[name] = nil
		for e := range strings.SplitSeq(entries, ";") {
			slots[name] = append(slots[name], strings.TrimSpace(e))
		}
	}
	return slots, nil
}

// Fill puts an entry drawn by rnd into each slot of text. names are the drawn
// entries of {kid} and {name}, which a household may know as people.
func Fill(text string, slots map[string][]string, rnd *rand.Rand) (filled string, names []string) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String(), names
		}
		slot, after, _ := strings.Cut(rest, "}")
		entries := slots[slot]
		if len(entries) == 0 {
			panic("corpus: no slot " + slot)
		}
		entry := entries[rnd.IntN(len(entries))]
		if slot == "kid" || slot == "name" && !strings.Contains(entry, " ") {
			names = append(names, entry)
		}
		b.WriteString(entry)
		text = after
	}
}

// Hash is over everything that the weights depend on.
func Hash() (string, error) {
	h := sha256.New()
	names, err := fs.Glob(files, "*.*")
	if err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, ".go") })
	for _, name := range names {
		src, err := files.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(src))
		h.Write(src)
	}
	for _, e := range concept.LexiconEntries() {
		fmt.Fprintf(h, "%s %q\n", e.Category, e.Words)
	}
	for c := range concept.Count {
		fmt.Fprintf(h, "%s\n", concept.Abouts[c].Name)
	}
	fmt.Fprintf(h, "%s %d\n", concept.Stopwords(), concept.FeatureVersion)
	return string(h.Sum(nil)), nil
}
