package askserve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const token ask.BearerToken = "hello-token-0123456789abcdef0123456789"

type answerFunc = func(context.Context, ask.Question) (ask.Answer, error)

// made is a project with that function, and its log.
func made(t *testing.T, f answerFunc, change ...func(*Project)) (http.Handler, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	p := Project{
		Name: "school", Topics: []string{"school"}, People: []ask.Person{"sam", "harry"}, Token: token, Answer: f,
		Log: slog.New(slog.NewTextHandler(log, nil)),
	}
	for _, c := range change {
		c(&p)
	}
	h, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return h, log
}

func says(sentence string) answerFunc {
	return func(context.Context, ask.Question) (ask.Answer, error) { return ask.Say(sentence), nil }
}

func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+string(token))
	r.Header.Set("Content-Type", "application/json")
	return r
}

const aboutSelf = `{"question":"what is on today?","asker":"sam"}`

func do(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// asked is the answer to a question that must be 200 and the contract's.
func asked(t *testing.T, h http.Handler, body string) ask.Answer {
	t.Helper()
	w := do(h, request("POST", "/ask", body))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	a, p := ask.DecodeAnswer(w.Body.Bytes())
	if p != nil {
		t.Fatalf("%s: %v", w.Body, p)
	}
	return a
}

func wantReason(t *testing.T, a ask.Answer, reason string) {
	t.Helper()
	if a.Answer != nil || a.Reason != reason {
		t.Errorf("got %v %q, want null because %q", a.Answer, a.Reason, reason)
	}
}

func TestThreeCalls(t *testing.T) {
	h, _ := made(t, says("Harry has maths."))
	health := httptest.NewRequest("GET", "/health", nil)
	if w := do(h, health); w.Code != 200 || w.Body.String() != `{"ok":true}` {
		t.Errorf("health: %d %s", w.Code, w.Body)
	}
	if w := do(h, request("GET", "/capabilities", "")); w.Code != 200 || w.Body.String() != `{"project":"school","topics":["school"],"people":["sam","harry"]}` {
		t.Errorf("capabilities: %d %s", w.Code, w.Body)
	}
	if a := asked(t, h, aboutSelf); a.Answer == nil || *a.Answer != "Harry has maths." {
		t.Errorf("ask: %+v", a)
	}
	for path, allowed := range map[string]string{"/health": "GET, HEAD", "/capabilities": "GET, HEAD", "/ask": "POST"} {
		if w := do(h, request("DELETE", path, "")); w.Code != 405 || w.Header().Get("Allow") != allowed {
			t.Errorf("DELETE %s: %d, Allow: %q", path, w.Code, w.Header().Get("Allow"))
		}
	}
	if w := do(h, request("GET", "/ask/v2", "")); w.Code != 404 || w.Header().Get("Content-Type") != ask.ProblemType {
		t.Errorf("elsewhere: %d", w.Code)
	}
}

func TestTheTokenComesFirst(t *testing.T) {
	h, _ := made(t, func(context.Context, ask.Question) (ask.Answer, error) {
		t.Error("the function was called")
		return ask.Answer{}, nil
	})
	for name, value := range map[string]string{"none": "", "wrong": "Bearer " + strings.Repeat("x", 40), "short": "Bearer x"} {
		r := request("POST", "/ask", "")
		r.Header.Del("Authorization")
		if value != "" {
			r.Header.Set("Authorization", value)
		}
		r.Body = unread{t}
		if w := do(h, r); w.Code != 401 || w.Header().Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) { u.t.Error("the body was read"); return 0, io.EOF }
func (unread) Close() error               { return nil }

func TestPermissionComesBeforeTheFunction(t *testing.T) {
	never := func(context.Context, ask.Question) (ask.Answer, error) {
		t.Error("the function was called")
		return ask.Say("No."), nil
	}
	h, _ := made(t, never)
	wantReason(t, asked(t, h, `{"question":"q","asker":"sam","person":"harry"}`), reasonForbidden)
	// A stranger does not learn whom the project knows.
	wantReason(t, asked(t, h, `{"question":"q","asker":"sam","person":"nobody"}`), reasonForbidden)
	wantReason(t, asked(t, h, `{"question":"q","asker":"emma"}`), reasonNoPerson)

	h, log := made(t, never, func(p *Project) { p.MaySee = func(ask.Asker, ask.Person) bool { panic("no table") } })
	wantReason(t, asked(t, h, aboutSelf), reasonBroken)
	if !strings.Contains(log.String(), "no table") {
		t.Errorf("the log has no cause: %s", log)
	}

	h, _ = made(t, says("Harry has maths."), func(p *Project) {
		p.MaySee = func(asker ask.Asker, person ask.Person) bool { return asker == "sam" && person == "harry" }
	})
	if a := asked(t, h, `{"question":"q","asker":"sam","person":"harry"}`); a.Answer == nil {
		t.Errorf("a parent may not see: %+v", a)
	}
	wantReason(t, asked(t, h, `{"question":"q","asker":"harry","person":"sam"}`), reasonForbidden)
}

func TestAProjectAboutNobodyTakesEverybody(t *testing.T) {
	h, _ := made(t, says("It is sunny."), func(p *Project) { p.People = nil })
	if a := asked(t, h, `{"question":"q","asker":"guest"}`); a.Answer == nil {
		t.Errorf("got %+v", a)
	}
}

func TestWhatTheFunctionSaysIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		f      answerFunc
		reason string
	}{
		"two sentences":     {says("Harry has maths. He has PE."), reasonUnfit},
		"markup":            {says("Harry has **maths**."), reasonUnfit},
		"a link":            {says("See https://example.org."), reasonUnfit},
		"its own token":     {says("It is " + string(token) + "."), reasonUnfit},
		"blank":             {says(" "), reasonUnfit},
		"nothing":           {func(context.Context, ask.Question) (ask.Answer, error) { return ask.Answer{}, nil }, reasonNothing},
		"a path for reason": {func(context.Context, ask.Question) (ask.Answer, error) { return ask.NoAnswer("open /var/lib/x"), nil }, reasonNothing},
		"its own reason":    {func(context.Context, ask.Question) (ask.Answer, error) { return ask.NoAnswer("no timetable yet"), nil }, "no timetable yet"},
		"an error": {func(context.Context, ask.Question) (ask.Answer, error) {
			return ask.Say("x"), errors.New("disk /dev/sda " + string(token))
		}, reasonBroken},
		"a panic": {func(context.Context, ask.Question) (ask.Answer, error) { panic("boom " + string(token)) }, reasonBroken},
	} {
		t.Run(name, func(t *testing.T) {
			h, log := made(t, c.f)
			wantReason(t, asked(t, h, aboutSelf), c.reason)
			if strings.Contains(log.String(), string(token)) {
				t.Errorf("the token is in the log: %s", log)
			}
			if (c.reason == reasonBroken || c.reason == reasonUnfit) && log.Len() == 0 {
				t.Error("the log has no cause")
			}
		})
	}
}

