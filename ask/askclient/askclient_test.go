package askclient_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func client(t *testing.T, p *asktest.Scripted) *askclient.Client {
	c := askclient.New(askclient.Config{URL: p.URL, Token: p.Token})
	t.Cleanup(c.Close)
	return c
}

var question = ask.Question{Question: "what does Harry have on \"today\"?", Asker: "sam", Person: "harry", Source: "phone"}

func maths(ask.Question) ask.Answer {
	return ask.Say("Harry has maths.").Until(time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC))
}

func TestAskSendsTheQuestionWholeAndTellsTheTimeLeft(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Answer: maths})
	const whole = ask.Budget - 100*time.Millisecond
	began := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), began.Add(whole))
	defer cancel()
	a, err := client(t, p).Ask(ctx, question)
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	if a.Answer == nil || *a.Answer != "Harry has maths." || a.Expires.Year() != 2026 {
		t.Errorf("got %+v", a)
	}
	got := p.Requests()
	if len(got) != 1 || got[0].Question != question {
		t.Fatalf("the project got %+v", got)
	}
	// It was sent in whole milliseconds, some time after the beginning and before the end.
	if left := got[0].Deadline; left < whole-took-time.Millisecond || left > whole {
		t.Errorf("the deadline sent was %v of %v, and it took %v", left, whole, took)
	}
	for _, name := range []string{"User-Agent", "Idempotency-Key", "Accept-Encoding"} {
		if _, sent := got[0].Header[name]; sent {
			t.Errorf("%s was sent", name)
		}
	}
}

func TestWithoutADeadlineTheBudgetHolds(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Answer: maths})
	began := time.Now()
	if _, err := client(t, p).Ask(context.Background(), question); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if left := p.Requests()[0].Deadline; left < ask.Budget-took-time.Millisecond || left > ask.Budget {
		t.Errorf("the deadline sent was %v, and it took %v", left, took)
	}
}

func TestCapabilitiesAndHealth(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Project: "compass_nhs", Topics: []string{"school"}, People: []ask.Person{"harry"}})
	c := client(t, p)
	caps, err := c.Capabilities(t.Context())
	if err != nil || caps.Project != "compass_nhs" || len(caps.Topics) != 1 || len(caps.People) != 1 {
		t.Errorf("got %+v, %v", caps, err)
	}
	if err := c.Health(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFailuresAreToldApart(t *testing.T) {
	for name, c := range map[string]struct {
		script asktest.Script
		want   error
	}{
		"down":          {asktest.Script{Fault: asktest.Down}, askclient.ErrDown},
		"500":           {asktest.Script{Fault: asktest.Broken}, askclient.ErrDown},
		"html":          {asktest.Script{Fault: asktest.Nonsense}, askclient.ErrNonsense},
		"half a reply":  {asktest.Script{Fault: asktest.BadJSON}, askclient.ErrNonsense},
		"no reason":     {asktest.Script{Fault: asktest.NoReason}, askclient.ErrNonsense},
		"100 MB":        {asktest.Script{Fault: asktest.Huge}, askclient.ErrNonsense},
		"redirect":      {asktest.Script{Fault: asktest.Redirect}, askclient.ErrNonsense},
		"401":           {asktest.Script{Fault: asktest.Unwilling}, askclient.ErrRefused},
		"hangs":         {asktest.Script{Fault: asktest.Hang}, askclient.ErrSlow},
		"leaks a token": {asktest.Script{Answer: func(ask.Question) ask.Answer { return ask.Say("It is " + string(asktest.TestToken) + ".") }}, askclient.ErrNonsense},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if c.want == askclient.ErrSlow { // all others have the whole budget
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
				defer cancel()
			}
			p := asktest.NewScripted(t, c.script)
			_, err := client(t, p).Ask(ctx, question)
			for _, kind := range []error{askclient.ErrDown, askclient.ErrSlow, askclient.ErrNonsense, askclient.ErrRefused} {
				if errors.Is(err, kind) != (kind == c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			}
			if err != nil && (strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), string(p.Token))) {
				t.Errorf("the error says too much: %v", err)
			}
		})
	}
}

