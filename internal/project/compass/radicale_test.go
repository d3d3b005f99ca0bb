package compass

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/freeport"
)

// radicales are the ways to start each version of Radicale on this machine: every
// one in the PATH, and the module of python3.
func radicales(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	try := func(command ...string) {
		out, err := exec.Command(command[0], append(command[1:], "--version")...).Output()
		version := strings.TrimSpace(string(out))
		if err == nil && version != "" && found[version] == nil {
			found[version] = command
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path := filepath.Join(dir, "radicale"); isProgram(path) {
			try(path)
		}
	}
	try("python3", "-m", "radicale")
	return found
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// radicale is a running server with one user, sam.
type radicale struct {
	t       *testing.T
	command []string
	config  string
	url     string
	process *exec.Cmd
}

func newRadicale(t *testing.T, command []string) *radicale {
	t.Helper()
	dir := t.TempDir()
	address := freeport.For(t).Address
	users := filepath.Join(dir, "users")
	config := filepath.Join(dir, "config")
	for path, text := range map[string]string{
		users: "sam:secret\n",
		config: fmt.Sprintf("[server]\nhosts = %s\n[auth]\ntype = htpasswd\nhtpasswd_filename = %s\nhtpasswd_encryption = plain\ndelay = 0\n"+
			"[rights]\ntype = owner_only\n[storage]\nfilesystem_folder = %s\n[web]\ntype = none\n[logging]\nlevel = error\n", address, users, filepath.Join(dir, "data")),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &radicale{t: t, command: command, config: config, url: "http://" + address}
	t.Cleanup(r.stop)
	r.start()
	return r
}

func (r *radicale) start() {
	r.t.Helper()
	r.process = exec.Command(r.command[0], append(r.command[1:], "--config", r.config)...)
	r.process.Stdout, r.process.Stderr = io.Discard, r.t.Output()
	if err := r.process.Start(); err != nil {
		r.t.Fatal(err)
	}
	// The server says nothing when it is ready, so it is asked until it answers.
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		if conn, err := net.DialTimeout("tcp", strings.TrimPrefix(r.url, "http://"), time.Second); err == nil {
			conn.Close()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.t.Fatal("radicale does not listen")
}

func (r *radicale) stop() {
	if r.process == nil {
		return
	}
	r.process.Process.Kill()
	r.process.Wait()
	r.process = nil
}

func (r *radicale) send(method, path, body string) {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.SetBasicAuth("sam", "secret")
	req.Header.Set("Content-Type", "text/calendar; charset=utf-8")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		text, _ := io.ReadAll(resp.Body)
		r.t.Fatalf("%s %s: %s %s", method, path, resp.Status, text)
	}
}

func object(lines ...string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//askhub//test//EN\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VCALENDAR\r\n"
}

func event(uid, title, start, end string, more ...string) []string {
	return append(append([]string{
		"BEGIN:VEVENT", "UID:" + uid, "DTSTAMP:20261101T080000Z", "SUMMARY:" + title,
		"DTSTART;TZID=Europe/London:" + start, "DTEND;TZID=Europe/London:" + end,
	}, more...), "END:VEVENT")
}

// TestRadicale reads a real CalDAV server: what is there, what changes, and how old
// it is once the server is gone.
func TestRadicale(t *testing.T) {
	servers := radicales(t)
	if len(servers) == 0 {
		t.Skip("radicale is not installed")
	}
	for version, command := range servers {
		t.Run(version, func(t *testing.T) { testRadicale(t, newRadicale(t, command)) })
	}
}

func testRadicale(t *testing.T, server *radicale) {
	const path = "/sam/school/"
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, london(t)) // a Monday
	config := Config{
		Zone: london(t), Now: func() time.Time { return now }, CacheDir: t.TempDir(),
		Calendars: []Calendar{{Person: "harry", Tag: School, CalDAV: server.url + path, Username: "sam", Password: "secret"}},
	}
	// A calendar that the server splits into objects itself.
	var clubs []string
	for i := range 9 {
		clubs = append(clubs, event(fmt.Sprint("club", i), "Chess club", fmt.Sprintf("2027010%dT160000", i+1), fmt.Sprintf("2027010%dT170000", i+1))...)
	}
	server.send("PUT", "/sam/clubs/", object(clubs...))
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	refresh := func(want string) {
		t.Helper()
		err := c.Refresh(context.Background())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Fatalf("refresh: %v, want %q", err, want)
		}
	}
	expect := func(question, want string) {
		t.Helper()
		if got := said(t, c, "sam", "harry", question); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
	expect("what does Harry have on today?", "-- Harry's school calendar has not been read yet")
	refresh("nothing at that address")
	expect("what does Harry have on today?", "-- Harry's school calendar cannot be reached, and it has never been read")

	server.send("MKCALENDAR", path, "")
	refresh("")
	series := append(event("maths", "Maths", "20261102T090000", "20261102T100000", "RRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=20", "EXDATE;TZID=Europe/London:20261208T090000"),
		event("maths", "Maths", "20261201T110000", "20261201T120000", "RECURRENCE-ID;TZID=Europe/London:20261201T090000")...)
	server.send("PUT", path+"maths.ics", object(series...))
	server.send("PUT", path+"pe.ics", object(event("pe", "PE", "20261130T110000", "20261130T120000", "LOCATION:Sports hall")...))
	server.send("PUT", path+"homework.ics", object("BEGIN:VTODO", "UID:hw", "DTSTAMP:20261101T080000Z", "SUMMARY:History essay", "DUE;VALUE=DATE:20261201", "END:VTODO"))
	refresh("")
	expect("what does Harry have on today?", "Harry has maths at 9:00 and PE at 11:00 today.")
	expect("when is maths tomorrow", "Harry has maths at 11:00 tomorrow.")
	expect("does Harry have maths on 8 December", "No, Harry has no maths on Tuesday 8 December.")
	expect("what homework is due tomorrow", "Harry has a history essay due tomorrow.")

	// A change and a removal.
	server.send("PUT", path+"pe.ics", object(event("pe", "Swimming", "20261130T130000", "20261130T140000")...))
	server.send("DELETE", path+"homework.ics", "")
	refresh("")
	expect("what does Harry have on today?", "Harry has maths at 9:00 and swimming at 13:00 today.")
	expect("what homework is due tomorrow", "-- Harry's school calendar holds no homework")

	server.stop()
	now = now.Add(20 * time.Minute)
	refresh("cannot be reached")
	expect("what does Harry have on today?", "Harry has maths at 9:00 and swimming at 13:00 today, but that was read 20 minutes ago.")
	// A restart of askhub while the server is down: the kept calendar answers.
	if c, err = New(config); err != nil {
		t.Fatal(err)
	}
	now = now.Add(15 * time.Hour)
	refresh("cannot be reached")
	now = time.Date(2026, 12, 1, 7, 30, 0, 0, now.Location())
	c.rebuild(c.people["harry"])
	expect("does Harry have maths today?", "Yes, Harry has maths at 11:00 today, but that was read yesterday morning.")

	server.start()
	refresh("")
	expect("does Harry have maths today?", "Yes, Harry has maths at 11:00 today.")

	many := config
	many.Calendars = []Calendar{{Person: "harry", Tag: School, CalDAV: server.url + "/sam/clubs", Username: "sam", Password: "secret"}}
	if c, err = New(many); err != nil {
		t.Fatal(err)
	}
	refresh("")
	expect("how many times does Harry have chess club in January", "Harry has chess club 9 times next month.")
	expect("when is the last chess club in January", "Harry's last chess club is at 16:00 on Saturday 9 January.")

	wrong := config
	wrong.CacheDir = ""
	wrong.Calendars = []Calendar{{Person: "harry", Tag: School, CalDAV: server.url + path, Username: "sam", Password: "guess"}}
	if c, err = New(wrong); err != nil {
		t.Fatal(err)
	}
	refresh("user name or password")
}
