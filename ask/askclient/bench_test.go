package askclient_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/ask/asktest"
)

// instant is a project that answers at once.
func instant(b *testing.B) string {
	ln, err := ask.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := ask.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = ask.WriteJSON(w, maths(ask.Question{}))
	}))
	go func() { _ = s.Serve(ln) }()
	b.Cleanup(func() { _ = s.Close() })
	return "http://" + ln.Addr().String()
}

func BenchmarkAsk(b *testing.B) {
	c := askclient.New(askclient.Config{URL: instant(b), Token: asktest.TestToken})
	defer c.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Ask(b.Context(), question); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlain is the same call as one would write it with net/http and encoding/json.
func BenchmarkPlain(b *testing.B) {
	url := instant(b) + "/ask"
	c := &http.Client{}
	b.ReportAllocs()
	for b.Loop() {
		body, _ := json.Marshal(question)
		r, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, url, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+string(asktest.TestToken))
		res, err := c.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		var a ask.Answer
		if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
			b.Fatal(err)
		}
		_ = res.Body.Close()
	}
	c.CloseIdleConnections()
}

func BenchmarkDecodeAnswer(b *testing.B) {
	body := []byte(`{"answer":"Harry has maths and a music lesson today.","expires":"2026-10-10T09:00:00Z"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, p := ask.DecodeAnswer(body); p != nil {
			b.Fatal(p)
		}
	}
}
