package mcpserver

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A line is let through as one message that the SDK can read, or is answered with one line.
func FuzzALineIsOneMessageOrRefused(f *testing.F) {
	for _, s := range []string{greeting, greeted, asking, `[` + greeted + `]`, `{"jsonrpc":"2.0","id":1.0,"method":"x"}`, `{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"id":1,"id":2}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, "\x00", `"a"`, `null`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, _, _ := strings.Cut(text, "\n")
		if strings.TrimSpace(line) == "" {
			return
		}
		var out bytes.Buffer
		l := newLines(strings.NewReader(""), newWhole(&out))
		if err := l.check([]byte(line)); err != nil {
			t.Fatal(err)
		}
		passed := len(l.rest) > 0
		if passed == (out.Len() > 0) {
			t.Fatalf("%q was let through as %q and answered with %q", line, l.rest, out.String())
		}
		one := out.Bytes()
		if passed {
			one = l.rest
			if _, err := jsonrpc.DecodeMessage(one); err != nil {
				t.Fatalf("%q was let through: %v", line, err)
			}
		}
		if bytes.Count(one, []byte("\n")) != 1 || !bytes.HasSuffix(one, []byte("\n")) || !jsontext.Value(one).IsValid() || !passed && inner(out.String()) {
			t.Fatalf("%q became %q", line, one)
		}
	})
}

// Each request is awaited under the id that its answer has, however its number is written.
func TestAnIDIsAwaitedAsItIsAnswered(t *testing.T) {
	for _, id := range []string{`1`, `1.0`, `1e2`, `"a"`, `"\u0061"`, `-0`, `1.5`, `9007199254740993`, `"<é>"`, `""`} {
		w := newWhole(&bytes.Buffer{})
		l := newLines(strings.NewReader(""), w)
		if err := l.check([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)); err != nil {
			t.Fatal(err)
		}
		m, err := jsonrpc.DecodeMessage(l.rest)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: m.(*jsonrpc.Request).ID, Result: []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(append(answer, '\n')); err != nil || len(w.open) != 0 {
			t.Errorf("%s is answered as %s, and %v are awaited still, %v", id, answer, w.open, err)
		}
	}
}
