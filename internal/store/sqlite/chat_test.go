package sqlite

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/chat/chattest"
)

// noon is when the tests here post, and filled a thread that they post into.
var noon = time.Date(2026, 10, 23, 12, 0, 0, 0, time.UTC)

const filled = chat.Thread("00000000000000f1")

// roomy are rules that nothing here comes up against.
func roomy() chat.Rules {
	r := chat.DefaultRules()
	r.Keep, r.Threads = 1<<20, 1<<20
	return r
}

// quick is a path for a store in memory, where the system has a folder there: the
// properties below post thousands of times, and what survives a crash is another test's.
func quick(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "askhub-")
	if err != nil {
		return fresh(t)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "hub.db")
}

func TestTheChatConforms(t *testing.T) {
	chattest.Store(t, func(t *testing.T, rules chat.Rules) chattest.Whole { return open(t, quick(t)).Chat(rules) })
}

func TestSeveralHandlesOfOneChatConform(t *testing.T) {
	chattest.Shared(t, func(t *testing.T) func(*testing.T, chat.Rules) chattest.Whole {
		path := quick(t)
		return func(t *testing.T, rules chat.Rules) chattest.Whole { return open(t, path).Chat(rules) }
	})
}

// TestTheWireOnThisStore serves the chat's wire from a file.
func TestTheWireOnThisStore(t *testing.T) {
	chattest.Wire(t, func(t *testing.T, rules chat.Rules) string {
		c := open(t, quick(t)).Chat(rules)
		server := httptest.NewServer(chat.NewHandler(chat.Config{Store: c, Pairing: c, Rules: rules}))
		t.Cleanup(func() {
			server.CloseClientConnections() // streams never end by themselves
			server.Close()
		})
		return server.URL
	})
}
