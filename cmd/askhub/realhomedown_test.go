package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
)

// hass tells the program that runs Home Assistant to start it, or to send it a signal.
func (a *assist) hass(what string) {
	a.Helper()
	run := strings.Fields(os.Getenv("ASKHUB_TEST_HOMEASSISTANT_RUN"))
	if len(run) == 0 {
		a.Fatal("ASKHUB_TEST_HOMEASSISTANT_RUN does not say how Home Assistant is started and ended")
	}
	cmd := exec.Command(run[0], append(run[1:], what)...)
	if what != "start" {
		if out, err := cmd.CombinedOutput(); err != nil {
			a.Fatalf("%s: %v: %s", what, err, out)
		}
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it is there for the next test too
	if err := cmd.Start(); err != nil {
		a.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
}

// again is Home Assistant started again after it was killed.
func (a *assist) again(h *house) {
	a.Helper()
	a.hass("start")
	h.within(3*time.Minute, func() bool { return h.status("is the kitchen light on?") == "answered" })
}

// status is what becomes of a question; empty where there is no reply.
func (h *house) status(question string) string {
	r, err := h.ask(question)
	if err != nil {
		return ""
	}
	return r.Status
}

// child is the process of a project that the Hub started.
func (h *house) child(project string) *os.Process {
	h.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, path := range all {
		args, _ := os.ReadFile(path)
		if !strings.HasPrefix(string(args), h.program+"\x00project\x00"+project+"\x00") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			h.t.Fatal(err)
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			h.t.Fatal(err)
		}
		return p
	}
	h.t.Fatalf("no process of %s runs", project)
	return nil
}

// The day is told in one sentence by school, mail and calendar, with any one of the three
// killed while it is asked.
func TestARealHomesDayIsToldWithOnePartKilled(t *testing.T) {
	a := openAssist(t)
	h := wholeDay(a)
	// hold stops a project, and gives what kills it.
	hold := func(project string) (kill func()) {
		if project == homeName {
			a.hass("STOP")
			return func() { a.hass("KILL") }
		}
		p := h.child(map[string]string{"compass_nhs": "compass", "email_agent": "email"}[project])
		h.stop(p)
		return func() { _ = p.Kill() }
	}
	for _, project := range []string{"compass_nhs", "email_agent", homeName} {
		t.Run(project, func(t *testing.T) {
			h.t = t
			h.until(func() bool { return h.parts() == 3 })
			question := h.anew()
			kill := hold(project)
			type result struct {
				reply *houseReply
				err   error
			}
			done := make(chan result, 1)
			go func() {
				r, err := h.ask(question)
				done <- result{r, err}
			}()
			time.Sleep(300 * time.Millisecond) // the question is under way
			kill()
			r := <-done
			if r.err != nil {
				t.Fatal(r.err)
			}
			t.Logf("%s → %s", question, r.reply.Reply)
			if r.reply.Status != "answered" || r.reply.answered() != 2 || !strings.Contains(r.reply.Reply, "is not answering.") || strings.Count(r.reply.Reply, ".") != 1 {
				t.Errorf("got %+v", r.reply)
			}
			for _, p := range r.reply.Parts {
				if (p.Project == project) == (p.Status == "answered") {
					t.Errorf("the part %+v", p)
				}
			}
			if project == homeName {
				a.again(h)
			}
			h.until(func() bool { return h.parts() == 3 }) // by itself
		})
	}
}

// anew is the day's question in letters that were not asked before: the Hub remembers an
// answer for as long as its project says that it is true.
func (h *house) anew() string {
	h.days++
	letters := []byte(today)
	for i, n := 0, h.days; n > 0; i++ {
		if letters[i] >= 'a' && letters[i] <= 'z' {
			letters[i] -= byte(n&1) * ('a' - 'A')
			n >>= 1
		}
	}
	return string(letters)
}

// parts is how many parts of the day answer now.
func (h *house) parts() int {
	r, err := h.ask(h.anew())
	if err != nil {
		return 0
	}
	return r.answered()
}

// A Home Assistant that is down is said to be, and answers again by itself once it is back.
func TestARealHomeThatComesBackAnswersByItself(t *testing.T) {
	a := openAssist(t)
	h := wholeDay(a)
	a.hass("KILL")
	h.until(func() bool { return h.status("is the kitchen light on?") == "unavailable" })
	for _, question := range []string{"turn on the kitchen lights", "is the kitchen light on?", "what is on the calendar today?"} {
		r, err := h.ask(question)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s → [%s] %s", question, r.Status, r.Reply)
		if r.Status != "unavailable" {
			t.Errorf("%q: got %+v", question, r)
		}
	}
	a.again(h)
	if got := h.says("turn on the kitchen lights"); !strings.HasPrefix(got, "The kitchen lights are on") {
		t.Errorf("after a restart it says %q", got)
	}
	a.hass("STOP")
	r, err := h.ask("turn off the kitchen lights")
	a.hass("CONT")
	if err != nil || r.Status != "unavailable" {
		t.Errorf("of one that is slow: %+v, %v", r, err)
	}
	t.Logf("slow → [%s] %s", r.Status, r.Reply)
	h.until(func() bool {
		return strings.HasPrefix(h.says("turn on the kitchen lights"), "The kitchen lights are on")
	})
}

// A token that is revoked is said to be refused; another one in the secrets file counts by itself.
func TestARealHomeThatRefusesTheTokenSaysSo(t *testing.T) {
	a := openAssist(t)
	const name = "askhub, to be revoked"
	var token string
	a.result("auth/long_lived_access_token", map[string]any{"client_name": name, "lifespan": 1}, &token)
	h := startRealHome(a, token)
	lights := func() string { return h.status("is the kitchen light on?") }
	h.until(func() bool { return lights() == "answered" })
	var all []struct {
		ID   string `json:"id"`
		Name string `json:"client_name"`
	}
	a.result("auth/refresh_tokens", map[string]any{}, &all)
	for _, one := range all {
		if one.Name == name {
			a.command("auth/delete_refresh_token", map[string]any{"refresh_token_id": one.ID})
		}
	}
	for _, question := range []string{"is the kitchen light on?", "turn on the kitchen lights", "what is on the calendar today?"} {
		h.until(func() bool { // the lost connection is first tried again
			r, err := h.ask(question)
			return err == nil && len(r.Parts) == 1 && r.Parts[0].Reason == routing.ReasonTokenRefused && !strings.Contains(r.Reply, token)
		})
	}
	path := filepath.Join(h.dir, "secrets.conf")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	renewed := strings.Replace(string(text), config.DefaultHomeToken+"="+token, config.DefaultHomeToken+"="+a.token, 1)
	if err := os.WriteFile(path, []byte(renewed), 0o600); err != nil {
		t.Fatal(err)
	}
	h.within(2*time.Minute, func() bool { return lights() == "answered" })
}

// What is called otherwise in Home Assistant is called so here, without a restart.
func TestARealHomesRenamedThingsAreFound(t *testing.T) {
	a := openAssist(t)
	h := wholeDay(a)
	var found struct {
		Device string `json:"device_id"`
	}
	a.result("config/entity_registry/get", map[string]any{"entity_id": "light.bed_light"}, &found)
	rename := func(name any) {
		a.command("config/device_registry/update", map[string]any{"device_id": found.Device, "name_by_user": name})
	}
	move := func(from, to string) {
		a.command("config/entity_registry/update", map[string]any{"entity_id": from, "new_entity_id": to})
	}
	h.says("turn off the bed light")
	rename("Reading Lamp")
	defer rename(nil)
	h.until(func() bool { return h.says("is the reading lamp on?") == "No, the reading lamp is off." })
	if got := h.says("turn on the reading lamp"); !strings.HasPrefix(got, "The reading lamp is on") {
		t.Errorf("it says %q", got)
	}
	if got := h.says("is the bed light on?"); got != "I know no such device or room." {
		t.Errorf("of its old name it says %q", got)
	}
	move("light.bed_light", "light.reading")
	defer move("light.reading", "light.bed_light")
	h.until(func() bool { return h.says("turn off the reading lamp") == "The reading lamp is off." })
	var area struct {
		ID string `json:"area_id"`
	}
	a.result("config/area_registry/create", map[string]any{"name": "Library"}, &area)
	defer a.command("config/area_registry/delete", map[string]any{"area_id": area.ID})
	a.command("config/device_registry/update", map[string]any{"device_id": found.Device, "area_id": area.ID})
	h.until(func() bool { return h.says("which lights are off in the library?") == "The reading lamp is off." })
	if got := h.says("turn on the lights in the library"); !strings.HasPrefix(got, "The reading lamp is on") {
		t.Errorf("it says %q", got)
	}
}
