package speakers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// house is a stand-in for Home Assistant's documented services, and what was said there.
type house struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string
	quiet bool
	// mute is whether what makes the speech is not there.
	mute bool
}

var rooms = []Room{
	{Name: "kitchen", Satellite: "assist_satellite.kitchen", MediaPlayer: "media_player.kitchen"},
	{Name: "living room", MediaPlayer: "media_player.living_room"},
	{Name: "attic", MediaPlayer: "media_player.attic"},
	{Name: "cellar", Satellite: "assist_satellite.gone"},
}

func newHouse(t *testing.T) (*house, *Connector) {
	t.Helper()
	h := &house{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Header.Get("Authorization") != "Bearer "+strings.Repeat("t", 40):
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/api/states/media_player.attic":
			w.Write([]byte(`{"state":"unavailable"}`))
		case r.URL.Path == "/api/states/assist_satellite.gone", h.mute && r.URL.Path == "/api/states/tts.piper":
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodGet:
			w.Write([]byte(`{"state":"idle"}`))
		default:
			h.calls = append(h.calls, strings.TrimPrefix(r.URL.Path, "/api/services/")+" "+string(body))
			w.Write([]byte("[]"))
		}
	}))
	c := New(Config{
		URL: h.URL, Token: func() ask.BearerToken { return ask.BearerToken(strings.Repeat("t", 40)) }, Rooms: rooms, TTS: "tts.piper",
		Quiet: func(time.Time) bool { return h.quiet }, Now: time.Now,
	})
	t.Cleanup(h.Close)
	t.Cleanup(c.Close)
	return h, c
}

// says is what is heard by who says these words in that room, and what was called.
func (h *house) says(t *testing.T, c *Connector, room, words string) (said string, calls []string) {
	t.Helper()
	h.mu.Lock()
	h.calls = nil
	h.mu.Unlock()
	a, err := c.Do(dispatch.WithHeard(t.Context(), dispatch.Heard{WayIn: room}), ask.Question{Question: words, Asker: "sam"})
	var unclear *dispatch.Unclear
	switch {
	case errors.As(err, &unclear):
		said = "? " + unclear.Ask + " " + unclear.Choices[0].Question
	case err != nil:
		said = "! " + err.Error()
	case a.Answer == nil:
		said = "- " + a.Reason
	default:
		said = *a.Answer
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return said, h.calls
}

func TestWhatIsSaidIsSaidWhereItWasAskedFor(t *testing.T) {
	h, c := newHouse(t)
	for _, x := range []struct{ room, words, said, call string }{
		{"phone", "announce in the kitchen: Dinner is ready!", "It is said in the kitchen.", `assist_satellite/announce {"entity_id":"assist_satellite.kitchen","message":"Dinner is ready!"}`},
		{"phone", "say Dinner's ready, come DOWN in the living room", "It is said in the living room.", `tts/speak {"cache":false,"entity_id":"tts.piper","media_player_entity_id":"media_player.living_room","message":"Dinner's ready, come DOWN"}`},
		{"kitchen", "say that dinner is ready", "It is said in the kitchen.", `assist_satellite/announce {"entity_id":"assist_satellite.kitchen","message":"dinner is ready"}`},
		{"phone", "say dinner is ready", "? In which room: kitchen, living room or attic? announce in the kitchen: dinner is ready", ""},
		{"phone", "announce it in the attic", "- The speaker in the attic did not answer", ""},
		{"phone", "say hello in the cellar", "- The speaker in the cellar did not answer", ""},
		{"phone", "announce", "- Please say what is to be announced", ""},
		{"kitchen", "say " + strings.Repeat("blah ", 800), "- That is too long to be announced; please say it in one sentence", ""},
		{"kitchen", "say \u202e hidden", "- I cannot say that aloud", ""},
	} {
		said, calls := h.says(t, c, x.room, x.words)
		if got := strings.Join(calls, "|"); said != x.said || !sameCall(got, x.call) {
			t.Errorf("%q in %s: got %q and %q, want %q and %q", x.words, x.room, said, got, x.said, x.call)
		}
	}
}

// Home Assistant answers 200 for a tts entity that it does not have, and nothing is heard.
func TestWithoutWhatMakesTheSpeechNothingIsCalledSaid(t *testing.T) {
	h, c := newHouse(t)
	h.mute = true
	for words, want := range map[string]string{
		"say hello in the living room": "- Nothing makes speech for the speaker in the living room, so I said nothing",
		"say hello in the kitchen":     "It is said in the kitchen.", // a satellite has a voice of its own
	} {
		if said, calls := h.says(t, c, "phone", words); said != want || strings.Contains(strings.Join(calls, "|"), "tts/speak") {
			t.Errorf("%q: got %q and %q, want %q", words, said, calls, want)
		}
	}
	if err := c.Speak(t.Context(), "living room", "Hello."); !errors.Is(err, ErrNoVoice) {
		t.Errorf("a notice: %v", err)
	}
	if err := c.Voice(t.Context()); !errors.Is(err, ErrNoVoice) {
		t.Errorf("the check: %v", err)
	}
	h.mute = false
	if err := c.Voice(t.Context()); err != nil {
		t.Errorf("the check, where it is there: %v", err)
	}
}

// sameCall compares calls, whose members have no order.
func sameCall(got, want string) bool {
	service, body, _ := strings.Cut(got, " ")
	wanted, wantBody, _ := strings.Cut(want, " ")
	a, b := jsontext.Value(body), jsontext.Value(wantBody)
	return service == wanted && (body == wantBody || a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b))
}

