package admin_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/admin"
)

// pushes notes whom it tells, and keeps subscriptions.
type pushes struct {
	mu    sync.Mutex
	told  []string
	kept  map[string]string
	fault error
	// down are the people whose push service takes nothing.
	down map[string]bool
}

func (p *pushes) Key() string { return "the-public-key" }

func (p *pushes) Add(_ context.Context, person string, s admin.Subscription) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !strings.HasPrefix(s.Endpoint, "https://") {
		return ask.NewProblem(ask.CodeInvalidField, "endpoint", "Send an https address.")
	}
	p.kept[s.Endpoint] = person + " " + s.Keys.P256DH + " " + s.Keys.Auth
	return nil
}

func (p *pushes) Remove(_ context.Context, person, endpoint string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.HasPrefix(p.kept[endpoint], person+" ") {
		delete(p.kept, endpoint)
	}
	return nil
}

func (p *pushes) Send(_ context.Context, person string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, person)
	if p.down[person] {
		return errors.New("the push service answers 503 just now")
	}
	return p.fault
}

// looks lets the app look once, and gives whom it told.
func (h *house) looks(p *pushes) []string {
	h.t.Helper()
	h.app.Look(h.t.Context())
	return p.taken()
}

// taken is whom the app told since it was last asked for.
func (p *pushes) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	told := slices.Sorted(slices.Values(p.told))
	p.told = nil
	return told
}

func TestTheAppTellsWhileItRuns(t *testing.T) {
	p := &pushes{kept: map[string]string{}}
	h := newHouse(t, func(c *admin.Config) { c.Push = p })
	h.browser().enrol("sam")
	h.net.wants(t, "Cut it.")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); h.app.Run(ctx) }()
	var told []string
	for limit := time.Now().Add(30 * time.Second); told == nil && time.Now().Before(limit); {
		time.Sleep(time.Millisecond)
		told = p.taken()
	}
	stop()
	<-ended
	if !slices.Equal(told, []string{"sam"}) {
		t.Errorf("told were %v", told)
	}
}

func TestEnrolledAdultsAreToldOnceThatSomethingWaits(t *testing.T) {
	p := &pushes{kept: map[string]string{}}
	h := newHouse(t, func(c *admin.Config) { c.Push = p })
	h.browser().enrol("sam")
	h.browser().enrol("sam") // two devices are one person
	h.browser().enrol("tom")
	if told := h.looks(p); told != nil {
		t.Errorf("nothing waits, and told were %v", told)
	}
	a := h.net.wants(t, "Cut it.")
	if told := h.looks(p); !slices.Equal(told, []string{"sam", "tom"}) {
		t.Errorf("told were %v", told)
	}
	if told := h.looks(p); told != nil {
		t.Errorf("told again were %v", told)
	}
	// The Hub's own approvals are told by its notices.
	h.hub.wants(t, "File a job.")
	if told := h.looks(p); told != nil {
		t.Errorf("of the Hub's, told were %v", told)
	}
	b := h.browser()
	d := b.enrol("sam")
	if r := b.yes(d, a); r.status != 200 {
		t.Fatal(r.body)
	}
	// Who is no adult any more hears nothing.
	h.live(strings.Replace(residents, "name = \"tom\"\nrole = \"adult\"", "name = \"tom\"\nrole = \"child\"", 1))
	p.fault = errors.New("the push service is down")
	h.net.wants(t, "Cut another.")
	if told := h.looks(p); !slices.Equal(told, []string{"sam"}) {
		t.Errorf("told were %v", told)
	}
	if !strings.Contains(h.log.String(), "the push service is down") {
		t.Error("a push that was not delivered is not logged")
	}
}

func TestAPushThatFailsIsTriedAgain(t *testing.T) {
	p := &pushes{kept: map[string]string{}}
	h := newHouse(t, func(c *admin.Config) { c.Push = p })
	h.browser().enrol("sam")
	h.browser().enrol("tom")
	looks := func(want ...string) {
		t.Helper()
		p.told = nil
		h.app.Look(t.Context())
		if slices.Sort(p.told); !slices.Equal(p.told, want) {
			t.Errorf("told were %v, want %v", p.told, want)
		}
	}
	p.down = map[string]bool{"sam": true}
	h.net.wants(t, "Cut it.")
	looks("sam", "tom")
	looks() // not at once
	h.clock.Forward(6 * time.Second)
	looks("sam")
	h.clock.Forward(6 * time.Second)
	looks() // each wait is longer
	p.down = nil
	h.clock.Forward(6 * time.Second)
	looks("sam")
	h.clock.Forward(5 * time.Minute)
	looks()
	// Of what nobody takes, it is tried a few times and no more.
	p.down = map[string]bool{"sam": true, "tom": true}
	h.net.wants(t, "Cut another.")
	for range 5 {
		looks("sam", "tom")
		h.clock.Forward(81 * time.Second)
	}
	p.down = nil
	looks()
}

func TestPushIsSwitchedOnAndOffByItsOwner(t *testing.T) {
	p := &pushes{kept: map[string]string{}}
	h := newHouse(t, func(c *admin.Config) { c.Push = p })
	b, toms := h.browser(), h.browser()
	b.enrol("sam")
	toms.enrol("tom")
	if r := b.get("/api/push"); !strings.Contains(r.body, `"key":"the-public-key"`) {
		t.Error(r.body)
	}
	phone := map[string]any{"endpoint": "https://push.example/1", "keys": map[string]any{"p256dh": "k", "auth": "a"}}
	if r := b.post("/api/push", phone); r.status != 200 || p.kept["https://push.example/1"] != "sam k a" {
		t.Errorf("%d %s, kept %v", r.status, r.body, p.kept)
	}
	if r := toms.post("/api/push/off", phone); r.status != 200 || len(p.kept) != 1 {
		t.Errorf("tom switched sam's off: %d %s", r.status, r.body)
	}
	if r := b.post("/api/push/off", phone); r.status != 200 || len(p.kept) != 0 {
		t.Errorf("%d %s", r.status, r.body)
	}
	phone["endpoint"] = "http://push.example/1"
	if r := b.post("/api/push", phone); r.status != 400 || r.problem(t).Field != "endpoint" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := h.browser().post("/api/push", phone); r.status != 401 {
		t.Errorf("a stranger: %d", r.status)
	}
}

func TestAHouseholdWithoutPushSaysSo(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("sam")
	if r := b.get("/api/push"); r.body != `{"key":""}` {
		t.Error(r.body)
	}
	if r := b.post("/api/push", map[string]any{"endpoint": "https://push.example/1"}); r.status != 503 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if !strings.Contains(b.get("/me").body, "This household has no push.") {
		t.Error("the page does not say it")
	}
}
