package admin

import (
	"fmt"
	"slices"
)

// A chart has a bar for each of a project's last answers, the newest at the right.
const (
	barsShown  = 30
	barStep    = 8
	barWidth   = 6
	chartHigh  = 48
	leastHigh  = 2
	chartWide  = barsShown * barStep
	chartFloor = 100 // ms: what is faster than this is fast, and shall look so
)

// chart is how long a project's last answers took.
type chart struct {
	Width, Height int
	Bars          []bar
	// Says is the same in words.
	Says string
}

type bar struct {
	X, Y, Width, Height int
	// Failed is one that gave no answer in time.
	Failed bool
}

// chartOf draws a project's chart from records, the newest of which is the first; nil
// where none has asked it.
func chartOf(project string, records []hubRecord) *chart {
	var took []int64
	var failed []bool
	for i := range records {
		for _, p := range records[i].Parts {
			if p.Project == project && !p.Remembered && len(took) < barsShown {
				took, failed = append(took, p.MS), append(failed, p.Status == "unavailable")
			}
		}
	}
	if len(took) == 0 {
		return nil
	}
	most := max(slices.Max(took), chartFloor)
	c := &chart{Width: chartWide, Height: chartHigh}
	misses := 0
	for i, ms := range took {
		high := max(int(ms*chartHigh/most), leastHigh)
		c.Bars = append(c.Bars, bar{X: chartWide - (i+1)*barStep, Y: chartHigh - high, Width: barWidth, Height: high, Failed: failed[i]})
		if failed[i] {
			misses++
		}
	}
	sorted := slices.Sorted(slices.Values(took))
	c.Says = fmt.Sprintf("The last %d times it was asked: %d ms at best, %d ms in the middle, %d ms at worst", len(took), sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1])
	switch misses {
	case 0:
		c.Says += "."
	case 1:
		c.Says += "; once it did not answer."
	default:
		c.Says += fmt.Sprintf("; %d times it did not answer.", misses)
	}
	return c
}
