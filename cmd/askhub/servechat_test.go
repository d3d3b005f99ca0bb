package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/chat/chattest"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// chatHouse is a household with no projects, served by several processes on one store.
type chatHouse struct {
	*testing.T
	// dir is the first server's folder; dirs has one for each.
	dir     string
	dirs    []string
	program string
	servers []*exec.Cmd
	urls    []string
}

func startChatHouse(t *testing.T, servers int, settings string) *chatHouse {
	t.Helper()
	return startChatHouseWith(t, servers, "", settings, "")
}

// startChatHouseWith has more settings, before the tables and after them, and more secrets.
func startChatHouseWith(t *testing.T, servers int, before, after, secrets string) *chatHouse {
	t.Helper()
	h := &chatHouse{T: t, dir: t.TempDir(), program: program(t)}
	settings := before + "secrets = \"secrets.conf\"\n\n[admin]\nserve = false\n\n[ways_in.test]\naskers = [\"sam\"]\n\n" + after
	for i := range servers {
		own := settings
		h.dirs = append(h.dirs, h.dir)
		if i > 0 {
			h.dirs[i] = t.TempDir()
			if !strings.Contains(before, "store = ") {
				own = fmt.Sprintf("store = %q\n", filepath.Join(h.dir, config.DefaultStore)) + own
			}
		}
		for name, text := range map[string][]byte{
			config.FileName: []byte(own), "secrets.conf": []byte("HUB_TOKEN_TEST=" + strings.Repeat("t", 40) + "\n" + secrets),
			config.RoutingName: routing.Default(), config.PeopleName: people.Sample(),
		} {
			if err := os.WriteFile(filepath.Join(h.dirs[i], name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		h.urls = append(h.urls, "http://"+addressOf(t))
		h.servers = append(h.servers, nil)
	}
	for i := range servers {
		if err := h.serve(i); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for i := range h.servers {
			h.slay(i)
		}
	})
	return h
}

// serve starts server i and waits until it answers.
func (h *chatHouse) serve(i int) error {
	cmd := exec.Command(h.program, "serve", "--config", h.dirs[i], "--listen", strings.TrimPrefix(h.urls[i], "http://"))
	// A file and no pipe: a child that outlives a killed Hub would hold a pipe open.
	said, err := os.Create(filepath.Join(h.TempDir(), "said"))
	if err != nil {
		return err
	}
	defer said.Close()
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		return err
	}
	h.servers[i] = cmd
	for limit := time.Now().Add(60 * time.Second); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		if resp, err := http.Get(h.urls[i] + "/health"); err == nil {
			return resp.Body.Close()
		}
	}
	why, err := os.ReadFile(said.Name())
	return fmt.Errorf("server %d does not answer, and said %q, %v", i, why, err)
}

// slay ends server i as kill -9 does.
func (h *chatHouse) slay(i int) {
	_ = h.servers[i].Process.Kill()
	_ = h.servers[i].Wait()
}

// store opens the household's store beside its servers.
func (h *chatHouse) store() *sqlite.DB {
	h.Helper()
	db, err := sqlite.Open(h.Context(), filepath.Join(h.dir, config.DefaultStore))
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = db.Close() })
	return db
}

func newChatToken() chat.Token {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return chat.Token(hex.EncodeToString(b[:]))
}

// say posts until one of the servers acknowledges, as a client with a key may.
func (h *chatHouse) say(token chat.Token, key, text string) {
	h.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		h.Fatal(err)
	}
	limit := time.Now().Add(90 * time.Second) // its server may be starting
	for try := 0; time.Now().Before(limit); try++ {
		req, err := http.NewRequest(http.MethodPost, h.urls[try%len(h.urls)]+"/api/chat/post", strings.NewReader(string(body)))
		if err != nil {
			h.Fatal(err)
		}
		req.Header.Set(chat.TokenHeader, string(token))
		req.Header.Set(chat.KeyHeader, key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		said, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusCreated {
			return
		}
		if resp.StatusCode != http.StatusServiceUnavailable {
			h.Fatalf("a post gives %d %s", resp.StatusCode, said)
		}
	}
	h.Fatal("nobody acknowledges")
}

// TestTheProgramKeepsTheChatContract holds serve itself, with its store on a disk, to what
// a client that knows only the contract expects.
func TestTheProgramKeepsTheChatContract(t *testing.T) {
	chattest.Wire(t, func(t *testing.T, rules chat.Rules) string {
		return startChatHouse(t, 1, fmt.Sprintf("[chat]\nthreads = %d\nanswers = \"off\"\n", rules.Threads)).urls[0]
	})
}

// TestTheChatIsAnsweredOnceAlsoAfterACrash has two servers answer one store, and kills
// one after the other while people write.
func TestTheChatIsAnsweredOnceAlsoAfterACrash(t *testing.T) {
	h := startChatHouse(t, 2, "")
	store := h.store().Chat(chat.DefaultRules())
	tokens := []chat.Token{newChatToken(), newChatToken()}
	for _, token := range tokens {
		if _, err := store.SetUp(t.Context(), token.Thread(), func(s *chat.Settings) { s.Person = "sam" }); err != nil {
			t.Fatal(err)
		}
	}
	// Two kinds of answers tell which message an answer is to.
	const control, smalltalk = "turn off the kids' internet", "how are you?"
	const messages = 16
	said := func(i int) string {
		if 0b0110_1001_1100_1010>>i&1 == 1 {
			return control
		}
		return smalltalk
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := range 6 {
			time.Sleep(150 * time.Millisecond)
			h.slay(i % 2)
			if err := h.serve(i % 2); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for i := range messages {
		for n, token := range tokens {
			h.say(token, fmt.Sprint(n, "-", i), said(i))
		}
		time.Sleep(40 * time.Millisecond)
	}
	<-ended
	for n, token := range tokens {
		h.answered(store, token.Thread(), messages)
		var asked, answers []string
		whole, err := store.Whole(t.Context(), token.Thread())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range whole {
			if m.Author == chat.Hermes {
				answers = append(answers, m.Text)
				continue
			}
			asked = append(asked, m.Text)
		}
		if len(asked) != messages || len(answers) != messages {
			t.Fatalf("thread %d has %d messages and %d answers, want %d", n, len(asked), len(answers), messages)
		}
		for i := range messages {
			refused := strings.Contains(answers[i], "admin app")
			if asked[i] != said(i) || refused != (said(i) == control) {
				t.Errorf("thread %d: message %d, %q, is answered with %q", n, i, asked[i], answers[i])
			}
		}
	}
}

// answered waits until that many answers are there. A dead server's turn is taken over
// when its lease has run out.
func (h *chatHouse) answered(store chat.Archive, t chat.Thread, want int) {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), 2*time.Minute)
	defer cancel()
	for {
		whole, err := store.Whole(ctx, t)
		if err != nil {
			h.Fatal(err)
		}
		n := 0
		for _, m := range whole {
			if m.Author == chat.Hermes {
				n++
			}
		}
		if n >= want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
