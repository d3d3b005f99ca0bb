package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/pace"
	"github.com/askhub/askhub/internal/wyoming"
)

// voice is the way in of voice assistants; nil where the config has none.
type voice struct {
	cfg *config.Wyoming
	ln  net.Listener
}

// listenWyoming opens the port, so that one that is taken is known before the Hub is ready.
func listenWyoming(cfg *config.Config) (*voice, error) {
	if cfg.Wyoming.Listen == "" {
		return nil, nil
	}
	ln, err := net.Listen("tcp", cfg.Wyoming.Listen)
	if err != nil {
		return nil, exitError{exitNeedDown, fmt.Errorf("cannot listen for voice assistants on %s: set listen of [wyoming] in askhub.toml to a free port of this machine: %w", cfg.Wyoming.Listen, errors.Unwrap(err))}
	}
	return &voice{&cfg.Wyoming, ln}, nil
}

func (v *voice) close() {
	if v != nil {
		_ = v.ln.Close()
	}
}

// serve answers until ctx ends.
func (v *voice) serve(ctx context.Context, h *hub.Hub, set *metrics.Set, log *slog.Logger) error {
	if v == nil {
		return nil
	}
	answers := map[bool]*metrics.Counter{}
	for handled, name := range map[bool]string{true: "handled", false: "not_handled"} {
		answers[handled] = set.NewCounter(fmt.Sprintf("askhub_wyoming_answers_total{outcome=%q}", name))
	}
	refused := map[wyoming.Refusal]*metrics.Counter{}
	for _, why := range wyoming.Refusals() {
		refused[why] = set.NewCounter(fmt.Sprintf("askhub_wyoming_refused_total{why=%q}", why))
	}
	house := &wyoming.House{
		Hub: h, Else: wyoming.Place{Asker: ask.Asker(v.cfg.Asker)}, Places: map[string]wyoming.Place{},
		Limits: &pace.Limiter{PerMinute: v.cfg.PerMinute, AtOnce: v.cfg.AtOnce}, Now: time.Now,
		Observe: func(handled bool) { answers[handled].Inc() },
	}
	for _, s := range v.cfg.Satellites {
		house.Places[s.ID] = wyoming.Place{Asker: ask.Asker(s.Asker), Room: s.Room}
	}
	server := wyoming.NewServer(wyoming.Config{
		Answer: house.Answer, Allowed: v.cfg.Allowed(), Version: versionText(), Log: log,
		Refused: func(why wyoming.Refusal) { refused[why].Inc() },
	})
	set.NewGauge("askhub_wyoming_connections", func() float64 { return float64(server.Connections()) })
	return server.Serve(ctx, v.ln)
}
