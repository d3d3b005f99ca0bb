package admin_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/admin/admintest"
)

// What a tap costs beside the owner's own time: the challenge, the passkey's word, the two
// calls to the owner over loopback, and the note of it. The owner keeps its approvals in memory
// and does nothing.
func BenchmarkTap(b *testing.B) {
	h := newHouse(b)
	phone := h.browser()
	d := admintest.NewDevice(b, h.origin)
	o := phone.post("/api/enrol/begin", map[string]any{"code": h.code("sam")}).options(b)
	if r := phone.post("/api/enrol", credential(d.Make(o))); r.status != 200 {
		b.Fatal(r.body)
	}
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		a := h.net.request(b, approve.Request{What: "Cut it.", Who: fmt.Sprint("asker ", n), Action: jsontext.Value(fmt.Sprintf(`{"n":%d}`, n))})
		b.StartTimer()
		if r := phone.yes(d, a); r.status != 200 {
			b.Fatal(r.body)
		}
	}
}

// What the first page costs with a few requests that wait.
func BenchmarkWaitingPage(b *testing.B) {
	h := newHouse(b)
	phone := h.browser()
	d := admintest.NewDevice(b, h.origin)
	o := phone.post("/api/enrol/begin", map[string]any{"code": h.code("sam")}).options(b)
	if r := phone.post("/api/enrol", credential(d.Make(o))); r.status != 200 {
		b.Fatal(r.body)
	}
	for n := range 5 {
		h.net.request(b, approve.Request{What: "Cut it.", Who: fmt.Sprint("asker ", n), Action: jsontext.Value(fmt.Sprintf(`{"n":%d}`, n))})
	}
	for b.Loop() {
		if r := phone.get("/"); r.status != 200 {
			b.Fatal(r.body)
		}
	}
}
