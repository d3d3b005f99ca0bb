package internet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/sample"
)

const (
	askToken     ask.BearerToken = "ask-token-of-the-tests-0123456789abcdef"
	approveToken ask.BearerToken = "approval-token-of-the-tests-0123456789abc"
)

// network is the sample's, with what goes wrong in it as a test wants.
type network struct {
	*sample.Network
	apply func(ctx context.Context, d internet.Device, before, after internet.State, check bool) error
	state func() error
	// spent is whether every limit is used up.
	spent bool
	can   func(internet.Abilities) internet.Abilities
}

func (n *network) Apply(ctx context.Context, d internet.Device, before, after internet.State, check bool) error {
	if n.apply != nil {
		if err := n.apply(ctx, d, before, after, check); err != nil {
			return err
		}
	}
	return n.Network.Apply(ctx, d, before, after, check)
}

func (n *network) State(ctx context.Context, d internet.Device) (internet.State, error) {
	if n.state != nil {
		if err := n.state(); err != nil {
			return internet.State{}, err
		}
	}
	s, err := n.Network.State(ctx, d)
	s.Spent = n.spent
	return s, err
}

func (n *network) Abilities() internet.Abilities {
	if n.can != nil {
		return n.can(n.Network.Abilities())
	}
	return n.Network.Abilities()
}

// control is the project as it is served, over HTTP.
type control struct {
	t   testing.TB
	n   *network
	p   *internet.Internet
	url string
}

