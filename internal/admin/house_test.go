package admin_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/admin/admintest"
	"github.com/askhub/askhub/internal/events"
	"github.com/askhub/askhub/internal/logtest"
	"github.com/askhub/askhub/internal/people"
)

const (
	hubToken     = "the-admin-apps-token-at-the-hub-0001"
	projectToken = "the-admin-apps-token-at-internet-001"
)

// house is a household with an admin app, a Hub and an internet project, each with real
// approvals.
type house struct {
	t      testing.TB
	app    *admin.App
	store  admin.Store
	server *httptest.Server
	origin string
	hub    *owner
	net    *owner
	clock  *clock
	log    *logtest.Log
	mu     sync.Mutex
	people *people.Household
}

// clock is a clock that a test may move.
type clock struct{ ahead atomic.Int64 }

func (c *clock) Now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) Forward(d time.Duration) { c.ahead.Add(int64(d)) }

// owner is somebody with approvals: a desk, and what it was made to do.
type owner struct {
	name   string
	desk   *approve.Desk
	server *httptest.Server
	ran    atomic.Int32
	// calls are the calls that came, by method and path.
	mu    sync.Mutex
	calls map[string]int
	// also answers what no approval is.
	also http.HandlerFunc
	// bend changes an approval on its way out.
	bend func(*approve.Approval)
	// events are the Hub's, and gone ends whoever follows them.
	events *events.Stream
	gone   chan struct{}
}

// leave ends the streams of whoever follows it, as where the Hub is started again.
func (o *owner) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.gone)
	o.gone = make(chan struct{})
}

// left is closed when it leaves.
func (o *owner) left() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.gone
}

// writes are the calls that were no reading.
func (o *owner) writes() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []string
	for call := range o.calls {
		if !strings.HasPrefix(call, "GET ") {
			out = append(out, call)
		}
	}
	return out
}

func newOwner(t testing.TB, name, token string, now func() time.Time) *owner {
	o := &owner{name: name, calls: map[string]int{}, events: events.New("test"), gone: make(chan struct{})}
	var err error
	o.desk, err = approve.Open(context.Background(), approve.Options{
		Owner: name, Store: approve.NewMemory(), Now: now, Log: slog.New(slog.DiscardHandler),
		Changed: func(a approve.Approval) { o.events.Publish(events.Approval, a) },
		Execute: func(_ context.Context, a approve.Approval) (string, error) {
			o.ran.Add(1)
			if strings.Contains(a.What, "fails") {
				return "The router said no.", errors.New("no")
			}
			return "It is so.", nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	approvals := o.desk.Handler()
	o.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.calls[r.Method+" "+r.URL.Path]++
		bend := o.bend
		o.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+token {
			ask.WriteProblem(w, ask.Unauthorized())
			return
		}
		switch {
		case r.URL.Path == "/events" && name == admin.HubName:
			o.serveEvents(w, r)
		case r.URL.Path == "/approve" && r.Method == http.MethodPost && name == admin.HubName:
			var d approve.Decision
			if p := ask.ReadJSON(w, r, &d); p != nil {
				ask.WriteProblem(w, p)
				return
			}
			raw, _ := json.Marshal(&d)
			r.URL.Path, r.Body, r.ContentLength = "/approvals/"+d.ID, io.NopCloser(strings.NewReader(string(raw))), int64(len(raw))
			approvals.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/approvals") && bend != nil && r.Method == http.MethodGet:
			bent(w, r, approvals, bend)
		case strings.HasPrefix(r.URL.Path, "/approvals"):
			approvals.ServeHTTP(w, r)
		case o.also != nil:
			o.also(w, r)
		default:
			ask.WriteProblem(w, ask.NewProblem(ask.CodeNotFound, "", "There is nothing here."))
		}
	}))
	t.Cleanup(func() {
		o.leave()
		o.server.Close()
	})
	return o
}

// bent serves approvals as somebody changed them on their way.
func bent(w http.ResponseWriter, r *http.Request, next http.Handler, bend func(*approve.Approval)) {
	served := httptest.NewRecorder()
	next.ServeHTTP(served, r)
	var list approve.Listed
	if json.Unmarshal(served.Body.Bytes(), &list) == nil && list.Approvals != nil {
		for i := range list.Approvals {
			bend(&list.Approvals[i])
		}
		_ = ask.WriteJSON(w, &list)
		return
	}
	var one approve.Approval
	_ = json.Unmarshal(served.Body.Bytes(), &one)
	bend(&one)
	_ = ask.WriteJSON(w, &one)
}

// wants makes a request that waits.
func (o *owner) wants(t testing.TB, what string) approve.Approval {
	t.Helper()
	return o.request(t, approve.Request{What: what, Who: "harry", Why: "for homework", Action: jsontext.Value(`{"do":"cut","what":` + string(quoted(what)) + `}`)})
}

func quoted(s string) []byte {
	raw, _ := json.Marshal(s)
	return raw
}

