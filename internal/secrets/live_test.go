package secrets

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

func TestLiveSecretsFollowTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.conf")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	first, second := strings.Repeat("1", 40), strings.Repeat("2", 40)
	write("HUB_TOKEN_ADMIN=" + first + "\nOTHER=x\n")
	now := time.Now()
	// systemd has put the file's lines into the environment, and a line that stands nowhere else.
	l, err := OpenLive(path, []string{"HUB_TOKEN_ADMIN=" + first, "APPROVAL_TOKEN_X=" + second}, "HUB_TOKEN_ADMIN", "APPROVAL_TOKEN_X")
	if err != nil {
		t.Fatal(err)
	}
	l.now = func() time.Time { return now }
	if l.Token("HUB_TOKEN_ADMIN") != ask.BearerToken(first) || l.Token("APPROVAL_TOKEN_X") != ask.BearerToken(second) || l.Token("OTHER") != "" {
		t.Error("not what stands there")
	}
	write("HUB_TOKEN_ADMIN=" + second + "\n")
	now = now.Add(2 * time.Second)
	if l.Token("HUB_TOKEN_ADMIN") != ask.BearerToken(second) {
		t.Error("the edit was not taken")
	}
	write("HUB_TOKEN_ADMIN=short\n")
	now = now.Add(2 * time.Second)
	if l.Token("HUB_TOKEN_ADMIN") != ask.BearerToken(second) {
		t.Error("an edit with a fault was taken")
	}
	if shown := fmt.Sprintf("%v %+v %#v", l, l, l); strings.Contains(shown, "222") {
		t.Error("it shows a secret")
	}
	write("")
	now = now.Add(2 * time.Second)
	if l.Token("HUB_TOKEN_ADMIN") != "" || l.Token("APPROVAL_TOKEN_X") != ask.BearerToken(second) {
		t.Error("a token that is gone still stands")
	}
}