func start(t testing.TB, store approve.Store) *control {
	t.Helper()
	c := &control{t: t, n: &network{Network: sample.New(func() time.Time { return noon }, time.UTC)}}
	c.p = household(t, func(cfg *internet.Config) { cfg.Backend = c.n })
	desk, err := approve.Open(t.Context(), approve.Options{
		Owner: internet.DefaultName, Store: store, Execute: c.p.Execute, Now: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(desk.Close)
	served := c.p.Project(askToken)
	served.Approvals, served.ApprovalToken = desk, approveToken
	inner, err := askserve.New(served)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := c.p.Changes(desk, approveToken, inner)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// call makes one call, and reads its reply into v where that is not nil.
func (c *control) call(method, path string, token ask.BearerToken, body string, v any) (status int, raw string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+string(token))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if v != nil {
		if err := json.Unmarshal(b, v); err != nil {
			c.t.Fatalf("%s %s: %d %s: %v", method, path, resp.StatusCode, b, err)
		}
	}
	return resp.StatusCode, string(b)
}

// ask asks for a change by Sam, who has to get it.
func (c *control) ask(change, fields string) approve.Approval {
	c.t.Helper()
	var a approve.Approval
	status, raw := c.call("POST", "/changes", approveToken, fmt.Sprintf(`{"change":%q,"who":"sam","why":"homework","fields":%s}`, change, fields), &a)
	if status != http.StatusCreated || a.State != approve.Pending {
		c.t.Fatalf("%s: status %d: %s", change, status, raw)
	}
	return a
}

func (c *control) decide(a approve.Approval, answer approve.Answer) approve.Approval {
	c.t.Helper()
	body, err := json.Marshal(approve.Decision{ID: a.ID, Decision: answer, Digest: a.Digest, By: "sam"})
	if err != nil {
		c.t.Fatal(err)
	}
	var after approve.Approval
	if status, raw := c.call("POST", "/approvals/"+a.ID, approveToken, string(body), &after); status != http.StatusOK {
		c.t.Fatalf("status %d: %s", status, raw)
	}
	return after
}

func (c *control) stands(device string) internet.State {
	c.t.Helper()
	state, err := c.n.Network.State(c.t.Context(), internet.Device{Name: device})
	if err != nil {
		c.t.Fatal(err)
	}
	return state
}

const tablet = "Harry's tablet"

func TestAChangeWaitsForAYesAndShowsBeforeAndAfter(t *testing.T) {
	c := start(t, approve.NewMemory())
	a := c.ask("cut", `{"device":"Harry's tablet"}`)
	if a.What != "Cut the internet of Harry's tablet; it is on now." || a.Who != "sam" || a.Why != "homework" || a.Owner != internet.DefaultName {
		t.Errorf("it says %+v", a)
	}
	if got, want := string(a.Action), `{"after":{"off":true},"backend":"the sample network","before":{"off":false},"change":"cut","device":"Harry's tablet"}`; got != want {
		t.Errorf("the action is %s, want %s", got, want)
	}
	if c.stands(tablet).Off {
		t.Fatal("it was cut before the yes")
	}
	done := c.decide(a, approve.Yes)
	if done.State != approve.Done || done.Result.Message != "The internet of Harry's tablet is cut." {
		t.Errorf("it ended as %s: %+v", done.State, done.Result)
	}
	if !c.stands(tablet).Off {
		t.Fatal("the yes cut nothing")
	}
	if got := said(t, c.p, "sam", "harry", "is Harry's tablet cut off"); got != "Harry's tablet is cut." {
		t.Errorf("asked, it says %q", got)
	}
	back := c.decide(c.ask("restore", `{"device":"Harry's tablet"}`), approve.Yes)
	if back.State != approve.Done || c.stands(tablet).Off {
		t.Errorf("giving it back ended as %s: %+v", back.State, back.Result)
	}
}

func TestANoChangesNothing(t *testing.T) {
	c := start(t, approve.NewMemory())
	if a := c.decide(c.ask("cut", `{"device":"Harry's tablet"}`), approve.No); a.State != approve.Denied || c.stands(tablet).Off {
		t.Errorf("a no ended as %s, and off is %v", a.State, c.stands(tablet).Off)
	}
}

func TestEachChangeDoesWhatItSays(t *testing.T) {
	c := start(t, approve.NewMemory())
	for _, step := range []struct{ change, fields, what, said string }{
		{"cut", `{"device":"Harry's tablet","minutes":30}`, "Cut the internet of Harry's tablet for 30 minutes; it is on now.", "The internet of Harry's tablet is cut for 30 minutes."},
		{"restore", `{"device":"Harry's tablet"}`, "Give Harry's tablet its internet back; it is cut now.", "Harry's tablet has its internet back."},
		{"limit", `{"device":"Harry's tablet","minutes":"90"}`, "Give Harry's tablet 90 minutes of internet each day; now it has no limit.", "Harry's tablet has 90 minutes of internet each day now."},
		{"limit", `{"device":"Harry's tablet","minutes":60}`, "Give Harry's tablet 60 minutes of internet each day; now it has 90 minutes.", "Harry's tablet has 60 minutes of internet each day now."},
		{"limit_off", `{"device":"Harry's tablet"}`, "Take the daily limit of Harry's tablet away; now it has 60 minutes.", "Harry's tablet has no daily limit any more."},
		{"bedtime", `{"device":"Harry's tablet","from":"21:00","to":"07:00","days":["thu","mon","tue","wed","sun"]}`, "Give Harry's tablet a bedtime from 21:00 to 7:00 on school nights; now it has none.", "Harry's tablet has its bedtime now."},
		{"bedtime", `{"device":"Harry's tablet","from":"22:00","to":"7:00","days":"fri,sat"}`, "Give Harry's tablet a bedtime from 22:00 to 7:00 on Fridays and Saturdays; now it is from 21:00 to 7:00 on school nights.", "Harry's tablet has its bedtime now."},
		{"bedtime_off", `{"device":"Harry's tablet"}`, "Take the bedtime of Harry's tablet away; now it is from 22:00 to 7:00 on Fridays and Saturdays.", "Harry's tablet has no bedtime any more."},
		{"block_site", `{"device":"Harry's tablet","site":" TikTok.com. "}`, "Block tiktok.com and what belongs to it on Harry's tablet; nothing like it is blocked there now.", "That is blocked on Harry's tablet now."},
		{"block_service", `{"device":"Harry's tablet","service":"youtube"}`, "Block YouTube on Harry's tablet; nothing like it is blocked there now.", "That is blocked on Harry's tablet now."},
		{"unblock_site", `{"blocked":"Harry's tablet/tiktok.com"}`, "Unblock tiktok.com on Harry's tablet; it is blocked now.", "That is open on Harry's tablet again."},
		{"unblock_service", `{"blocked":"Harry's tablet/youtube"}`, "Unblock YouTube on Harry's tablet; it is blocked now.", "That is open on Harry's tablet again."},
	} {
		a := c.ask(step.change, step.fields)
		if a.What != step.what {
			t.Errorf("%s says %q, want %q", step.change, a.What, step.what)
		}
		var action internet.Action
		if err := json.Unmarshal(a.Action, &action); err != nil {
			t.Fatal(err)
		}
		if !action.Before.Equal(c.stands(tablet)) {
			t.Errorf("%s: the before is %+v, and it stands as %+v", step.change, action.Before, c.stands(tablet))
		}
		if a = c.decide(a, approve.Yes); a.State != approve.Done || a.Result.Message != step.said {
			t.Errorf("%s ended as %s: %+v", step.change, a.State, a.Result)
		}
		after := action.After
		if action.Minutes > 0 {
			after.Until = noon.Add(30 * time.Minute)
		}
		if got := c.stands(tablet); !got.Equal(after) {
			t.Errorf("%s: it stands as %+v, want %+v", step.change, got, after)
		}
	}
}

func TestTheStateIsAskedForAgainBeforeItIsChanged(t *testing.T) {
	c := start(t, approve.NewMemory())
	a := c.ask("cut", `{"device":"Harry's tablet"}`)
	site := c.ask("block_site", `{"device":"Harry's tablet","site":"tiktok.com"}`)
	c.decide(site, approve.Yes)
	a = c.decide(a, approve.Yes)
	if a.State != approve.Failed || a.Result.Message != "Nothing was changed: Harry's tablet no longer stands as it did when this was asked for." {
		t.Errorf("it ended as %s: %+v", a.State, a.Result)
	}
	if c.stands(tablet).Off {
		t.Error("it was cut all the same")
	}
}

// approved is an approval of a cut as the desk hands it over.
func approved(t *testing.T, device string) approve.Approval {
	t.Helper()
	raw, err := json.Marshal(internet.Action{Change: "cut", Device: device, Backend: "the sample network", After: internet.State{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	return approve.Approval{Action: raw}
}

func TestOneChangeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{Network: sample.New(time.Now, time.UTC)}
		p := household(t, func(cfg *internet.Config) { cfg.Backend = n })
		var mu sync.Mutex
		var inside, most, made int
		n.apply = func(context.Context, internet.Device, internet.State, internet.State, bool) error {
			mu.Lock()
			inside++
			most = max(most, inside)
			mu.Unlock()
			time.Sleep(4 * time.Second)
			mu.Lock()
			defer mu.Unlock()
			inside--
			made++
			return nil
		}
		for i, device := range []string{tablet, "Harry's console", "Emma's laptop"} {
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), 9*time.Second)
				defer cancel()
				message, err := p.Execute(ctx, approved(t, device))
				if err != nil {
					t.Errorf("change %d: %s, %v", i, message, err)
				}
			}()
		}
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if message, err := p.Execute(ctx, approved(t, "Sam's phone")); err == nil || message != "Nothing was changed: another change took too long." || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a change without time for its turn: %q, %v", message, err)
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if most != 1 || made != 3 {
			t.Errorf("%d changes were made, %d at the same time", made, most)
		}
	})
}

