package events

import (
	"testing"
	"time"
)

// Every question is published, watched or not.
func BenchmarkPublish(b *testing.B) {
	s := New("a")
	v := struct {
		ID   string    `json:"id"`
		Time time.Time `json:"time"`
		Who  string    `json:"asker"`
	}{"ask_01KEXAMPLE00000000000000000", time.Now(), "sam"}
	b.ReportAllocs()
	for b.Loop() {
		s.Publish(Request, &v)
	}
}
