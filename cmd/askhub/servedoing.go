package main

import (
	"context"
	"log/slog"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/apprise"
	"github.com/askhub/askhub/internal/notify/target"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/timers"
)

// doing is what acts, asks for a yes and tells, each knowing of the others what it needs.
type doing struct {
	connected *connectorSet
	notices   *noticePart
	approvals *approvalPart
	work      *jobPart
	desk      *approve.Desk
	ringing   *timers.Desk
}

// openDoing opens all of it over the store. Nothing of it runs yet; close gives it back.
func openDoing(ctx context.Context, cfg *config.Config, db *state, threads target.Threads, rules *ruleBook, tokens *secrets.Secrets, happens *eventPart, log *slog.Logger) (*doing, error) {
	d := &doing{connected: openConnectors(cfg, rules, tokens, log), approvals: &approvalPart{set: cfg.Approvals, log: log}}
	d.notices = openNotices(cfg, db.notices, threads, d.connected.speech, rules.household, tokens, happens, log)
	d.approvals.told(happens.approval)
	d.approvals.told(d.notices.waits)
	d.work = openJobs(cfg, db.jobs, jobNews{d.notices}, tokens, log)
	d.work.join(d.approvals)
	var err error
	if d.desk, err = d.approvals.open(ctx, db.approvals); err != nil {
		d.connected.close()
		return nil, exitError{exitNeedDown, err}
	}
	d.work.use(d.desk)
	d.connected.add(apprise.Name, d.notices.connector(), func() {})
	d.connected.tellers = append(d.connected.tellers, d.notices.rings)
	d.connected.tellEvents(d.notices)
	d.ringing = d.connected.keepTimers(db.timers, rules, log)
	return d, nil
}

func (d *doing) close() {
	d.desk.Close()
	d.connected.close()
}
