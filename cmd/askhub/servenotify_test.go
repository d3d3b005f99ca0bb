package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// phone stands in for a ntfy server: it keeps what it gets, and is down while it is told to be.
type phone struct {
	*httptest.Server
	mu   sync.Mutex
	got  map[string]int // by message
	down bool
}

func newPhone(t *testing.T) *phone {
	t.Helper()
	p := &phone{got: map[string]int{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			Topic   string `json:"topic"`
			Message string `json:"message"`
		}
		raw, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.down || json.Unmarshal(raw, &m) != nil || r.Header.Get("Authorization") != "Bearer tk_phone" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		p.got[m.Message]++
		_, _ = io.WriteString(w, `{"id":"sPs71M8A2T","event":"message","topic":"topic"}`)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *phone) times(message string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got[message]
}

// The tokens of the test's callers, beside the way in's.
const (
	busToken   = "bus-token-of-the-test-0123456789abcdef"
	chiefToken = "admin-token-of-the-test-0123456789abcd"
)

// noticeHouse is a household with one project that notifies, and a phone for Sam.
func noticeHouse(t *testing.T, p *phone) *chatHouse {
	t.Helper()
	h := startChatHouseWith(t, 1, "", "[projects.bus]\nurl = \"http://127.0.0.1:1\"\n[notices]\nper_project = 1000\n",
		"HUB_TOKEN_BUS="+busToken+"\nHUB_TOKEN_ADMIN="+chiefToken+"\nPHONE_TOKEN=tk_phone\n")
	h.slay(0)
	folks := "[[person]]\nname = \"sam\"\nrole = \"adult\"\nphone = [\"" + strings.Replace(p.URL, "://", "://:$PHONE_TOKEN@", 1) + "/topic\"]\n"
	if err := os.WriteFile(filepath.Join(h.dir, config.PeopleName), []byte(folks), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.serve(0); err != nil {
		t.Fatal(err)
	}
	return h
}

// asCaller makes one call of the Hub with that token.
func (h *chatHouse) asCaller(method, path, token, body string) (int, string, error) {
	req, err := http.NewRequestWithContext(h.Context(), method, h.urls[0]+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

func noticeBody(level notify.Level, message string) string {
	return fmt.Sprintf(`{"from": "bus", "level": %q, "message": %q, "person": "sam"}`, level, message)
}

// wait waits until ok.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(90 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s: it never came", what)
		}
	}
}

func TestAProjectsNoticeReachesPhoneAndChat(t *testing.T) {
	p := newPhone(t)
	h := noticeHouse(t, p)
	token := newChatToken()
	store := h.store().Chat(chat.DefaultRules())
	if _, err := store.SetUp(t.Context(), token.Thread(), func(s *chat.Settings) { s.Person = "sam" }); err != nil {
		t.Fatal(err)
	}
	status, body, err := h.asCaller("POST", "/notify", busToken, noticeBody(notify.Important, "The bus is late."))
	if err != nil || status != http.StatusAccepted || !strings.HasPrefix(body, `{"id":"ntc_`) {
		t.Fatalf("%d %s %v", status, body, err)
	}
	wait(t, "the phone's", func() bool { return p.times("The bus is late.") == 1 })
	wait(t, "the chat's", func() bool {
		whole, err := store.Whole(context.Background(), token.Thread())
		return err == nil && len(whole) == 1 && whole[0].Text == "Notice from bus: The bus is late."
	})
	if _, again, _ := h.asCaller("POST", "/notify", busToken, noticeBody(notify.Important, "The bus is late.")); again != body {
		t.Errorf("the same words again are %s, at first %s", again, body)
	}
	wait(t, "the record", func() bool {
		_, list, err := h.asCaller("GET", "/notices?person=sam", chiefToken, "")
		return err == nil && strings.Count(list, `"state":"delivered"`) == 2
	})
	if _, list, _ := h.asCaller("GET", "/notices?state=undelivered", chiefToken, ""); list != `{"notices":[]}` {
		t.Errorf("undelivered: %s", list)
	}
	wait(t, "the count in the metrics, which is made after the record", func() bool {
		_, text, err := h.asCaller("GET", "/metrics", chiefToken, "")
		return err == nil && strings.Contains(text, `askhub_notice_deliveries_total{state="delivered"} 2`) && strings.Contains(text, "askhub_notice_deliveries_waiting 0")
	})
	if p.times("The bus is late.") != 1 {
		t.Error("it came twice")
	}
}

func TestWordsBecomeANotification(t *testing.T) {
	p := newPhone(t)
	h := noticeHouse(t, p)
	for _, c := range []struct{ words, status, reply string }{
		{"notify me that the cake is done", "done", "Sent to Sam's phone: The cake is done."},
		{"notify Bob that the cake is done", "no_answer", "Nobody of that name is known here."},
	} {
		code, body, err := h.asCaller("POST", "/ask", strings.Repeat("t", 40), `{"question": "`+c.words+`"}`)
		if err != nil || code != 200 || !strings.Contains(body, `"status":"`+c.status+`"`) || !strings.Contains(body, c.reply) {
			t.Errorf("%s: %d %s %v", c.words, code, body, err)
		}
	}
	if p.times("The cake is done.") != 1 {
		t.Error("the phone did not get it")
	}
	p.mu.Lock()
	p.down = true
	p.mu.Unlock()
	_, body, err := h.asCaller("POST", "/ask", strings.Repeat("t", 40), `{"question": "notify me that the tea is ready"}`)
	if err != nil || !strings.Contains(body, `"status":"no_answer"`) || !strings.Contains(body, "not through to Sam's phone yet") {
		t.Errorf("with a phone that is down: %s %v", body, err)
	}
}

// TestAKilledHubLosesNoNotice kills the Hub while notices come in and go out: whatever was
// acknowledged is delivered in the end.
func TestAKilledHubLosesNoNotice(t *testing.T) {
	p := newPhone(t)
	h := noticeHouse(t, p)
	var acknowledged []string
	var taken atomic.Int32 // of acknowledged, while it grows
	number := 0
	for cycle := range 5 {
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				default:
				}
				number++
				message := fmt.Sprintf("Number %d.", number)
				if status, _, err := h.asCaller("POST", "/notify", busToken, noticeBody(notify.Important, message)); err == nil && status == http.StatusAccepted {
					acknowledged = append(acknowledged, message)
					taken.Add(1)
				}
			}
		}()
		// Each time in the middle of something, at another moment of it.
		wait(t, "five notices", func() bool { return taken.Load() >= int32(5*(cycle+1)) })
		time.Sleep(time.Duration(7*cycle) * time.Millisecond)
		h.slay(0)
		close(stop)
		<-done
		if err := h.serve(0); err != nil {
			t.Fatal(err)
		}
	}
	// What a killed Hub was sending is held for half a minute.
	for _, message := range acknowledged {
		wait(t, message, func() bool { return p.times(message) > 0 })
	}
	twice := 0
	for _, message := range acknowledged {
		if p.times(message) > 1 {
			twice++
		}
	}
	t.Logf("%d acknowledged, %d of them delivered twice", len(acknowledged), twice)
}

