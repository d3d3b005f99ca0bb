package main

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// The admin app's push, with a browser's real keys and a push service of the test's own.
func TestTheAdminAppTellsBrowsers(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "askhub.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	status, came := http.StatusCreated, 0
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		came++
		w.WriteHeader(status)
	}))
	t.Cleanup(service.Close)
	p := newAdminPush(&config.Config{Dir: dir}, db.Notices(), slog.New(slog.DiscardHandler))
	p.sender.Client = service.Client()
	if key := p.Key(); len(key) != 87 || key != p.Key() {
		t.Errorf("the key is %q", key)
	}
	if err := p.Send(t.Context(), "sam"); err != nil || came != 0 {
		t.Errorf("who has switched it on nowhere: %v, %d came", err, came)
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := admin.Subscription{Endpoint: service.URL + "/phone"}
	s.Keys.P256DH, s.Keys.Auth = base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), base64.RawURLEncoding.EncodeToString(make([]byte, 16))
	if err := p.Add(t.Context(), "sam", s); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Send(t.Context(), "sam"), p.Send(t.Context(), "tom")); err != nil || came != 1 {
		t.Errorf("%v, %d came", err, came)
	}
	if err := errors.Join(p.Remove(t.Context(), "tom", s.Endpoint), p.Send(t.Context(), "sam")); err != nil || came != 2 {
		t.Errorf("tom took sam's: %v, %d came", err, came)
	}
	// A browser that its service no longer knows is forgotten.
	status = http.StatusGone
	if err := p.Send(t.Context(), "sam"); err == nil || came != 3 {
		t.Errorf("%v, %d came", err, came)
	}
	if err := p.Send(t.Context(), "sam"); err != nil || came != 3 {
		t.Errorf("it is still there: %v, %d came", err, came)
	}
	s.Endpoint = "http://push.example/1"
	if problem, ok := errors.AsType[*ask.Problem](p.Add(t.Context(), "sam", s)); !ok || problem.Field != "endpoint" {
		t.Errorf("a bad one: %v", problem)
	}
}

func TestTheAdminAppsPushIsThatOfTheNotices(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	db, err := sqlite.Open(ctx, dir+"/askhub.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := newAdminPush(&config.Config{Dir: dir}, db.Notices(), slog.New(slog.DiscardHandler))
	if key, err := base64.RawURLEncoding.DecodeString(p.Key()); err != nil || len(key) != 65 || p.Key() != newAdminPush(&config.Config{Dir: dir}, db.Notices(), nil).Key() {
		t.Errorf("its key is %q, %v", p.Key(), err)
	}
	browser, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var s admin.Subscription
	s.Endpoint = "https://push.example/sam"
	s.Keys.P256DH = base64.RawURLEncoding.EncodeToString(browser.PublicKey().Bytes())
	if err := p.Add(ctx, "sam", s); err == nil {
		t.Error("a subscription without a secret was taken")
	} else if problem, ok := errors.AsType[*ask.Problem](err); !ok || problem.Field != "auth" {
		t.Errorf("it is %v", err)
	}
	s.Keys.Auth = base64.RawURLEncoding.EncodeToString(make([]byte, 16))
	if err := p.Add(ctx, "sam", s); err != nil {
		t.Fatal(err)
	}
	kept := func() int {
		list, err := db.Notices().Subscriptions().Of(ctx, "sam")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if err := p.Remove(ctx, "tom", s.Endpoint); err != nil || kept() != 1 {
		t.Errorf("Tom took Sam's browser out: %v", err)
	}
	if err := p.Remove(ctx, "sam", s.Endpoint); err != nil || kept() != 0 {
		t.Errorf("Sam could not take it out: %v", err)
	}
}
