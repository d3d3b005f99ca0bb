package main

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/paperclip"
	"github.com/askhub/askhub/internal/connector/paperclip/standin"
	"github.com/askhub/askhub/internal/doctor"
)

func TestTheDoctorSaysWhatThePaperclipsKeyMayDo(t *testing.T) {
	s := standin.New()
	server := httptest.NewServer(s)
	defer server.Close()
	cfg := &config.Config{Secrets: "secrets.conf", Paperclip: config.Paperclip{URL: server.URL, Company: standin.Company, Project: standin.Project}}
	examine := func(key string) doctor.Check {
		t.Helper()
		checks := checkedPaperclip().Check(t.Context(), cfg, func(string) string { return key })
		if len(checks) != 1 || key != "" && strings.Contains(checks[0].String(), key) {
			t.Fatalf("got %v", checks)
		}
		return checks[0]
	}
	for key, want := range map[string]string{
		standin.Key:          "ok    paperclip: Paperclip 2026.916.1 at ",
		"":                   "FAULT paperclip: its key PAPERCLIP_KEY is missing",
		standin.WideKey:      "the key may do more than file jobs (its scope is not limited). Make an agent's key",
		"pcp_board_12345678": "the key is a person's own, which may do everything. Make an agent's key",
		"pcp_none":           "it does not take the key (Agent token did not verify",
		standin.StrangersKey: "FAULT paperclip.company: ",
	} {
		if got := examine(key).String(); !strings.Contains(got, want) {
			t.Errorf("%q: got %s, want %q", key, got, want)
		}
	}
	s.Health("starting")
	if got := examine(standin.Key); !got.Down || !strings.Contains(got.What, "not ready") {
		t.Errorf("starting: got %+v", got)
	}
	server.Close()
	if got := examine(standin.Key); !got.Down || !strings.Contains(got.Mend, "Start Paperclip") {
		t.Errorf("down: got %+v", got)
	}
}

// Each fault has a mend.
func TestEachFaultOfAPaperclipHasItsMend(t *testing.T) {
	for _, kind := range []paperclip.Kind{
		paperclip.Down, paperclip.Starting, paperclip.Slow, paperclip.Busy, paperclip.Broken, paperclip.Nonsense, paperclip.Moved, paperclip.Refused,
		paperclip.NoKey, paperclip.BadKey, paperclip.Board, paperclip.Wide, paperclip.OtherCompany, paperclip.Boundary,
	} {
		check := benchFault(&config.Config{}, &paperclip.Fault{Kind: kind, Detail: "<html>", Err: errors.New("inside")})
		if check.Mend == "" || check.State != doctor.Fault || strings.Contains(check.String(), "inside") {
			t.Errorf("%s: got %s", kind, check)
		}
	}
}
