package webpush

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/askhub/askhub/internal/notify"
)

// browser is one that subscribed, with the keys that only it has.
type browser struct {
	key  *ecdh.PrivateKey
	auth []byte
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{key: key, auth: make([]byte, 16)}
	_, _ = rand.Read(b.auth)
	return b
}

func (b *browser) subscription(endpoint string) notify.Subscription {
	return notify.Subscription{
		Endpoint: endpoint, Person: "sam", Added: time.Unix(1, 0),
		P256dh: base64.RawURLEncoding.EncodeToString(b.key.PublicKey().Bytes()), Auth: base64.RawURLEncoding.EncodeToString(b.auth),
	}
}

// read opens a push as a browser does (RFC 8188 and 8291).
func (b *browser) read(body []byte) (string, error) {
	if len(body) < 86 {
		return "", errors.New("too short")
	}
	salt, theirs, sealed := body[:16], body[21:86], body[86:]
	peer, err := ecdh.P256().NewPublicKey(theirs)
	if err != nil {
		return "", err
	}
	shared, err := b.key.ECDH(peer)
	if err != nil {
		return "", err
	}
	info := "WebPush: info\x00" + string(b.key.PublicKey().Bytes()) + string(theirs)
	secret, err := hkdf.Key(sha256.New, shared, b.auth, info, 32)
	if err != nil {
		return "", err
	}
	key, _ := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, _ := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	block, _ := aes.NewCipher(key)
	gcm, _ := cipher.NewGCM(block)
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(bytes.TrimRight(plain, "\x00"), []byte{2})), nil
}

// service is a push service that answers as the path says, such as /201/a.
type service struct {
	*httptest.Server
	mu  sync.Mutex
	got []*http.Request
	raw [][]byte
}

func newService(t *testing.T) *service {
	s := &service{}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.got, s.raw = append(s.got, r), append(s.raw, body)
		s.mu.Unlock()
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d/", &status)
		w.Header().Set("Retry-After", "90")
		w.Header().Set("Location", "/201/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) sender(t *testing.T, subs ...notify.Subscription) (*Sender, *notify.MemorySubscriptions) {
	t.Helper()
	kept := new(notify.MemorySubscriptions)
	for _, sub := range subs {
		if err := kept.Add(t.Context(), sub); err != nil {
			t.Fatal(err)
		}
	}
	client := s.Client()
	client.CheckRedirect = usual.CheckRedirect
	return &Sender{KeyPath: filepath.Join(t.TempDir(), KeyName), Subscriptions: kept, Client: client}, kept
}

func TestAPushSaysOnlyThatSomethingWaits(t *testing.T) {
	s, b := newService(t), newBrowser(t)
	sender, _ := s.sender(t, b.subscription(s.URL+"/201/a"))
	err := Notices{sender}.Send(t.Context(), &notify.Message{ID: "ntc_1", Person: "sam", Text: "The bank called about the overdraft.", From: "email_agent"})
	if err != nil || len(s.got) != 1 {
		t.Fatalf("%v, %d pushes", err, len(s.got))
	}
	text, err := b.read(s.raw[0])
	if err != nil || text != Payload {
		t.Errorf("the browser reads %q, %v", text, err)
	}
	if strings.Contains(Payload, "http") || strings.Contains(Payload, "bank") {
		t.Error("it has a link or a content")
	}
	if h := s.got[0].Header; h.Get("TTL") != "86400" || h.Get("Topic") != "askhub" || h.Get("Urgency") != "high" || h.Get("Content-Encoding") != "aes128gcm" {
		t.Errorf("its head is %v", h)
	}
}

func TestAPushIsSignedWithTheHouseholdsKey(t *testing.T) {
	s := newService(t)
	sender, _ := s.sender(t, newBrowser(t).subscription(s.URL+"/201/a"))
	sender.Contact = "https://askhub.home"
	if err := sender.Send(t.Context(), "sam"); err != nil {
		t.Fatal(err)
	}
	household, err := LoadKey(sender.KeyPath)
	if err != nil {
		t.Fatal(err)
	}
	token, public, ok := strings.Cut(strings.TrimPrefix(s.got[0].Header.Get("Authorization"), "vapid t="), ", k=")
	if !ok || public != household.Public() {
		t.Fatalf("the head is %q", s.got[0].Header.Get("Authorization"))
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), household.private.PublicKey().Bytes())
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.MapClaims{}
	if _, err := jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return key, nil }, jwt.WithValidMethods([]string{"ES256"}), jwt.WithAudience(s.URL)); err != nil {
		t.Error(err)
	}
	if claims["sub"] != "https://askhub.home" {
		t.Errorf("it is by %v", claims["sub"])
	}
}

