package approvetest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
)

// Tap measures how long one yes takes over loopback, where its execution takes no time.
func Tap(b *testing.B, s approve.Store) {
	d, err := approve.Open(context.Background(), approve.Options{
		Owner: "hub", Store: s, Log: slog.New(slog.DiscardHandler),
		Execute: func(context.Context, approve.Approval) (string, error) { return "Done.", nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	server := httptest.NewServer(d.Handler())
	defer server.Close()
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		a, err := d.Ask(context.Background(), approve.Request{What: "Do it.", Who: "sam", Action: jsontext.Value(fmt.Sprintf(`{"n":%d}`, n))})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		start := time.Now()
		resp, err := http.Post(server.URL+approve.Path+"/"+a.ID, "application/json", strings.NewReader(`{"decision":"yes","digest":"`+a.Digest+`"}`))
		if err != nil {
			b.Fatal(err)
		}
		var got approve.Approval
		err = json.UnmarshalRead(resp.Body, &got)
		_ = resp.Body.Close()
		if err != nil || got.State != approve.Done {
			b.Fatal(got.State, err)
		}
		took = append(took, time.Since(start))
	}
	report(b, took)
}

// Moves measures what a tap waits for at least: the three changes that the store keeps,
// one after the other, and nothing else.
func Moves(b *testing.B, s approve.Store) {
	var took []time.Duration
	course := courses[approve.Done]
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		k := Kept(n)
		if _, err := s.Add(context.Background(), k, at); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		start := time.Now()
		for i, to := range course[1:] {
			ok, err := s.Move(context.Background(), approve.Move{Owner: k.Owner, ID: k.ID, From: course[i], To: to, Digest: k.Digest, Deadline: at})
			if err != nil || !ok {
				b.Fatal(ok, err)
			}
		}
		took = append(took, time.Since(start))
	}
	report(b, took)
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	ms := func(of int) float64 { return took[of].Seconds() * 1000 }
	b.ReportMetric(ms(len(took)/2), "ms-median")
	b.ReportMetric(ms(len(took)*99/100), "ms-p99")
	b.ReportMetric(ms(len(took)-1), "ms-slowest")
}
