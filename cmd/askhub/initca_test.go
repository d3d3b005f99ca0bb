package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/localca"
	"github.com/askhub/askhub/internal/reach"
)

// someDay is when a CA of these tests was made.
var someDay = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func (h *home) ca() string    { return filepath.Join(h.conf(), "local-ca.pem") }
func (h *home) caKey() string { return filepath.Join(h.conf(), "local-ca.key") }

// fingerprint is that of the CA in the folder.
func (h *home) fingerprint(t *testing.T) string {
	t.Helper()
	cert, err := localca.ParseCertificate([]byte(read(t, h.ca())))
	if err != nil {
		t.Fatal(err)
	}
	return localca.Fingerprint(cert)
}

func TestInitMakesALocalCA(t *testing.T) {
	h := newHome(t)
	h.must(t, "init", "--local-ca", "--public-url", "https://askhub.example.org:8420")
	cfg, err := config.Load(h.conf())
	if err != nil {
		t.Fatal(err)
	}
	if cfg.TLS != config.TLSLocalCA || cfg.PublicURL != "https://askhub.example.org:8420" || cfg.Listen != "0.0.0.0:8420" || len(cfg.Warnings()) > 0 {
		t.Errorf("%s, warnings %q", cfg, cfg.Warnings())
	}
	ca, err := reach.LoadCA(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !ca.Covers("askhub.example.org") || ca.Covers("example.org") {
		t.Error("the CA is not for the host of public_url, or for more")
	}
	for _, path := range []string{h.ca(), h.caKey()} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	for _, want := range []string{h.ca(), h.caKey(), h.fingerprint(t), "http://askhub.example.org:8420/install-ca"} {
		if !strings.Contains(h.out.String(), want) {
			t.Errorf("it does not say %s:\n%s", want, h.out.String())
		}
	}
	if strings.Contains(h.out.String(), "█") {
		t.Error("a QR code in a pipe that nobody asked for")
	}
	if strings.Contains(h.out.String(), "PRIVATE") {
		t.Error("it shows the key")
	}

	before := tree(t, h.dir)
	h.must(t, "init", "--local-ca", "--qr")
	for path, text := range tree(t, h.dir) {
		if before[path] != text {
			t.Errorf("a second init changed %s", path)
		}
	}
	if !strings.Contains(h.out.String(), "█") || strings.Contains(h.out.String(), "written") || strings.Contains(h.out.String(), "Put into it") {
		t.Error(h.out.String())
	}
	h.fails(t, "names another public_url", "init", "--local-ca", "--public-url", "https://other.home")
}

func TestInitAddsALocalCAToAHousehold(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	settings := read(t, filepath.Join(h.conf(), "askhub.toml"))
	h.must(t, "init", "--local-ca", "--public-url", "https://askhub.home:8420")
	if read(t, filepath.Join(h.conf(), "askhub.toml")) != settings {
		t.Error("askhub.toml was edited")
	}
	var lines []string
	for line := range strings.Lines(h.out.String()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "tls = ") || strings.HasPrefix(line, "public_url = ") || strings.HasPrefix(line, "listen = ") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 3 {
		t.Fatalf("it does not say the lines that are missing:\n%s", h.out.String())
	}
	// Whoever does as it says has a config that is right.
	settings = strings.Replace(settings, `listen = "127.0.0.1:8420"`, lines[2], 1)
	write(t, filepath.Join(h.conf(), "askhub.toml"), lines[0]+"\n"+lines[1]+"\n"+settings)
	cfg, err := config.Load(h.conf())
	if err != nil {
		t.Fatal(err)
	}
	if reach.Address(cfg) != "http://askhub.home:8420/install-ca" {
		t.Errorf("%s", cfg)
	}
}

func TestInitRefusesHalfACA(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(h *home)
		want  string
	}{
		"no key":                {func(h *home) { _ = os.Remove(h.caKey()) }, "has no key"},
		"no certificate":        {func(h *home) { _ = os.Remove(h.ca()) }, "without local-ca.pem"},
		"a key for others":      {func(h *home) { _ = os.Chmod(h.caKey(), 0o644) }, "chmod 600"},
		"another household's":   {func(h *home) { _, key, _ := localca.New("x", nil, someDay); _ = os.WriteFile(h.caKey(), key, 0o600) }, "cannot be used"},
		"not for this host now": {func(h *home) { setPublic(h, "https://hub.example.net") }, "was not made for hub.example.net"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.must(t, "init", "--local-ca")
			tt.spoil(h)
			before := tree(t, h.dir)
			h.fails(t, tt.want, "init", "--local-ca")
			if after := tree(t, h.dir); len(after) != len(before) {
				t.Errorf("before %v, after %v", before, after)
			}
		})
	}
	h := newHome(t)
	h.fails(t, "public_url", "init", "--local-ca", "--public-url", "http://askhub.home")
	h.fails(t, "must be an address", "init", "--local-ca", "--public-url", "askhub")
	if len(tree(t, h.dir)) > 1 {
		t.Error("an init that failed left something")
	}
}

