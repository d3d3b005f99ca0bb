package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/askhub/askhub/chat"
)

func TestTheChatTokenIsMadeOnceAndKept(t *testing.T) {
	h := newHome(t)
	first, err := chatToken(h.env())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.conf(), chatTokenName)
	if said := h.err.String(); !strings.Contains(said, path) || !strings.Contains(said, "askhub chat pair "+string(first.Thread())+" NAME") || strings.Contains(said, string(first)) {
		t.Errorf("it said %q", said)
	}
	if _, ok := chat.ParseToken(string(first)); !ok || read(t, path) != string(first)+"\n" {
		t.Errorf("the file holds %q", read(t, path))
	}
	for _, p := range []string{path, h.conf()} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
	second, err := chatToken(h.env())
	if err != nil || second != first || h.err.Len() > 0 {
		t.Errorf("the second time it is another one, or %v, and it says %q", err, h.err.String())
	}
	other := newHome(t)
	if third, err := chatToken(other.env()); err != nil || third == first {
		t.Errorf("another user has the same, or %v", err)
	}
}

func TestTwoFirstUsesMakeOneChatToken(t *testing.T) {
	h := newHome(t)
	var all sync.WaitGroup
	tokens := make([]chat.Token, 8)
	for i := range tokens {
		e := h.env()
		e.stderr = &strings.Builder{}
		all.Go(func() {
			token, err := chatToken(e)
			if err != nil {
				t.Error(err)
			}
			tokens[i] = token
		})
	}
	all.Wait()
	for _, token := range tokens {
		if token != tokens[0] {
			t.Error("there are several tokens")
		}
	}
}

func TestAChatTokenThatIsNoneOrNotSecret(t *testing.T) {
	h := newHome(t)
	path := filepath.Join(h.conf(), chatTokenName)
	if err := os.MkdirAll(h.conf(), 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(text string, mode os.FileMode) {
		t.Helper()
		_ = os.Remove(path)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		text string
		mode os.FileMode
		want string
	}{
		{string(someToken), 0o644, "chmod 600"},
		{string(someToken), 0o640, "chmod 600"},
		{strings.ToUpper(string(someToken)), 0o600, "holds no chat token"},
		{string(someToken[:63]), 0o600, "holds no chat token"},
		{"", 0o600, "holds no chat token"},
	} {
		put(c.text, c.mode)
		if _, err := chatToken(h.env()); err == nil || !strings.Contains(err.Error(), c.want) || c.text != "" && strings.Contains(err.Error(), c.text) {
			t.Errorf("%q with mode %o: %v", c.text, c.mode, err)
		}
	}
	put(string(someToken)+"\n", 0o600)
	if token, err := chatToken(h.env()); err != nil || token != someToken {
		t.Errorf("a good one: %v", err)
	}
	_ = os.Remove(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := chatToken(h.env()); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("a folder: %v", err)
	}

	h.environ = append(h.environ, chatTokenVar+"="+string(someToken))
	if token, err := chatToken(h.env()); err != nil || token != someToken {
		t.Errorf("from the environment: %v", err)
	}
	h.environ = []string{chatTokenVar + "=secret"}
	_, err := chatToken(h.env())
	exits(t, err, exitUsage, chatTokenVar)
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the token is shown: %v", err)
	}
	h.environ = nil
	_, err = chatToken(h.env())
	exits(t, err, exitUsage, "HOME")
}

func TestCursorsMoveOnAndAreBounded(t *testing.T) {
	kept := &cursors{filepath.Join(t.TempDir(), "askhub", chatCursorsName)}
	put := func(i int, at chat.Cursor) {
		t.Helper()
		if err := kept.put("http://host.example", chat.Thread(fmt.Sprintf("%016x", i)), at); err != nil {
			t.Fatal(err)
		}
	}
	put(0, 5)
	put(0, 3)
	if got := kept.get("http://host.example", "0000000000000000"); got != 5 {
		t.Errorf("the cursor went to %d", got)
	}
	if got := kept.get("http://other.example", "0000000000000000"); got != 0 {
		t.Errorf("another host's is %d", got)
	}
	for i := range 2 * maxCursors {
		put(i, chat.Cursor(100+i))
	}
	if n := len(kept.kept()); n != maxCursors {
		t.Errorf("%d are kept", n)
	}
	if got := kept.get("http://host.example", chat.Thread(fmt.Sprintf("%016x", 2*maxCursors-1))); got == 0 {
		t.Error("the newest was dropped")
	}
	if err := os.WriteFile(kept.path, []byte("{damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := kept.get("http://host.example", "0000000000000000"); got != 0 {
		t.Errorf("a damaged file says %d", got)
	}
	put(1, 7)
	if got := kept.get("http://host.example", "0000000000000001"); got != 7 {
		t.Errorf("and is not mended: %d", got)
	}
}
