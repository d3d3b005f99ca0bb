package answering

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
)

var told = Waiting{Thread: thread, Person: "sam", Message: (&chat.Message{
	ID: "MSG-20261023-184000-a1b2c3", Epoch: 1792780800123, Author: chat.Operator, Text: `$(touch x); "hello"`,
}).Wire()}

const toldJSON = `{"thread":"a1b2c3d4e5f60718","person":"sam","message":{"id":"MSG-20261023-184000-a1b2c3","epoch":1792780800123,` +
	`"ts":"2026-10-23T18:40:00+00:00","author":"operator","text":"$(touch x); \"hello\""}}`

func TestAWebhookGetsTheMessage(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	if err := (Webhook{URL: server.URL + "/told", Token: func() string { return "secret" }}).Tell(t.Context(), told); err != nil {
		t.Fatal(err)
	}
	if string(body) != toldJSON {
		t.Errorf("it got %s", body)
	}
	if got.Method != "POST" || got.URL.Path != "/told" || got.Header.Get("Authorization") != "Bearer secret" || got.Header.Get("Idempotency-Key") != told.Message.ID {
		t.Errorf("it got %s %s %v", got.Method, got.URL, got.Header)
	}
}

func TestAWebhookThatDidNotHear(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed with %v", r.Header)
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 307, 400, 404, 500, 503} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(status)
		}))
		if err := (Webhook{URL: server.URL, Token: func() string { return "secret" }}).Tell(t.Context(), told); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("status %d gives %v", status, err)
		}
		server.Close()
	}
	if err := (Webhook{URL: "http://127.0.0.1:1/hooks/secret"}).Tell(t.Context(), told); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody is there, and that gives %v", err)
	}
}

// Whatever a webhook answers, telling ends in its time and reads no more than it must.
func TestAWebhookThatNeverEnds(t *testing.T) {
	held := make(chan struct{})
	wrote := make(chan int, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			<-held
			return
		}
		n, page := 0, make([]byte, 1<<20)
		for n < 1<<30 {
			m, err := w.Write(page)
			if n += m; err != nil {
				break
			}
		}
		wrote <- n
	}))
	defer server.Close()
	defer close(held)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (Webhook{URL: server.URL + "/silent"}).Tell(ctx, told); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one that never answers gives %v", err)
	}
	if err := (Webhook{URL: server.URL + "/gigabyte"}).Tell(t.Context(), told); err != nil {
		t.Error(err)
	}
	if n := <-wrote; n > 100<<20 {
		t.Errorf("%d bytes of its answer were taken", n)
	}
}

func TestACommandGetsTheMessage(t *testing.T) {
	at := filepath.Join(t.TempDir(), "told")
	err := Command{Line: []string{"sh", "-c", `cat > "$AT"`}, Env: []string{"AT=" + at, "PATH=" + os.Getenv("PATH")}}.Tell(t.Context(), told)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(at); string(got) != toldJSON+"\n" {
		t.Errorf("it got %s, %v", got, err)
	}
}

func TestACommandThatDidNotHear(t *testing.T) {
	env := []string{"PATH=" + os.Getenv("PATH")}
	err := Command{Line: []string{"sh", "-c", "echo no such thing >&2; exit 3"}, Env: env}.Tell(t.Context(), told)
	if err == nil || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("an exit with 3 gives %v", err)
	}
	if err := (Command{Line: []string{"/no/such/program"}}).Tell(t.Context(), told); err == nil {
		t.Error("no program, and that is no error")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (Command{Line: []string{"sleep", "60"}, Env: env}).Tell(ctx, told); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a slow one gives %v", err)
	}
}
