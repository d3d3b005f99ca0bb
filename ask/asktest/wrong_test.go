package asktest_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/asktest"
)

const fine = `{"question": "what", "asker": "sam"}`

// peek is the body of a question that carries a token; the good project can still read it.
func peek(r *http.Request) string {
	if r.Method != http.MethodPost || r.Header.Get("Authorization") == "" {
		return ""
	}
	b, _ := io.ReadAll(r.Body)
	put(r, string(b))
	return string(b)
}

func put(r *http.Request, body string) {
	r.Body = io.NopCloser(strings.NewReader(body))
	r.ContentLength = int64(len(body))
}

// takes is a project that takes a body that holds part as if it were fine.
func takes(part string) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return before(h, func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(peek(r), part) {
				put(r, fine)
			}
			return true
		})
	}
}

// says is a project that says something else where the body holds part.
func says(part string, status int, answer string) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return before(h, func(w http.ResponseWriter, r *http.Request) bool {
			if body := peek(r); body == "" || !strings.Contains(body, part) {
				return true
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, answer)
			return false
		})
	}
}

func replaces(path, old, with string) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return spoil(h, func(r *http.Request, rec *recorder) {
			if r.URL.Path == path && rec.status == 200 {
				rec.replace(old, with)
			}
		})
	}
}

func changes(change func(r *http.Request, rec *recorder)) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler { return spoil(h, change) }
}

func lets(change func(r *http.Request)) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return before(h, func(_ http.ResponseWriter, r *http.Request) bool {
			change(r)
			return true
		})
	}
}

