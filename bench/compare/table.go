package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// A row is one measured thing, one value a round for each side.
type row struct {
	what, unit string
	hub, ref   []float64
	// limit is the most that the ratio of Hub to reference may be, or the Hub's own
	// worst value where absolute is set.
	limit    float64
	absolute bool
}

// ratios are the Hub's values over the reference's, round by round.
func (r row) ratios() []float64 {
	var all []float64
	for i := range min(len(r.hub), len(r.ref)) {
		if r.ref[i] > 0 {
			all = append(all, r.hub[i]/r.ref[i])
		}
	}
	return all
}

// kept says whether the row is within its limit: at its median for a ratio, which a
// noisy round cannot move, and at its worst for a limit of its own.
func (r row) kept() bool {
	if r.absolute {
		return len(r.hub) > 0 && slices.Max(r.hub) < r.limit
	}
	all := r.ratios()
	return len(all) > 0 && median(all) <= r.limit
}

// printTable writes the rows with medians and, for what is a ratio, the range of the
// rounds; with judge also whether each is as wanted.
func printTable(w io.Writer, subject string, rows []row, judge bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "what\t%s\treference\tratio\tleast–most\twanted\t\n", subject)
	for _, r := range rows {
		ratio, spread, wanted := "", "", fmt.Sprintf("ratio ≤ %g", r.limit)
		if all := r.ratios(); len(all) > 0 {
			ratio = fmt.Sprintf("%.2f", median(all))
			spread = fmt.Sprintf("%.2f–%.2f", slices.Min(all), slices.Max(all))
		}
		if r.absolute {
			wanted = fmt.Sprintf("< %g %s", r.limit, r.unit)
		}
		verdict := "yes"
		switch {
		case !judge:
			wanted, verdict = "", ""
		case !r.kept():
			verdict = "NO"
		}
		reference := ""
		if len(r.ref) > 0 {
			reference = fmt.Sprintf("%.1f %s", median(r.ref), r.unit)
		}
		fmt.Fprintf(t, "%s\t%.1f %s\t%s\t%s\t%s\t%s\t%s\n",
			r.what, median(r.hub), r.unit, reference, ratio, spread, wanted, verdict)
	}
	return t.Flush()
}
