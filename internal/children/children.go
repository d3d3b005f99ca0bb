// Package children keeps the projects that askhub ships running, each as a
// process of its own that holds only its own secrets.
package children

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"os/exec"
	"sync"
	"time"
)

// The waits before a child that ended is started again, doubling from the
// first. One that ran for steady begins anew.
const (
	firstWait, lastWait = 500 * time.Millisecond, 30 * time.Second
	steady              = time.Minute
	// stopWait is how long a child may take to stop before it is killed.
	stopWait = 5 * time.Second
)

// Child is one process to keep running.
type Child struct {
	// Name is the project's.
	Name string
	// Path and Args are the program.
	Path string
	Args []string
	// Env is the child's whole environment, asked for at each start, so that a
	// new token reaches it.
	Env func() ([]string, error)
	// Restart ends the running process so that it starts anew; nil means never.
	Restart <-chan struct{}
	// Output gets what the child writes.
	Output io.Writer
}

// Keep runs the children until ctx ends, and returns when all of them have ended.
func Keep(ctx context.Context, children []Child, log *slog.Logger) {
	var all sync.WaitGroup
	for _, c := range children {
		all.Go(func() { c.keep(ctx, log) })
	}
	all.Wait()
}

func (c *Child) keep(ctx context.Context, log *slog.Logger) {
	for wait := firstWait; ; {
		start := time.Now()
		restarted, err := c.run(ctx)
		if ctx.Err() != nil {
			return
		}
		if restarted {
			log.Info("a project starts anew with its new token", "project", c.Name)
			continue
		}
		if time.Since(start) > steady {
			wait = firstWait
		}
		log.Error("a project ended; it is started again", "project", c.Name, "cause", err, "wait", wait)
		select {
		case <-time.After(wait + rand.N(wait/4)):
		case <-ctx.Done():
			return
		}
		wait = min(2*wait, lastWait)
	}
}

// run starts the process once and waits for its end. Its standard input is a
// pipe that it reads to the end: a child outlives its parent by no more than
// that, even where the parent is killed.
func (c *Child) run(ctx context.Context) (restarted bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	if cmd.Env, err = c.Env(); err != nil {
		return false, err
	}
	cmd.Stdout, cmd.Stderr = c.Output, c.Output
	life, err := cmd.StdinPipe()
	if err != nil {
		return false, err
	}
	cmd.Cancel = life.Close
	cmd.WaitDelay = stopWait
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return false, err
	case <-c.Restart:
		cancel()
		<-ended
		return true, nil
	}
}
