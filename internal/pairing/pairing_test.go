package pairing

import (
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
)

func TestAThreadIsToldWhomItSpeaksFor(t *testing.T) {
	store := chat.NewMemory(chat.DefaultRules())
	const thread = chat.Thread("a1b2c3d4e5f60718")
	set := func(change func(*chat.Settings)) {
		t.Helper()
		if _, _, err := Set(t.Context(), store, thread, time.Now(), change); err != nil {
			t.Fatal(err)
		}
	}
	set(func(s *chat.Settings) { s.Person = "sam" })
	set(func(s *chat.Settings) { s.Person = "sam" })
	set(func(s *chat.Settings) { s.Answers = chat.ByHost })
	set(func(s *chat.Settings) { s.Person = "" })
	want := []string{"This chat now speaks for Sam.", "This chat speaks for nobody now."}
	got, err := store.Whole(t.Context(), thread)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, m := range got {
		if m.Text != want[i] || m.Author != chat.Hermes {
			t.Errorf("message %d is %+v", i, m)
		}
	}
}