func TestAWrongProjectBreaksExactlyItsClause(t *testing.T) {
	var asked atomic.Int64
	for _, c := range []struct {
		clause, name string
		wrong        func(http.Handler) http.Handler
	}{
		{"1.1", "not well", replaces("/health", "true", "false")},
		{"1.1", "health as text", replaces("/health", `{"ok":true}`, "ok")},
		{"1.2", "capabilities without topics", replaces("/capabilities", `"topics"`, `"subjects"`)},
		{"1.2", "capabilities as 404", changes(func(r *http.Request, rec *recorder) {
			if r.URL.Path == "/capabilities" && rec.status == 200 {
				rec.say(404, "{}")
			}
		})},
		{"1.3", "an address for a topic", replaces("/capabilities", "homework", "sam@example.org")},
		{"1.3", "a sentence for a topic", replaces("/capabilities", "homework", "everything that has to do with the homework of all")},
		{"1.4", "reply for answer", replaces("/ask", `"answer"`, `"reply"`)},
		{"1.4", "a number for an answer", replaces("/ask", `"Harry has maths today."`, "7")},
		{"1.4", "500", changes(func(r *http.Request, rec *recorder) {
			if r.URL.Path == "/ask" && rec.status == 200 {
				rec.say(500, "{}")
			}
		})},
		{"1.5", "answers as text/html", changes(func(r *http.Request, rec *recorder) {
			if r.URL.Path == "/ask" && rec.status == 200 {
				rec.header.Set("Content-Type", "text/html")
			}
		})},
		{"2.1", "refuses a source", says(`"source":"phone"`, 422, "{}")},
		{"2.2", "wants a person", func(h http.Handler) http.Handler {
			return before(h, func(w http.ResponseWriter, r *http.Request) bool {
				known := r.Header.Get("Authorization") == "Bearer "+string(asktest.TestToken) && r.Header.Get("Content-Type") == "application/json"
				if body := peek(r); !known || len(body) > 1000 || !strings.Contains(body, `"asker":"sam"}`) {
					return true
				}
				_ = ask.WriteJSON(w, ask.NoAnswer("nobody was named"))
				return false
			})
		}},
		{"2.3", "counts bytes", says(strings.Repeat("🎓", 1001), 413, "{}")},
		{"3.1", "no reason", replaces("/ask", `"reason"`, `"because"`)},
		{"3.2", "two sentences", replaces("/ask", "today.", "today. He also has PE.")},
		{"3.2", "markup", replaces("/ask", "maths", "**maths**")},
		{"3.2", "blank", replaces("/ask", "Harry has maths today.", " ")},
		{"3.3", "expires tomorrow", replaces("/ask", `"expires":"`, `"expires":"about `)},
		{"3.3", "expires as a number", replaces("/ask", `"expires":"`, `"expires":7,"was":"`)},
		{"3.4", "guesses about somebody unknown", says("askhub-check-nobody", 200, `{"answer":"Nobody has PE."}`)},
		{"4.1", "capabilities that asking changes", func(h http.Handler) http.Handler {
			return spoil(h, func(r *http.Request, rec *recorder) {
				if r.URL.Path == "/ask" {
					asked.Add(1)
				}
				if r.URL.Path == "/capabilities" && rec.status == 200 {
					rec.replace("homework", fmt.Sprintf("homework %d", asked.Load()))
				}
			})
		}},
		{"4.2", "tells a stranger", says("askhub-check-stranger", 200, `{"answer":"Sam has PE."}`)},
		{"4.3", "slow", lets(func(r *http.Request) {
			if strings.Contains(peek(r), `"mood"`) {
				late(r, ask.Budget+100*time.Millisecond)
			}
		})},
		{"4.4", "its own token", replaces("/ask", "maths today", string(asktest.TestToken))},
		{"4.4", "its own token in data", replaces("/ask", `"answer":`, `"data":"`+string(asktest.TestToken)+`","answer":`)},
		{"4.4", "a path", replaces("/ask", "maths", "/var/lib/maths")},
		{"4.5", "deaf to the deadline", lets(func(r *http.Request) {
			if r.Header.Get(ask.DeadlineHeader) != "" {
				late(r, 600*time.Millisecond)
			}
		})},
		{"5.1", "health for the known only", func(h http.Handler) http.Handler {
			return before(h, func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/health" && r.Header.Get("Authorization") == "" {
					ask.WriteProblem(w, ask.Unauthorized())
					return false
				}
				return true
			})
		}},
		{"5.2", "capabilities for all", lets(func(r *http.Request) {
			if r.URL.Path == "/capabilities" {
				r.Header.Set("Authorization", "Bearer "+string(asktest.TestToken))
			}
		})},
		{"5.3", "the start of the token is enough", lets(func(r *http.Request) {
			if v := r.Header.Get("Authorization"); strings.HasPrefix("Bearer "+string(asktest.TestToken), v) && len(v) > 20 {
				r.Header.Set("Authorization", "Bearer "+string(asktest.TestToken))
			}
		})},
		{"5.4", "403 for 401", changes(func(_ *http.Request, rec *recorder) {
			if rec.status == 401 {
				rec.say(403, `{"code":"forbidden"}`)
			}
		})},
		{"5.4", "no WWW-Authenticate", changes(func(_ *http.Request, rec *recorder) { rec.header.Del("WWW-Authenticate") })},
		{"5.5", "reads the body first", lets(func(r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			put(r, string(b))
		})},
		{"6.1", "takes NaN", takes("NaN")},
		{"6.2", "takes a second object", takes(`} {`)},
		{"6.3", "takes a duplicate", takes(`"asker": "sam", "asker"`)},
		{"6.4", "takes ASKER", takes(`"ASKER"`)},
		{"6.4", "takes a long s", takes(`"aſker"`)},
		{"6.5", "takes bad UTF-8", takes("\xff")},
		{"6.6", "takes an empty question", takes(`"question": ""`)},
		{"6.6", "takes a question without asker", takes(`{"question": "what"}`)},
		{"6.7", "takes true for source", takes(`"source": true`)},
		{"6.8", "takes a line feed in a name", takes(`sam\nemma`)},
		{"6.9", "takes text", lets(func(r *http.Request) {
			if r.Header.Get("Content-Type") == "text/plain" {
				r.Header.Set("Content-Type", "application/json")
			}
		})},
		{"6.13", "takes a large body", takes(strings.Repeat("x", 33<<10))},
		{"6.14", "cuts a long question", takes(`"` + strings.Repeat("x", ask.MaxQuestion+1) + `"`)},
		{"6.15", "no Allow", changes(func(_ *http.Request, rec *recorder) { rec.header.Del("Allow") })},
		{"6.15", "404 for a wrong method", changes(func(_ *http.Request, rec *recorder) {
			if rec.status == 405 {
				rec.say(404, "{}")
			}
		})},
		{"6.16", "problems as JSON", changes(func(_ *http.Request, rec *recorder) {
			if rec.status >= 400 {
				rec.header.Set("Content-Type", "application/json")
			}
		})},
		{"6.16", "no code", changes(func(_ *http.Request, rec *recorder) { rec.replace(`"code"`, `"kind"`) })},
		{"6.17", "names no field", changes(func(_ *http.Request, rec *recorder) {
			if rec.status == 400 {
				rec.say(400, `{"code":"bad","title":"Bad Request"}`)
			}
		})},
		{"6.18", "a stack trace", changes(func(_ *http.Request, rec *recorder) {
			if rec.status == 400 {
				rec.replace(`"detail":"`, `"detail":"Traceback (most recent call last): `)
			}
		})},
		{"7.1", "refuses unknown fields", says(`"mood"`, 400, "{}")},
	} {
		t.Run(c.clause+" "+c.name, func(t *testing.T) {
			t.Parallel()
			broken(t, serve(t, ask.NewServer(c.wrong(good(t)))), c.clause)
		})
	}
}