func TestEachApprovalIsToldOf(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "askhub.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	house, err := people.Parse("people.toml", []byte("[[person]]\nname = \"sam\"\nrole = \"adult\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	n := openNotices(&config.Config{Dir: t.TempDir(), Notices: config.Notices{PerProject: 1}}, db.Notices(), nil, nil, func() *people.Household { return house }, nil, newEventPart(), slog.New(slog.DiscardHandler))
	for _, id := range []string{"a", "b", "a"} {
		n.waits(approve.Approval{ID: id, State: approve.Pending})
	}
	wait(t, "both approvals' notices", func() bool {
		list, err := n.List(context.Background(), notify.Query{Person: "sam", Limit: 9})
		return err == nil && len(list) == 2
	})
}

func TestAnAddressThatIsNoneIsToldAtTheStart(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "askhub.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	house, err := people.Parse("people.toml", []byte("[[person]]\nname = \"sam\"\nrole = \"adult\"\nphone = [\"http://apprise.home/notify/sams-secret\", \"tgram://12:sams-secret/34\", \"push\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	tokens, err := secrets.Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	n := openNotices(&config.Config{Dir: t.TempDir(), Notices: config.Notices{PerProject: 1}}, db.Notices(), nil, nil, func() *people.Household { return house }, tokens, newEventPart(), log)
	n.look(house)
	for _, want := range []string{"person=sam", "write apprise+http:// in front", "write telegram://"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the log does not say %q: %s", want, said.String())
		}
	}
	if strings.Contains(said.String(), "sams-secret") || strings.Count(said.String(), "\n") != 2 {
		t.Errorf("the log says %s", said.String())
	}
}
