package feed

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/compass/calendar"
)

const (
	one = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261130T090000Z\r\nSUMMARY:Maths\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	two = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261130T100000Z\r\nSUMMARY:English\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)

var morning = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

func options(cacheFile string) Options {
	return Options{
		CacheFile: cacheFile, Now: func() time.Time { return morning }, Log: slog.New(slog.DiscardHandler),
		Check: func(*calendar.Calendar) error { return nil },
	}
}

// title is the first entry's title, "" without a calendar.
func title(f *Feed) string {
	cal, _ := f.Calendar()
	if cal == nil || len(cal.Entries) == 0 {
		return ""
	}
	return cal.Entries[0].Title
}

func refresh(t *testing.T, f *Feed, wantChanged bool) {
	t.Helper()
	changed, err := f.Refresh(context.Background())
	if err != nil || changed != wantChanged {
		t.Fatalf("changed %v, error %v; want changed %v", changed, err, wantChanged)
	}
}

func fails(t *testing.T, f *Feed, part string) {
	t.Helper()
	changed, err := f.Refresh(context.Background())
	if err == nil || changed || !strings.Contains(err.Error(), part) {
		t.Fatalf("changed %v, error %v; want one that says %q", changed, err, part)
	}
	if _, state := f.Calendar(); state.Err == nil {
		t.Error("the state does not tell of the failure")
	}
}

func TestFileIsReadAgainWhenItChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "school.ics")
	write := func(text string, age time.Duration) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	f := New(File{path}, options(""))
	fails(t, f, "the file is not there")
	write(one, time.Hour)
	refresh(t, f, true)
	refresh(t, f, false)
	write(two, time.Minute)
	refresh(t, f, true)
	if title(f) != "English" {
		t.Errorf("title %q", title(f))
	}
	write("<html><body>Please sign in</body></html>", 0)
	fails(t, f, "web page")
	if title(f) != "English" {
		t.Error("the last good calendar is gone")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	fails(t, f, "not a file")
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	fails(t, f, "not a file")
}

// server is a scripted web server: each request gets what handle says.
func server(t *testing.T) (url string, handle *atomic.Pointer[http.HandlerFunc]) {
	t.Helper()
	handle = &atomic.Pointer[http.HandlerFunc]{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handle.Load())(w, r) }))
	t.Cleanup(s.Close)
	return s.URL, handle
}

func answer(h *atomic.Pointer[http.HandlerFunc], f http.HandlerFunc) { h.Store(&f) }

func webFeed(t *testing.T, url string, o Options) *Feed {
	t.Helper()
	u, err := NewURL(url, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return New(u, o)
}

func TestURLAsksForChangesOnly(t *testing.T) {
	url, h := server(t)
	f := webFeed(t, url, options(""))
	text, tag := one, `"v1"`
	sent := 0
	answer(h, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		sent++
		w.Write([]byte(text))
	})
	refresh(t, f, true)
	refresh(t, f, false)
	if sent != 1 {
		t.Errorf("the whole calendar was sent %d times", sent)
	}
	text, tag = two, `"v2"`
	refresh(t, f, true)
	if title(f) != "English" {
		t.Errorf("title %q", title(f))
	}
	// Without a tag, by Last-Modified.
	const date = "Mon, 30 Nov 2026 07:00:00 GMT"
	answer(h, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Last-Modified", date)
		if r.Header.Get("If-Modified-Since") == date {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write([]byte(one))
	})
	refresh(t, f, true)
	refresh(t, f, false)
	// With neither, the same text is the same calendar.
	answer(h, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(one)) })
	refresh(t, f, false)
}

func TestURLFailuresKeepTheLastGoodCalendar(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			w.Write([]byte("a secret of the server: hunter2"))
		}
	}
	tests := []struct {
		name   string
		handle http.HandlerFunc
		want   string
	}{
		{"401", status(401), "user name or password"},
		{"403", status(403), "user name or password"},
		{"404", status(404), "nothing at that address"},
		{"410", status(410), "nothing at that address"},
		{"500", status(500), "in trouble itself"},
		{"429", status(429), "in trouble itself"},
		{"418", status(418), "answers 418"},
		{"a page to log in", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<!doctype html><html><form>password</form></html>"))
		}, "web page"},
		{"empty", func(http.ResponseWriter, *http.Request) {}, "does not start with"},
		{"50 MB", func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte("BEGIN:VCALENDAR\r\n"))
			chunk := []byte(strings.Repeat("X-A:0123456789\r\n", 4096))
			for range 800 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, "too large"},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(one[:40]))
		}, "broke off"},
		{"redirects without end", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) }, "the address it leads to"},
		{"hangs up", func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				c.Close()
			}
		}, "cannot be reached"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url, h := server(t)
			f := webFeed(t, url+"/private-token-123/basic.ics", options(""))
			answer(h, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(one)) })
			refresh(t, f, true)
			answer(h, tt.handle)
			fails(t, f, tt.want)
			_, state := f.Calendar()
			if title(f) != "Maths" || !state.Good.Equal(morning) {
				t.Errorf("the last good calendar is gone: %q as of %v", title(f), state.Good)
			}
			for _, secret := range []string{"hunter2", "private-token-123", "127.0.0.1"} {
				if strings.Contains(state.Err.Error(), secret) {
					t.Errorf("the error tells %q: %v", secret, state.Err)
				}
			}
			answer(h, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(two)) })
			refresh(t, f, true)
		})
	}
}

func TestURLThatHangsIsGivenUpWithItsContext(t *testing.T) {
	url, h := server(t)
	stop := make(chan struct{})
	answer(h, func(http.ResponseWriter, *http.Request) { <-stop })
	f := webFeed(t, url, options(""))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := f.Refresh(ctx)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(stop)
	if _, state := f.Calendar(); !errors.Is(state.Err, ErrNotTried) {
		t.Errorf("a stop counts as a failure of the feed: %v", state.Err)
	}
}

