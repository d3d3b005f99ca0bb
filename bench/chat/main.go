// Command chat measures the chat's store against the scheme that it replaces, made
// durable: one JSON file a thread. All of it is measured in one run on one machine, as
// ratios, since machines differ and are noisy. It prints a table and keeps nothing.
//
// It is started in the module's root: go run ./bench/chat
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

	"github.com/askhub/askhub/internal/store/postgrestest"
)

// runner holds what the sections share.
type runner struct {
	work   string
	rounds int
	// posting is how long each round posts; polls how many it polls; stored how many
	// messages the large store holds; streams how many are open.
	posting        time.Duration
	polls, stored  int
	fsynced        int
	streams, beats int
	cluster        *postgrestest.Cluster
	progressTo     io.Writer
}

// Flags by which the program starts itself as a process that is measured.
const (
	postFlag  = "-post"
	serveFlag = "-serve"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := inner(ctx, os.Args[1:])
	if errors.Is(err, errNotInner) {
		err = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

var errNotInner = errors.New("this process measures others")

// inner is a process that another one measures.
func inner(ctx context.Context, args []string) error {
	switch {
	case len(args) == 5 && args[0] == postFlag:
		return postSome(args[1], args[2], args[3], args[4])
	case len(args) == 3 && args[0] == serveFlag:
		return serve(ctx, args[1], args[2])
	}
	return errNotInner
}

// run leaves a figure that misses its aim to the reader; an error is only what could
// not be measured.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	line := flag.NewFlagSet("chat", flag.ContinueOnError)
	line.SetOutput(stderr)
	smoke := line.Bool("smoke", false, "only see that everything runs; the figures mean nothing")
	rounds := line.Int("rounds", 5, "how often each thing is measured")
	only := line.String("only", "post,fsync,poll,page,wire", "the sections to run, with commas between")
	if err := line.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 || line.NArg() > 0 {
		return errors.New("-rounds is 1 or more, and nothing stands after the flags")
	}
	r := &runner{rounds: *rounds, posting: 3 * time.Second, polls: 2000, stored: 100_000, fsynced: 5000, streams: 1000, beats: 400, progressTo: stderr}
	if *smoke {
		r.rounds, r.posting, r.polls, r.stored, r.fsynced, r.streams, r.beats = 1, 100*time.Millisecond, 50, 2000, 200, 50, 20
	}
	if r.work, err = os.MkdirTemp("", "askhub-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	switch r.cluster, err = postgrestest.New(); {
	case errors.Is(err, postgrestest.ErrNotInstalled):
		fmt.Fprintln(stderr, err)
	case err != nil:
		return err
	default:
		defer func() { err = errors.Join(err, r.cluster.Close()) }()
	}
	rows, err := r.sections(ctx, strings.Split(*only, ","))
	if err != nil {
		return err
	}
	r.progress("")
	fmt.Fprintf(stdout, "%s, %d cores, %d rounds\n\n", runtime.Version(), runtime.NumCPU(), r.rounds)
	return printTable(stdout, rows)
}

func (r *runner) sections(ctx context.Context, wanted []string) ([]row, error) {
	var rows []row
	for _, s := range []struct {
		name    string
		measure func(context.Context) ([]row, error)
	}{{"post", r.post}, {"fsync", r.fsync}, {"poll", r.poll}, {"page", r.page}, {"wire", r.wire}} {
		if !slices.Contains(wanted, s.name) {
			continue
		}
		more, err := s.measure(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, more...)
	}
	if len(rows) == 0 {
		return nil, errors.New("-only names no section: there are post, fsync, poll, page, wire")
	}
	return rows, nil
}

// dir is a new folder for one store.
func (r *runner) dir() (string, error) { return os.MkdirTemp(r.work, "") }

// progress says what goes on, on a terminal only.
func (r *runner) progress(format string, args ...any) {
	if f, ok := r.progressTo.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprintf(f, "\r\x1b[K"+format, args...)
		}
	}
}

// databases counts the databases that a run has made.
var databases int

// place is an empty place for a store of that kind: a folder, a file or a database.
func (r *runner) place(kind string) (string, error) {
	if kind == kindServer {
		databases++
		return r.cluster.Create(fmt.Sprint("bench", databases))
	}
	dir, err := r.dir()
	if kind == kindSQLite {
		dir = filepath.Join(dir, "hub.db")
	}
	return dir, err
}

// kinds are the stores that are measured here.
func (r *runner) kinds() []string {
	if r.cluster == nil {
		return []string{kindFiles, kindSQLite}
	}
	return []string{kindFiles, kindSQLite, kindServer}
}