func TestWhatAPushServiceAnswers(t *testing.T) {
	for _, c := range []struct {
		paths  []string
		fault  string // the start of the reason; empty where it is delivered
		state  notify.State
		remain int
	}{
		{[]string{"/201/a"}, "", "", 1},
		{[]string{"/404/a", "/201/b"}, "", "", 1},
		{[]string{"/404/a", "/410/b"}, "the browsers of sam take no pushes any more", notify.Dead, 0},
		{[]string{"/410/a", "/503/b"}, "the push service answers 503 just now", notify.Waiting, 1},
		{[]string{"/429/a"}, "the push service answers 429 just now", notify.Waiting, 1},
		{[]string{"/403/a"}, "the push service does not know the push key", notify.Dead, 1},
		{[]string{"/307/a"}, "the push service answers 307", notify.Dead, 1},
		{[]string{"/400/a", "/500/b"}, "the push service answers 500 just now", notify.Waiting, 2},
		{nil, "no browser of Sam takes pushes", notify.Dead, 0},
	} {
		s := newService(t)
		var subs []notify.Subscription
		for _, p := range c.paths {
			subs = append(subs, newBrowser(t).subscription(s.URL+p))
		}
		sender, kept := s.sender(t, subs...)
		err := sender.Send(t.Context(), "sam")
		fault, _ := errors.AsType[*notify.Fault](err)
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%v: %v", c.paths, err)
		case c.fault != "" && (fault == nil || !strings.HasPrefix(fault.Reason, c.fault) || fault.State != c.state):
			t.Errorf("%v: %+v", c.paths, err)
		case fault != nil && strings.Contains(fault.Reason, "429") && fault.After != 90*time.Second:
			t.Errorf("%v: it waits %s", c.paths, fault.After)
		}
		if left, _ := kept.All(t.Context()); len(left) != c.remain {
			t.Errorf("%v: %d browsers are kept, want %d", c.paths, len(left), c.remain)
		}
	}
}

func TestAPushServiceThatIsDownGivesNothingAway(t *testing.T) {
	s := newService(t)
	sender, _ := s.sender(t, newBrowser(t).subscription(s.URL+"/201/very-secret"))
	s.Close()
	err := sender.Send(t.Context(), "sam")
	if err == nil || err.Error() != "the push service cannot be reached" {
		t.Errorf("it is %v", err)
	}
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if err := sender.Send(ended, "sam"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("it is %v", err)
	}
}

func TestWhatIsNoSubscription(t *testing.T) {
	good := newBrowser(t).subscription("https://push.example/a")
	if p := Check(good); p != nil {
		t.Fatal(p)
	}
	for field, spoil := range map[string][]func(s *notify.Subscription){
		"endpoint": {
			func(s *notify.Subscription) { s.Endpoint = "http://push.example/a" },
			func(s *notify.Subscription) { s.Endpoint = "https://me:secret@push.example/a" },
			func(s *notify.Subscription) { s.Endpoint = "https://push.example/" + strings.Repeat("a", maxEndpoint) },
			func(s *notify.Subscription) { s.Endpoint = "https:///a" },
			func(s *notify.Subscription) { s.Endpoint = "" },
		},
		"p256dh": {
			func(s *notify.Subscription) { s.P256dh = "" },
			func(s *notify.Subscription) { s.P256dh = s.P256dh[:40] },
			func(s *notify.Subscription) { s.P256dh = base64.RawURLEncoding.EncodeToString(make([]byte, 65)) },
		},
		"auth": {func(s *notify.Subscription) { s.Auth = "AAAA" }, func(s *notify.Subscription) { s.Auth = "!" }},
	} {
		for i, f := range spoil {
			bad := good
			f(&bad)
			if p := Check(bad); p == nil || p.Field != field {
				t.Errorf("%s %d: %v", field, i, p)
			}
		}
	}
}

func TestTheKeyIsMadeOnceAndIsNobodyElsesToRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), KeyName)
	var all sync.WaitGroup
	keys := make([]Key, 8)
	for i := range keys {
		all.Go(func() {
			var err error
			if keys[i], err = LoadKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, k := range keys {
		if k.Public() != keys[0].Public() {
			t.Error("two processes have two keys")
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left beside it: %v", entries)
	}
	if text := fmt.Sprintf("%v %+v %#v", keys[0], keys[0], keys[0]); strings.Contains(text, keys[0].secret()) {
		t.Error("a log shows the key")
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others can read: %v", err)
	}
	if err := os.WriteFile(path, []byte("not a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(path, 0o600)
	if _, err := LoadKey(path); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged key: %v", err)
	}
}
