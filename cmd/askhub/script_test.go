package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askhub/askhub/internal/freeport"
)

// TestMain lets this binary be the program, and a scripted project, too.
func TestMain(m *testing.M) {
	hostOfLAN()
	if spec := os.Getenv(scriptedProject); spec != "" {
		runScripted(spec)
		return
	}
	if filepath.Base(os.Args[0]) == "askhub" { // program's copy, or a child of it
		main()
	}
	testscript.Main(m, map[string]func(){"askhub": main, "paperclip-standin": runStandIn})
}

// TestScripts runs the program as a person would, each script in a home folder
// of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("TZ", "Europe/London")
			for _, port := range []string{"HUB", "PROJECT", "OTHER", "BENCH"} {
				p, err := freeport.Claim()
				if err != nil {
					return err
				}
				e.Defer(func() { _ = p.Release() })
				e.Setenv(port, p.Address)
			}
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"answering": untilAnswering,
			"taken":     taken,
			"slay":      slay,
			"tap":       tap,
			"issues":    issues,
			"fails":     fails,
		},
	})
}

// untilAnswering waits until http://ADDRESS/health says that all is well; negated,
// until nobody answers there.
func untilAnswering(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: answering ADDRESS")
	}
	for limit := time.Now().Add(60 * time.Second); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get("http://" + args[0] + "/health")
		if err == nil {
			_ = resp.Body.Close()
		}
		if (err == nil && resp.StatusCode == http.StatusOK) != neg {
			return
		}
	}
	ts.Fatalf("waited in vain for %s", args[0])
}

// taken holds a port for the rest of the script.
func taken(ts *testscript.TestScript, _ bool, args []string) {
	ln, err := net.Listen("tcp", args[0])
	ts.Check(err)
	ts.Defer(func() { _ = ln.Close() })
}

// slay kills, as kill -9 does, the one process whose command line has the words.
func slay(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ts.Check(err)
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), strings.Join(args, " ")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		ts.Check(err)
		ts.Check(syscall.Kill(pid, syscall.SIGKILL))
		return
	}
	ts.Fatalf("no process has %q", args)
}
