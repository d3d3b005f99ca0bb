package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/askhub/askhub/internal/freeport"
)

// A process is one program under test, with a folder of /proc of its own.
type process struct {
	name, url string
	cmd       *exec.Cmd
	stderr    *tail
	done      chan struct{}
	// started is when it was executed, ready how long it then took to the first
	// 200 of GET /health.
	started time.Time
	ready   time.Duration
}

// builds are the programs of this module that a run needs.
var builds = []string{"./cmd/askhub", "./bench/peers", "./bench/bare"}

// released are the flags with which the Hub is released.
var released = []string{"-trimpath", "-ldflags=-s -w"}

// build compiles the programs into dir.
func build(ctx context.Context, dir string, packages, flags []string) error {
	for _, p := range packages {
		args := slices.Concat([]string{"build", "-o", filepath.Join(dir, filepath.Base(p))}, flags, []string{p})
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("build %s: %w\n%s", p, err, out)
		}
	}
	return nil
}

// start executes a program and waits until it answers GET /health. Each {} in args is
// replaced by its address.
func start(ctx context.Context, name, program string, args ...string) (*process, error) {
	port, err := freeport.Claim()
	if err != nil {
		return nil, err
	}
	address := port.Address
	full := make([]string, len(args))
	for i, a := range args {
		full[i] = strings.ReplaceAll(a, "{}", address)
	}
	p := &process{name: name, url: "http://" + address, stderr: &tail{}, done: make(chan struct{})}
	p.cmd = exec.Command(program, full...)
	p.cmd.Stderr = p.stderr
	// The Hub reads nothing of the machine's own set-up.
	p.cmd.Env = append(os.Environ(), "CREDENTIALS_DIRECTORY=")
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), port.Release())
	}
	go func() {
		_ = p.cmd.Wait() // its state says how it went
		_ = port.Release()
		close(p.done)
	}()
	if err := p.waitReady(ctx, address); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// waitReady asks again each quarter of a millisecond: connecting to a port that is
// not open yet costs next to nothing.
func (p *process) waitReady(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	tick := time.NewTicker(250 * time.Microsecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				p.ready = time.Since(p.started)
				return nil
			}
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended at its start (%s):\n%s", p.name, p.cmd.ProcessState, p.stderr)
		case <-ctx.Done():
			return fmt.Errorf("%s did not answer /health within 20 s:\n%s", p.name, p.stderr)
		case <-tick.C:
		}
	}
}

// stop ends the process the normal way, and hard where that takes over ten seconds.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGCONT)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
		return fmt.Errorf("%s did not stop within 10 s of SIGTERM", p.name)
	}
}

// signal sends a signal such as SIGSTOP.
func (p *process) signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// tick is one unit of /proc's processor times; Linux has it at 1/100 s for every
// program, whatever the kernel's own clock is.
const tick = 10 * time.Millisecond

// cpu is the processor time, user and system, that the process has used so far.
func (p *process) cpu() (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name in brackets may hold anything; the fields after it are fixed.
	_, rest, ok := strings.Cut(string(b[bytes.LastIndexByte(b, ')'):]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat is not as expected", p.cmd.Process.Pid)
	}
	var sum int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return time.Duration(sum) * tick, nil
}

// memory is the process's resident memory, in MB of 10^6 bytes.
func (p *process) memory() (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("/proc/%d/status has no VmRSS", p.cmd.Process.Pid)
	}
	kb, err := strconv.ParseFloat(fields[0], 64)
	return kb * 1024 / 1e6, err
}

// tail keeps the last 4 KB of what a process writes.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	t.buf = t.buf[max(0, len(t.buf)-4096):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