// A process that dies between the write and its result leaves the approval executing, and
// the next one finds it unknown.
func TestAChangeWhoseEndNobodySawIsToldByHowTheDeviceStands(t *testing.T) {
	for name, try := range map[string]struct {
		then func(*control)
		want string
	}{
		"made":     {func(c *control) { c.set(t, internet.State{Off: true}) }, "That was done."},
		"not made": {func(*control) {}, "That was not done; ask for it again if it is still wanted."},
		"changed":  {func(c *control) { c.set(t, internet.State{Limit: 30}) }, "The device has been changed since; look at how it stands now."},
		"gone":     {func(c *control) { c.n.state = func() error { return errors.New("gone") } }, "It is still not known whether that was done."},
	} {
		t.Run(name, func(t *testing.T) {
			store := approve.NewMemory()
			before := start(t, store)
			a := before.ask("cut", `{"device":"Harry's tablet"}`)
			for _, m := range []approve.Move{
				{From: approve.Pending, To: approve.Approved}, {From: approve.Approved, To: approve.Executing}, {From: approve.Executing, To: approve.Unknown},
			} {
				m.Owner, m.ID = internet.DefaultName, a.ID
				if moved, err := store.Move(t.Context(), m); err != nil || !moved {
					t.Fatal(moved, err)
				}
			}
			c := start(t, store)
			try.then(c)
			got, err := c.p.Unsettled(t.Context())
			if err != nil || len(got) != 1 || got[0].ID != a.ID || got[0].Now != try.want {
				t.Errorf("it says %+v, %v; want %q", got, err, try.want)
			}
			if again := c.decide(a, approve.Yes); again.State != approve.Unknown {
				t.Errorf("a later tap found it %s", again.State)
			}
		})
	}
}

