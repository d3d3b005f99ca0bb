package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/freeport"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/project/compass"
)

// scriptedProject is the environment variable that makes this test binary a
// scripted project: ADDRESS NAME TOKEN ANSWER, with spaces between.
const scriptedProject = "ASKHUB_TEST_PROJECT"

// runScripted serves the scripted project until the process is killed.
func runScripted(spec string) {
	words := strings.SplitN(spec, " ", 4)
	ln, err := ask.Listen("tcp", words[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p, err := asktest.StartScripted(asktest.Script{
		Project: words[1], Topics: []string{words[1]}, People: []ask.Person{"harry"}, Token: ask.BearerToken(words[2]),
		Answer: func(ask.Question) ask.Answer { return ask.Say(words[3]) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = ask.NewServer(p).Serve(ln)
}

// house is a household of separate processes: the Hub with compass as its child,
// and two scripted projects in the places of mail and Home Assistant.
type house struct {
	t        *testing.T
	url      string
	token    string
	projects map[string]*exec.Cmd
	// dir is its config folder, and program the program that serves it, by serve.
	dir, program string
	serve        *exec.Cmd
	days         int
}

func startHouse(t *testing.T) *house {
	t.Helper()
	return startHouseWith(t, "")
}

// startHouseWith has more settings.
func startHouseWith(t *testing.T, more string) *house {
	t.Helper()
	dir := t.TempDir()
	h := &house{t: t, token: strings.Repeat("t", 40), projects: map[string]*exec.Cmd{}, dir: dir, program: program(t)}
	var settings, tokens strings.Builder
	hub, school := addressOf(t), addressOf(t)
	fmt.Fprintf(&settings, "listen = %q\nsecrets = \"secrets.conf\"\n\n[ways_in.test]\naskers = [\"sam\"]\nper_minute = 100000\nat_once = 1000\n\n", hub)
	fmt.Fprintf(&settings, "[projects.compass_nhs]\nurl = \"http://%s\"\nrun = \"compass\"\n\n", school)
	fmt.Fprintf(&tokens, "HUB_TOKEN_TEST=%s\nHUB_TOKEN_ADMIN=%s\nPROJECT_TOKEN_COMPASS_NHS=%s\n", h.token, strings.Repeat("a", 40), strings.Repeat("c", 40))
	settings.WriteString("[admin]\nserve = false\n\n" + more)
	for name, words := range map[string]string{"email_agent": "There is one new mail.", "home_assistant": "Dinner with Nan is at 18:00."} {
		address, token := addressOf(t), strings.Repeat(name[:1], 40)
		fmt.Fprintf(&settings, "[projects.%s]\nurl = \"http://%s\"\n\n", name, address)
		fmt.Fprintf(&tokens, "PROJECT_TOKEN_%s=%s\n", strings.ToUpper(name), token)
		h.projects[name] = h.start(os.Args[0], []string{scriptedProject + "=" + strings.Join([]string{address, name, token, words}, " ")})
	}
	for _, c := range compass.SampleCalendars("") {
		fmt.Fprintf(&settings, "[[compass.calendars]]\nperson = %q\ntag = %q\nfile = %q\n", c.Person, c.Tag, c.File)
	}
	files := compass.Sample(time.Now(), time.UTC)
	files[config.FileName], files["secrets.conf"] = []byte(settings.String()), []byte(tokens.String())
	files[config.RoutingName], files[config.PeopleName] = routing.Default(), people.Sample()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.url = "http://" + hub
	h.serve = h.start(h.program, nil, "serve", "--config", dir)
	h.until(func() bool {
		r, err := h.ask("what does Harry have on today?")
		return err == nil && len(r.Parts) == 3 && r.Status == "answered" && r.answered() == 3
	})
	return h
}

// start runs a process until the test ends.
func (h *house) start(program string, env []string, args ...string) *exec.Cmd {
	h.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if h.t.Failed() {
			h.t.Logf("%v said:\n%s", args, &said)
		}
	})
	return cmd
}

// program is this test binary under the program's own name, by which TestMain
// knows it; so a child that the program starts of itself is the program too.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "askhub")
	if err := os.WriteFile(path, binary, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// addressOf is where a program of this test may listen.
func addressOf(t *testing.T) string {
	t.Helper()
	return freeport.For(t).Address
}

// houseReply is what these tests read of a reply.
type houseReply struct {
	ID, Status, Reply string
	Choices           []string
	Parts             []struct{ Project, Status, Answer, Reason string }
}

func (r *houseReply) answered() int {
	n := 0
	for _, p := range r.Parts {
		if p.Status == "answered" {
			n++
		}
	}
	return n
}

func (h *house) ask(question string) (*houseReply, error) {
	return h.asks(map[string]string{"question": question, "asker": "sam"})
}

// asks sends a whole request.
func (h *house) asks(request map[string]string) (*houseReply, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url+"/ask", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %s %w", resp.StatusCode, raw, err)
	}
	r := &houseReply{}
	return r, json.Unmarshal(raw, r, json.MatchCaseInsensitiveNames(true))
}

func (h *house) until(met func() bool) {
	h.t.Helper()
	h.within(90*time.Second, met)
}

func (h *house) within(long time.Duration, met func() bool) {
	h.t.Helper()
	for limit := time.Now().Add(long); !met(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			h.t.Fatal("waited in vain")
		}
	}
}

// freeze stops a project as SIGSTOP does, and waits until it has stopped.
func (h *house) freeze(project string) *os.Process {
	h.t.Helper()
	p := h.projects[project].Process
	h.stop(p)
	return p
}

func (h *house) stop(p *os.Process) {
	h.t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		h.t.Fatal(err)
	}
	h.until(func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid))
		return errors.Is(err, fs.ErrNotExist) || bytes.Contains(stat, []byte(") T "))
	})
}

