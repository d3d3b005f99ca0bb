// Command compare measures the Hub against the plain thing that does the same work,
// in one run on one machine: ratios, since machines differ and are noisy. It runs
// everything as separate processes on loopback, prints a table and keeps nothing.
//
// It is started in the module's root, with `make bench`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A runner holds what the sections share.
type runner struct {
	bin, work string
	self      bool
	// rounds is how often each thing is measured; requests how many questions a round
	// at 16 at once has; pacedFor how long a round at 100 a second goes on.
	rounds, requests int
	pacedFor, rest   time.Duration
	progressTo       io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// run leaves a figure that misses its aim to the reader; an error is only what could
// not be measured, a wrong answer included.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	line := flag.NewFlagSet("compare", flag.ContinueOnError)
	line.SetOutput(stderr)
	smoke := line.Bool("smoke", false, "only see that everything runs; the figures mean nothing")
	self := line.Bool("self", false, "measure the reference against itself: how far the machine alone moves a ratio")
	rounds := line.Int("rounds", 9, "how often each thing is measured")
	only := line.String("only", "hop,fanout,ready", "the sections to run, with commas between")
	if err := line.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 || line.NArg() > 0 {
		return errors.New("-rounds is 1 or more, and nothing stands after the flags")
	}
	work, err := os.MkdirTemp("", "askhub-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	r := &runner{
		bin: filepath.Join(work, "bin"), work: work, self: *self,
		rounds: *rounds, requests: 12000, pacedFor: 5 * time.Second, rest: 5 * time.Second, progressTo: stderr,
	}
	flags := released
	if *smoke {
		flags = nil // what is compiled already is not compiled again
		r.rounds, r.requests, r.pacedFor, r.rest = 1, 480, 200*time.Millisecond, 200*time.Millisecond
	}
	packages := builds
	if r.self {
		packages = builds[1:]
	}
	if err := build(ctx, r.bin, packages, flags); err != nil {
		return err
	}
	sections := []struct {
		name    string
		measure func(context.Context) ([]row, error)
	}{{"hop", r.hop}, {"fanout", r.fanout}, {"ready", r.ready}}
	wanted := strings.Split(*only, ",")
	var rows []row
	for _, s := range sections {
		if !slices.Contains(wanted, s.name) {
			continue
		}
		more, err := s.measure(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, more...)
	}
	if len(rows) == 0 {
		return fmt.Errorf("-only %s names none of hop, fanout, ready", *only)
	}
	r.progress("")
	subject := "Hub"
	if r.self {
		subject = "itself"
	}
	fmt.Fprintf(stdout, "%s, %d cores, %d rounds\n\n", runtime.Version(), runtime.NumCPU(), r.rounds)
	return printTable(stdout, subject, rows, !r.self)
}

// dir is a new folder for one section.
func (r *runner) dir(name string) string {
	d := filepath.Join(r.work, name)
	_ = os.Mkdir(d, 0o700) // where this fails, the first write into it says why
	return d
}

// progress says what goes on, on a terminal only.
func (r *runner) progress(format string, args ...any) {
	if f, ok := r.progressTo.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprintf(f, "\r\x1b[K"+format, args...)
		}
	}
}