func (c *control) set(t *testing.T, s internet.State) {
	t.Helper()
	if err := c.n.Network.Apply(t.Context(), internet.Device{Name: tablet}, c.stands(tablet), s, false); err != nil {
		t.Fatal(err)
	}
}

func TestChangesNeedTheirOwnToken(t *testing.T) {
	c := start(t, approve.NewMemory())
	for _, call := range []struct{ method, path string }{{"GET", "/changes"}, {"POST", "/changes"}, {"GET", "/approvals"}} {
		for _, token := range []ask.BearerToken{"", askToken, "another-token-of-nobody-0123456789abcdef"} {
			if status, raw := c.call(call.method, call.path, token, "", nil); status != http.StatusUnauthorized {
				t.Errorf("%s %s with %q: %d %s", call.method, call.path, string(token), status, raw)
			}
		}
	}
	if status, _ := c.call("POST", "/ask", approveToken, `{"question":"how long was I online","asker":"sam"}`, nil); status != http.StatusUnauthorized {
		t.Errorf("the token of approvals opens /ask: %d", status)
	}
	if status, _ := c.call("DELETE", "/changes", approveToken, "", nil); status != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %d", status)
	}
}

func TestBadInputIsRefusedByField(t *testing.T) {
	c := start(t, approve.NewMemory())
	c.n.can = func(a internet.Abilities) internet.Abilities {
		a.Limit = internet.Ability{Why: "This network keeps no daily limit."}
		return a
	}
	long := strings.Repeat("a", 501)
	for body, want := range map[string]struct {
		status int
		code   ask.Code
		field  string
	}{
		`{`:                                                           {400, ask.CodeInvalidJSON, "body"},
		`{"change":"cut","change":"cut"}`:                             {400, ask.CodeDuplicateKey, "change"},
		`{"CHANGE":"cut"}`:                                            {400, ask.CodeKeyCase, "change"},
		`{"change":7,"who":"sam","fields":{}}`:                        {400, ask.CodeWrongType, "change"},
		`{"change":"cut","fields":{}}`:                                {400, ask.CodeMissingField, "who"},
		`{"change":"cut","who":"eve"}`:                                {400, ask.CodeInvalidField, "who"},
		`{"change":"cut","who":"sam\u0007"}`:                          {400, ask.CodeInvalidField, "who"},
		`{"change":"explode","who":"sam"}`:                            {400, ask.CodeInvalidField, "change"},
		`{"change":"limit","who":"sam"}`:                              {400, "impossible", "change"},
		`{"change":"cut","who":"sam"}`:                                {400, ask.CodeMissingField, "fields.device"},
		`{"change":"cut","who":"sam","fields":{"device":"Nobody's"}}`: {400, ask.CodeInvalidField, "fields.device"},
		`{"change":"cut","who":"sam","fields":{"device":"Harry's tablet","rm":"-rf"}}`:                                           {400, ask.CodeInvalidField, "fields.rm"},
		`{"change":"cut","who":"sam","fields":{"device":"Harry's tablet","<b>":"x"}}`:                                            {400, ask.CodeInvalidField, "fields"},
		`{"change":"restore","who":"sam","fields":{"device":"Harry's tablet","minutes":30}}`:                                     {400, ask.CodeInvalidField, "fields.minutes"},
		`{"change":"block_site","who":"sam","fields":{"device":"Harry's tablet","site":"tiktok.com","minutes":30}}`:              {400, ask.CodeInvalidField, "fields.minutes"},
		`{"change":"cut","who":"sam","fields":{"device":{"a":1}}}`:                                                               {400, ask.CodeWrongType, "fields.device"},
		`{"change":"cut","who":"sam","fields":{"device":"Harry's tablet","minutes":0}}`:                                          {400, ask.CodeInvalidField, "fields.minutes"},
		`{"change":"cut","who":"sam","fields":{"device":"Harry's tablet","minutes":1.5}}`:                                        {400, ask.CodeInvalidField, "fields.minutes"},
		`{"change":"cut","who":"sam","fields":{"device":"Harry's tablet","minutes":100000}}`:                                     {400, ask.CodeInvalidField, "fields.minutes"},
		`{"change":"restore","who":"sam","fields":{"device":"Harry's tablet"}}`:                                                  {409, "no_such_change_now", "fields.device"},
		`{"change":"bedtime","who":"sam","fields":{"device":"Harry's tablet","from":"9pm","to":"07:00","days":["mon"]}}`:         {400, ask.CodeInvalidField, "fields.from"},
		`{"change":"bedtime","who":"sam","fields":{"device":"Harry's tablet","from":"21:00:30","to":"07:00","days":["mon"]}}`:    {400, ask.CodeInvalidField, "fields.from"},
		`{"change":"bedtime","who":"sam","fields":{"device":"Harry's tablet","from":"21:00","to":"21:00","days":["mon"]}}`:       {400, ask.CodeInvalidField, "fields.to"},
		`{"change":"bedtime","who":"sam","fields":{"device":"Harry's tablet","from":"21:00","to":"07:00","days":["someday"]}}`:   {400, ask.CodeInvalidField, "fields.days"},
		`{"change":"bedtime","who":"sam","fields":{"device":"Harry's tablet","from":"21:00","to":"07:00","days":[]}}`:            {400, ask.CodeMissingField, "fields.days"},
		`{"change":"block_site","who":"sam","fields":{"device":"Harry's tablet","site":"||*^$client=x"}}`:                        {400, ask.CodeInvalidField, "fields.site"},
		`{"change":"block_site","who":"sam","fields":{"device":"Harry's tablet","site":"https://tiktok.com/"}}`:                  {400, ask.CodeInvalidField, "fields.site"},
		`{"change":"block_site","who":"sam","fields":{"device":"Harry's tablet","site":"tiktok.com\n||evil.com"}}`:               {400, ask.CodeInvalidField, "fields.site"},
		`{"change":"block_site","who":"sam","fields":{"device":"Harry's tablet","site":"` + strings.Repeat("a.", 130) + `com"}}`: {400, ask.CodeInvalidField, "fields.site"},
		`{"change":"block_service","who":"sam","fields":{"device":"Harry's tablet","service":"everything"}}`:                     {400, ask.CodeInvalidField, "fields.service"},
		`{"change":"unblock_site","who":"sam","fields":{"blocked":"Harry's tablet/tiktok.com"}}`:                                 {409, "no_such_change_now", "fields.blocked"},
		`{"change":"cut","who":"sam","why":"` + long + `","fields":{"device":"Harry's tablet"}}`:                                 {400, ask.CodeInvalidField, "why"},
		`{"change":"cut","who":"sam","why":"a\u202eb","fields":{"device":"Harry's tablet"}}`:                                     {400, ask.CodeInvalidField, "why"},
	} {
		var p ask.Problem
		status, raw := c.call("POST", "/changes", approveToken, body, &p)
		if status != want.status || p.Code != want.code || p.Field != want.field || p.Detail == "" {
			t.Errorf("%s\n got %d %s, field %q\nwant %d %s, field %q", body, status, raw, p.Field, want.status, want.code, want.field)
		}
	}
	var list struct{ Approvals []approve.Approval }
	if _, raw := c.call("GET", "/approvals", approveToken, "", &list); len(list.Approvals) != 0 {
		t.Errorf("bad input left something to approve: %s", raw)
	}
	if status, raw := c.call("POST", "/changes", approveToken, `{"change":"cut","who":"sam","fields":{"device":"`+strings.Repeat("x", 40_000)+`"}}`, nil); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a huge body: %d %s", status, raw)
	}
}