// late is a project that is slow: there is no other way to be it than to wait.
func late(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}

// broken checks that the check names that clause, and no other.
func broken(t *testing.T, url, clause string) {
	t.Helper()
	report := asktest.Check(t.Context(), url, asktest.TestToken)
	if report.Unreachable != "" {
		t.Fatal(report.Unreachable)
	}
	got := append(report.Broken(asktest.Fixed), report.Broken(asktest.Ours)...)
	if len(got) != 1 || got[0].ID != clause {
		var text bytes.Buffer
		_ = report.WriteText(&text, true)
		t.Errorf("want %s alone, got:\n%s", clause, text.String())
		return
	}
	if fixed := got[0].Level == asktest.Fixed; report.OK(false) == fixed || report.OK(true) {
		t.Errorf("%s is %s, and the check is fine with it", clause, got[0].Level)
	}
}

func TestAWrongServerBreaksExactlyItsClause(t *testing.T) {
	// The good project on net/http alone never sees that there was a Content-Length.
	t.Run("6.10", func(t *testing.T) { broken(t, serve(t, &http.Server{Handler: good(t)}), "6.10") })
	t.Run("6.11", func(t *testing.T) {
		h := good(t)
		broken(t, serve(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if len(r.TransferEncoding) > 0 {
				ask.WriteProblem(w, ask.NewProblem(ask.CodeAmbiguous, "", ""))
				return
			}
			if v := r.Header["Authorization"]; len(v) > 1 {
				r.Header["Authorization"] = v[:1]
			}
			h.ServeHTTP(w, r)
		})}), "6.11")
	})
	t.Run("6.12", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := ask.NewServer(good(t))
		go func() { _ = s.Serve(ask.Guarded(oneHost{ln})) }()
		defer s.Close()
		broken(t, "http://"+ln.Addr().String(), "6.12")
	})
}

// oneHost hides a second Host header from the server behind it.
type oneHost struct{ net.Listener }

func (l oneHost) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return oneHostConn{c}, err
}

type oneHostConn struct{ net.Conn }

func (c oneHostConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	copy(p, bytes.ReplaceAll(p[:n], []byte("Host: elsewhere"), []byte("Hose: elsewhere")))
	return n, err
}

func TestNothingThere(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String()
	_ = ln.Close()
	for _, u := range []string{url, "nonsense"} {
		if r := asktest.Check(t.Context(), u, asktest.TestToken); r.Unreachable == "" || r.OK(false) {
			t.Errorf("%s: got %+v", u, r)
		}
	}
}

func TestTheHintSaysWhatIsAtTheBottom(t *testing.T) {
	project := httptest.NewServer(good(t))
	defer project.Close()
	files := httptest.NewServer(http.FileServer(http.Dir(t.TempDir())))
	defer files.Close()
	var all sync.WaitGroup
	defer all.Wait()
	for _, test := range []struct {
		url   string
		token ask.BearerToken
		want  string
	}{
		{project.URL, asktest.TestToken, ""},
		{project.URL, asktest.TestToken + "-of-another", "does not take this token"},
		{files.URL, asktest.TestToken, "does not look like a project"},
	} {
		all.Go(func() {
			report := asktest.Check(t.Context(), test.url, test.token)
			var text bytes.Buffer
			if err := report.WriteText(&text, false); err != nil {
				t.Error(err)
			}
			if (report.Hint == "") != (test.want == "") || !strings.Contains(text.String(), test.want) || strings.HasPrefix(text.String(), " ") {
				t.Errorf("hint %q, want %q, in:\n%s", report.Hint, test.want, text.String())
			}
		})
	}
}