// setPublic writes a public_url into a config that has none.
func setPublic(h *home, address string) {
	path := filepath.Join(h.conf(), "askhub.toml")
	text, _ := os.ReadFile(path)
	_ = os.WriteFile(path, append([]byte("public_url = \""+address+"\"\n"), text...), 0o600)
}

func TestABackupOfALocalCA(t *testing.T) {
	h := newHome(t)
	h.must(t, "init", "--local-ca")
	cert, key := read(t, h.ca()), read(t, h.caKey())
	bare, whole := filepath.Join(t.TempDir(), "bare.tar.gz"), filepath.Join(t.TempDir(), "whole.tar.gz")
	h.must(t, "backup", bare)
	if !strings.Contains(h.out.String(), "The local CA is in it without its key") {
		t.Error(h.out.String())
	}
	secret := strings.Split(key, "\n")[1]
	if text := unzipped(t, bare); strings.Contains(text, secret) || !strings.Contains(text, cert) {
		t.Error("the key is in a backup without secrets, or the certificate is not")
	}
	h.must(t, "backup", whole, "--with-secrets")
	if !strings.Contains(h.out.String(), "the local CA's key too") {
		t.Error(h.out.String())
	}

	// On a new machine.
	other := newHome(t)
	other.must(t, "restore", whole)
	if read(t, other.ca()) != cert || read(t, other.caKey()) != key {
		t.Error("the CA of the new machine is not that of the old one")
	}
	if info, err := os.Stat(other.caKey()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if cfg, err := config.Load(other.conf()); err != nil {
		t.Error(err)
	} else if _, err := reach.LoadCA(cfg); err != nil {
		t.Error(err)
	}

	// Without the key it is said what is missing.
	third := newHome(t)
	third.must(t, "restore", bare)
	if read(t, third.ca()) != cert || !strings.Contains(third.out.String(), "The local CA's key was not in the backup") {
		t.Error(third.out.String())
	}

	// Back onto the same machine, whose key is the right one.
	_ = os.Remove(h.ca())
	h.must(t, "restore", bare)
	if read(t, h.ca()) != cert || read(t, h.caKey()) != key || strings.Contains(h.out.String(), "local CA") {
		t.Error(h.out.String())
	}

	// Onto a machine with another CA, which would be half of each.
	fourth := newHome(t)
	fourth.must(t, "init", "--local-ca")
	mine := read(t, fourth.ca())
	fourth.must(t, "restore", bare)
	if read(t, fourth.ca()) != mine || !strings.Contains(fourth.out.String(), "another CA is in place: that one was kept") {
		t.Error(fourth.out.String())
	}
	fourth.must(t, "restore", whole)
	if read(t, fourth.ca()) != cert || read(t, fourth.ca()+".bak") != mine || read(t, fourth.caKey()) != key {
		t.Error("the whole CA did not take the place of the other")
	}
	nothingLeft(t, fourth)
}

func TestABackupWithSecretsAndNoCA(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	h.must(t, "backup", filepath.Join(h.dir, "b.tar.gz"), "--with-secrets")
	if strings.Contains(h.out.String(), "local CA") {
		t.Error(h.out.String())
	}
}
