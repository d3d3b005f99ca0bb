package reach_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/localca"
	"github.com/askhub/askhub/internal/reach"
)

// own is a certificate as others issue it: for these hosts, signed by itself.
func own(t *testing.T, from, until time.Time, hosts ...string) (certPEM, keyPEM []byte, leaf *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(from.Unix()), NotBefore: from, NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if leaf, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}), leaf
}

const filesSettings = "tls = \"files\"\ntls_cert = \"hub.pem\"\ntls_key = \"hub.key\"\n"

func TestOnesOwnCertificate(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	put := func(from time.Time, hosts ...string) *x509.Certificate {
		cert, key, leaf := own(t, from, now.AddDate(0, 2, 0), hosts...)
		write(t, filepath.Join(dir, "hub.key"), key, 0o640)
		write(t, filepath.Join(dir, "hub.pem"), cert, 0o644)
		return leaf
	}
	put(now.Add(-time.Hour), "askhub.example.org")
	h := serve(t, dir, filesSettings+"public_url = \"https://askhub.example.org\"\n")
	resp, body := get(t, h.client(), reach.URL(h.cfg, h.address)+"/ask")
	if body != "the Hub at /ask over HTTP/1.1" {
		t.Error(body)
	}
	if got := resp.Header.Get("Strict-Transport-Security"); got != "max-age=2592000" {
		t.Errorf("HSTS %q", got)
	}
	if resp, _ := get(t, h.trusting(nil), "http://"+h.address+"/install-ca"); resp.StatusCode != http.StatusPermanentRedirect {
		t.Errorf("there is no CA to install: %d", resp.StatusCode)
	}

	// A renewal, as certbot does it.
	renewed := put(now.Add(-time.Minute), "askhub.example.org")
	shows := func(leaf *x509.Certificate) bool {
		conn, err := tls.Dial("tcp", h.address, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].Equal(leaf)
	}
	eventually(t, "the renewed certificate", func() bool { return shows(renewed) })
	// And the program on this machine goes along.
	get(t, h.client(), reach.URL(h.cfg, h.address)+"/ask")

	// One that is no pair changes nothing, and is said.
	cert, _, _ := own(t, now, now.AddDate(0, 1, 0), "askhub.example.org")
	write(t, filepath.Join(dir, "hub.pem"), cert, 0o644)
	eventually(t, "a word on what is no pair", func() bool { return strings.Contains(h.logs.String(), "no certificate and its key") })
	if !shows(renewed) {
		t.Error("the last good one does not stay")
	}
	// A key that everybody reads is not used.
	before := len(h.logs.String())
	put(now.Add(-time.Second), "askhub.example.org")
	write(t, filepath.Join(dir, "hub.key"), []byte("x"), 0o644)
	eventually(t, "a word on the key's mode", func() bool { return strings.Contains(h.logs.String()[before:], "chmod o= ") })
}

func TestTheProgramReachesAHubOfAnyCertificate(t *testing.T) {
	now := time.Now()
	for name, hosts := range map[string][]string{
		"a name": {"askhub.example.org"}, "a star": {"*.example.org"}, "an address": {"192.168.1.5"}, "IPv6": {"fd00::5"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cert, key, _ := own(t, now.Add(-time.Hour), now.AddDate(0, 1, 0), hosts...)
			write(t, filepath.Join(dir, "hub.key"), key, 0o600)
			write(t, filepath.Join(dir, "hub.pem"), cert, 0o644)
			h := serve(t, dir, filesSettings)
			get(t, h.client(), reach.URL(h.cfg, h.address)+"/ask")
			// Somebody else with another certificate is not believed.
			cert, key, _ = own(t, now.Add(-time.Hour), now.AddDate(0, 1, 0), hosts...)
			other := t.TempDir()
			write(t, filepath.Join(other, "hub.key"), key, 0o600)
			write(t, filepath.Join(other, "hub.pem"), cert, 0o644)
			impostor := serve(t, other, filesSettings)
			if _, err := h.client().Get(reach.URL(h.cfg, impostor.address) + "/ask"); err == nil {
				t.Error("an impostor was believed")
			}
		})
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	now := time.Now()
	cert, key, _ := own(t, now, now.AddDate(0, 1, 0), "askhub.example.org")
	_, otherKey, _ := own(t, now, now.AddDate(0, 1, 0), "askhub.example.org")
	caPEM, caKey, err := localca.New("a CA", nil, now)
	if err != nil {
		t.Fatal(err)
	}
	oldPEM, oldKey, err := localca.New("an old CA", nil, now.AddDate(-11, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	const local = "tls = \"local-ca\"\n"
	type files map[string][]byte
	for name, tt := range map[string]struct {
		settings string
		files    files
		mode     os.FileMode
		want     []string
	}{
		"no certificate":         {filesSettings, files{"hub.key": key}, 0o600, []string{"tls_cert: ", "is not there", "mend the path"}},
		"no key":                 {filesSettings, files{"hub.pem": cert}, 0o600, []string{"tls_key: ", "is not there"}},
		"another key":            {filesSettings, files{"hub.pem": cert, "hub.key": otherKey}, 0o600, []string{"no certificate and its key", "set tls_cert to the chain"}},
		"the other way round":    {filesSettings, files{"hub.pem": key, "hub.key": cert}, 0o600, []string{"no certificate and its key"}},
		"a key for everybody":    {filesSettings, files{"hub.pem": cert, "hub.key": key}, 0o644, []string{"others on this machine can read the key", "(mode 0644)", "chmod o= "}},
		"no CA":                  {local, files{}, 0o600, []string{"there is no local CA", "askhub init --local-ca "}},
		"a CA without its key":   {local, files{"local-ca.pem": caPEM}, 0o600, []string{"has no key", "--with-secrets"}},
		"a CA of another key":    {local, files{"local-ca.pem": caPEM, "local-ca.key": oldKey}, 0o600, []string{"cannot be used", "bring both of its files back"}},
		"a CA's key for a group": {local, files{"local-ca.pem": caPEM, "local-ca.key": caKey}, 0o640, []string{"others on this machine can read the key", "chmod 600 "}},
		"an expired CA":          {local, files{"local-ca.pem": oldPEM, "local-ca.key": oldKey}, 0o600, []string{"has expired", "look at this machine's clock"}},
		"a CA for another host":  {local + "public_url = \"https://askhub.example.org\"", files{"local-ca.pem": caPEM, "local-ca.key": caKey}, 0o600, []string{"was not made for askhub.example.org", "askhub init --local-ca "}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				write(t, filepath.Join(dir, file), text, tt.mode)
			}
			_, err := reach.Open(loaded(t, dir, tt.settings), time.Now, slog.New(slog.DiscardHandler))
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant it to hold %s", err, want)
				}
			}
		})
	}
}

