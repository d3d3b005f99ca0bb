package hub

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/reply"
)

// listener is a lamp that notes what it is told of where it was asked.
type listener struct {
	lamp

	heard *dispatch.Heard
}

func (l listener) Do(ctx context.Context, q ask.Question) (ask.Answer, error) {
	*l.heard = dispatch.HeardFrom(ctx)
	return l.lamp.Do(ctx, q)
}

func TestAConnectorLearnsRoomLanguageAndWayIn(t *testing.T) {
	home, heard := family(t), dispatch.Heard{}
	h := New(Config{
		Projects: home, Connectors: map[string]dispatch.Connector{"home_assistant": listener{heard: &heard}}, Record: home,
		Budget: 8 * time.Second, Now: home.cfg.Now,
	})
	h.Use(home.rules.Load())
	h.Ask(t.Context(), Request{
		Question: ask.Question{Question: "turn on the kitchen light", Asker: "sam"}, WayIn: "kitchen", Want: reply.Text,
		Heard: dispatch.Heard{WayIn: "another", Room: "kitchen", Language: "en-GB"},
	})
	if !strings.HasPrefix(heard.Request, "kitchen:ask_") {
		t.Errorf("the request is named %q, want the way in and its id", heard.Request)
	}
	if want := (dispatch.Heard{WayIn: "kitchen", Request: heard.Request, Room: "kitchen", Language: "en-GB"}); heard != want {
		t.Errorf("it learned %+v, want %+v", heard, want)
	}
}
