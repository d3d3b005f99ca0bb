package chat_test

import (
	"testing"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/chat/chattest"
)

func TestMemoryConforms(t *testing.T) {
	chattest.Store(t, func(_ *testing.T, rules chat.Rules) chattest.Whole { return chat.NewMemory(rules) })
}
