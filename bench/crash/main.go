// Command crash kills a chat's store again and again while many writers post, and sees
// each time that every acknowledged message is there once, in order, and that the store
// is whole: SQLite, and PostgreSQL where it is installed, whose server it fells as well.
//
// It is started in the module's root: go run ./bench/crash
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/askhub/askhub/internal/store"
	"github.com/askhub/askhub/internal/store/crashtest"
	"github.com/askhub/askhub/internal/store/postgres"
	"github.com/askhub/askhub/internal/store/postgrestest"
	"github.com/askhub/askhub/internal/store/sqlite"
)

func main() {
	if len(os.Args) == 5 && os.Args[1] == "-post" {
		post(os.Args[2], os.Args[3], os.Args[4])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

// post is the child that is killed.
func post(address, cycle, writers string) {
	n, err1 := strconv.Atoi(cycle)
	w, err2 := strconv.Atoi(writers)
	s, _, err3 := open(context.Background(), address)
	if err := errors.Join(err1, err2, err3); err != nil {
		crashtest.Die(err)
	}
	crashtest.PostForever(s, n, w)
}

// open opens either kind of store.
func open(ctx context.Context, address string) (s *store.Chat, done func() error, err error) {
	if strings.Contains(address, "://") {
		db, err := postgres.Open(ctx, address, "")
		if err != nil {
			return nil, nil, err
		}
		return db.Chat(crashtest.Rules()), db.Close, nil
	}
	db, err := sqlite.Open(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	return db.Chat(crashtest.Rules()), db.Close, nil
}

// A trial is one store under this treatment.
type trial struct {
	name, address string
	// whole says what is damaged in the store, after each cycle and after all.
	whole, wholeAtLast func(context.Context) error
	// fell and raise are for the store's own server, where it has one.
	fell, raise func() error
	ledger      crashtest.Ledger
	felled      int
}

// run counts; any loss is an error.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	line := flag.NewFlagSet("crash", flag.ContinueOnError)
	line.SetOutput(stderr)
	smoke := line.Bool("smoke", false, "a few cycles only")
	cycles := line.Int("cycles", 200, "how often each store is killed")
	writers := line.Int("writers", 50, "how many post at once")
	if err := line.Parse(args); err != nil {
		return err
	}
	if *cycles < 1 || *writers < 1 || line.NArg() > 0 {
		return errors.New("-cycles and -writers are 1 or more, and nothing stands after the flags")
	}
	if *smoke {
		*cycles = 5
	}
	work, err := os.MkdirTemp("", "askhub-crash-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	path := filepath.Join(work, "hub.db")
	trials := []*trial{{
		name: "SQLite", address: path,
		whole:       func(ctx context.Context) error { return sqlite.Check(ctx, path) },
		wholeAtLast: func(context.Context) error { return nil },
	}}
	cluster, err := postgrestest.New()
	switch {
	case errors.Is(err, postgrestest.ErrNotInstalled):
		fmt.Fprintln(stderr, err)
	case err != nil:
		return err
	default:
		defer func() { err = errors.Join(err, cluster.Close()) }()
		address, err := cluster.Create("crash")
		if err != nil {
			return err
		}
		trials = append(trials, &trial{
			name: "PostgreSQL", address: address,
			whole:       func(context.Context) error { return nil },
			wholeAtLast: func(context.Context) error { return cluster.Whole("crash") },
			fell:        func() error { return cluster.Stop(true) }, raise: cluster.Run,
		})
	}
	begun := time.Now()
	for _, t := range trials {
		if err := t.treat(ctx, *cycles, *writers, stderr); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	fmt.Fprintf(stdout, "%d writers, %s\n\n", *writers, time.Since(begun).Round(time.Second))
	return table(stdout, trials, *cycles)
}

// treat kills the store's writer, or its server each tenth time, so many times.
func (t *trial) treat(ctx context.Context, cycles, writers int, progress io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for cycle := range cycles {
		if err := ctx.Err(); err != nil {
			return err
		}
		var die func() error
		if t.fell != nil && cycle%10 == 4 {
			die = t.fell
			t.felled++
		}
		cmd := exec.Command(self, "-post", t.address, strconv.Itoa(cycle), strconv.Itoa(writers))
		if err := t.ledger.Victim(cmd, 1+rand.IntN(600), die); err != nil {
			return fmt.Errorf("cycle %d: %w", cycle, err)
		}
		if die != nil {
			if err := t.raise(); err != nil {
				return err
			}
		}
		if err := t.check(ctx, cycle == cycles-1); err != nil {
			return fmt.Errorf("after cycle %d: %w", cycle, err)
		}
		if f, ok := progress.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				fmt.Fprintf(f, "\r\x1b[K%s: %d of %d", t.name, cycle+1, cycles)
			}
		}
	}
	return t.wholeAtLast(ctx)
}

func (t *trial) check(ctx context.Context, all bool) (err error) {
	if err := t.whole(ctx); err != nil {
		return err
	}
	s, done, err := open(ctx, t.address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return t.ledger.Check(ctx, s, all)
}

func table(w io.Writer, trials []*trial, cycles int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "store\tkilled\tits server felled\tmessages acknowledged\tlost\ttwice\tout of order")
	for _, trial := range trials {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t0\t0\t0\n", trial.name, cycles-trial.felled, trial.felled, trial.ledger.Len())
	}
	return t.Flush()
}