// Who writes a project reads this in the Hub's log, and nowhere else.
func TestAReplyThatIsNotTheContractsNamesItsField(t *testing.T) {
	for reply, want := range map[string]string{
		`{"answer": null}`:                                "missing_field, reason",
		`{"reason": "no data for that person"}`:           "missing_field, answer",
		`{"answer": 5}`:                                   "wrong_type, answer",
		`{"answer": "Five eggs.", "expires": "tomorrow"}`: "wrong_type, expires",
		`{"answer": "It is in /home/hens/eggs.txt."}`:     "invalid_field, answer",
		`five eggs`: "invalid_json, body",
		`{"answer": "Five eggs.", "Sam's PIN": 1, "Sam's PIN": 1}`:   "duplicate_key",
		`{"answer": "Five eggs."} {"answer": "Five eggs, I think."}`: "invalid_json, body",
	} {
		project := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, reply)
		}))
		c := askclient.New(askclient.Config{URL: project.URL, Token: asktest.TestToken})
		_, err := c.Ask(t.Context(), question)
		if err == nil || !strings.HasSuffix(err.Error(), "(status 200): "+want) {
			t.Errorf("%s: the error is %v, want it to end in %q", reply, err, want)
		}
		c.Close()
		project.Close()
	}
}

func TestTwoSentencesAreLeftToTheHub(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Fault: asktest.TwoSentences})
	a, err := client(t, p).Ask(t.Context(), question)
	if err != nil || ask.CheckSentence(*a.Answer, false) == nil {
		t.Errorf("got %v, %v", a, err)
	}
}

