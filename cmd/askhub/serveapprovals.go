package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/VictoriaMetrics/metrics"
	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/config"
)

// hubOwner is the owner of what the Hub itself carries out.
const hubOwner = "hub"

// approvalPart is the Hub's own approvals as serve runs them. What an approved action is
// for stands in it as "destination", and whoever reaches that destination carries it out.
type approvalPart struct {
	set     config.Approvals
	log     *slog.Logger
	execute map[string]approve.Execute
	changed []func(approve.Approval)
	// counts are the changes so far, by what an approval became.
	counts [len(approvalStates)]atomic.Uint64
}

// approvalStates are those that are counted.
var approvalStates = [...]approve.State{
	approve.Pending, approve.Denied, approve.Expired, approve.Approved, approve.Executing, approve.Done, approve.Failed, approve.Unknown,
}

// measure shows how many approvals became what.
func (p *approvalPart) measure(set *metrics.Set) {
	for i, state := range approvalStates {
		set.NewGauge(fmt.Sprintf("askhub_approvals_total{state=%q}", state), func() float64 { return float64(p.counts[i].Load()) })
	}
}

// by has the destination's approved actions carried out by run. It is called before open.
func (p *approvalPart) by(destination string, run approve.Execute) {
	if p.execute == nil {
		p.execute = map[string]approve.Execute{}
	}
	if p.execute[destination] != nil {
		panic("approvals: the destination " + destination + " is there twice")
	}
	p.execute[destination] = run
}

// told has every change told to f, which must not wait for anything. It is called before open.
func (p *approvalPart) told(f func(approve.Approval)) { p.changed = append(p.changed, f) }

// open is the Hub's desk.
func (p *approvalPart) open(ctx context.Context, store approve.Store) (*approve.Desk, error) {
	return approve.Open(ctx, approve.Options{
		Owner: hubOwner, Store: store, Execute: p.run, Lifetime: p.set.Wait.Duration, Keep: p.set.Keep(), Log: p.log,
		Changed: func(a approve.Approval) {
			if i := slices.Index(approvalStates[:], a.State); i >= 0 {
				p.counts[i].Add(1)
			}
			for _, f := range p.changed {
				f(a)
			}
		},
	})
}

var errNobody = errors.New("no destination of this askhub carries that action out")

// run carries an approved action out.
func (p *approvalPart) run(ctx context.Context, a approve.Approval) (string, error) {
	var to struct {
		Destination string `json:"destination"`
	}
	if err := json.Unmarshal(a.Action, &to); err != nil {
		return "", err
	}
	run := p.execute[to.Destination]
	if run == nil {
		return "That is not set up here any more, so nothing was done.", errNobody
	}
	return run(ctx, a)
}
