package paperclip

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/paperclip/papercliptest"
)

// TestARealPaperclip does with a real one what the other tests do with the stand-in.
func TestARealPaperclip(t *testing.T) {
	peer := papercliptest.Start(t)
	t.Logf("healthy %v after its first start", peer.Started.Round(100*time.Millisecond))
	peer.Restart(papercliptest.Authenticated)
	t.Logf("healthy %v after a start with sign-in", peer.Started.Round(100*time.Millisecond))
	client := func(key string, set func(*Config)) *Client {
		cfg := Config{URL: peer.URL, Key: func() ask.BearerToken { return ask.BearerToken(key) }, Company: peer.Company, Project: peer.Project}
		if set != nil {
			set(&cfg)
		}
		c := New(cfg)
		t.Cleanup(c.Close)
		return c
	}
	c := client(peer.Key, nil)
	id := func(n int) string { return fmt.Sprintf("%032x", n) }
	job := func(c *Client, n int) Job { return draft(t, c, fmt.Sprintf("file a job: job number %d", n)) }

	t.Run("the key is known for what it is", func(t *testing.T) {
		if report, err := c.Check(t.Context()); err != nil || report.Agent != "askhub" {
			t.Errorf("got %+v, %v", report, err)
		}
		_, err := client(peer.Wide, nil).Check(t.Context())
		wantFault(t, err, Wide, false)
		_, err = client("pcp_0000", nil).Check(t.Context())
		wantFault(t, err, BadKey, false)
	})
	t.Run("a yes is one issue", func(t *testing.T) {
		issue, err := c.File(within(t, 20*time.Second), id(1), job(c, 1))
		if err != nil || issue.Identifier != "HOU-1" {
			t.Fatalf("got %+v, %v", issue, err)
		}
		again, err := c.File(within(t, 20*time.Second), id(1), job(c, 1))
		if err != nil || again.ID != issue.ID {
			t.Errorf("the same key gave %+v, %v", again, err)
		}
		if same, err := c.File(within(t, 20*time.Second), id(2), job(c, 1)); err != nil || same.Identifier != "HOU-2" {
			t.Errorf("another yes to the same words gave %+v, %v", same, err)
		}
		if seen, err := c.Look(t.Context(), issue.ID); err != nil || seen.Status != "backlog" {
			t.Errorf("got %+v, %v", seen, err)
		}
	})
	t.Run("sent by many at once it is one issue", func(t *testing.T) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if issue, err := c.File(within(t, 30*time.Second), id(3), job(c, 3)); err != nil || issue.Identifier != "HOU-3" {
					t.Errorf("got %+v, %v", issue, err)
				}
			})
		}
		all.Wait()
	})
	t.Run("an answer that is lost is found again", func(t *testing.T) {
		cut := cutting(t, peer.URL)
		behind := client(peer.Key, func(cfg *Config) { cfg.URL = cut.URL })
		if issue, err := behind.File(within(t, 30*time.Second), id(4), job(behind, 4)); err != nil || issue.Identifier != "HOU-4" {
			t.Errorf("got %+v, %v", issue, err)
		}
	})
	t.Run("what the key may not do is refused", func(t *testing.T) {
		_, err := c.File(within(t, 20*time.Second), id(5), Job{
			Destination: Name, Server: peer.URL, Company: peer.Company, Title: "Nowhere", Description: "nowhere",
		})
		wantFault(t, err, Boundary, false)
		stranger := client(peer.Other, nil)
		_, err = stranger.Look(t.Context(), "HOU-1")
		wantFault(t, err, Boundary, false)
		other := client(peer.Key, func(cfg *Config) { cfg.Company = "00000000-0000-4000-8000-000000000000" })
		_, err = other.File(within(t, 20*time.Second), id(6), job(other, 6))
		wantFault(t, err, OtherCompany, false)
	})
	t.Run("how long a yes takes", func(t *testing.T) {
		const rounds = 20
		began := time.Now()
		for n := range rounds {
			if _, err := c.File(within(t, 20*time.Second), id(100+n), job(c, 100+n)); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("filing takes %v", (time.Since(began) / rounds).Round(time.Millisecond))
	})

	peer.Restart(papercliptest.Local)
	t.Run("there are no more issues than yeses", func(t *testing.T) {
		if titles := peer.Titles(); len(titles) != 4+20 {
			t.Errorf("there are %d: %v", len(titles), titles)
		}
	})
	t.Run("its end is seen", func(t *testing.T) {
		peer.Set("HOU-1", StatusDone)
		peer.Set("HOU-2", StatusCancelled)
		for issue, status := range map[string]string{"HOU-1": StatusDone, "HOU-2": StatusCancelled} {
			if seen, err := c.Look(t.Context(), issue); err != nil || seen.Status != status {
				t.Errorf("%s: got %+v, %v", issue, seen, err)
			}
		}
		peer.Delete("HOU-3")
		_, err := c.Look(t.Context(), "HOU-3")
		wantFault(t, err, Gone, false)
	})
	peer.Stop()
	_, err := c.File(within(t, 20*time.Second), id(7), job(c, 7))
	wantFault(t, err, Down, false)
}

// cutting is a proxy that brings the first request that files something to its server, and
// ends the connection in place of the answer.
func cutting(t *testing.T, address string) *httptest.Server {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	var cut atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && cut.CompareAndSwap(false, true) {
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}
