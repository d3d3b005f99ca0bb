// Package eval scores the guard, the router and the person rule on files of
// sentences, one JSON object a line.
package eval

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/go-json-experiment/json"
)

// eachLine decodes each line that is not blank; unknown fields are for others.
func eachLine[T any](r io.Reader, f func(n int, line T) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), 1<<20)
	n := 0
	for in.Scan() {
		n++
		src := bytes.TrimSpace(in.Bytes())
		if len(src) == 0 {
			continue
		}
		var line T
		if err := json.Unmarshal(src, &line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := f(n, line); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// tally counts what was right.
type tally struct{ n, right int }

func (t *tally) add(right bool) {
	t.n++
	if right {
		t.right++
	}
}

func (t *tally) sum() Sum { return Sum{N: t.n, Right: t.right} }

// share keeps four digits: more would claim more than a few hundred lines can say.
func share(part, all int) Share {
	if all == 0 {
		return 0
	}
	return Share(math.Round(float64(part)/float64(all)*1e4) / 1e4)
}
