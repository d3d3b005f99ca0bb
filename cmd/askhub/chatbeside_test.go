package main

import (
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/chat"
)

// askhub runs a command of the host beside its servers.
func (h *chatHouse) askhub(words ...string) (out string, code int) {
	cmd := exec.Command(h.program, append(words, "--config", h.dir)...)
	raw, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.Error(err)
	}
	return string(raw), cmd.ProcessState.ExitCode()
}

// TestRepliesOfManyProcessesBesideAServingHub has eight processes write into one thread
// while people write into it through the Hub: every message is there once, in an order
// that no epoch breaks, and a key that several use is one message.
func TestRepliesOfManyProcessesBesideAServingHub(t *testing.T) {
	const processes, each = 8, 4
	h := startChatHouse(t, 1, "")
	token := newChatToken()
	h.say(token, "first", "how are you?")
	if out, code := h.askhub("chat", "pair", string(token.Thread()), "--answers", "off"); code != exitFine {
		t.Fatalf("%d: %s", code, out)
	}
	var all sync.WaitGroup
	for p := range processes {
		all.Go(func() {
			for i := range each {
				if out, code := h.askhub("chat", "reply", string(token.Thread()), fmt.Sprintf("reply %d of %d", i, p)); code != exitFine {
					t.Errorf("%d: %s", code, out)
				}
				if out, code := h.askhub("chat", "reply", string(token.Thread()), fmt.Sprintf("round %d", i), "--key", fmt.Sprintf("round-%d", i)); code != exitFine {
					t.Errorf("%d: %s", code, out)
				}
			}
		})
	}
	all.Go(func() {
		for i := range 10 {
			h.say(token, fmt.Sprint("web-", i), fmt.Sprintf("message %d", i))
		}
	})
	all.Wait()
	whole, err := h.store().Chat(chat.DefaultRules()).Whole(t.Context(), token.Thread())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for i, m := range whole {
		seen[m.Text]++
		if i > 0 && m.Epoch <= whole[i-1].Epoch {
			t.Errorf("epoch %d follows %d", m.Epoch, whole[i-1].Epoch)
		}
	}
	want := []string{}
	for i := range each {
		want = append(want, fmt.Sprintf("round %d", i))
		for p := range processes {
			want = append(want, fmt.Sprintf("reply %d of %d", i, p))
		}
	}
	for i := range 10 {
		want = append(want, fmt.Sprintf("message %d", i))
	}
	for _, text := range want {
		if seen[text] != 1 {
			t.Errorf("%q is there %d times", text, seen[text])
		}
	}
}

// TestAPairingCodeOfTheChatPageIsConfirmedOnTheHost goes the whole way: the page asks for
// a code, the host confirms it, and the page learns whom it speaks for.
func TestAPairingCodeOfTheChatPageIsConfirmedOnTheHost(t *testing.T) {
	h := startChatHouse(t, 1, "")
	token := newChatToken()
	call := func(method string) (paired chat.Paired) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, h.urls[0]+"/api/chat/pair", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(chat.TokenHeader, string(token))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.UnmarshalRead(resp.Body, &paired); err != nil || !paired.Success {
			t.Fatalf("status %d, %v", resp.StatusCode, err)
		}
		return paired
	}
	code := call(http.MethodPost).Code
	if out, got := h.askhub("chat", "pair", code[:4], code[4:], "mum"); got != exitFine || !strings.Contains(out, "now speaks for Sam") {
		t.Fatalf("%d: %s", got, out)
	}
	if paired := call(http.MethodGet); paired.Person != "Sam" {
		t.Errorf("the page learns %+v", paired)
	}
	// The command leaves nothing behind that keeps the next one from it.
	for _, words := range [][]string{{"chat", "list", "--json"}, {"chat", "pair", string(token.Thread()), "--unpair"}, {"chat", "show", string(token.Thread())}} {
		if out, got := h.askhub(words...); got != exitFine {
			t.Errorf("%s: %d: %s", words, got, out)
		}
	}
	whole, err := h.store().Chat(chat.DefaultRules()).Whole(t.Context(), token.Thread())
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range whole {
		texts = append(texts, m.Text)
	}
	if want := []string{"This chat now speaks for Sam.", "This chat speaks for nobody now."}; !slices.Equal(texts, want) {
		t.Errorf("the thread has %q", texts)
	}
}
