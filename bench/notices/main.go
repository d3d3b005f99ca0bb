// Command notices measures whether a dead target delays the others: a household gets 1,000
// notices a minute, each for 20 phones, once with all of them alive and once with one that
// takes connections and never answers. Each phone is a server on loopback; the store is
// SQLite on this disk. It prints a table and keeps nothing.
//
// It is started in the module's root: go run ./bench/notices
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/notify/target"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/store/sqlite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// phones is how many targets each notice has.
const phones = 20

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("notices", flag.ContinueOnError)
	perMinute := flags.Int("rate", 1000, "how many notices come in a minute")
	seconds := flags.Int("seconds", 60, "how long each round lasts")
	smoke := flags.Bool("smoke", false, "only see that it runs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *smoke {
		*seconds = 1
	}
	fmt.Fprintf(out, "%d notices a minute for %d s, each for %d phones\n\n", *perMinute, *seconds, phones)
	fmt.Fprintln(out, "| phones | acknowledged | median | 99th | delivered to the living | median | 99th | longest | calls of the dead one |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|")
	for _, dead := range []int{0, 1} {
		r := &round{dead: dead, every: time.Minute / time.Duration(*perMinute), count: *perMinute * *seconds / 60}
		if err := r.run(ctx); err != nil {
			return err
		}
		fmt.Fprintln(out, r.row())
	}
	return nil
}

// round is one measurement.
type round struct {
	dead, count int
	every       time.Duration

	mu    sync.Mutex
	added map[string]time.Time // by message, before it was acknowledged
	acks  []time.Duration
	took  []time.Duration // from before a notice was added until a phone had it
	calls int             // of the dead phone
}

func (r *round) run(ctx context.Context) error {
	r.added = map[string]time.Time{}
	dir, err := os.MkdirTemp("", "askhub-notices-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(ctx, filepath.Join(dir, "askhub.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	addresses, closeAll, err := r.phones()
	if err != nil {
		return err
	}
	defer closeAll()
	house, err := people.Parse("people.toml", []byte("[[person]]\nname = \"sam\"\nrole = \"adult\"\nphone = [\""+strings.Join(addresses, `", "`)+"\"]\n"))
	if err != nil {
		return err
	}
	book := &target.Book{Secret: func(string) (string, bool) { return "", false }}
	outbox := notify.New(notify.Config{Store: db.Notices(), Household: func() *people.Household { return house }, Targets: book.Of, Now: time.Now})
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { outbox.Run(ctx) })
	defer running.Wait()
	defer stop()
	return errors.Join(r.send(ctx, outbox), r.await(ctx))
}

// phones starts the servers; a dead one takes connections and never answers.
func (r *round) phones() (addresses []string, closeAll func(), err error) {
	var closers []io.Closer
	closeAll = func() {
		for _, c := range closers {
			_ = c.Close()
		}
	}
	for i := range phones {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		addresses = append(addresses, fmt.Sprintf("http://%s/phone%d", ln.Addr(), i))
		handler := http.HandlerFunc(r.take)
		if i < r.dead {
			handler = r.hang
		}
		server := ask.NewServer(handler)
		closers = append(closers, server)
		go func() { _ = server.Serve(ln) }()
	}
	return addresses, closeAll, nil
}

func (r *round) hang(_ http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.calls++
	r.mu.Unlock()
	<-req.Context().Done()
}

func (r *round) take(_ http.ResponseWriter, req *http.Request) {
	now := time.Now()
	var m struct {
		Message string `json:"message"`
	}
	if err := json.UnmarshalRead(req.Body, &m); err != nil {
		panic(err) // what is sent here is askhub's own
	}
	r.mu.Lock()
	r.took = append(r.took, now.Sub(r.added[m.Message]))
	r.mu.Unlock()
}

// send adds the notices at an even pace.
func (r *round) send(ctx context.Context, outbox *notify.Outbox) error {
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	for i := range r.count {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		message := fmt.Sprintf("Number %d.", i)
		began := time.Now()
		r.mu.Lock()
		r.added[message] = began
		r.mu.Unlock()
		if _, err := outbox.Add(ctx, notify.Notice{From: notify.Hub, Person: "sam", Message: message, Level: notify.Important}); err != nil {
			return err
		}
		r.acks = append(r.acks, time.Since(began))
	}
	return nil
}

// await waits until the living have everything.
func (r *round) await(ctx context.Context) error {
	want := r.count * (phones - r.dead)
	for limit := time.Now().Add(time.Minute); ; {
		r.mu.Lock()
		got := len(r.took)
		r.mu.Unlock()
		switch {
		case got >= want:
			return nil
		case time.Now().After(limit):
			return fmt.Errorf("only %d of %d were delivered", got, want)
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *round) row() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.acks)
	slices.Sort(r.took)
	at := func(list []time.Duration, share float64) string {
		return list[min(int(share*float64(len(list))), len(list)-1)].Round(100 * time.Microsecond).String()
	}
	alive := "all alive"
	if r.dead > 0 {
		alive = fmt.Sprintf("%d dead", r.dead)
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %d | %s | %s | %s | %d |", alive, len(r.acks), at(r.acks, 0.5), at(r.acks, 0.99),
		len(r.took), at(r.took, 0.5), at(r.took, 0.99), at(r.took, 1), r.calls)
}