func TestReplyThatIsNotTheContracts(t *testing.T) {
	for name, body := range map[string]string{
		"answer is missing":      `{"reason": "no data"}`,
		"duplicate key":          `{"answer": "a", "answer": "b"}`,
		"key in another case":    `{"answer": "a", "ANSWER": "b"}`,
		"second document":        `{"answer": "a"} {}`,
		"wrong type":             `{"answer": 3}`,
		"expires is no instant":  `{"answer": "a", "expires": "tomorrow"}`,
		"expires in year 10000":  `{"answer": "a", "expires": "9999-12-31T23:59:59-01:00"}`,
		"expires in year 0":      `{"answer": "a", "expires": "0001-01-01T00:00:00+01:00"}`,
		"blank answer":           `{"answer": " "}`,
		"blank reason":           `{"answer": null, "reason": " "}`,
		"bad UTF-8":              "{\"answer\": \"\xff\"}",
		"control characters":     `{"answer": "a\u0007"}`,
		"a path in the reason":   `{"answer": null, "reason": "open /var/lib/mail: no such file"}`,
		"a list instead":         `[]`,
		"null instead":           `null`,
		"nothing":                ``,
		"an escaped second name": `{"answer": null, "reason": "r", "\u0041nswer": "x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				_, _ = w.Write([]byte(body))
			}))
			defer s.Close()
			c := askclient.New(askclient.Config{URL: s.URL, Token: asktest.TestToken})
			defer c.Close()
			if a, err := c.Ask(t.Context(), question); !errors.Is(err, askclient.ErrNonsense) {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
}

// A household may have chosen a token that does not look like one.
func TestTheProjectsOwnTokenIsNoAnswer(t *testing.T) {
	const plain = "correct horse battery staple again"
	token := ask.BearerToken(strings.ReplaceAll(plain, " ", "."))
	for name, a := range map[string]ask.Answer{"answer": ask.Say("It is " + string(token)), "reason": ask.NoAnswer("it is " + string(token))} {
		t.Run(name, func(t *testing.T) {
			p := asktest.NewScripted(t, asktest.Script{Token: token, Answer: func(ask.Question) ask.Answer { return a }})
			if got, err := client(t, p).Ask(t.Context(), question); !errors.Is(err, askclient.ErrNonsense) || strings.Contains(err.Error(), string(token)) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String()
	_ = ln.Close()
	for _, u := range []string{url, "not a url", "ftp://x", "http://"} {
		if _, err := askclient.New(askclient.Config{URL: u}).Ask(t.Context(), question); !errors.Is(err, askclient.ErrDown) {
			t.Errorf("%s: got %v", u, err)
		}
	}
}

func TestACallerWhoLeavesIsNoFailureOfTheProject(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Fault: asktest.Hang})
	c := client(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 1)
	go func() {
		_, err := c.Ask(ctx, question)
		errs <- err
	}()
	until(t, func() bool { return len(p.Requests()) == 1 })
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) || errors.Is(err, askclient.ErrSlow) {
		t.Errorf("got %v", err)
	}
	until(t, func() bool { return p.Left() == 1 }) // the project is told
}

// until waits for what another goroutine does over a real socket, with a bound.
func until(t *testing.T, met func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !met(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen")
		}
	}
}

func TestAProjectThatRestartedIsAskedAgain(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	serve := func(ln net.Listener) *http.Server {
		s := ask.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = ask.WriteJSON(w, ask.Say("Yes.")) }))
		go func() { _ = s.Serve(ask.Guarded(ln)) }()
		return s
	}
	s := serve(ln)
	c := askclient.New(askclient.Config{URL: "http://" + addr, Token: asktest.TestToken})
	defer c.Close()
	for i := range 20 {
		if _, err := c.Ask(t.Context(), question); err != nil {
			t.Fatalf("after %d restarts: %v (%v)", i, err, err.(*askclient.Error).Cause)
		}
		_ = s.Close()
		if ln, err = net.Listen("tcp", addr); err != nil {
			t.Fatal(err)
		}
		s = serve(ln)
	}
	_ = s.Close()
}

func TestOneClientForManyCallers(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Answer: func(q ask.Question) ask.Answer { return ask.Say(string(q.Asker)) }})
	c := client(t, p)
	var wg sync.WaitGroup
	for _, asker := range []ask.Asker{"sam", "emma", "harry", "anna"} {
		wg.Go(func() {
			for range 50 {
				a, err := c.Ask(t.Context(), ask.Question{Question: "who?", Asker: asker})
				if err != nil || *a.Answer != string(asker) {
					t.Errorf("%s got %v, %v", asker, a, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	p := asktest.NewScripted(t, asktest.Script{Answer: maths})
	c := client(t, p)
	for range 5 {
		if _, err := c.Ask(t.Context(), question); err != nil {
			t.Fatal(err)
		}
		if err := c.Health(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.Connections(); n != 1 {
		t.Errorf("%d connections were made, want 1", n)
	}
}

// An answer that nobody asked for must not be taken for the next one's: it could
// be about somebody else.
func TestAnAnswerToNoQuestionIsNotTheNextOnes(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	reply := func(words string) string {
		body := `{"answer":"` + words + `"}`
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	sent := make(chan struct{}, 10)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for r := bufio.NewReader(c); ; {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					body, _ := io.ReadAll(req.Body)
					words := "About Harry."
					if strings.Contains(string(body), "emma") {
						words = "About Emma."
					}
					_, _ = io.WriteString(c, reply(words))
					time.Sleep(5 * time.Millisecond) // so that it comes apart from the answer
					_, _ = io.WriteString(c, reply("About nobody you asked for."))
					sent <- struct{}{}
				}
			}()
		}
	}()
	c := askclient.New(askclient.Config{URL: "http://" + ln.Addr().String(), Token: asktest.TestToken})
	t.Cleanup(c.Close)
	for i := range 6 {
		person, want := ask.Person("harry"), "About Harry."
		if i%2 == 1 {
			person, want = "emma", "About Emma."
		}
		a, err := c.Ask(t.Context(), ask.Question{Question: "what is on?", Asker: "sam", Person: person})
		if err != nil || a.Answer == nil || *a.Answer != want {
			t.Fatalf("got %v %v, want %q", a.Answer, err, want)
		}
		<-sent
	}
}

// What still comes after a reply that is none of the contract's belongs to the
// question before: the next question goes out on another connection.
func TestTheRestOfAReplyThatIsNoneIsNotTheNextOnes(t *testing.T) {
	late := func(asker string) string {
		body := `{"answer":"For ` + asker + `."}`
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	hints := func(n int) string { return strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", n) }
	for name, first := range map[string]string{
		"four interim replies":    hints(4),
		"five interim replies":    hints(5),
		"another protocol":        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
		"no content":              "HTTP/1.1 204 No Content\r\n\r\n",
		"not modified":            "HTTP/1.1 304 Not Modified\r\n\r\n",
		"an empty body":           "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n",
		"an error":                "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
		"a length that is short":  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"a redirect":              "HTTP/1.1 302 Found\r\nLocation: /ask\r\nContent-Length: 0\r\n\r\n",
		"a page":                  "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n",
		"a chunk that is too few": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			answer := func(c net.Conn) {
				defer c.Close()
				owed := "" // what is left of the reply before
				for r := bufio.NewReader(c); ; {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					body, _ := io.ReadAll(req.Body)
					if !strings.Contains(string(body), "sam") {
						_, _ = io.WriteString(c, owed+late("harry"))
						continue
					}
					_, _ = io.WriteString(c, first)
					owed = late("sam")
				}
			}
			go func() {
				for {
					c, err := ln.Accept()
					if err != nil {
						return
					}
					go answer(c)
				}
			}()
			c := askclient.New(askclient.Config{URL: "http://" + ln.Addr().String(), Token: asktest.TestToken})
			defer c.Close()
			a, err := c.Ask(t.Context(), ask.Question{Question: "what is on?", Asker: "sam"})
			if err == nil {
				t.Errorf("sam got %v", *a.Answer)
			}
			if errors.Is(err, askclient.ErrSlow) {
				t.Error("sam waited in vain for a reply that was there")
			}
			a, err = c.Ask(t.Context(), ask.Question{Question: "what is on?", Asker: "harry"})
			if err != nil || *a.Answer != "For harry." {
				t.Errorf("harry got %+v, %v", a, err)
			}
		})
	}
}
