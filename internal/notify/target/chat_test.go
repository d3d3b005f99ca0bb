package target

import (
	"errors"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/notify"
)

func TestANoticeComesIntoThePairedChatsOnceAndAnswersNothing(t *testing.T) {
	ctx, now := t.Context(), time.Date(2026, 10, 10, 9, 0, 5, 0, time.UTC)
	store := chat.NewMemory(chat.DefaultRules())
	pair := func(t chat.Thread, person string) {
		if _, err := store.SetUp(ctx, t, func(s *chat.Settings) { s.Person = person }); err != nil {
			panic(err)
		}
	}
	const phone, tablet, toms = chat.Thread("00000000000000aa"), chat.Thread("00000000000000bb"), chat.Thread("00000000000000cc")
	pair(phone, "Sam")
	pair(tablet, "sam")
	pair(toms, "tom")
	if _, err := store.Append(ctx, chat.Post{Thread: phone, Author: chat.Operator, Text: "how are you?", Now: now, Address: "a"}); err != nil {
		t.Fatal(err)
	}
	c := &Chat{Threads: store, Now: func() time.Time { return now }}
	for range 2 {
		if err := c.Send(ctx, message); err != nil {
			t.Fatal(err)
		}
	}
	for thread, want := range map[chat.Thread]int{phone: 2, tablet: 1, toms: 0} {
		list, err := store.Whole(ctx, thread)
		if err != nil || len(list) != want {
			t.Fatalf("%s has %+v, %v", thread, list, err)
		}
		if want > 0 {
			last := list[want-1]
			if last.Text != "Notice from compass nhs: Zoë’s bus is late." || last.Author != chat.Hermes {
				t.Errorf("%s has %+v", thread, last)
			}
		}
	}
	if turn, _, ok, err := store.Take(ctx, now, time.Minute); !ok || err != nil || turn.Message.Text != "how are you?" {
		t.Errorf("the question that waited is gone: %+v, %v, %v", turn, ok, err)
	}
}

func TestWithoutAPairedChatNothingIsWrong(t *testing.T) {
	c := &Chat{Threads: chat.NewMemory(chat.DefaultRules()), Now: time.Now}
	err := c.Send(t.Context(), message)
	if fault, ok := errors.AsType[*notify.Fault](err); !ok || fault.State != notify.Skipped || fault.Reason != "no chat is paired with Sam" {
		t.Errorf("it is %v", err)
	}
}
