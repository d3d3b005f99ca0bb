package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
)

// Threads are the chat's, on the host.
type Threads interface {
	Threads(ctx context.Context) ([]chat.Summary, error)
	Import(ctx context.Context, t chat.Thread, messages []chat.Message, now time.Time) (chat.Imported, error)
}

// Chat writes notices into the threads that are paired with a person. They are brought in
// and not posted: a question that waits there goes on waiting for its answer, and a notice
// that comes twice has the same id and is there once.
type Chat struct {
	Threads Threads
	Now     func() time.Time
}

var _ notify.Sender = (*Chat)(nil)

// Send implements notify.Sender.
func (c *Chat) Send(ctx context.Context, m *notify.Message) error {
	list, err := c.Threads.Threads(ctx)
	if err != nil {
		return notify.Retry("the chat cannot be read just now")
	}
	paired := false
	for _, thread := range list {
		if people.Fold(thread.Settings.Person) != people.Fold(m.Person) || m.Person == "" {
			continue
		}
		paired = true
		now := c.Now()
		message := chat.Message{ID: messageID(m), Epoch: thread.Newest.Epoch.After(now), Author: chat.Hermes, Text: words(m)}
		_, err := c.Threads.Import(ctx, thread.Thread, []chat.Message{message}, now)
		switch {
		case errors.Is(err, chat.ErrThreadLimit):
			return notify.Retry("the chat has no room for another thread")
		case err != nil:
			return notify.Retry("the chat cannot be written just now")
		}
	}
	if !paired {
		return &notify.Fault{Reason: "no chat is paired with " + people.Spoken(m.Person), State: notify.Skipped}
	}
	return nil
}

// words is a notice as a chat shows it.
func words(m *notify.Message) string {
	if m.From == notify.Hub || m.From == notify.Spoken {
		return "Notice: " + m.Text
	}
	return "Notice from " + m.Title() + ": " + m.Text
}

// messageID is the same for the same notice.
func messageID(m *notify.Message) string {
	sum := sha256.Sum256([]byte(m.ID))
	return "MSG-" + m.At.UTC().Format("20060102-150405-") + hex.EncodeToString(sum[:3])
}
