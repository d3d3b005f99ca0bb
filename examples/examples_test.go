// Package examples_test starts each example project as a process of its own and
// checks it against the ask contract, every clause of it.
package examples_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/internal/freeport"
)

const token = "hello-token-0123456789abcdef0123456789"

func TestHelloInGo(t *testing.T) {
	program := filepath.Join(t.TempDir(), "hello")
	if out, err := exec.Command("go", "build", "-o", program, "./hello").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check(t, program)
}

func TestHelloIsSmall(t *testing.T) {
	source, err := os.ReadFile("hello/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n >= 40 {
		t.Errorf("the smallest project has %d lines", n)
	}
}

func TestHelloInPython(t *testing.T) {
	check(t, program(t, "python3"), "hello-python/hello.py")
}

func TestHelloInTypeScript(t *testing.T) {
	node := program(t, "node")
	tsc := filepath.Join("hello-typescript", "node_modules", ".bin", "tsc")
	if _, err := os.Stat(tsc); err != nil {
		t.Skip("tsc is not installed: run npm ci in examples/hello-typescript")
	}
	out := t.TempDir()
	// The output is an ES module, which Node learns from the package file beside it.
	if err := os.WriteFile(filepath.Join(out, "package.json"), []byte(`{"type": "module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(tsc, "-p", "hello-typescript", "--outDir", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	check(t, node, filepath.Join(out, "hello.js"))
}

func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// check runs the program on a free port, checks it strictly and stops it.
func check(t *testing.T, name string, args ...string) {
	t.Helper()
	port := strconv.Itoa(freeport.For(t).Number)
	cmd := exec.Command(name, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Env = append(os.Environ(), "PORT="+port, "PROJECT_TOKEN_HELLO="+token)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	var end error
	go func() {
		end = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // does nothing where it has ended
		<-ended
	})
	url := "http://127.0.0.1:" + port
	if err := ready(url, ended); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	asktest.Run(t, url, token, asktest.Asking("Please say hello."))
	t.Run("a head that two readers read in two ways", func(t *testing.T) { malformed(t, url, token) })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
		if end != nil {
			t.Errorf("it did not stop well: %v", end)
		}
	case <-time.After(30 * time.Second):
		t.Error("it did not stop within 30 seconds")
		return
	}
	if strings.Contains(said.String(), token) {
		t.Errorf("it printed its token:\n%s", said.String())
	}
}

// malformed sends heads that one reader takes for one request and another for two.
func malformed(t *testing.T, url, token string) {
	const body = `{"question": "hello", "asker": "sam"}`
	for name, line := range map[string]string{
		"a space before the colon": "Transfer-Encoding : chunked",
		"no colon":                 "Transfer-Encoding",
		"no name":                  ": chunked",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(30 * time.Second))
			fmt.Fprintf(c, "POST /ask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n\r\n%s", token, len(body), line, body)
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusBadRequest || !res.Close {
				t.Errorf("got %d, closing %v, want 400 and the connection closed", res.StatusCode, res.Close)
			}
		})
	}
}

// ready waits until the project says that it is well.
func ready(url string, ended <-chan struct{}) error {
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case <-ended:
			return errors.New("it ended at once")
		default:
		}
		res, err := http.Get(url + "/health")
		if err != nil {
			continue
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return nil
		}
	}
	return errors.New("it was not ready within 60 seconds")
}
