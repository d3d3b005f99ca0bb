package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/answering"
	"github.com/askhub/askhub/internal/clientaddress"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/qrcode"
	"github.com/askhub/askhub/internal/secrets"
)

// threads is a chat's store with all that serve needs of it.
type threads interface {
	chat.Store
	chat.Pairing
	chat.Turns
}

// chatPart is the chat as serve runs it.
type chatPart struct {
	cfg   *config.Config
	store threads
	rules chat.Rules
	log   *slog.Logger
	set   *metrics.Set
}

// handler serves the chat's wire until done is closed.
func (c *chatPart) handler(done <-chan struct{}) *chat.Handler {
	h := chat.NewHandler(chat.Config{
		Store: c.store, Pairing: c.store, Rules: c.rules,
		Address: clientaddress.New(c.cfg.Proxies()), Origins: c.cfg.Chat.Origins,
		Name: people.Spoken, QR: c.link, Now: time.Now, Done: done, Log: c.log,
		Observe: func(call string, code chat.ErrCode) {
			if code == "" {
				code = "ok"
			}
			c.set.GetOrCreateCounter(fmt.Sprintf("askhub_chat_calls_total{call=%q, code=%q}", call, code)).Inc()
		},
	})
	c.set.NewGauge("askhub_chat_streams", func() float64 { return float64(h.Streams()) })
	return h
}

// link draws the address by which another device takes the chat along. What is behind
// the # is never sent to any server.
func (c *chatPart) link(r *http.Request, t chat.Token) ([]byte, error) {
	base := c.cfg.PublicURL
	if base == "" {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		base = scheme + "://" + r.Host
	}
	return qrcode.SVG(base + "/chat#token=" + string(t))
}

// answerer answers what waits, as the Hub or by telling an assistant on the host.
func (c *chatPart) answerer(e *env, h *hub.Hub, rules *ruleBook, tokens *secrets.Secrets) *answering.Answerer {
	outcomes := make(map[answering.Outcome]*metrics.Counter)
	for _, o := range answering.Outcomes() {
		outcomes[o] = c.set.NewCounter(fmt.Sprintf("askhub_chat_turns_total{outcome=%q}", o))
	}
	return answering.New(answering.Config{
		Turns: c.store, Hub: h, Tellers: c.tellers(e, tokens), Rules: c.rules, Household: rules.household,
		Budget: c.cfg.Budget.Duration, Now: time.Now, Log: c.log,
		Observe: func(o answering.Outcome) { outcomes[o].Inc() },
	})
}

// tellers are the ways to an assistant on the host that the config names.
func (c *chatPart) tellers(e *env, tokens *secrets.Secrets) []answering.Teller {
	var list []answering.Teller
	set := &c.cfg.Chat
	if set.Webhook != "" {
		list = append(list, answering.Webhook{URL: set.Webhook, Token: func() string {
			token, _ := tokens.Named(set.WebhookTokenEnv)
			return token
		}})
	}
	if len(set.Command) > 0 {
		list = append(list, answering.Command{Line: set.Command, Env: plainEnv(e)})
	}
	return list
}

// sweepEvery is how often the chat's retention is looked after; each post does its own
// thread's.
const sweepEvery = time.Hour

// sweep drops what retention no longer holds, now and every hour until ctx ends.
func (c *chatPart) sweep(ctx context.Context) {
	counters := map[string]*metrics.Counter{}
	for _, what := range []string{"messages", "keys", "codes"} {
		counters[what] = c.set.NewCounter(fmt.Sprintf("askhub_chat_swept_total{what=%q}", what))
	}
	failed := c.set.NewCounter("askhub_chat_failed_sweeps_total")
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		swept, err := c.store.Sweep(ctx, time.Now())
		if err != nil && ctx.Err() == nil {
			failed.Inc()
			c.log.Error("the chat could not be swept; it is tried again in an hour", "cause", err)
		}
		counters["messages"].Add(swept.Messages)
		counters["keys"].Add(swept.Keys)
		counters["codes"].Add(swept.Codes)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
