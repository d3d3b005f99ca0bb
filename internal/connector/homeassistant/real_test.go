package homeassistant

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// TestARealHomeAssistant runs with its demo entities, which ./test homeassistant starts.
func TestARealHomeAssistant(t *testing.T) {
	address, token := os.Getenv("ASKHUB_TEST_HOMEASSISTANT_URL"), os.Getenv("ASKHUB_TEST_HOMEASSISTANT_TOKEN")
	if address == "" {
		t.Skip("Home Assistant is not running for this test")
	}
	h := connect(t, Config{URL: address, Token: func() ask.BearerToken { return ask.BearerToken(token) }})
	// The first sentence of two orders has the agent read what it needs, longer than is waited.
	for range 10 {
		if !strings.HasPrefix(h.says("turn on the kitchen lights and turn off the bed light"), "!") {
			break
		}
	}
	// However it was left.
	h.says("turn off the kitchen lights")
	h.says("turn on the bed light")
	for _, c := range [][2]string{
		{"turn on the kitchen lights", "The kitchen lights are on"},
		{"is the kitchen light on?", "Yes, the kitchen lights are on"},
		{"turn off the kitchen lights", "The kitchen lights are off."},
		{"are the kitchen lights on?", "No, the kitchen lights are off."},
		{"turn off the bed light", "The bed light is off."},
		{"set the bed light to 50%", "The bed light is on at 50"},
		{"what is the outside temperature?", "The outside temperature is 15.6 °C."},
		{"turn on the kitchen lights and turn off the bed light", "The bed light is off; the kitchen lights are on at"},
		{"turn on the kitchen lights and the bed light", "The kitchen lights are on"},
		{"turn on the kitchen lights and the flarb", "- Please say one thing at a time"},
		{"unlock the front door", "- I may not act on the front door; it has to be named in askhub.toml first"},
		{"turn on everything", "- Please name a room or a device; I switch nothing that was not named"},
		{"open the hall window", "The hall window is open"},
		{"what is on the calendar today?", ""},
		{"turn on the flarb", "- I know no such device or room"},
		{"is the front door locked?", "Yes, the front door is locked."},
	} {
		if got := h.says(c[0]); !strings.HasPrefix(got, c[1]) || got == "" {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
}

// BenchmarkARealCommand is what askhub adds to what Home Assistant itself takes, and how long
// a question about the same house takes.
func BenchmarkARealCommand(b *testing.B) {
	address, token := os.Getenv("ASKHUB_TEST_HOMEASSISTANT_URL"), os.Getenv("ASKHUB_TEST_HOMEASSISTANT_TOKEN")
	if address == "" {
		b.Skip("Home Assistant is not running for this test")
	}
	c := New(Config{
		URL: address, Token: func() ask.BearerToken { return ask.BearerToken(token) }, Now: time.Now,
		Zone: func() *time.Location { return time.UTC }, Log: slog.New(slog.DiscardHandler),
	})
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() {
		c.Run(ctx)
		close(ended)
	}()
	defer func() {
		stop()
		<-ended
		c.Close()
	}()
	for {
		changed := c.house.next()
		if c.house.believed() {
			break
		}
		<-changed
	}
	words := [2]string{"turn on the kitchen lights", "turn off the kitchen lights"}
	// The two take turns, so that whatever else the machine does is shared between them; and
	// each changes the lights, for what is so already takes no time.
	var alone, with, asked []time.Duration
	for n := 0; b.Loop(); n++ {
		// Home Assistant reads the whole conversation again at each turn of it.
		heard := dispatch.WithHeard(ctx, dispatch.Heard{Room: fmt.Sprint(n)})
		start := time.Now()
		if _, err := c.converse(ctx, words[0], fmt.Sprint("bench-", n)); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if a, err := c.Do(heard, ask.Question{Question: words[1]}); err != nil || a.Answer == nil {
			b.Fatal(a, err)
		}
		alone, with = append(alone, between.Sub(start)), append(with, time.Since(between))
		between = time.Now()
		if a, err := c.Read(heard, ask.Question{Question: "is the kitchen light on?"}); err != nil || a.Answer == nil {
			b.Fatal(a, err)
		}
		asked = append(asked, time.Since(between))
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return d[len(d)/2].Seconds() * 1000
	}
	b.ReportMetric(median(alone), "ms-alone")
	b.ReportMetric(median(with), "ms-with-askhub")
	b.ReportMetric(median(asked), "ms-question")
}

// connect runs a connector until the test ends, once it knows the house.
func connect(t *testing.T, cfg Config) *tried {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Zone == nil {
		cfg.Zone = func() *time.Location { return time.UTC }
	}
	cfg.Log = slog.New(slog.DiscardHandler)
	h := &tried{t: t, c: New(cfg)}
	h.run()
	return h
}
