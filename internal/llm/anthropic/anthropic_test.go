package anthropic

import (
	"testing"

	"github.com/askhub/askhub/internal/leaktest"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/script"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestItKeepsToThePort(t *testing.T) {
	script.Check(t, script.Anthropic, func(url, key, model string) llm.Model {
		return New(Config{URL: url, Key: key, Model: model})
	})
}