func TestACertificateThatPhonesRefuseIsServedAndLogged(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	cert, key, _ := own(t, now.AddDate(0, -2, 0), now.AddDate(0, 0, -1), "elsewhere.example.org")
	write(t, filepath.Join(dir, "hub.key"), key, 0o600)
	write(t, filepath.Join(dir, "hub.pem"), cert, 0o644)
	h := serve(t, dir, filesSettings+"public_url = \"https://askhub.example.org:8420\"\n")
	for _, want := range []string{"it expired on", "it is not for askhub.example.org, the host of public_url, but for elsewhere.example.org"} {
		if !strings.Contains(h.logs.String(), want) {
			t.Errorf("no word on %q in %s", want, h.logs)
		}
	}
	if _, err := h.client().Get("https://" + h.address); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("the program on this machine says %v", err)
	}
}

func TestJudge(t *testing.T) {
	now := time.Now()
	for name, tt := range map[string]struct {
		from, until time.Time
		hosts       []string
		host        string
		want        string
		fault       bool
	}{
		"good":            {now.Add(-time.Hour), now.AddDate(0, 3, 0), []string{"a.example"}, "a.example", "", false},
		"good, no host":   {now.Add(-time.Hour), now.AddDate(0, 3, 0), []string{"a.example"}, "", "", false},
		"good IPv6":       {now.Add(-time.Hour), now.AddDate(0, 3, 0), []string{"fd00::5"}, "fd00::5", "", false},
		"soon over":       {now.AddDate(0, -2, 0), now.Add(13 * 24 * time.Hour), []string{"a.example"}, "a.example", "it expires on", false},
		"over":            {now.AddDate(0, -2, 0), now.Add(-time.Minute), []string{"a.example"}, "a.example", "it expired on", true},
		"not yet":         {now.Add(time.Hour), now.AddDate(0, 3, 0), []string{"a.example"}, "a.example", "good only from", true},
		"another host":    {now.Add(-time.Hour), now.AddDate(0, 3, 0), []string{"b.example"}, "a.example", "not for a.example", true},
		"another address": {now.Add(-time.Hour), now.AddDate(0, 3, 0), []string{"192.168.1.5"}, "192.168.1.6", "not for 192.168.1.6", true},
		"no name":         {now.Add(-time.Hour), now.AddDate(0, 3, 0), nil, "", "names no host", true},
		"too long":        {now.Add(-time.Hour), now.AddDate(3, 0, 0), []string{"a.example"}, "a.example", "iPhones take at most 825", false},
	} {
		_, _, leaf := own(t, tt.from, tt.until, tt.hosts...)
		got := reach.Judge(leaf, tt.host, now)
		if tt.want == "" {
			if len(got) > 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0].What, tt.want) || got[0].Fault != tt.fault || got[0].Mend == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A certificate's end has another date in another zone; it is said as it is called here.
func TestADayIsCalledAsItIsHere(t *testing.T) {
	end := time.Date(2026, time.December, 1, 0, 30, 0, 0, time.UTC)
	_, _, leaf := own(t, end.AddDate(0, -2, 0), end, "a.example")
	for hours, want := range map[int]string{-8: "30 November 2026", 0: "1 December 2026", 13: "1 December 2026"} {
		now := end.Add(-time.Hour).In(time.FixedZone("here", hours*60*60))
		if got := fmt.Sprint(reach.Judge(leaf, "a.example", now)); !strings.Contains(got, "it expires on "+want) {
			t.Errorf("%d hours from UTC: %s", hours, got)
		}
	}
}

func TestJudgeOfACertificateForSomethingElse(t *testing.T) {
	now := time.Now()
	_, _, leaf := own(t, now.Add(-time.Hour), now.AddDate(0, 3, 0), "a.example")
	for usage, want := range map[x509.ExtKeyUsage]string{-1: "does not say that it is for servers", x509.ExtKeyUsageEmailProtection: "is not for servers", x509.ExtKeyUsageAny: ""} {
		leaf.ExtKeyUsage = []x509.ExtKeyUsage{usage}
		if usage < 0 {
			leaf.ExtKeyUsage = nil
		}
		if got := fmt.Sprint(reach.Judge(leaf, "a.example", now)); !strings.Contains(got, want) || want == "" && got != "[]" {
			t.Errorf("%v: %s", usage, got)
		}
	}
}
