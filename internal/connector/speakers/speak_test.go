package speakers

import (
	"errors"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
)

func TestANoticeIsSaidAsItIs(t *testing.T) {
	h, c := newHouse(t)
	h.quiet = true // whoever speaks a notice has looked at its level
	if err := c.Speak(t.Context(), "Kitchen", "Tom's bus is LATE, wait inside!"); err != nil || !c.Quiet() {
		t.Fatal(err, c.Quiet())
	}
	if got := strings.Join(h.calls, "|"); !sameCall(got, `assist_satellite/announce {"entity_id":"assist_satellite.kitchen","message":"Tom's bus is LATE, wait inside!"}`) {
		t.Errorf("it called %s", got)
	}
}

func TestWhatIsNotSaidIsAnError(t *testing.T) {
	h, c := newHouse(t)
	for _, x := range []struct {
		room, sentence string
		want           error
	}{
		{"attic", "Hello.", ErrSilent},
		{"cellar", "Hello.", ErrSilent},
		{"kitchen", strings.Repeat("a", maxMessage+1), ErrUnfit},
		{"kitchen", "See /etc/passwd and https://x.example/.", ErrUnfit},
		{"kitchen", "", ErrUnfit},
	} {
		if err := c.Speak(t.Context(), x.room, x.sentence); !errors.Is(err, x.want) {
			t.Errorf("%q in the %s: %v", x.sentence, x.room, err)
		}
	}
	if err := c.Speak(t.Context(), "garden", "Hello."); err == nil {
		t.Error("a room that there is not")
	}
	none := New(Config{URL: h.URL, Token: func() ask.BearerToken { return "" }, Rooms: rooms})
	defer none.Close()
	if err := none.Speak(t.Context(), "kitchen", "Hello."); !errors.Is(err, askclient.ErrRefused) {
		t.Errorf("without the token: %v", err)
	}
	if len(h.calls) != 0 {
		t.Errorf("it called %q", h.calls)
	}
}