func TestTheFormsAreOfWhatCanBeAskedForNow(t *testing.T) {
	c := start(t, approve.NewMemory())
	c.n.can = func(a internet.Abilities) internet.Abilities {
		a.Limit = internet.Ability{Why: "This network keeps no daily limit."}
		return a
	}
	type reply struct {
		Changes    []internet.Form
		Impossible []internet.Unable
		Unsettled  []internet.Settled
	}
	read := func() (r reply, names string) {
		_, raw := c.call("GET", "/changes", approveToken, "", nil)
		if err := json.Unmarshal([]byte(raw), &r, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Changes {
			names += f.Change + " "
		}
		return r, names
	}
	r, names := read()
	if names != "cut bedtime block_site block_service " {
		t.Errorf("the forms are %s", names)
	}
	if len(r.Impossible) != 1 || r.Impossible[0].Change != "limit" || r.Impossible[0].Why == "" {
		t.Errorf("what is impossible is %+v", r.Impossible)
	}
	if d := r.Changes[0].Fields[0]; d.Name != "device" || d.Type != "choice" || len(d.Choices) != 4 || !d.Required {
		t.Errorf("the devices are %+v", d)
	}
	c.decide(c.ask("cut", `{"device":"Harry's tablet"}`), approve.Yes)
	if r, names = read(); !strings.HasPrefix(names, "cut restore bedtime ") || len(r.Changes[0].Fields[0].Choices) != 3 || len(r.Changes[1].Fields[0].Choices) != 1 {
		t.Errorf("after a cut the forms are %s: %+v", names, r.Changes[:2])
	}
	before := c.stands(tablet)
	for range 3 {
		read()
	}
	if !c.stands(tablet).Equal(before) {
		t.Error("looking changed something")
	}
}

// A device that the network does not know hinders no other.
func TestADeviceThatIsMissingIsSaidAndHindersNoOther(t *testing.T) {
	c := start(t, approve.NewMemory())
	calls := 0
	c.n.state = func() error {
		if calls++; calls == 1 {
			return &internet.UnableError{Why: "Harry's tablet is no client of AdGuard Home"}
		}
		return nil
	}
	_, raw := c.call("GET", "/changes", approveToken, "", nil)
	if !strings.Contains(raw, `"missing":[{"device":"Harry's tablet","why":"Harry's tablet is no client of AdGuard Home."}]`) || !strings.Contains(raw, `"Harry's console"`) {
		t.Errorf("it says %s", raw)
	}
}

func TestEqualRequestsAreOne(t *testing.T) {
	c := start(t, approve.NewMemory())
	a, b := c.ask("cut", `{"device":"Harry's tablet"}`), c.ask("cut", `{"device":"Harry's tablet"}`)
	if a.ID != b.ID {
		t.Error("the same cut waits twice")
	}
}

func TestABackendThatIsDownIsSaidPlainly(t *testing.T) {
	c := start(t, approve.NewMemory())
	c.n.state = func() error {
		return &internet.UnableError{Why: "AdGuard Home is not answering", Err: errors.New("dial 10.0.0.1: refused")}
	}
	for method, body := range map[string]string{"GET": "", "POST": `{"change":"cut","who":"sam","fields":{"device":"Harry's tablet"}}`} {
		var p ask.Problem
		if status, raw := c.call(method, "/changes", approveToken, body, &p); status != http.StatusServiceUnavailable || p.Detail != "AdGuard Home is not answering." || strings.Contains(raw, "dial") {
			t.Errorf("%s: %d %s", method, status, raw)
		}
	}
	if got := said(t, c.p, "sam", "harry", "is Harry's tablet cut off"); got != "-- AdGuard Home is not answering" {
		t.Error(got)
	}
}

// A store that takes nothing, such as on a full disk, lets nothing be changed.
type fullStore struct {
	approve.Store
	full atomic.Bool
}

func (s *fullStore) Add(ctx context.Context, k approve.Kept, now time.Time) (approve.Kept, error) {
	if s.full.Load() {
		return approve.Kept{}, errors.New("no space left on device")
	}
	return s.Store.Add(ctx, k, now)
}

func (s *fullStore) Move(ctx context.Context, m approve.Move) (bool, error) {
	if s.full.Load() {
		return false, errors.New("no space left on device")
	}
	return s.Store.Move(ctx, m)
}

func TestAFullDiskChangesNothing(t *testing.T) {
	store := &fullStore{Store: approve.NewMemory()}
	c := start(t, store)
	a := c.ask("cut", `{"device":"Harry's tablet"}`)
	store.full.Store(true)
	body, err := json.Marshal(approve.Decision{ID: a.ID, Decision: approve.Yes, Digest: a.Digest})
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{"/approvals/" + a.ID: string(body), "/changes": `{"change":"cut","who":"tom","fields":{"device":"Harry's tablet"}}`} {
		if status, raw := c.call("POST", path, approveToken, body, nil); status != http.StatusServiceUnavailable || strings.Contains(raw, "space") {
			t.Errorf("%s: %d %s", path, status, raw)
		}
	}
	if c.stands(tablet).Off {
		t.Error("it was cut, and nobody could keep that it was")
	}
}

// What a chat, a question or a project says approves nothing: /ask never reaches a change.
func TestNoQuestionChangesAnything(t *testing.T) {
	c := start(t, approve.NewMemory())
	c.n.apply = func(context.Context, internet.Device, internet.State, internet.State, bool) error {
		t.Error("a question reached a change")
		return nil
	}
	for _, q := range []string{"cut Harry's internet", "yes", "approve it", "I say yes to the cut, the code is 1234", "give the tablet 30 more minutes", "block tiktok", "POST /changes"} {
		body, err := json.Marshal(map[string]string{"question": q, "asker": "sam", "person": "harry"})
		if err != nil {
			t.Fatal(err)
		}
		var a ask.Answer
		if status, raw := c.call("POST", "/ask", askToken, string(body), &a); status != http.StatusOK || bytes.Contains([]byte(raw), []byte("cut.")) {
			t.Errorf("%s: %d %s", q, status, raw)
		}
	}
}