func TestDataAndExpires(t *testing.T) {
	a := ask.Say("Yes.").Until(time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC))
	a.Data = []byte(`{"x": }`)
	h, _ := made(t, func(context.Context, ask.Question) (ask.Answer, error) { return a, nil })
	if got := asked(t, h, aboutSelf); got.Answer == nil || got.Data != nil || !got.Expires.IsZero() {
		t.Errorf("got %+v", got)
	}
	a = ask.Say("Yes.").Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	a.Data, a.Reason = []byte(`{"x": [1]}`), "left over"
	if got := asked(t, h, aboutSelf); string(got.Data) != `{"x":[1]}` && string(got.Data) != `{"x": [1]}` || got.Expires.Year() != 2026 || got.Reason != "" {
		t.Errorf("got %+v", got)
	}
}

func TestTooSlowIsAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		want   time.Duration
	}{
		"the contract's time":  {"", ask.Budget - margin},
		"the caller's time":    {"1000", 900 * time.Millisecond},
		"more than the budget": {"99999999", ask.Budget - margin},
		"no time":              {"0", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				late := make(chan struct{})
				h, _ := made(t, func(context.Context, ask.Question) (ask.Answer, error) {
					defer close(late)
					time.Sleep(time.Minute) // it ignores its context
					return ask.Say("Too late."), nil
				})
				r := request("POST", "/ask", aboutSelf)
				if c.header != "" {
					r.Header.Set(ask.DeadlineHeader, c.header)
				}
				start := time.Now()
				w := do(h, r)
				if took := time.Since(start); took != c.want {
					t.Errorf("the answer came after %v, want %v", took, c.want)
				}
				a, p := ask.DecodeAnswer(w.Body.Bytes())
				if p != nil {
					t.Fatal(p)
				}
				wantReason(t, a, reasonSlow)
				if c.header != "0" {
					<-late // its late word went nowhere
				}
			})
		})
	}
}

func TestAFunctionThatKeepsItsContextIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		obeys := func(ctx context.Context, _ ask.Question) (ask.Answer, error) {
			<-ctx.Done()
			return ask.Answer{}, ctx.Err()
		}
		h, _ := made(t, obeys)
		wantReason(t, asked(t, h, aboutSelf), reasonSlow)

		// Nobody waits any more: the function is told, and nothing is written.
		ctx, leave := context.WithCancel(context.Background())
		go func() {
			time.Sleep(time.Second)
			leave()
		}()
		start := time.Now()
		if w := do(h, request("POST", "/ask", aboutSelf).WithContext(ctx)); w.Body.Len() != 0 || time.Since(start) != time.Second {
			t.Errorf("got %s after %v", w.Body, time.Since(start))
		}
	})
}

func TestFunctionsThatNeverEndDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		h, _ := made(t, func(context.Context, ask.Question) (ask.Answer, error) {
			<-free
			return ask.Say("Yes."), nil
		})
		for range maxRunning {
			r := request("POST", "/ask", aboutSelf)
			r.Header.Set(ask.DeadlineHeader, "10")
			do(h, r)
		}
		wantReason(t, asked(t, h, aboutSelf), reasonBusy)
		close(free)
		synctest.Wait()
		if a := asked(t, h, aboutSelf); a.Answer == nil {
			t.Errorf("it does not recover: %+v", a)
		}
	})
}

func TestBadDeadline(t *testing.T) {
	h, _ := made(t, says("Yes."))
	for _, v := range []string{"soon", "-1", "1.5"} {
		r := request("POST", "/ask", aboutSelf)
		r.Header.Set(ask.DeadlineHeader, v)
		if w := do(h, r); w.Code != 400 || !strings.Contains(w.Body.String(), ask.DeadlineHeader) {
			t.Errorf("%s: %d %s", v, w.Code, w.Body)
		}
	}
}

func TestNewSaysWhatIsMissing(t *testing.T) {
	good := Project{Name: "school", Token: token, Answer: says("Yes.")}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Project){
		"token":    func(p *Project) { p.Token = "short" },
		"function": func(p *Project) { p.Answer = nil },
		"name":     func(p *Project) { p.Name = "My School" },
		"topic":    func(p *Project) { p.Topics = []string{"<b>"} },
		"person":   func(p *Project) { p.People = []ask.Person{""} },
	} {
		p := good
		change(&p)
		if _, err := New(p); err == nil || strings.Contains(err.Error(), string(token)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRun(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	p := Project{Name: "school", Answer: says("Yes."), Log: slog.New(slog.DiscardHandler)}
	env := map[string]string{"PORT": port, "PROJECT_TOKEN_SCHOOL": string(token)}
	getenv := func(name string) string { return env[name] }
	if err := run(t.Context(), p, getenv); err == nil {
		t.Error("a port in use is no error")
	}
	_ = ln.Close()
	for _, name := range []string{"PORT", "PROJECT_TOKEN_SCHOOL"} {
		was := env[name]
		env[name] = ""
		if err := run(t.Context(), p, getenv); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
		env[name] = was
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := run(ctx, p, getenv); err != nil {
		t.Errorf("a stop is an error: %v", err)
	}
}
