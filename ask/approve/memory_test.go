package approve_test

import (
	"testing"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/ask/approve/approvetest"
)

func TestMemoryConforms(t *testing.T) {
	approvetest.Store(t, func(*testing.T) approve.Store { return approve.NewMemory() })
}

func TestTapsAtOnceExecuteAtMostOnceAndHearTheSame(t *testing.T) {
	approvetest.Rounds(t, approve.NewMemory(), 500)
}

func TestHistoriesOfTapsAndLooks(t *testing.T) { approvetest.Histories(t, approve.NewMemory(), 50) }

func BenchmarkTap(b *testing.B) { approvetest.Tap(b, approve.NewMemory()) }
