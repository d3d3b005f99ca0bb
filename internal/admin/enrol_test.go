package admin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/admin/admintest"
)

func (b *browser) enters(code string) reply {
	b.h.t.Helper()
	return b.post("/api/enrol/begin", map[string]any{"code": code})
}

func TestACodeEnrolsOneDevice(t *testing.T) {
	h := newHouse(t)
	code := h.code("sam")
	b := h.browser()
	first, second := b.enters(code).options(t), b.enters(code).options(t)
	if first.PublicKey.User.Name != "sam" || first.PublicKey.RP.ID != "localhost" {
		t.Errorf("%+v", first.PublicKey)
	}
	if r := b.post("/api/enrol", credential(admintest.NewDevice(t, h.origin).Make(first))); r.status != 200 || !b.signedIn() {
		t.Fatalf("%d %s", r.status, r.body)
	}
	// Neither the code nor a challenge that it gave before enrols another one.
	if r := h.browser().enters(code); r.status != http.StatusForbidden {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := h.browser().post("/api/enrol", credential(admintest.NewDevice(t, h.origin).Make(second))); r.status != http.StatusForbidden {
		t.Errorf("%d %s", r.status, r.body)
	}
	if keys, err := h.store.Passkeys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("%d passkeys, %v", len(keys), err)
	}
}

func TestACodeIsReadAsPeopleTypeIt(t *testing.T) {
	h := newHouse(t)
	code := h.code("sam")
	for _, typed := range []string{strings.ToLower(code), strings.ReplaceAll(code, "-", ""), strings.ReplaceAll(code, "-", " "), " " + strings.ReplaceAll(strings.ReplaceAll(code, "0", "o"), "1", "l") + "\n"} {
		if r := h.browser().enters(typed); r.status != 200 {
			t.Errorf("%q: %d %s", typed, r.status, r.body)
		}
	}
}

