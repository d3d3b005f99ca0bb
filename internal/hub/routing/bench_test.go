package routing_test

import (
	"testing"

	"github.com/askhub/askhub/internal/hub/routing"
)

func BenchmarkParse(b *testing.B) {
	src := routing.Default()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if f, _ := routing.Parse("routing.md", src); f == nil {
			b.Fatal("the shipped file is refused")
		}
	}
}