func TestRedirectIsFollowedAndAPasswordStaysWithItsServer(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the password went to another server")
		}
		w.Write([]byte(one))
	}))
	defer other.Close()
	far := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "sam" || password != "secret" {
			t.Errorf("user %q, password %q", user, password)
		}
		http.Redirect(w, r, far, http.StatusMovedPermanently)
	}))
	defer first.Close()
	u, err := NewURL(first.URL, "sam", "secret")
	if err != nil {
		t.Fatal(err)
	}
	refresh(t, New(u, options("")), true)
}

type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// A calendar's server must not have this machine call what only the household reaches.
func TestARedirectFromOutsideIntoTheHouseIsNotFollowed(t *testing.T) {
	for _, c := range []struct {
		from, to string
		followed bool
	}{
		{"http://203.0.113.7/a.ics", "http://127.0.0.1:8420/metrics", false},
		{"http://203.0.113.7/a.ics", "http://localhost:8420/metrics", false},
		{"http://203.0.113.7/a.ics", "http://[::1]/", false},
		{"http://203.0.113.7/a.ics", "http://[::ffff:127.0.0.1]/", false},
		{"http://203.0.113.7/a.ics", "http://192.168.1.1/", false},
		{"http://203.0.113.7/a.ics", "http://169.254.169.254/", false},
		{"http://203.0.113.7/a.ics", "http://[fd00::1]/", false},
		{"http://203.0.113.7/a.ics", "http://0.0.0.0/", false},
		{"http://203.0.113.7/a.ics", "http://198.51.100.9/b.ics", true},
		{"http://192.168.1.5/a.ics", "http://192.168.1.6/b.ics", true},
		{"http://127.0.0.1/a.ics", "http://localhost/b.ics", true},
	} {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			u, err := NewURL(c.from, "", "")
			if err != nil {
				t.Fatal(err)
			}
			followed := false
			u.client.Transport = roundTrip(func(r *http.Request) *http.Response {
				w := httptest.NewRecorder()
				if r.URL.String() == c.from {
					http.Redirect(w, r, c.to, http.StatusFound)
				} else {
					followed = true
					_, _ = w.WriteString(one)
				}
				res := w.Result()
				res.Request = r
				return res
			})
			_, err = u.Fetch(t.Context(), nil)
			if followed != c.followed || (err == nil) != c.followed {
				t.Errorf("followed %v, %v", followed, err)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"ftp://a.example/x":            "must begin with https://",
		"school.ics":                   "must begin with",
		"https://":                     "names no server",
		"https://sam:pw@a.example/":    "must not hold a password",
		"http://a b.example/tok\x7fen": "is not an address",
	} {
		if _, err := NewURL(address, "", ""); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "a.example") {
			t.Errorf("%q: %v", address, err)
		}
	}
	u, err := NewURL("webcal://a.example/x.ics", "", "")
	if err != nil || u.address != "https://a.example/x.ics" {
		t.Errorf("webcal: %v, %v", u, err)
	}
}

func TestCacheOutlivesARestartWhileTheFeedIsDown(t *testing.T) {
	url, h := server(t)
	file := filepath.Join(t.TempDir(), "sub", "calendar.json")
	answer(h, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write([]byte(one))
	})
	refresh(t, webFeed(t, url, options(file)), true)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || !info.ModTime().Equal(morning) {
		t.Fatalf("%v, %v", info, err)
	}

	again := webFeed(t, url, options(file))
	if _, state := again.Calendar(); title(again) != "Maths" || !state.Good.Equal(morning) || !errors.Is(state.Err, ErrNotTried) {
		t.Errorf("after a restart: %q, %+v", title(again), state)
	}
	refresh(t, again, false) // the tag was kept too
	answer(h, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	fails(t, webFeed(t, url, options(file)), "in trouble")

	// A file that is not ours to read is no calendar, and no failure either.
	for _, text := range []string{"", "{", `{"version":2,"snapshot":{"texts":[]}}`, `{"version":1,"snapshot":{"texts":[{"body":"<html>"}]}}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if f := webFeed(t, url, options(file)); title(f) != "" {
			t.Errorf("%q came to a calendar", text)
		}
	}
}

func TestACalendarThatIsRefusedKeepsTheLastOne(t *testing.T) {
	url, h := server(t)
	o := options("")
	refuse := false
	o.Check = func(*calendar.Calendar) error {
		if refuse {
			return calendar.ErrTooOften
		}
		return nil
	}
	f := webFeed(t, url, o)
	answer(h, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(one)) })
	refresh(t, f, true)
	refuse = true
	answer(h, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(two)) })
	fails(t, f, "repeats too often")
	if title(f) != "Maths" {
		t.Errorf("title %q", title(f))
	}
}

// failing is a source that is down.
type failing struct{ every time.Duration }

func (s failing) Every() time.Duration { return s.every }
func (failing) Fetch(context.Context, *Snapshot) (*Snapshot, error) {
	return nil, errUnreachable
}

func TestWaitGrowsWhileASourceIsDown(t *testing.T) {
	f := New(failing{5 * time.Minute}, options(""))
	near := func(d time.Duration) bool { w := f.Wait(); return w >= d*9/10 && w <= d*11/10+1 }
	if !near(5 * time.Minute) {
		t.Error("a well source is asked at its own interval")
	}
	for _, want := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 30 * time.Minute, 30 * time.Minute} {
		if _, err := f.Refresh(context.Background()); err == nil {
			t.Fatal("no error")
		}
		if !near(want) {
			t.Errorf("wait %v, want about %v", f.Wait(), want)
		}
	}
}
