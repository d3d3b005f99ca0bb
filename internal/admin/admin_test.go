package admin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask/approve"
)

func TestAYesWithAFreshTapRunsItOnce(t *testing.T) {
	h := newHouse(t)
	for _, o := range []*owner{h.hub, h.net} {
		b := h.browser()
		d := b.enrol("sam")
		a := o.wants(t, "Cut the internet of Harry's tablet.")
		page := b.get("/")
		for _, want := range []string{"Did you ask for this?", "Cut the internet of Harry&#39;s tablet.", "harry", "for homework", "&#34;do&#34;: &#34;cut&#34;"} {
			if !strings.Contains(page.body, want) {
				t.Errorf("the page does not show %q", want)
			}
		}
		r := b.yes(d, a)
		if r.status != 200 || !strings.Contains(r.body, `"Done. It is so."`) {
			t.Fatalf("%d %s\n%s", r.status, r.body, h.log)
		}
		is := o.now(t, a.ID)
		if is.State != approve.Done || is.Result.By != "sam" || o.ran.Load() != 1 {
			t.Errorf("%+v, ran %d times", is, o.ran.Load())
		}
		if again := b.begins(a); again.status != 409 {
			t.Errorf("a second yes: %d %s", again.status, again.body)
		}
		if history := b.get("/history").body; !strings.Contains(history, "Sam said yes") || !strings.Contains(history, "decided by Sam") {
			t.Errorf("the history does not say it: %s", history)
		}
	}
}

func TestANoRunsNothing(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	a := h.net.wants(t, "Give Harry an hour more.")
	if r := b.no(a, false); r.status != 200 || !strings.Contains(r.body, "Denied") {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if is := h.net.now(t, a.ID); is.State != approve.Denied || is.Result.By != "sam" || h.net.ran.Load() != 0 {
		t.Errorf("%+v", is)
	}
	// A no holds, whatever comes later.
	if r := b.begins(a); r.status != 409 {
		t.Errorf("%d %s", r.status, r.body)
	}
	// Who is not muted may ask again.
	again := h.net.wants(t, "Give Harry an hour more.")
	if r := b.yes(d, again); r.status != 200 || h.net.ran.Load() != 1 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestIDidNotAskForThisMutesTheAsker(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("sam")
	a := h.net.wants(t, "Give Harry an hour more.")
	if r := b.no(a, true); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if _, err := h.net.desk.Ask(t.Context(), approve.Request{What: "More.", Who: "harry", Action: []byte(`{}`)}); err == nil {
		t.Error("harry may still ask")
	}
	if history := b.get("/history").body; !strings.Contains(history, "Sam did not ask for it") {
		t.Error("the history does not say it")
	}
}

func TestWhatCameTooLateIsNotSaidToHaveCounted(t *testing.T) {
	h := newHouse(t)
	sams, toms := h.browser(), h.browser()
	d, toms2 := sams.enrol("sam"), toms.enrol("tom")
	late := func(r reply, what string) {
		t.Helper()
		if r.status != 200 || !strings.Contains(r.body, what) || strings.Contains(r.body, "is not heard") {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	approved := h.net.wants(t, "Cut one.")
	sams.yes(d, approved)
	late(toms.no(approved, true), "It was decided already. Done.")

	denied := h.net.wants(t, "Cut two.")
	tap := credential(toms2.Use(toms.begins(denied).options(t)))
	if r := sams.no(denied, false); !strings.Contains(r.body, `"says":"Denied. Nothing was done."`) {
		t.Error(r.body)
	}
	late(toms.post(at(denied)+"/yes", tap), "It was decided already. Denied.")
	late(sams.no(denied, true), "It was decided already. Denied.") // one's own no, from another tab

	expired := h.net.wants(t, "Cut three.")
	h.clock.Forward(approve.Lifetime + time.Second)
	late(toms.no(expired, true), `"says":"Too late`)

	if history := sams.get("/history").body; strings.Contains(history, "Tom said") || strings.Contains(history, "did not ask for it") {
		t.Errorf("the history has what did not count: %s", history)
	}
	muted := h.net.wants(t, "Cut four.")
	if r := toms.no(muted, true); !strings.Contains(r.body, "Who asked for it is not heard for an hour.") {
		t.Error(r.body)
	}
}

func TestAFailureIsToldAsOne(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	d := b.enrol("sam")
	r := b.yes(d, h.net.wants(t, "This fails."))
	if r.status != 200 || !strings.Contains(r.body, "It failed. The router said no.") {
		t.Errorf("%d %s", r.status, r.body)
	}
}