func TestEverywhereOnlyWhenAsked(t *testing.T) {
	h, c := newHouse(t)
	for _, words := range []string{"tell everyone dinner is ready", "announce dinner is ready everywhere", "announce everywhere that dinner is ready"} {
		said, calls := h.says(t, c, "kitchen", words)
		if said != "- The speaker in the attic and cellar did not answer; it is said in the kitchen and living room" || len(calls) != 2 || !strings.Contains(calls[0], `"dinner is ready"`) {
			t.Errorf("%q: got %q and %q", words, said, calls)
		}
	}
}

func TestInQuietHoursOnlyWhatIsUrgentIsSaid(t *testing.T) {
	h, c := newHouse(t)
	h.quiet = true
	if said, calls := h.says(t, c, "kitchen", "say dinner is ready"); len(calls) != 0 || !strings.HasPrefix(said, "- It is quiet time") {
		t.Errorf("got %q and %q", said, calls)
	}
	if said, calls := h.says(t, c, "kitchen", "urgent: say the bath runs over"); len(calls) != 1 || said != "It is said in the kitchen." {
		t.Errorf("got %q and %q", said, calls)
	}
}

func TestAQuestionIsNotSaidAloud(t *testing.T) {
	h, c := newHouse(t)
	if a, err := c.Read(t.Context(), ask.Question{Question: "say hello in the kitchen"}); !errors.Is(err, dispatch.ErrAlone) || a.Answer != nil || len(h.calls) != 0 {
		t.Errorf("got %+v, %v and %q", a, err, h.calls)
	}
}

func TestAServerThatIsDownIsAnError(t *testing.T) {
	h, c := newHouse(t)
	h.Close()
	if said, _ := h.says(t, c, "kitchen", "say hello"); !strings.HasPrefix(said, "! home assistant: ") {
		t.Errorf("got %q", said)
	}
	if err := c.Announce(context.Background(), "garden", "hello"); err == nil || c.Has("garden") || !c.Has("Kitchen") {
		t.Errorf("a room that there is not: %v", err)
	}
}

func FuzzAMessageIsAPartOfWhatWasSaid(f *testing.F) {
	for _, s := range []string{"announce in the kitchen: x", "urgent say", "tell everyone everywhere in the kitchen", "say in the", "on the"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := parse(text, []string{"kitchen", "living room"})
		if !strings.Contains(strings.Join(strings.Fields(text), " "), a.Message) {
			t.Fatalf("%q became %q", text, a.Message)
		}
	})
}

