// Package corpus holds the sentences that the guard learns from and is tested on. The
// Hub never imports it.
package corpus

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.txt
var files embed.FS

// HeldOut is what the names of the files that are never trained on begin with.
const HeldOut = "heldout"

// Templates is the file of sentences with choices.
const Templates = "templates.txt"

// CommonWords is the file of everyday words that are no slip of the keyboard.
const CommonWords = "words.txt"

const kinFile = "kin.txt"

// Line is one sentence. Text may hold choices, (a|b|), which Pick takes one of.
type Line struct {
	Refuse bool
	// Kind is the control action for a refusal, and what else it is for the rest.
	Kind  string
	Style string
	Text  string
	File  string
}

// Load reads the sentences of the corpus, the held-out ones apart.
func Load() (train, heldOut []Line, err error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.Name() == CommonWords || e.Name() == kinFile {
			continue
		}
		b, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, nil, err
		}
		lines, err := parse(e.Name(), string(b))
		if err != nil {
			return nil, nil, err
		}
		if strings.HasPrefix(e.Name(), HeldOut) {
			heldOut = append(heldOut, lines...)
		} else {
			train = append(train, lines...)
		}
	}
	return train, heldOut, nil
}

// parse reads sections: a heading "# refuse cut kid" or "# allow media plain", then a
// sentence a line.
func parse(name, text string) ([]Line, error) {
	var lines []Line
	var head Line
	n := 0
	for s := range strings.Lines(text) {
		n++
		s = strings.TrimSpace(s)
		switch {
		case s == "" || strings.HasPrefix(s, "//"):
		case strings.HasPrefix(s, "# "):
			f := strings.Fields(s[2:])
			if len(f) != 3 || f[0] != "refuse" && f[0] != "allow" {
				return nil, fmt.Errorf("%s:%d: a heading is # refuse|allow KIND STYLE", name, n)
			}
			head = Line{Refuse: f[0] == "refuse", Kind: f[1], Style: f[2], File: name}
		case head.Style == "":
			return nil, fmt.Errorf("%s:%d: a sentence before the first heading", name, n)
		default:
			l := head
			l.Text = s
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// Words are the everyday words of the corpus's list.
func Words() ([]string, error) {
	b, err := files.ReadFile(CommonWords)
	return strings.Fields(string(b)), err
}

// Kindred is a word and the group of words that are used like it; Wide counts fewer and
// larger groups. Both begin at 1.
type Kindred struct {
	Word      string
	Kin, Wide uint8
}

// Kin reads the groups: a line "= " begins a wide group, each further line is one group.
func Kin() ([]Kindred, error) {
	b, err := files.ReadFile(kinFile)
	if err != nil {
		return nil, err
	}
	var out []Kindred
	kin, wide := 0, 0
	for s := range strings.Lines(string(b)) {
		switch s = strings.TrimSpace(s); {
		case s == "" || strings.HasPrefix(s, "//"):
		case s == "=":
			wide++
		default:
			if kin++; kin > 255 || wide > 127 || wide == 0 {
				return nil, fmt.Errorf("%s: at most 255 groups in at most 127 wide ones", kinFile)
			}
			for w := range strings.FieldsSeq(s) {
				out = append(out, Kindred{w, uint8(kin), uint8(wide)})
			}
		}
	}
	return out, nil
}

// Spread writes every choice of a sentence one after another.
func Spread(text string) string { return choiceSigns.Replace(text) }

var choiceSigns = strings.NewReplacer("(", " ", "|", " ", ")", " ")

// Hash is over every file of the corpus but the held-out ones.
func Hash() ([32]byte, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return [32]byte{}, err
	}
	h := sha256.New()
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), HeldOut) {
			continue
		}
		b, err := files.ReadFile(e.Name())
		if err != nil {
			return [32]byte{}, err
		}
		fmt.Fprintf(h, "%s %d\n", e.Name(), len(b))
		h.Write(b)
	}
	return [32]byte(h.Sum(nil)), nil
}

// Pick takes one of each choice in a sentence; choose(n) is a number below n.
func Pick(text string, choose func(int) int) string {
	for {
		end := strings.IndexByte(text, ')')
		if end < 0 {
			break
		}
		start := strings.LastIndexByte(text[:end], '(')
		if start < 0 {
			break
		}
		options := strings.Split(text[start+1:end], "|")
		text = text[:start] + options[choose(len(options))] + text[end+1:]
	}
	return strings.Join(slices.DeleteFunc(strings.Split(text, " "), func(s string) bool { return s == "" }), " ")
}

// Choices is how many sentences a line stands for, at most limit.
func Choices(text string, limit int) int {
	n := 1
	for _, part := range strings.Split(text, "(")[1:] {
		inner, _, _ := strings.Cut(part, ")")
		n *= strings.Count(inner, "|") + 1
		if n > limit {
			return limit
		}
	}
	return n
}
