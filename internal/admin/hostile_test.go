package admin_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/admin/admintest"
)

// unharmed says that nobody ran anything and that the approval still waits.
func unharmed(t *testing.T, h *house, a approve.Approval) {
	t.Helper()
	if is := h.net.now(t, a.ID); is.State != approve.Pending || h.net.ran.Load()+h.hub.ran.Load() != 0 {
		t.Errorf("it is %s, and %d ran", is.State, h.net.ran.Load()+h.hub.ran.Load())
	}
}

func TestNobodyShowsThePagesInAFrame(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("sam")
	for _, path := range []string{"/", "/signin", "/enrol", "/notices", "/history", "/ask", "/changes", "/me", "/console", "/static/main.mjs", "/sw.js", "/nothing", "/api/waiting"} {
		head := b.get(path).header
		csp := head.Get("Content-Security-Policy")
		if !strings.Contains(csp, "frame-ancestors 'none'") || head.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s may be framed: %q", path, csp)
		}
		if strings.Contains(csp, "unsafe") || !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "require-trusted-types-for 'script'") {
			t.Errorf("%s: the policy is weak: %q", path, csp)
		}
	}
}

func TestAPostFromAnotherSiteIsRefused(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	a := h.net.wants(t, "Cut it.")
	tap := credential(d.Use(b.begins(a).options(t)))
	for name, headers := range map[string]map[string]string{
		"another origin":                   {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
		"another origin, an old browser":   {"Origin": "https://evil.example", "Sec-Fetch-Site": ""},
		"a sandboxed frame":                {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
		"the same site, another port":      {"Origin": "http://localhost:1", "Sec-Fetch-Site": "same-site"},
		"a subdomain":                      {"Origin": "http://evil.localhost", "Sec-Fetch-Site": "same-site"},
		"the right origin, cross-site":     {"Origin": h.origin, "Sec-Fetch-Site": "cross-site"},
		"the right origin over https":      {"Origin": strings.Replace(h.origin, "http", "https", 1), "Sec-Fetch-Site": ""},
		"nothing at all":                   {"Origin": "", "Sec-Fetch-Site": ""},
		"typed in by the person":           {"Origin": "", "Sec-Fetch-Site": "none"},
		"no origin, from another site":     {"Origin": "", "Sec-Fetch-Site": "cross-site"},
		"the right origin with a path":     {"Origin": h.origin + "/", "Sec-Fetch-Site": "same-origin"},
		"the right origin as a list's end": {"Origin": "https://evil.example " + h.origin, "Sec-Fetch-Site": "same-origin"},
	} {
		t.Run(name, func(t *testing.T) {
			evil := h.browser()
			evil.cookies, evil.headers = b.cookies, headers
			for _, r := range []reply{
				evil.post(at(a)+"/yes", tap), evil.no(a, true), evil.begins(a), evil.form("/signout", ""), evil.form("/me/passkeys/revoke", "passkey=x"),
				evil.post("/api/ask", map[string]any{"question": "what is on?"}), evil.post("/api/signin/begin", map[string]any{}),
				evil.post("/api/changes", map[string]any{"owner": "internet_control", "change": "cut"}), evil.form("/console/pair", "code=12345678&person=sam"),
			} {
				if r.status != http.StatusForbidden {
					t.Errorf("%d %s", r.status, r.body)
				}
			}
			unharmed(t, h, a)
			if !b.signedIn() {
				t.Error("it signed the person out")
			}
		})
	}
	// It was the origin, and nothing else.
	if r := b.post(at(a)+"/yes", tap); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestAForeignHostIsRefused(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("sam")
	a := h.net.wants(t, "Cut it.")
	port := h.origin[strings.LastIndex(h.origin, ":"):]
	for _, host := range []string{"evil.example", "evil.example" + port, "localhost", "localhost:1", "localhost.evil.example" + port, "localhost." + port, "", "192.168.1.9" + port} {
		b.headers["Host"] = host
		if host == "" {
			b.headers["Host"] = " "
		}
		for _, r := range []reply{b.get("/"), b.get("/signin"), b.no(a, true)} {
			if r.status != http.StatusMisdirectedRequest && r.status != http.StatusBadRequest {
				t.Errorf("%q: %d", host, r.status)
			}
		}
	}
	unharmed(t, h, a)
	// This machine's own address leads to the name that passkeys know, and takes no post.
	for _, host := range []string{"127.0.0.1" + port, "[::1]" + port} {
		b.headers["Host"] = host
		if r := b.get("/history?x=1"); r.status != http.StatusTemporaryRedirect || r.header.Get("Location") != h.origin+"/history?x=1" {
			t.Errorf("%q: %d to %q", host, r.status, r.header.Get("Location"))
		}
		if r := b.no(a, true); r.status != http.StatusMisdirectedRequest {
			t.Errorf("%q: %d", host, r.status)
		}
	}
	unharmed(t, h, a)
}

func TestAStolenSessionIsWorthNothingAfterSigningOut(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	a := h.net.wants(t, "Cut it.")
	thief := h.browser()
	for name, value := range b.cookies {
		thief.cookies[name] = value
	}
	if !thief.signedIn() {
		t.Fatal("this test has stolen nothing")
	}
	tap := credential(d.Use(thief.begins(a).options(t)))
	if r := b.form("/signout", ""); r.status != http.StatusSeeOther || len(b.cookies) != 0 {
		t.Fatalf("%d, cookies %v", r.status, b.cookies)
	}
	for _, r := range []reply{thief.get("/api/waiting"), thief.begins(a), thief.no(a, false), thief.post(at(a)+"/yes", tap)} {
		if r.status != http.StatusUnauthorized {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if r := thief.get("/"); r.status != http.StatusSeeOther || r.header.Get("Location") != "/signin" {
		t.Errorf("%d to %q", r.status, r.header.Get("Location"))
	}
	unharmed(t, h, a)
	// The person signs in again, and the old session's challenge is not the new one's.
	if r := b.signIn(d); r.status != 200 {
		t.Fatal(r.body)
	}
	if r := b.post(at(a)+"/yes", tap); r.status != http.StatusForbidden {
		t.Errorf("%d %s", r.status, r.body)
	}
	unharmed(t, h, a)
}

func TestASessionEndsByItself(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	h.clock.Forward(admin.SessionIdle - time.Minute)
	if !b.uses() {
		t.Error("it ended too soon")
	}
	h.clock.Forward(admin.SessionIdle - time.Minute)
	if !b.uses() {
		t.Error("being used did not prolong it")
	}
	h.clock.Forward(admin.SessionIdle)
	if b.uses() {
		t.Error("it did not end unused")
	}
	if r := b.signIn(d); r.status != 200 {
		t.Fatal(r.body)
	}
	for range int(admin.SessionWhole/(20*time.Minute)) - 1 {
		h.clock.Forward(20 * time.Minute)
		if !b.uses() {
			t.Fatal("it ended too soon")
		}
	}
	h.clock.Forward(20 * time.Minute)
	if b.uses() {
		t.Error("being used kept it for ever")
	}
}

// A page that lies open asks every few seconds what waits; nobody need be there.
func TestAnOpenPageIsNoUseOfASession(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("sam")
	for range int(admin.SessionIdle/(2*time.Minute)) - 1 {
		h.clock.Forward(2 * time.Minute)
		if !b.signedIn() {
			t.Fatal("it ended too soon")
		}
	}
	h.clock.Forward(2 * time.Minute)
	if b.signedIn() {
		t.Error("looking for news kept it")
	}
}

func TestWhoIsNoAdultAnyMoreIsOut(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	a := h.net.wants(t, "Cut it.")
	h.live(strings.Replace(residents, "name = \"sam\"\nrole = \"adult\"", "name = \"sam\"\nrole = \"child\"", 1))
	if b.signedIn() || b.no(a, false).status != http.StatusUnauthorized {
		t.Error("the session holds")
	}
	if r := h.browser().signIn(d); r.status != http.StatusForbidden {
		t.Errorf("the passkey holds: %d", r.status)
	}
	unharmed(t, h, a)
}

func TestAPasskeysWordCountsOnce(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	a, other := h.net.wants(t, "Cut it."), h.net.wants(t, "Cut the other.")
	tap := credential(d.Use(b.begins(a).options(t)))
	if r := b.post(at(a)+"/yes", tap); r.status != 200 {
		t.Fatal(r.body)
	}
	for _, x := range []approve.Approval{a, other} {
		if r := b.post(at(x)+"/yes", tap); r.status != http.StatusForbidden {
			t.Errorf("replayed: %d %s", r.status, r.body)
		}
	}
	if h.net.ran.Load() != 1 {
		t.Errorf("%d ran", h.net.ran.Load())
	}
	// So does a sign-in.
	tap = credential(d.Use(b.post("/api/signin/begin", map[string]any{}).options(t)))
	if r := h.browser().post("/api/signin", tap); r.status != 200 {
		t.Fatal(r.body)
	}
	if r := h.browser().post("/api/signin", tap); r.status != http.StatusForbidden {
		t.Errorf("a sign-in was replayed: %d", r.status)
	}
}

func TestAPasskeysWordIsForOneApproval(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	a, other, hubs := h.net.wants(t, "Give an hour."), h.net.wants(t, "Give a week."), h.hub.wants(t, "File a job.")
	for _, x := range []approve.Approval{other, hubs} {
		tap := credential(d.Use(b.begins(a).options(t)))
		if r := b.post(at(x)+"/yes", tap); r.status != http.StatusForbidden {
			t.Errorf("%d %s", r.status, r.body)
		}
		// Nor is it left over for the one that it was for.
		if r := b.post(at(a)+"/yes", tap); r.status != http.StatusForbidden {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	// A sign-in is no yes, and a yes no sign-in.
	tap := credential(d.Use(b.post("/api/signin/begin", map[string]any{}).options(t)))
	if r := b.post(at(a)+"/yes", tap); r.status != http.StatusForbidden {
		t.Errorf("%d %s", r.status, r.body)
	}
	tap = credential(d.Use(b.begins(a).options(t)))
	if r := h.browser().post("/api/signin", tap); r.status != http.StatusForbidden {
		t.Errorf("%d %s", r.status, r.body)
	}
	unharmed(t, h, a)
	unharmed(t, h, other)
}

func TestAPasskeysWordThatIsNotRightIsRefused(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	toms := h.browser().enrol("tom")
	a := h.net.wants(t, "Cut it.")
	for name, say := range map[string]func(o *admintest.Options) jsontext.Value{
		"another's passkey": func(o *admintest.Options) jsontext.Value { return toms.Use(o) },
		"nobody's passkey":  func(o *admintest.Options) jsontext.Value { return admintest.NewDevice(t, h.origin).Use(o) },
		"no finger, no PIN": func(o *admintest.Options) jsontext.Value { c := *d; c.Unverified, c.Count = true, 50; return c.Use(o) },
		"from another origin": func(o *admintest.Options) jsontext.Value {
			c := *d
			c.Origin, c.Count = "https://evil.example", 50
			return c.Use(o)
		},
		"for another host": func(o *admintest.Options) jsontext.Value {
			c := *d
			c.Host, c.Count = "evil.example", 50
			return c.Use(o)
		},
		"a made-up challenge": func(*admintest.Options) jsontext.Value {
			c := *d
			c.Count = 50
			return c.Sign(base64.RawURLEncoding.EncodeToString(make([]byte, 64)))
		},
		"a counter that stood": func(o *admintest.Options) jsontext.Value { c := *d; c.Count = 0; return c.Sign(o.PublicKey.Challenge) },
		"another's key under this one's name": func(o *admintest.Options) jsontext.Value {
			c := *toms
			c.ID, c.Handle, c.Count = d.ID, d.Handle, 50
			return c.Use(o)
		},
		"nothing": func(*admintest.Options) jsontext.Value { return jsontext.Value(`{}`) },
		"no JSON": func(*admintest.Options) jsontext.Value { return jsontext.Value(`"x"`) },
		"half one": func(*admintest.Options) jsontext.Value {
			return jsontext.Value(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			// The counter has to have been seen once for one that stood still to be noticed.
			if name == "a counter that stood" {
				if r := h.browser().signIn(d); r.status != 200 {
					t.Fatal(r.body)
				}
			}
			o := b.begins(a).options(t)
			if o.PublicKey.UserVerification != "required" || o.PublicKey.RPID != "localhost" {
				t.Errorf("asked for: %+v", o.PublicKey)
			}
			r := b.post(at(a)+"/yes", credential(say(o)))
			if r.status != http.StatusForbidden && r.status != http.StatusBadRequest {
				t.Errorf("%d %s", r.status, r.body)
			}
			unharmed(t, h, a)
		})
	}
	if r := b.yes(d, a); r.status != 200 {
		t.Errorf("the right one: %d %s", r.status, r.body)
	}
}

func TestAChallengeEndsWithItsTime(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	a := h.net.wants(t, "Cut it.")
	o := b.begins(a).options(t)
	h.clock.Forward(2 * time.Minute)
	if r := b.post(at(a)+"/yes", credential(d.Use(o))); r.status != http.StatusForbidden {
		t.Errorf("%d %s", r.status, r.body)
	}
	unharmed(t, h, a)
}

func TestWhatChangedSinceItWasShownIsNotApproved(t *testing.T) {
	for name, bend := range map[string]func(*approve.Approval){
		"what":   func(x *approve.Approval) { x.What = "Cut everything." },
		"who":    func(x *approve.Approval) { x.Who = "sam" },
		"why":    func(x *approve.Approval) { x.Why = "" },
		"action": func(x *approve.Approval) { x.Action = jsontext.Value(`{"do":"all"}`) },
		"digest": func(x *approve.Approval) { x.Digest = strings.Repeat("0", 64) },
		"owner":  func(x *approve.Approval) { x.Owner = "hub" },
		"id":     func(x *approve.Approval) { x.ID = strings.Repeat("a", 32) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			b := h.browser()
			d := b.enrol("sam")
			a := h.net.wants(t, "Cut it.")
			before := b.begins(a).options(t)
			h.net.mu.Lock()
			h.net.bend = bend
			h.net.mu.Unlock()
			if r := b.begins(a); r.status == 200 {
				t.Error("a challenge was given for it")
			}
			// Whose id is another's has another's page, where its owner knows nothing of it.
			if page := b.get("/").body; name != "id" && strings.Contains(page, `data-answer="yes"`) {
				t.Error("the page offers a yes to it")
			}
			unharmed(t, h, a)
			// A challenge from before it changed is for what was shown, and the owner has the
			// last word on that: its own approval is as it was.
			if r := b.post(at(a)+"/yes", credential(d.Use(before))); r.status == 200 && h.net.now(t, a.ID).What != a.What {
				t.Error("something else was approved")
			}
		})
	}
}

func TestADigestThatTheOwnerDoesNotHaveIsRefused(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("sam")
	a := h.net.wants(t, "Cut it.")
	for _, digest := range []string{"", "x", strings.Repeat("0", 64), strings.ToUpper(a.Digest)} {
		for _, r := range []reply{b.post(at(a)+"/begin", map[string]any{"digest": digest}), b.post(at(a)+"/no", map[string]any{"digest": digest})} {
			if r.status != http.StatusConflict {
				t.Errorf("%q: %d %s", digest, r.status, r.body)
			}
		}
	}
	unharmed(t, h, a)
}

func TestAGetChangesNothing(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("sam")
	a, hubs := h.net.wants(t, "Cut it."), h.hub.wants(t, "File a job.")
	for _, who := range []*browser{b, h.browser()} {
		for _, path := range []string{
			"/", "/notices", "/history", "/ask?question=x", "/changes?change=cut", "/me", "/console", "/signin", "/enrol", "/signout", "/api/waiting", "/api/push",
			"/approvals/hub/" + hubs.ID, "/approvals/internet_control/" + a.ID + "?decision=yes", at(a) + "/yes", at(a) + "/no?digest=" + a.Digest, at(a) + "/begin",
			"/me/sessions/end?session=x", "/me/passkeys/revoke?passkey=x", "/console/pair?code=1", "/api/enrol", "/api/signin", "/api/ask", "/api/changes",
		} {
			for _, method := range []string{"GET", "HEAD"} {
				who.send(method, path, "", "")
			}
		}
	}
	if w := append(h.net.writes(), h.hub.writes()...); w != nil {
		t.Errorf("a GET led to %q", w)
	}
	if !b.signedIn() {
		t.Error("a GET signed the person out")
	}
	unharmed(t, h, a)
}

// Nothing of what, who, why or a label approves anything, or is more than text.
func TestTextIsOnlyText(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.headers["User-Agent"] = `<script>alert(1)</script> Chrome Android "><img src=x onerror=alert(1)>`
	b.enrol("sam")
	evil := `</pre><script>fetch('/api/yes')</script><img src=x onerror=alert(1)> {{.Digest}} "' decision=yes approved`
	a := h.net.request(t, approve.Request{What: evil, Who: evil[:30], Why: evil, Action: jsontext.Value(`{"yes":` + string(quoted(evil)) + `}`)})
	for _, path := range []string{"/", "/approvals/internet_control/" + a.ID, "/history", "/me"} {
		page := b.get(path).body
		for _, bad := range []string{"<script>", "<img src=x", "</pre><script"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s holds %q", path, bad)
			}
		}
	}
	unharmed(t, h, a)
}

func TestManyCharactersAreShownWhole(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("sam")
	var long strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&long, "%09d ", i)
	}
	a := h.net.wants(t, "File a long job.")
	// A project in another language may have other limits than ours.
	h.net.bend = func(x *approve.Approval) {
		x.Action = jsontext.Value(`{"text":` + string(quoted(long.String())) + `}`)
		x.Digest, _ = approve.Digest(x.What, x.Who, x.Why, x.Action)
	}
	if page := b.get("/approvals/internet_control/" + a.ID).body; !strings.Contains(page, strings.TrimSpace(long.String())) {
		t.Error("it is not shown whole")
	}
}