func TestADaySummaryOfThreeProcesses(t *testing.T) {
	h := startHouse(t)
	r, err := h.ask("what does Harry have on today?")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(r.Reply, "There is one new mail; Harry has ") || !strings.HasSuffix(r.Reply, "; Dinner with Nan is at 18:00.") {
		t.Errorf("got %q", r.Reply)
	}
}

// Killing a project in the middle of a fanout gives the other parts.
func TestAProjectKilledMidFanoutFailsNothing(t *testing.T) {
	h := startHouse(t)
	mail := h.freeze("email_agent") // it holds its part open
	type result struct {
		reply *houseReply
		err   error
	}
	done := make(chan result, 1)
	go func() {
		r, err := h.ask("what does Harry have on today?")
		done <- result{r, err}
	}()
	select {
	case r := <-done:
		t.Fatalf("the stopped part did not hold the fanout: %+v %v", r.reply, r.err)
	case <-time.After(300 * time.Millisecond):
	}
	if err := mail.Kill(); err != nil {
		t.Fatal(err)
	}
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	if r.reply.Status != "answered" || r.reply.answered() != 2 || !strings.HasSuffix(r.reply.Reply, "email is not answering.") {
		t.Errorf("got %+v", r.reply)
	}
}

// A stopped project never delays an answer past its budget, however many wait.
func TestAStoppedProjectDelaysNoAnswerPastItsBudget(t *testing.T) {
	h := startHouse(t)
	h.freeze("home_assistant")
	began := time.Now()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			r, err := h.ask("what does Harry have on today?")
			if err != nil {
				t.Error(err)
				return
			}
			if r.Status != "answered" || r.answered() != 2 || !strings.HasSuffix(r.Reply, "lights is not answering.") {
				t.Errorf("got %+v", r)
			}
			for _, p := range r.Parts {
				if p.Project == "home_assistant" && p.Reason != "too_slow" {
					t.Errorf("the stopped part is %+v", p)
				}
			}
		})
	}
	all.Wait()
	// One after the other they would take 48 s; what is allowed beyond the budget is for a busy machine.
	if took := time.Since(began); took < ask.Budget-time.Second || took > 5*ask.Budget {
		t.Errorf("16 answers took %v, want about %v", took, ask.Budget)
	}
}