func (o *owner) request(t testing.TB, r approve.Request) approve.Approval {
	t.Helper()
	a, err := o.desk.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (o *owner) now(t testing.TB, id string) approve.Approval {
	t.Helper()
	a, err := o.desk.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const residents = `zone = "Europe/London"
[[person]]
name = "sam"
role = "adult"
[[person]]
name = "tom"
role = "adult"
[[person]]
name = "harry"
role = "child"
`

func newHouse(t testing.TB, change ...func(*admin.Config)) *house {
	t.Helper()
	h := &house{t: t, store: admin.NewMemory(), clock: &clock{}, log: &logtest.Log{}}
	h.live(residents)
	h.hub = newOwner(t, admin.HubName, hubToken, h.clock.Now)
	h.net = newOwner(t, "internet_control", projectToken, h.clock.Now)
	h.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.app.ServeHTTP(w, r) }))
	_, port, _ := strings.Cut(h.server.Listener.Addr().String(), ":")
	h.origin = "http://localhost:" + port
	remote := func(o *owner, title, token string) *admin.Remote {
		return &admin.Remote{Name: o.name, Title: title, URL: o.server.URL, Token: func() ask.BearerToken { return ask.BearerToken(token) }, HTTP: o.server.Client()}
	}
	cfg := admin.Config{
		Origin: h.origin, Store: h.store, Now: h.clock.Now, Log: slog.New(slog.NewTextHandler(h.log, nil)),
		Hub: remote(h.hub, "the Hub", hubToken), Projects: []*admin.Remote{remote(h.net, "internet control", projectToken)},
		Household: func() *people.Household {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.people
		},
		Address: func(r *http.Request) netip.Addr {
			a, _ := netip.ParseAddrPort(r.RemoteAddr)
			return a.Addr()
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	if h.app, err = admin.New(cfg); err != nil {
		t.Fatal(err)
	}
	h.server.Start()
	t.Cleanup(h.server.Close)
	return h
}

// live changes who lives in the house.
func (h *house) live(text string) {
	h.t.Helper()
	house, err := people.Parse("people.toml", []byte(text))
	if err != nil {
		h.t.Fatal(err)
	}
	h.mu.Lock()
	h.people = house
	h.mu.Unlock()
}

// code makes an enrolment code, as the host does.
func (h *house) code(person string) string {
	h.t.Helper()
	c, text := admin.NewCode(person, h.clock.Now())
	if _, err := h.store.NewCode(h.t.Context(), c, false); err != nil {
		h.t.Fatal(err)
	}
	return text
}

// browser is one browser, with its cookies.
type browser struct {
	h       *house
	cookies map[string]string
	// headers are sent along with every call; an empty one takes the usual one out.
	headers map[string]string
}

func (h *house) browser() *browser {
	return &browser{h: h, cookies: map[string]string{}, headers: map[string]string{"Origin": h.origin, "Sec-Fetch-Site": "same-origin"}}
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) problem(t testing.TB) ask.Problem {
	t.Helper()
	var p ask.Problem
	if err := json.Unmarshal([]byte(r.body), &p); err != nil {
		t.Fatalf("no problem, but %d %s", r.status, r.body)
	}
	return p
}

func (b *browser) send(method, path, contentType, body string) reply {
	t := b.h.t
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.h.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = strings.TrimPrefix(b.h.origin, "http://")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for name, value := range b.headers {
		switch {
		case name == "Host":
			req.Host = value
		case value != "" && (method != http.MethodGet || name != "Origin"):
			req.Header.Set(name, value)
		}
	}
	for name, value := range b.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range resp.Cookies() {
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return reply{resp.StatusCode, resp.Header, string(raw)}
}

func (b *browser) get(path string) reply { b.h.t.Helper(); return b.send("GET", path, "", "") }

func (b *browser) post(path string, body any) reply {
	b.h.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		b.h.t.Fatal(err)
	}
	return b.send("POST", path, "application/json", string(raw))
}

func (b *browser) form(path, body string) reply {
	b.h.t.Helper()
	return b.send("POST", path, "application/x-www-form-urlencoded", body)
}

// options reads what a begin gave.
func (r reply) options(t testing.TB) *admintest.Options {
	t.Helper()
	var o admintest.Options
	if r.status != 200 {
		t.Fatalf("begin: %d %s", r.status, r.body)
	}
	if err := json.Unmarshal([]byte(r.body), &o); err != nil {
		t.Fatal(err)
	}
	return &o
}

func credential(v jsontext.Value) map[string]any { return map[string]any{"credential": v} }

// enrol makes a passkey for the person, which signs this browser in.
func (b *browser) enrol(person string) *admintest.Device {
	t := b.h.t.(*testing.T)
	t.Helper()
	d := admintest.NewDevice(t, b.h.origin)
	o := b.post("/api/enrol/begin", map[string]any{"code": b.h.code(person)}).options(t)
	if r := b.post("/api/enrol", credential(d.Make(o))); r.status != 200 {
		t.Fatalf("enrol: %d %s %s", r.status, r.body, b.h.log)
	}
	return d
}

// signIn signs this browser in with a passkey that is enrolled.
func (b *browser) signIn(d *admintest.Device) reply {
	b.h.t.Helper()
	o := b.post("/api/signin/begin", map[string]any{}).options(b.h.t)
	return b.post("/api/signin", credential(d.Use(o)))
}

func at(a approve.Approval) string { return "/api/approvals/" + a.Owner + "/" + a.ID }

// begins asks for a challenge for a yes.
func (b *browser) begins(a approve.Approval) reply {
	b.h.t.Helper()
	return b.post(at(a)+"/begin", map[string]any{"digest": a.Digest})
}

// yes says yes with a fresh tap.
func (b *browser) yes(d *admintest.Device, a approve.Approval) reply {
	b.h.t.Helper()
	return b.post(at(a)+"/yes", credential(d.Use(b.begins(a).options(b.h.t))))
}

func (b *browser) no(a approve.Approval, mute bool) reply {
	b.h.t.Helper()
	return b.post(at(a)+"/no", map[string]any{"digest": a.Digest, "mute": mute})
}

// uses looks at a page, as a person does, and says whether the session holds.
func (b *browser) uses() bool {
	b.h.t.Helper()
	return b.get("/me").status == 200
}

// signedIn says whether this browser's session holds. Asking is no use of it.
func (b *browser) signedIn() bool {
	b.h.t.Helper()
	return b.get("/api/waiting").status == 200
}
