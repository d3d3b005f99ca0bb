package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
)

// The token with which a person's yes comes is not the Hub's to know, so the project itself
// sees that it is another one.
func TestAnotherApprovalTokenCountsWithoutARestartByHand(t *testing.T) {
	h := startAdminHouse(t)
	settings, err := os.ReadFile(filepath.Join(h.dir, config.FileName))
	if err != nil {
		t.Fatal(err)
	}
	project := regexp.MustCompile(`url = "(http://[^"]+)"`).FindSubmatch(settings)
	if project == nil {
		t.Fatalf("no project in %s", settings)
	}
	code := func(token string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, string(project[1])+"/approvals", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	old := strings.Repeat("y", 40)
	h.until(func() bool { return code(old) == http.StatusOK })
	h.command("token", "rotate", "--approval", "internet_control")
	kept, err := os.ReadFile(filepath.Join(h.dir, "secrets.conf"))
	if err != nil {
		t.Fatal(err)
	}
	now := regexp.MustCompile(`APPROVAL_TOKEN_INTERNET_CONTROL=(\S+)`).FindSubmatch(kept)
	if now == nil || string(now[1]) == old {
		t.Fatal("there is no new token")
	}
	h.until(func() bool { return code(string(now[1])) == http.StatusOK })
	if got := code(old); got != http.StatusUnauthorized {
		t.Errorf("with the old token it answers %d", got)
	}
	h.command("token", "revoke", "--approval", "internet_control")
	h.until(func() bool { c := code(string(now[1])); return c != http.StatusOK && c != 0 })
}
