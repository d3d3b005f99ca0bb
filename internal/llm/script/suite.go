package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/llm"
)

// key is the suite's; nobody else has it.
const key = "sk-scripted-key-that-nothing-may-repeat"

const schema = `{"type":"object","properties":{"zebra":{"type":"string","maxLength":9},"apple":{"type":"integer","minimum":0,"maximum":100}},` +
	`"required":["zebra","apple"],"additionalProperties":false}`

// closer is a provider with connections to give back.
type closer interface{ Close() }

// Check holds a provider to the port, against a real server that behaves well and badly.
// Make is the provider for a server's address, a key and a model's name.
func Check(t *testing.T, p Protocol, makeOne func(url, key, model string) llm.Model) {
	provider := func(t *testing.T, s *Server) llm.Model {
		m := makeOne(s.URL, key, "scripted")
		if c, ok := m.(closer); ok {
			t.Cleanup(c.Close)
		}
		return m
	}
	request := llm.Request{System: "the system's words", Prompt: "the prompt's words", Name: "suite", Schema: []byte(schema), MaxTokens: 50}

	t.Run("a whole reply comes back as it is, and all that was sent is what was asked", func(t *testing.T) {
		s := Serve(t, p, p.Say(` {"zebra":"x","apple":1} `))
		reply, err := provider(t, s).Complete(t.Context(), request)
		if err != nil || string(reply) != `{"zebra":"x","apple":1}` {
			t.Fatalf("got %q, %v", reply, err)
		}
		seen := s.Seen()
		if len(seen) != 1 || seen[0].Path != p.Path || seen[0].Key != p.KeyPrefix+key {
			t.Fatalf("the server saw %d requests, the first at %s with the key %q", len(seen), seen[0].Path, seen[0].Key)
		}
		if got := p.Prompt(seen[0].Body); got != "the system's words\nthe prompt's words\n" {
			t.Errorf("the model was told %q", got)
		}
		sent := string(p.Schema(seen[0].Body))
		if strings.Index(sent, `"zebra"`) > strings.Index(sent, `"apple"`) || !strings.Contains(sent, `"additionalProperties":false`) {
			t.Errorf("the schema lost its order or its end: %s", sent)
		}
		if !bytes.Contains(seen[0].Body, []byte("50")) {
			t.Error("the bound of the reply was not sent")
		}
	})

	for _, c := range []struct {
		name string
		h    http.HandlerFunc
		want llm.Kind
	}{
		{"cut off at its bound, though whole", p.End(`{"zebra":"x","apple":1}`, p.Cut), llm.Cut},
		{"cut off within", p.End(`{"zebra":"x","app`, p.Cut), llm.Cut},
		{"would not", p.End("", p.Shuns), llm.Empty},
		{"nothing", p.Say("  \n"), llm.Empty},
		{"an end that nobody knows", p.End(`{}`, "tired"), llm.Broken},
		{"no JSON", p.Raw(http.StatusOK, "<html>Sign in</html>"), llm.Broken},
		{"another document", p.Raw(http.StatusOK, `{"hello":"world"}`), llm.Broken},
		{"an answer that stops within", p.Raw(http.StatusOK, `{"choices":[{"mess`), llm.Broken},
		{"401", p.Raw(http.StatusUnauthorized, `{"error":{"message":"bad key `+key+`"}}`), llm.Key},
		{"403", p.Raw(http.StatusForbidden, key), llm.Key},
		{"404", p.Raw(http.StatusNotFound, `{"error":{"message":"no such model"}}`), llm.Unknown},
		{"400", p.Raw(http.StatusBadRequest, `{"error":{"message":"`+key+`"}}`), llm.Refused},
		{"429", p.Raw(http.StatusTooManyRequests, `{"error":{"message":"slow down"}}`), llm.Rate},
		{"500", p.Raw(http.StatusInternalServerError, key), llm.Broken},
		{"503", p.Raw(http.StatusServiceUnavailable, `{"error":{"message":"Loading model"}}`), llm.Loading},
		{"a flood of text", p.Say(strings.Repeat("a", llm.MaxReply+1)), llm.Flood},
		{"a flood without end", flood, llm.Flood},
		{"a status that floods", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			flood(w, r)
		}, llm.Broken},
	} {
		t.Run("no answer: "+c.name, func(t *testing.T) {
			s := Serve(t, p, c.h)
			reply, err := provider(t, s).Complete(t.Context(), request)
			if llm.KindOf(err) != c.want || reply != nil {
				t.Errorf("got %q, %v; want %s", reply, err, c.want)
			}
			if f := (*llm.Fault)(nil); !errors.As(err, &f) || leaks(err, s) {
				t.Errorf("the fault says too much: %#v", err)
			}
		})
	}

	t.Run("a redirect is not followed", func(t *testing.T) {
		elsewhere := Serve(t, p, p.Say(`{"zebra":"x","apple":1}`))
		s := Serve(t, p, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+p.Path, http.StatusTemporaryRedirect)
		})
		_, err := provider(t, s).Complete(t.Context(), request)
		if llm.KindOf(err) != llm.Moved || len(elsewhere.Seen()) != 0 {
			t.Errorf("got %v, and %d requests arrived elsewhere", err, len(elsewhere.Seen()))
		}
	})

	t.Run("nobody there", func(t *testing.T) {
		m := makeOne("http://127.0.0.1:1", key, "scripted")
		if _, err := m.Complete(t.Context(), request); llm.KindOf(err) != llm.Down {
			t.Errorf("got %v", err)
		}
	})

	t.Run("it returns when its context ends, and lets the server know", func(t *testing.T) {
		gone := make(chan struct{})
		s := Serve(t, p, func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			close(gone)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := provider(t, s).Complete(ctx, request); llm.KindOf(err) != llm.Late {
			t.Errorf("got %v", err)
		}
		<-gone
	})

	t.Run("a drip is no answer either", func(t *testing.T) {
		s := Serve(t, p, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "  ")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if _, err := provider(t, s).Complete(ctx, request); llm.KindOf(err) != llm.Stopped {
			t.Errorf("got %v", err)
		}
	})

	t.Run("nothing that prints it shows the key", func(t *testing.T) {
		m := makeOne("http://127.0.0.1:1", key, "scripted")
		for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
			if strings.Contains(fmt.Sprintf(form, m), key) {
				t.Errorf("%s shows the key", form)
			}
		}
	})

	t.Run("many at once", func(t *testing.T) {
		s := Serve(t, p, p.Say(`{"zebra":"x","apple":1}`))
		m := provider(t, s)
		errs := make(chan error, 8)
		for range cap(errs) {
			go func() {
				_, err := m.Complete(t.Context(), request)
				errs <- err
			}()
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}

// flood writes until the caller goes.
func flood(w http.ResponseWriter, r *http.Request) {
	chunk := slices.Repeat([]byte(" "), 16<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// leaks is whether a form of the error holds the key, the address or the server's words.
func leaks(err error, s *Server) bool {
	for e := err; e != nil; e = errors.Unwrap(e) {
		for _, form := range []string{"%v", "%+v", "%#v"} {
			said := fmt.Sprintf(form, e)
			if strings.Contains(said, key) || strings.Contains(said, s.URL) || strings.Contains(said, "Loading model") {
				return true
			}
		}
	}
	return false
}
