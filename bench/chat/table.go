package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// A row is one measured thing of one store, one value a round for it and its reference.
type row struct {
	what, unit, kind string
	got, ref         []float64
	// limit is the most that the ratio may be, or the value itself where absolute is set;
	// 0 leaves it to the reader.
	limit    float64
	absolute bool
}

// compare makes a row of each store's values against the reference's.
func compare(what, unit string, values map[string][]float64, limit float64) []row {
	var rows []row
	for _, kind := range []string{kindSQLite, kindServer} {
		if len(values[kind]) > 0 {
			r := row{what: what, unit: unit, kind: kind, got: values[kind], ref: values[kindFiles], limit: limit}
			if kind == kindServer {
				r.limit = 0 // the targets are the embedded store's
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// ratios are the values over the reference's, round by round.
func (r *row) ratios() []float64 {
	var all []float64
	for i := range min(len(r.got), len(r.ref)) {
		if r.ref[i] > 0 {
			all = append(all, r.got[i]/r.ref[i])
		}
	}
	return all
}

// kept says whether the row is within its limit, at its median, which a noisy round
// cannot move.
func (r *row) kept() bool {
	if r.absolute {
		return median(r.got) <= r.limit
	}
	all := r.ratios()
	return len(all) > 0 && median(all) <= r.limit
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// printTable writes the rows with medians and the range of the ratios.
func printTable(w io.Writer, rows []row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "what\tstore\tit\treference\tratio\tleast–most\twanted\t")
	for i := range rows {
		r := &rows[i]
		ref, ratio, spread, wanted, verdict := "", "", "", "", ""
		if len(r.ref) > 0 {
			ref = value(median(r.ref), r.unit)
		}
		if all := r.ratios(); len(all) > 0 {
			ratio = fmt.Sprintf("%.3f", median(all))
			spread = fmt.Sprintf("%.3f–%.3f", slices.Min(all), slices.Max(all))
		}
		if r.limit > 0 {
			wanted = fmt.Sprintf("ratio ≤ %g", r.limit)
			if r.absolute {
				wanted = "≤ " + value(r.limit, r.unit)
			}
			verdict = "NO"
			if r.kept() {
				verdict = "yes"
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.what, r.kind, value(median(r.got), r.unit), ref, ratio, spread, wanted, verdict)
	}
	return t.Flush()
}

// value is a figure with three digits that count, and its unit.
func value(v float64, unit string) string {
	text := fmt.Sprintf("%.3g", v)
	if v >= 100 {
		text = fmt.Sprintf("%.0f", v)
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}
