package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/secrets"
)

func caller(t *testing.T, h *home, token string) string {
	t.Helper()
	s, err := secrets.Open(h.secrets(), nil)
	if err != nil {
		t.Fatal(err)
	}
	name, _ := s.Caller(token)
	return name
}

func TestATokensLife(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")

	h.must(t, "token", "new", "kitchen")
	first := strings.TrimSpace(h.out.String())
	if len(first) != 64 || caller(t, h, first) != "kitchen" {
		t.Fatalf("%q is %q's", first, caller(t, h, first))
	}
	if strings.Contains(h.err.String(), first) || !strings.Contains(h.err.String(), "[ways_in.kitchen]") {
		t.Error(h.err.String())
	}
	h.fails(t, "rotate", "token", "new", "kitchen")
	if caller(t, h, first) != "kitchen" {
		t.Error("a second new took the first one's place")
	}

	h.must(t, "token", "list")
	if list := h.out.String(); !strings.Contains(list, "kitchen  caller  "+secrets.DigestOf(first).Short()+"  file") || strings.Contains(list, first) {
		t.Error(list)
	}

	h.must(t, "token", "rotate", "kitchen")
	second := strings.TrimSpace(h.out.String())
	if caller(t, h, first) != "" || caller(t, h, second) != "kitchen" {
		t.Error("the old token is alive, or the new one is not")
	}

	h.must(t, "token", "revoke", "kitchen")
	if caller(t, h, second) != "" || strings.Contains(read(t, h.secrets()), "KITCHEN") {
		t.Error("the token is alive")
	}
	h.fails(t, "is not in", "token", "revoke", "kitchen")
	h.fails(t, "is not in", "token", "rotate", "kitchen")
}

func TestAProjectsToken(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	h.must(t, "token", "new", "--project", "compass_nhs")
	token := strings.TrimSpace(h.out.String())
	found, err := secrets.Lookup(h.secrets(), nil, "PROJECT_TOKEN_COMPASS_NHS")
	if err != nil || found["PROJECT_TOKEN_COMPASS_NHS"] != token {
		t.Error(found, err)
	}
	if !strings.Contains(h.err.String(), "[projects.compass_nhs]") {
		t.Error(h.err.String())
	}
	h.must(t, "token", "list")
	if !strings.Contains(h.out.String(), "compass_nhs  project  ") {
		t.Error(h.out.String())
	}
}

func TestANameThatIsNone(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	for _, name := range []string{"Phone", "my-phone", "1", "a b", "a\nHUB_TOKEN_X=1", ""} {
		err := h.run(t, "token", "new", name)
		var coded exitError
		if !errors.As(err, &coded) || coded.code != exitUsage {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestASourceThatWinsOverTheFileIsWarnedOf(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	stronger := strings.Repeat("e", 64)
	h.environ = append(h.environ, "HUB_TOKEN_PHONE="+stronger, "HUB_TOKEN_TABLET="+strings.Repeat("t", 64))
	for _, words := range [][]string{{"rotate", "phone"}, {"revoke", "phone"}, {"new", "phone"}} {
		h.must(t, append([]string{"token"}, words...)...)
		if !strings.Contains(h.err.String(), "Warning: HUB_TOKEN_PHONE also stands in this environment") {
			t.Errorf("%v: %s", words, h.err.String())
		}
	}
	h.fails(t, "comes from the environment", "token", "rotate", "tablet")
	h.must(t, "token", "list")
	want := fmt.Sprintf("phone   caller  %s  environment  the secrets file has another", secrets.DigestOf(stronger).Short())
	if !strings.Contains(h.out.String(), want) {
		t.Errorf("%s\nwant %s", h.out.String(), want)
	}
}

func TestATokenThatIsTooShortIsListedAsSuch(t *testing.T) {
	h := newHome(t)
	h.must(t, "init")
	write(t, h.secrets(), "HUB_TOKEN_PHONE=short\n")
	h.must(t, "token", "list")
	if !strings.Contains(h.out.String(), "not taken") || strings.Contains(h.out.String(), "short\n") {
		t.Error(h.out.String())
	}
	h.must(t, "token", "rotate", "phone") // the mend that the error names
	if caller(t, h, strings.TrimSpace(h.out.String())) != "phone" {
		t.Error("the token is not taken")
	}
}
