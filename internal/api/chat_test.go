package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/chat/chattest"
)

// TestTheChatIsServedWhole holds the Hub's own server to the chat contract.
func TestTheChatIsServedWhole(t *testing.T) {
	chattest.Wire(t, func(t *testing.T, rules chat.Rules) string { return serveChat(t, rules).url })
}

const pairThread = chat.Thread("a1b2c3d4e5f60718")

func (s *served) settings(t chat.Thread) chat.Settings {
	s.t.Helper()
	set, err := s.chat.Settings(s.t.Context(), t)
	if err != nil {
		s.t.Fatal(err)
	}
	return set
}

func TestTheAdminAppConfirmsAPairingCode(t *testing.T) {
	s := serve(t)
	code, err := s.chat.NewCode(t.Context(), pairThread, "192.0.2.1", s.now)
	if err != nil {
		t.Fatal(err)
	}
	status, _, body := s.call("POST", "/chat/pair", adminToken, `{"code":"`+code.Digits+`","person":"Mum"}`, "Content-Type", "application/json")
	if status != 200 || !strings.Contains(body, `"person":"sam"`) || !strings.Contains(body, `"answers":"hub"`) {
		t.Errorf("it gives %d %s", status, body)
	}
	if got := s.settings(pairThread); got.Person != "sam" {
		t.Errorf("the thread is %+v", got)
	}
	if told, _ := s.chat.Whole(t.Context(), pairThread); len(told) != 1 || told[0].Text != "This chat now speaks for Sam." {
		t.Errorf("the thread holds %+v", told)
	}
	status, _, body = s.call("POST", "/chat/pair", adminToken, `{"thread":"a1b2c3d4e5f60718","person":"","answers":"host"}`, "Content-Type", "application/json")
	if got := s.settings(pairThread); status != 200 || strings.Contains(body, "person") || got.Person != "" || got.Answers != chat.ByHost {
		t.Errorf("it gives %d %s, and the thread is %+v", status, body, got)
	}
}

func TestPairingRefusesWhatItCannotDo(t *testing.T) {
	s := serve(t)
	for body, want := range map[string]string{
		`{"code":"00000000","person":"sam"}`:                             "unknown_code",
		`{"thread":"a1b2c3d4e5f60718","person":"zoe"}`:                   "unknown_person",
		`{"thread":"A1B2C3D4E5F60718","person":"sam"}`:                   "invalid_field",
		`{"person":"sam"}`:                                               "missing_field",
		`{"thread":"a1b2c3d4e5f60718","code":"00000000"}`:                "missing_field",
		`{"thread":"a1b2c3d4e5f60718"}`:                                  "missing_field",
		`{"thread":"a1b2c3d4e5f60718","answers":"everybody"}`:            "invalid_field",
		`{"thread":"a1b2c3d4e5f60718","person":"sam","answers":"usual"}`: "invalid_field",
	} {
		status, _, got := s.call("POST", "/chat/pair", adminToken, body, "Content-Type", "application/json")
		if p := problemOf(t, got); status/100 != 4 || string(p.Code) != want {
			t.Errorf("%s gives %d %s, want %s", body, status, got, want)
		}
	}
	if status, _, got := s.call("POST", "/chat/pair", kitchenToken, `{"thread":"a1b2c3d4e5f60718","person":"sam"}`, "Content-Type", "application/json"); status != 403 {
		t.Errorf("a way in gets %d %s", status, got)
	}
	if got := s.settings(pairThread); got != (chat.Settings{}) {
		t.Errorf("the thread is %+v", got)
	}
}

func TestTheHostAloneLeadsToTheChatPage(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the page") })
	server := New(Config{ChatPage: page, Metrics: metrics.NewSet(), Now: time.Now})
	for _, c := range []struct {
		method, path string
		status       int
		to           string
	}{
		{"GET", "/", 303, "/chat"},
		{"HEAD", "/", 303, "/chat"},
		{"GET", "/?from=home", 303, "/chat"},
		{"POST", "/", 404, ""},
		{"GET", "/chat", 200, ""},
		{"GET", "/nothing", 404, ""},
	} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(c.method, c.path, http.NoBody))
		if w.Code != c.status || w.Header().Get("Location") != c.to {
			t.Errorf("%s %s: %d to %q, want %d to %q", c.method, c.path, w.Code, w.Header().Get("Location"), c.status, c.to)
		}
	}
}