// A Home Assistant that takes its time: what was told as not said is not said later.
func TestWhatIsGivenUpIsNeverSaid(t *testing.T) {
	for name, c := range map[string]struct {
		slow, want string
		said       int
	}{
		"it does not even say how the speaker is": {http.MethodGet, "- The speaker in the kitchen did not answer", 0},
		"it is still speaking":                    {http.MethodPost, "It is said in the kitchen.", 1},
	} {
		t.Run(name, func(t *testing.T) {
			goOn := make(chan struct{})
			said := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == c.slow {
					<-goOn
				}
				if r.Method == http.MethodPost {
					said++
				}
				_, _ = w.Write([]byte(`{"state":"idle"}`))
			}))
			defer s.Close()
			speaker := New(Config{
				URL: s.URL, Token: func() ask.BearerToken { return "t" }, Rooms: rooms[:1], TTS: "tts.piper", Quiet: func(time.Time) bool { return false }, Now: time.Now,
			})
			a, err := speaker.Do(t.Context(), ask.Question{Question: "say hello in the kitchen", Asker: "sam"})
			got := "- " + a.Reason
			if a.Answer != nil {
				got = *a.Answer
			}
			if err != nil || got != c.want {
				t.Errorf("got %q, %v", got, err)
			}
			close(goOn)
			speaker.Close() // waits for what is under way
			if said != c.said {
				t.Errorf("it was said %d times, want %d", said, c.said)
			}
		})
	}
}

// The same for a notice that is spoken: it counts as told only where it was begun.
func TestASpokenNoticeThatNeverBeganIsNotTold(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	said := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			said++
		} else {
			<-goOn
		}
		_, _ = w.Write([]byte(`{"state":"idle"}`))
	}))
	defer s.Close()
	c := New(Config{URL: s.URL, Token: func() ask.BearerToken { return "t" }, Rooms: rooms[:1], TTS: "tts.piper"})
	if err := c.Speak(t.Context(), "kitchen", "There is smoke in the house!"); !errors.Is(err, ErrSilent) {
		t.Errorf("got %v", err)
	}
	close(goOn)
	c.Close()
	if said != 0 {
		t.Error("it was said after it had been told as not said")
	}
}

func TestSeveralRoomsAreEachSaidIn(t *testing.T) {
	h, c := newHouse(t)
	for _, words := range []string{
		"announce in the kitchen and the living room: dinner is ready",
		"announce in the living room and in the kitchen: dinner is ready",
		"say dinner is ready in the kitchen and living room",
		"say in the kitchen, the living room, and the kitchen dinner is ready",
	} {
		said, calls := h.says(t, c, "phone", words)
		got := strings.Join(calls, "|")
		if !strings.HasPrefix(said, "It is said in the ") || len(calls) != 2 || strings.Count(got, `"message":"dinner is ready"`) != 2 ||
			!strings.Contains(got, "assist_satellite.kitchen") || !strings.Contains(got, "media_player.living_room") {
			t.Errorf("%q: got %q and %q", words, said, calls)
		}
	}
	if a := parse("say in the garden room hello", []string{"garden", "garden room"}); a.Message != "hello" || a.Rooms[0] != "garden room" {
		t.Errorf("the longer name of two: %+v", a)
	}
}

// A place that is no room is no part of the message, and another room is not meant.
func TestAPlaceWithoutASpeakerIsToldSo(t *testing.T) {
	h, c := newHouse(t)
	for _, words := range []string{"announce in the garage: dinner is ready", "announce in the kitchen and the garage: dinner is ready", "say on the landing speaker: hello"} {
		said, calls := h.says(t, c, "kitchen", words)
		if said != "- I said nothing, for I have speakers in the kitchen, living room, attic and cellar only" || len(calls) != 0 {
			t.Errorf("%q: got %q and %q", words, said, calls)
		}
	}
	for _, words := range []string{"say in the garage there is a fox", "announce: in an hour we leave", "say this in short: no"} {
		if said, calls := h.says(t, c, "kitchen", words); said != "It is said in the kitchen." || len(calls) != 1 {
			t.Errorf("%q: got %q and %q", words, said, calls)
		}
	}
}

func TestWhatIsUrgentStaysSoWhenItsRoomIsAskedFor(t *testing.T) {
	h, c := newHouse(t)
	h.quiet = true
	said, _ := h.says(t, c, "phone", "urgent: say the bath runs over")
	_, choice, _ := strings.Cut(said, "? urgent: ")
	if said, calls := h.says(t, c, "phone", "urgent: "+choice); said != "It is said in the kitchen." || len(calls) != 1 {
		t.Errorf("%q came to %q and %q", choice, said, calls)
	}
}
