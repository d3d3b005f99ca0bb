package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/paperclip"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/jobs"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/secrets"
)

// jobPart is the work bench as serve runs it; a nil one is a household without.
type jobPart struct {
	client *paperclip.Client
	keeper *jobs.Keeper
}

// openJobs makes the work bench that the config names. It asks nothing of it yet.
func openJobs(cfg *config.Config, store jobs.Store, news jobs.Teller, tokens *secrets.Secrets, log *slog.Logger) *jobPart {
	if !cfg.Paperclip.Configured() {
		return nil
	}
	client := paperclipClient(cfg, func() string { key, _ := tokens.Named(config.PaperclipKey); return key })
	return &jobPart{client, jobs.New(jobs.Config{
		Destination: paperclip.Name, Bench: workBench{client}, Store: store, Teller: news, Now: time.Now, Log: log,
	})}
}

func paperclipClient(cfg *config.Config, key func() string) *paperclip.Client {
	p := cfg.Paperclip
	return paperclip.New(paperclip.Config{
		URL: p.URL, Company: p.Company, Project: p.Project, Parent: p.Parent, Assignee: p.Assignee,
		Key: func() ask.BearerToken { return ask.BearerToken(key()) },
	})
}

// join has approved jobs filed, and the keeper told of what becomes of approvals.
func (p *jobPart) join(approvals *approvalPart) {
	if p == nil {
		return
	}
	approvals.by(paperclip.Name, p.keeper.Execute)
	approvals.told(p.keeper.Changed)
}

// use gives the keeper the desk on which it asks for a yes.
func (p *jobPart) use(desk *approve.Desk) {
	if p != nil {
		p.keeper.Use(desk)
	}
}

func (p *jobPart) deciders() map[string]dispatch.Decider {
	if p == nil {
		return nil
	}
	return map[string]dispatch.Decider{paperclip.Name: p.keeper}
}

// run follows the jobs until ctx ends.
func (p *jobPart) run(ctx context.Context) {
	if p == nil {
		return
	}
	p.keeper.Run(ctx)
	p.client.Close()
}

// workBench is a Paperclip as the keeper of jobs sees it.
type workBench struct{ client *paperclip.Client }

// Draft implements jobs.Bench.
func (b workBench) Draft(words string) (jobs.Draft, error) {
	job, err := b.client.Draft(words)
	if errors.Is(err, paperclip.ErrNoJob) {
		return jobs.Draft{}, jobs.ErrNoJob
	}
	if err != nil {
		return jobs.Draft{}, err
	}
	action, err := job.Action()
	return jobs.Draft{Title: job.Title, Action: action}, err
}

// File implements jobs.Bench.
func (b workBench) File(ctx context.Context, key string, action jsontext.Value) (jobs.Filed, error) {
	job, err := paperclip.ReadJob(action)
	if err != nil {
		return jobs.Filed{}, &paperclip.Fault{Kind: paperclip.Refused, Err: err}
	}
	issue, err := b.client.File(ctx, key, job)
	return jobs.Filed{Issue: issue.ID, Name: issue.Identifier}, err
}

// Look implements jobs.Bench.
func (b workBench) Look(ctx context.Context, issue string) (jobs.Progress, error) {
	found, err := b.client.Look(ctx, issue)
	var fault *paperclip.Fault
	switch {
	case errors.As(err, &fault) && fault.Kind == paperclip.Gone:
		return jobs.Gone, nil
	case err != nil:
		return "", err
	case found.Status == paperclip.StatusDone:
		return jobs.Finished, nil
	case found.Status == paperclip.StatusCancelled:
		return jobs.Cancelled, nil
	}
	return jobs.Underway, nil
}

// notices are where notices are kept until they are delivered.
type notices interface {
	Add(ctx context.Context, n notify.Notice) (id string, err error)
}

// jobNews tells news of jobs as notices of the Hub's own: in the person's feed and chat, and
// on their phone where it matters.
type jobNews struct{ notices notices }

// Tell implements jobs.Teller. The outbox takes the same words within a minute as one, which
// is how often a telling is repeated after a crash.
func (t jobNews) Tell(ctx context.Context, n jobs.News) error {
	level := notify.Info
	if n.Important {
		level = notify.Important
	}
	_, err := t.notices.Add(ctx, notify.Notice{From: notify.Hub, Person: string(n.Person), Message: n.Message, Level: level})
	if errors.Is(err, notify.ErrUnknownPerson) {
		return nil // who asked does not live here any more
	}
	return err
}
