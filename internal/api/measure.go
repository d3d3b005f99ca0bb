package api

import (
	"fmt"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/record"
)

// measured counts what the API did. Its names are stable.
type measured struct {
	set      *metrics.Set
	byStatus map[routing.Status]*metrics.Counter
	seconds  *metrics.PrometheusHistogram
}

func newMeasured(set *metrics.Set) *measured {
	m := &measured{set: set, byStatus: make(map[routing.Status]*metrics.Counter)}
	for _, status := range []routing.Status{
		routing.StatusAnswered, routing.StatusDone, routing.StatusClarify, routing.StatusNoMatch, routing.StatusNoAnswer,
		routing.StatusRefused, routing.StatusUnavailable, routing.StatusPending, routing.StatusElsewhere,
	} {
		m.byStatus[status] = set.NewCounter(fmt.Sprintf("askhub_asks_total{status=%q}", status))
	}
	m.seconds = set.NewPrometheusHistogramExt("askhub_ask_seconds", []float64{0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 3, 4, 8})
	return m
}

// asked counts one answered request.
func (m *measured) asked(r *record.Record) {
	m.byStatus[r.Status].Inc()
	m.seconds.Update(r.Timings.Total.Seconds())
}

// problem counts one request that was itself wrong.
func (m *measured) problem(code ask.Code) {
	m.set.GetOrCreateCounter(fmt.Sprintf("askhub_problems_total{code=%q}", code)).Inc()
}