func TestAnExpiredCodeIsRefused(t *testing.T) {
	h := newHouse(t)
	code := h.code("sam")
	b := h.browser()
	o := b.enters(code).options(t)
	h.clock.Forward(admin.CodeLives - time.Second)
	late := b.enters(code).options(t)
	h.clock.Forward(time.Second)
	for name, r := range map[string]reply{
		"entered late": b.enters(code), "an old challenge": b.post("/api/enrol", credential(admintest.NewDevice(t, h.origin).Make(o))),
		"begun in time, ended late": b.post("/api/enrol", credential(admintest.NewDevice(t, h.origin).Make(late))),
	} {
		if r.status != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

func TestAGuessedCodeIsRefused(t *testing.T) {
	h := newHouse(t)
	code := h.code("sam")
	wrong := []byte(code)
	for i := range 5 {
		wrong[len(wrong)-1] = "ABCDEFGH"[i]
		if string(wrong) == code {
			wrong[len(wrong)-1] = 'X'
		}
		if r := h.browser().enters(string(wrong)); r.status != http.StatusForbidden || r.problem(t).Code != admin.CodeCode {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	// Five tries are all: now the right one is refused too.
	if r := h.browser().enters(code); r.status != http.StatusForbidden {
		t.Errorf("after five wrong ones: %d %s", r.status, r.body)
	}
	// Nobody learns whether there is such a code, from the words or the status.
	unknown := h.browser().enters("0000-0000-0000")
	if r := h.browser().enters(string(wrong)); r.body != unknown.body || r.status != unknown.status {
		t.Errorf("%s differs from %s", r.body, unknown.body)
	}
}

func TestGuessingIsSlow(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	for range 30 {
		b.enters("0000-0000-0000")
	}
	r := b.enters("0000-0000-0000")
	if r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") == "" {
		t.Fatalf("%d %s", r.status, r.body)
	}
	h.clock.Forward(time.Minute)
	if r := b.enters(h.code("sam")); r.status != 200 {
		t.Errorf("a minute later: %d %s", r.status, r.body)
	}
}

func TestABadCodeGetsAnErrorThatSaysTheMend(t *testing.T) {
	h := newHouse(t)
	for _, code := range []string{"", "1", strings.Repeat("A", 13), "AB2D-9F3H-JK5\u00d6", "AB2D-9F3H-JK5U", strings.Repeat("-", 5000)} {
		p := h.browser().enters(code).problem(t)
		if p.Code != admin.CodeCode || p.Field != "code" || p.Detail == "" {
			t.Errorf("%q: %+v", code, p)
		}
	}
	if r := h.browser().post("/api/enrol/begin", map[string]any{"CODE": "x"}); r.status != http.StatusBadRequest {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestOnlyAdultsEnrol(t *testing.T) {
	h := newHouse(t)
	for _, who := range []string{"harry", "nobody"} {
		if r := h.browser().enters(h.code(who)); r.status != http.StatusForbidden {
			t.Errorf("%s: %d %s", who, r.status, r.body)
		}
	}
}

func TestASecondAdultAndASecondDevice(t *testing.T) {
	h := newHouse(t)
	sams, toms, other := h.browser(), h.browser(), h.browser()
	first := sams.enrol("sam")
	toms.enrol("tom")
	second := other.enrol("sam")
	if string(first.Handle) != string(second.Handle) {
		t.Error("one person has two handles")
	}
	a := h.net.wants(t, "Cut it.")
	if r := other.yes(second, a); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	page := sams.get("/me").body
	if strings.Count(page, "Revoke it") != 2 {
		t.Error("sam does not see both passkeys, or sees another's")
	}
	keys, err := h.store.Passkeys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Of another's, nobody revokes anything.
	for i := range keys {
		toms.form("/me/passkeys/revoke", "passkey="+keys[i].Name())
	}
	if !sams.signedIn() || !other.signedIn() {
		t.Error("tom revoked what is sam's")
	}
	if toms.signedIn() {
		t.Error("his own passkey is revoked, and tom is in")
	}
	if r := sams.form("/me/passkeys/revoke", "passkey="+keys[2].Name()); r.status != http.StatusSeeOther || other.signedIn() || !sams.signedIn() {
		t.Error("sam could not revoke the other device")
	}
}

func TestASessionIsEndedFromAnother(t *testing.T) {
	h := newHouse(t)
	b, other := h.browser(), h.browser()
	d := b.enrol("sam")
	if r := other.signIn(d); r.status != 200 {
		t.Fatal(r.body)
	}
	toms := h.browser()
	toms.enrol("tom")
	sessions, err := h.store.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		if s.Person == "sam" {
			toms.form("/me/sessions/end", "session="+s.Name())
		}
	}
	if !b.signedIn() || !other.signedIn() {
		t.Fatal("tom ended what is sam's")
	}
	if page := b.get("/me").body; strings.Count(page, "End it") != 1 || strings.Contains(page, "tom") {
		t.Error("the page does not list the other session alone")
	}
	for _, s := range sessions {
		if s.Person == "sam" && strings.Contains(b.get("/me").body, `value="`+s.Name()+`"`) {
			b.form("/me/sessions/end", "session="+s.Name())
		}
	}
	if !b.signedIn() || other.signedIn() {
		t.Error("the other one is not ended, or this one is")
	}
}

func TestTheSessionsCookieIsHeldToThisSite(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	r := b.signIn(d)
	cookie := r.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("%s is missing in %s", want, cookie)
		}
	}
	s, err := h.store.Sessions(t.Context())
	if err != nil || len(s) != 2 {
		t.Fatal(s, err)
	}
	for _, one := range s {
		if strings.Contains(cookie, one.Digest) {
			t.Error("what is kept opens the app")
		}
	}
	secure := newHouse(t, func(c *admin.Config) { c.Origin = "https://askhub.home:8430" })
	secure.origin = "https://askhub.home:8430"
	s2 := secure.browser()
	s2.headers["Host"] = "askhub.home:8430"
	sd := admintest.NewDevice(t, secure.origin)
	sd.Host = "askhub.home"
	o := s2.enters(secure.code("sam")).options(t)
	r = s2.post("/api/enrol", credential(sd.Make(o)))
	if c := r.header.Get("Set-Cookie"); !strings.HasPrefix(c, "__Host-") || !strings.Contains(c, "Secure") || strings.Contains(c, "Domain") {
		t.Errorf("over https: %q (%d %s)", c, r.status, r.body)
	}
}

func TestTheWayBackLeadsNowhereElse(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	for to, want := range map[string]string{
		"/history": "/history", "/approvals/hub/x?y=1": "/approvals/hub/x?y=1", "https://evil.example": "/", "//evil.example": "/", `/\evil.example`: "/", "javascript:alert(1)": "/", "": "/", "history": "/", "/%0a": "/%0a",
	} {
		b.cookies = map[string]string{}
		page := b.get("/signin?to=" + strings.NewReplacer("%", "%25", "?", "%3F", "&", "%26", `\`, "%5C").Replace(to)).body
		if !strings.Contains(page, `data-to="`+want+`"`) {
			t.Errorf("%q does not lead to %q", to, want)
		}
	}
	b.enrol("sam")
	if r := b.get("/signin?to=//evil.example"); r.header.Get("Location") != "/" {
		t.Errorf("leads to %q", r.header.Get("Location"))
	}
}
