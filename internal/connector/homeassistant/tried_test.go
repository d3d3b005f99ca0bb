package homeassistant

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// tried is a connector under test.
type tried struct {
	t *testing.T
	c *Connector
}

func (h *tried) run() {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := make(chan struct{})
	go func() {
		h.c.Run(ctx)
		close(ended)
	}()
	h.t.Cleanup(func() {
		cancel()
		<-ended
		h.c.Close()
	})
	h.warm(true)
}

// warm waits until the copy of the states is, or is not, to be believed.
func (h *tried) warm(want bool) {
	h.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; {
		changed := h.c.house.next()
		if _, warm := h.c.house.all(); warm == want {
			return
		}
		select {
		case <-changed:
		case <-time.After(time.Until(end)):
			h.t.Fatalf("waited in vain for warm = %v", want)
		}
	}
}

// says is what a person hears who says these words in the kitchen.
func (h *tried) says(words string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(dispatch.WithHeard(h.t.Context(), dispatch.Heard{Room: "kitchen"}), ask.Budget)
	defer cancel()
	q := ask.Question{Question: words, Asker: "sam"}
	act := h.c.Do
	if h.c.OnlyAsks(q) {
		act = h.c.Read
	}
	a, err := act(ctx, q)
	var unclear *dispatch.Unclear
	switch {
	case errors.As(err, &unclear):
		said := "? " + unclear.Ask
		for _, c := range unclear.Choices {
			said += " [" + c.Label + ": " + c.Question + "]"
		}
		return said
	case err != nil:
		return "! " + err.Error()
	case a.Answer == nil:
		if a.Reason == "" || ask.CheckSafe(a.Reason) != nil {
			h.t.Errorf("%q: the reason %q is not fit to be said", words, a.Reason)
		}
		return "- " + a.Reason
	}
	if err := ask.CheckSentence(*a.Answer, true); err != nil {
		h.t.Errorf("%q: %q %v", words, *a.Answer, err)
	}
	return *a.Answer
}
