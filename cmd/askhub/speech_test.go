package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify"
)

// rooms is a stand-in for Home Assistant's documented services: what it was told to say,
// and where no satellite answers.
type rooms struct {
	*httptest.Server
	mu     sync.Mutex
	said   []string
	silent string
}

func newRooms(t *testing.T) *rooms {
	t.Helper()
	r := &rooms{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var call struct {
			Entity  string `json:"entity_id"`
			Message string `json:"message"`
		}
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case req.Method == http.MethodGet && r.silent != "" && strings.HasSuffix(req.URL.Path, r.silent):
			w.Write([]byte(`{"state":"unavailable"}`))
		case req.Method == http.MethodGet:
			w.Write([]byte(`{"state":"idle"}`))
		case json.Unmarshal(body, &call) == nil && req.URL.Path == "/api/services/assist_satellite/announce":
			r.said = append(r.said, strings.TrimPrefix(call.Entity, "assist_satellite.")+": "+call.Message)
			w.Write([]byte("[]"))
		default:
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *rooms) heard() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.said, "|")
}

func (r *rooms) silence(room string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = room
}

// TestAnUrgentNoticeIsSaidWhereItsPersonWantsThat has Sam, who wants to hear them in the
// bedroom, and Harry, who named no room.
func TestAnUrgentNoticeIsSaidWhereItsPersonWantsThat(t *testing.T) {
	r := newRooms(t)
	h := startChatHouseWith(t, 1, "", "[projects.bus]\nurl = \"http://127.0.0.1:1\"\n[home_assistant]\nurl = \""+r.URL+"\"\n"+
		"[speakers]\nquiet = \"00:00-23:59\"\n[[speakers.rooms]]\nname = \"bedroom\"\nsatellite = \"assist_satellite.bedroom\"\n"+
		"[[speakers.rooms]]\nname = \"kitchen\"\nsatellite = \"assist_satellite.kitchen\"\n",
		"HUB_TOKEN_BUS="+busToken+"\nHUB_TOKEN_ADMIN="+chiefToken+"\nHOME_ASSISTANT_TOKEN="+strings.Repeat("h", 40)+"\n")
	h.slay(0)
	folks := "[[person]]\nname = \"sam\"\nrole = \"adult\"\nspeak_in = [\"bedroom\"]\n[[person]]\nname = \"harry\"\nrole = \"child\"\n"
	if err := os.WriteFile(filepath.Join(h.dir, config.PeopleName), []byte(folks), 0o600); err != nil {
		t.Fatal(err)
	}
	r.silence("bedroom")
	if err := h.serve(0); err != nil {
		t.Fatal(err)
	}
	tell := func(level notify.Level, person, message string) {
		t.Helper()
		body := strings.Replace(noticeBody(level, message), `"sam"`, `"`+person+`"`, 1)
		if status, reply, err := h.asCaller("POST", "/notify", busToken, body); err != nil || status != http.StatusAccepted {
			t.Fatalf("%d %s %v", status, reply, err)
		}
	}
	tell(notify.Important, "sam", "The bus is late.")
	tell(notify.Urgent, "harry", "The bus has left.")
	tell(notify.Urgent, "sam", "The bus burns, everybody is SAFE!")
	read := func(want ...string) func() bool {
		return func() bool {
			list, err := h.store().Notices().List(context.Background(), notify.Query{Limit: 9})
			var all strings.Builder
			for i := range list {
				for _, d := range list[i].Deliveries {
					if notify.KindOf(d.Target) == notify.KindSpeech {
						all.WriteString(list[i].Message + " " + d.Name + " " + string(d.State) + " " + d.Reason + "\n")
					}
				}
			}
			for _, w := range want {
				if err != nil || !strings.Contains(all.String(), w) {
					return false
				}
			}
			return true
		}
	}
	wait(t, "the failed delivery", read(
		"The bus burns, everybody is SAFE! speech in the bedroom waiting the speaker in the bedroom did not answer",
		"The bus has left. speech skipped people.toml names no room in which notices to Harry are said aloud"))
	if got := r.heard(); got != "" {
		t.Errorf("somebody heard %s", got)
	}
	r.silence("")
	wait(t, "the voice", func() bool { return r.heard() == "bedroom: The bus burns, everybody is SAFE!" })
	wait(t, "the record", read("The bus burns, everybody is SAFE! speech in the bedroom delivered"))
}
