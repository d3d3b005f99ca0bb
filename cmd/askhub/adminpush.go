package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/notify/webpush"
	"github.com/askhub/askhub/internal/store"
)

// adminPush lets the admin app tell browsers that something waits, with the household's key.
type adminPush struct {
	sender *webpush.Sender
	log    *slog.Logger
}

var _ admin.Push = (*adminPush)(nil)

func newAdminPush(cfg *config.Config, notices *store.Notices, log *slog.Logger) *adminPush {
	return &adminPush{pushSender(cfg, notices, log), log}
}

// Key implements admin.Push.
func (p *adminPush) Key() string {
	key, err := webpush.LoadKey(p.sender.KeyPath)
	if err != nil {
		p.log.Error("no browser can switch push on", "file", filepath.Base(p.sender.KeyPath), "cause", err)
		return ""
	}
	return key.Public()
}

// Add implements admin.Push.
func (p *adminPush) Add(ctx context.Context, person string, s admin.Subscription) error {
	one := notify.Subscription{Endpoint: s.Endpoint, P256dh: s.Keys.P256DH, Auth: s.Keys.Auth, Person: ask.Person(person), Added: time.Now()}
	if problem := webpush.Check(one); problem != nil {
		return problem
	}
	return p.sender.Subscriptions.Add(ctx, one)
}

// Remove implements admin.Push.
func (p *adminPush) Remove(ctx context.Context, person, endpoint string) error {
	own, err := p.sender.Subscriptions.Of(ctx, ask.Person(person))
	if err != nil {
		return err
	}
	for _, s := range own {
		if s.Endpoint == endpoint {
			return p.sender.Subscriptions.Remove(ctx, endpoint)
		}
	}
	return nil
}

// Send implements admin.Push. That somebody has switched push on nowhere is no fault.
func (p *adminPush) Send(ctx context.Context, person string) error {
	own, err := p.sender.Subscriptions.Of(ctx, ask.Person(person))
	if err != nil || len(own) == 0 {
		return err
	}
	return p.sender.Send(ctx, ask.Person(person))
}
