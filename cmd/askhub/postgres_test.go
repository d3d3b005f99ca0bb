package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/store/postgrestest"
)

// Two Hubs on one PostgreSQL: what is posted to one is at the other within a second, and
// the commands beside them know the same store. It skips where postgresql is not installed.
func TestTwoHubsShareAStoreInPostgreSQL(t *testing.T) {
	c := postgrestest.Start(t)
	if _, err := c.SQL("postgres", "CREATE ROLE hub LOGIN PASSWORD 'open-sesame'"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SQL("postgres", "CREATE DATABASE shared OWNER hub"); err != nil {
		t.Fatal(err)
	}
	h := startChatHouseWith(t, 2, "store = \""+c.TCP("hub", "shared")+"\"\n", "", "STORE_PASSWORD=open-sesame\n")
	token := newChatToken()
	if got := h.post(0, token, "hello from the first"); got != http.StatusCreated {
		t.Fatalf("a post gives %d", got)
	}
	if got := h.poll(1, token); !strings.Contains(got, "hello from the first") {
		t.Fatalf("the second Hub has %s", got)
	}
	ask := func(words ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		e := &env{
			ctx: context.Background(), stdout: &out, stderr: &errs, stdin: strings.NewReader(""),
			getenv: func(string) string { return "" }, environ: func() []string { return nil },
		}
		_ = run(e, append(words, "--config", h.dir)) // its words say how it went
		if text := out.String() + errs.String(); strings.Contains(text, "open-sesame") {
			t.Errorf("%q says the password", words)
		}
		return out.String() + errs.String()
	}
	thread := token.Thread()
	if out := ask("chat", "show", string(thread)); !strings.Contains(out, "hello from the first") {
		t.Errorf("chat show says:\n%s", out)
	}
	if out := ask("chat", "reply", string(thread), "hello from the host"); strings.Contains(out, "rror") {
		t.Error(out)
	}
	for i := range 2 {
		if got := h.poll(i, token); !strings.Contains(got, "hello from the host") {
			t.Errorf("Hub %d has %s", i, got)
		}
	}
	if out := ask("doctor"); !strings.Contains(out, "pg_dump backs it up") {
		t.Errorf("doctor says:\n%s", out)
	}
	backup := filepath.Join(t.TempDir(), "b.tar.gz")
	if out := ask("backup", backup); !strings.Contains(out, "pg_dump postgres://hub@127.0.0.1") {
		t.Errorf("backup says:\n%s", out)
	}
	if out := ask("restore", backup); !strings.Contains(out, "pg_restore") {
		t.Errorf("restore says:\n%s", out)
	}
	if err := c.Stop(false); err != nil {
		t.Fatal(err)
	}
	if out := ask("doctor"); !strings.Contains(out, "FAULT store: ") || !strings.Contains(out, "cannot be reached") {
		t.Errorf("doctor says without a server:\n%s", out)
	}
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	h.say(token, "again", "hello again")
	if _, err := os.Stat(filepath.Join(h.dir, config.DefaultStore)); err == nil {
		t.Error("a file was made as well")
	}
}

// post posts to one of the servers and gives the status.
func (h *chatHouse) post(server int, token chat.Token, text string) int {
	h.Helper()
	status, _ := h.call(http.MethodPost, h.urls[server]+"/api/chat/post", token, `{"text":"`+text+`"}`)
	return status
}

// poll is the whole thread as one of the servers has it.
func (h *chatHouse) poll(server int, token chat.Token) string {
	h.Helper()
	_, body := h.call(http.MethodGet, h.urls[server]+"/api/chat/poll", token, "")
	return body
}

func (h *chatHouse) call(method, url string, token chat.Token, body string) (status int, text string) {
	h.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	req.Header.Set(chat.TokenHeader, string(token))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		h.Fatal(err)
	}
	return resp.StatusCode, string(got)
}
