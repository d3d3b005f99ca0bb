// Command train makes the guard's weights from its corpus. The same corpus gives the same
// bytes. With -cv it trains nothing for keeps and prints both errors by cross-validation.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"sort"

	"github.com/askhub/askhub/internal/hub/guard/corpus"
	"github.com/askhub/askhub/internal/hub/guard/internal/meaning"
)

func main() {
	log.SetFlags(0)
	cv := flag.Int("cv", 0, "print both errors by cross-validation in so many folds, and write nothing")
	verbose := flag.Bool("v", false, "with -cv, print each sentence that is judged wrongly")
	flag.Parse()
	lines, heldOut, err := corpus.Load()
	if err != nil {
		log.Fatal(err)
	}
	if *cv > 1 {
		validate(lines, *cv, *verbose)
		return
	}
	t, err := learn(lines)
	if err != nil {
		log.Fatal(err)
	}
	sum, err := corpus.Hash()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("weights.bin", meaning.Pack(meaning.Stamp(sum), t.weight, t.bias, t.kind, t.words()), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d sentences\n", len(lines))
	t.report(heldOut, *verbose)
}

func validate(lines []corpus.Line, folds int, verbose bool) {
	s := newScore()
	for k := range folds {
		var rest, part []corpus.Line
		for i, l := range lines {
			if i%folds == k && l.File != corpus.Templates {
				part = append(part, l)
			} else {
				rest = append(rest, l)
			}
		}
		t, err := learn(rest)
		if err != nil {
			log.Fatal(err)
		}
		t.score(part, s, verbose)
	}
	s.print()
}

// score counts the errors by label, style and kind, and keeps the scores for the trade
// between the two errors.
type score struct {
	n, wrong      map[string]int
	refuse, allow []float64
}

func newScore() *score { return &score{n: map[string]int{}, wrong: map[string]int{}} }

func (s *score) print() {
	keys := make([]string, 0, len(s.n))
	for k := range s.n {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	if len(s.refuse) == 0 || len(s.allow) == 0 {
		return
	}
	for _, at := range []float64{-1.5, -1, -0.5, 0, 0.5, 1, 1.5} {
		miss, needless := 0, 0
		for _, v := range s.refuse {
			if v <= at {
				miss++
			}
		}
		for _, v := range s.allow {
			if v > at {
				needless++
			}
		}
		fmt.Printf("at %4.1f missed %.4f needless %.4f\n", at, float64(miss)/float64(len(s.refuse)), float64(needless)/float64(len(s.allow)))
	}
	for _, k := range keys {
		fmt.Printf("%-34s %5d wrong %4d  %.3f\n", k, s.n[k], s.wrong[k], float64(s.wrong[k])/float64(s.n[k]))
	}
}

func (t *trainer) report(lines []corpus.Line, verbose bool) {
	s := newScore()
	t.score(lines, s, verbose)
	s.print()
}

func (t *trainer) score(lines []corpus.Line, s *score, verbose bool) {
	for _, l := range lines {
		text := corpus.Pick(l.Text, func(int) int { return 0 })
		v := t.judge(text)
		label := "allow"
		if l.Refuse {
			label = "refuse"
			s.refuse = append(s.refuse, v)
		} else {
			s.allow = append(s.allow, v)
		}
		keys := []string{label, label + " style " + l.Style, label + " kind " + l.Kind, label + " file " + l.File}
		for _, k := range keys {
			s.n[k]++
			if (v > 0) != l.Refuse {
				s.wrong[k]++
			}
		}
		if verbose && (v > 0) != l.Refuse {
			fmt.Printf("%6.2f %-6s %-12s %-10s %s\n", v, label, l.Kind, l.Style, text)
		}
	}
}
