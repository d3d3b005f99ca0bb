package asktest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/asktest"
)

func TestTheDocumentHasEveryClauseAndCode(t *testing.T) {
	b, err := os.ReadFile("../../docs/ask-contract.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, c := range asktest.Clauses {
		if row := fmt.Sprintf("| %s | %s | %s |", c.ID, c.Level, c.Text); !strings.Contains(text, row) {
			t.Errorf("docs/ask-contract.md lacks the row\n%s", row)
		}
	}
	for code, status := range ask.Codes() {
		if cell := fmt.Sprintf("| `%s` | %d |", code, status); !strings.Contains(text, cell) {
			t.Errorf("docs/ask-contract.md lacks the code %s with its status %d", code, status)
		}
	}
}
