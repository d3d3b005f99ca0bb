package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/connector/homeassistant"
	"github.com/askhub/askhub/internal/connector/websearch"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/project/internet/adguard"
)

// TestEachServersFaultSaysWhatToDoNext goes through what a call can end in. The cause is
// never quoted: it may hold an address with what somebody asked.
func TestEachServersFaultSaysWhatToDoNext(t *testing.T) {
	causes := map[string]error{
		"nothing listens": &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"no such host":    &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "inside.lan", IsNotFound: true}},
		"in time":         context.DeadlineExceeded,
		"is not":          fmt.Errorf("%w: inside", askclient.ErrNonsense),
		"at once":         io.EOF,
		"no answer that":  errors.New("inside http://10.0.0.7/search?q=a+secret"),
		"trust":           certificateFault(t),
		"speaks no TLS":   plainFault(t),
	}
	for words, cause := range causes {
		for what, check := range map[string]doctor.Check{
			"search":         searchCheck(nil, fmt.Errorf("inside: %w", cause)),
			"weather":        weatherCheck(cause),
			"Home Assistant": homeChecks(homeassistant.Found{}, cause)[0],
			"AdGuard Home":   adguardChecks(adguard.Found{}, cause)[0],
		} {
			if check.State != doctor.Fault || !strings.Contains(check.What, words) || !strings.Contains(check.What, what) {
				t.Errorf("%s: %s", words, check)
			}
			// The next step is a sentence that begins with what to do.
			if first, _, _ := strings.Cut(check.Mend, " "); !strings.Contains("Start See Mend Give Write", first) || !strings.HasSuffix(check.Mend, ".") {
				t.Errorf("%s: what to do is %q", words, check.Mend)
			}
			if text := check.String(); strings.Contains(text, "inside") || strings.Contains(text, "dial") || strings.Contains(text, "askclient") || strings.Contains(text, "EOF") {
				t.Errorf("it shows what is inside: %s", text)
			}
		}
	}
	if c := weatherCheck(websearch.ErrNoJSON); c.Mend == "" || c.State != doctor.Fault {
		t.Errorf("%s", c)
	}
}

func certificateFault(t *testing.T) error {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	return callFault(t, s.URL)
}

func plainFault(t *testing.T) error {
	t.Helper()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	return callFault(t, strings.Replace(s.URL, "http:", "https:", 1))
}

func callFault(t *testing.T, address string) error {
	t.Helper()
	resp, err := new(http.Client).Get(address)
	if err == nil {
		resp.Body.Close()
		t.Fatal("the call went well")
	}
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// TestTheDoctorLooksAtAdGuardHome has a server that stands in for AdGuard Home.
func TestTheDoctorLooksAtAdGuardHome(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	status, protects := http.StatusOK, true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, r.Method+" "+r.URL.Path)
		if _, password, _ := r.BasicAuth(); password != "right-password" || status != http.StatusOK {
			w.WriteHeader(max(status, http.StatusUnauthorized))
			return
		}
		switch r.URL.Path {
		case "/control/status":
			fmt.Fprintf(w, `{"version":"v0.107.52","running":true,"protection_enabled":%v}`, protects)
		case "/control/clients":
			fmt.Fprint(w, `{"clients":[{"name":"Harry's tablet","ids":["02:00:00:00:00:11"]}]}`)
		}
	}))
	defer s.Close()
	h := newAddTo(t)
	settings := read(t, h.file("askhub.toml"))
	write(t, h.file("askhub.toml"), settings+"\n[internet]\nbackend = \"adguard\"\nurl = \""+s.URL+"\"\nusername = \"askhub\"\npassword_env = \"ADGUARD_PASSWORD\"\n"+
		"[[internet.devices]]\nname = \"Harry's tablet\"\nperson = \"harry\"\nids = [\"02:00:00:00:00:11\"]\n"+
		"[[internet.devices]]\nname = \"Emma's laptop\"\nperson = \"emma\"\nids = [\"emmas-laptop\"]\n")
	password := func(p string) {
		t.Helper()
		write(t, h.secrets(), "ADGUARD_PASSWORD="+p+"\n")
	}
	password("right-password")
	h.want(exitNot, []string{"doctor"}, "ok    internet: AdGuard Home v0.107.52 answers, and takes the password", "warn  internet.devices: AdGuard Home knows no client, or two, by the ids of Emma's laptop")
	protects = false
	h.want(exitNot, []string{"doctor"}, "warn  internet: AdGuard Home's protection is switched off")
	for _, c := range calls {
		if !strings.HasPrefix(c, "GET ") {
			t.Errorf("it called %s", c)
		}
	}
	calls = nil
	password("wrong-password")
	h.want(exitNot, []string{"doctor"}, "FAULT internet.password_env: AdGuard Home does not take that user and password. Mend internet.username", "five wrong ones lock this machine out")
	if len(calls) != 1 {
		t.Errorf("a wrong password was tried %d times", len(calls))
	}
	status = http.StatusTooManyRequests
	h.want(exitNot, []string{"doctor"}, "FAULT internet.password_env: AdGuard Home locks this machine out")
	calls = nil
	password("")
	h.want(exitNot, []string{"doctor"}, "FAULT internet: ADGUARD_PASSWORD is missing")
	if len(calls) > 0 {
		t.Errorf("without a password it was called: %q", calls)
	}
	password("right-password")
	s.Close()
	h.want(exitNot, []string{"doctor"}, "FAULT internet.url: nothing listens where AdGuard Home should. Start AdGuard Home")
}
