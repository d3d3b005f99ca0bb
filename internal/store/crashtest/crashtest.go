// Package crashtest has many writers post into a chat's store until something kills them,
// and then sees that every acknowledged message is there once, in order.
package crashtest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/chat"
)

// The writers of a cycle share threads, and a block of cycles has the same ones.
const (
	threads = 10
	block   = 10
)

// began is when the writers' clocks begin. They go fast, so that the windows let every
// post through and are written all the same.
var began = time.Date(2026, 10, 23, 18, 40, 0, 0, time.UTC)

// Rules drop nothing, so that what is gone is lost.
func Rules() chat.Rules {
	r := chat.DefaultRules()
	r.PerThread, r.Threads, r.Keep, r.KeepFor = 1000, 1<<30, 1<<30, 100*365*24*time.Hour
	return r
}

// text is what a writer posts, and also its key.
func text(cycle, writer, n int) string { return fmt.Sprintf("%d.%d.%d", cycle, writer, n) }

func threadOf(cycle, writer int) chat.Thread {
	return chat.Thread(fmt.Sprintf("%016x", cycle/block*threads+writer%threads))
}

func post(cycle, writer, n int) chat.Post {
	return chat.Post{
		Thread: threadOf(cycle, writer), Author: chat.Operator, Text: text(cycle, writer, n), Key: text(cycle, writer, n),
		Address: fmt.Sprint("writer ", writer), Now: began.Add(time.Duration(cycle*10_000+n) * 31 * time.Second),
	}
}

// Post posts by that many writers until ctx ends, and writes a line for each post that
// was acknowledged. A post that failed is repeated with its key, as a client does.
func Post(ctx context.Context, s chat.Store, cycle, writers int, out io.Writer) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for w := range writers {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; {
				r, err := s.Append(ctx, post(cycle, w, n))
				if err != nil {
					select {
					case <-ctx.Done():
					case <-time.After(20 * time.Millisecond):
					}
					continue
				}
				mu.Lock()
				_, err = fmt.Fprintf(out, "%d %d %d %d %s\n", cycle, w, n, r.Message.Epoch, r.Message.ID)
				failed = cmp.Or(failed, err)
				mu.Unlock()
				if err != nil {
					return
				}
				n++
			}
		})
	}
	all.Wait()
	return failed
}

// An ack is one line.
type ack struct {
	cycle, writer, n int
	epoch            chat.Cursor
	id               string
}

// Ledger is what was acknowledged.
type Ledger struct {
	acks  []ack
	cycle int // of the last one
}

// Len is how many messages were acknowledged.
func (l *Ledger) Len() int { return len(l.acks) }

// Read takes lines until there are no more, or until so many came.
func (l *Ledger) Read(lines *bufio.Reader, most int) error {
	for range most {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err // a line that was cut is none
		}
		var a ack
		if _, err := fmt.Sscanf(line, "%d %d %d %d %s", &a.cycle, &a.writer, &a.n, &a.epoch, &a.id); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		l.acks = append(l.acks, a)
		l.cycle = a.cycle
	}
	return nil
}

// Store is what a check needs.
type Store interface {
	chat.Store
	chat.Archive
}

// Check repeats what each writer of the last cycle may have repeated, and looks then for
// every acknowledged message: of the last cycle's threads, or with all of every one.
func (l *Ledger) Check(ctx context.Context, s Store, all bool) error {
	if err := l.repeat(ctx, s); err != nil {
		return err
	}
	byThread := map[chat.Thread][]ack{}
	for _, a := range l.acks {
		if all || a.cycle/block == l.cycle/block {
			t := threadOf(a.cycle, a.writer)
			byThread[t] = append(byThread[t], a)
		}
	}
	var faults []error
	for t, acks := range byThread {
		list, err := s.Whole(ctx, t)
		if err != nil {
			return err
		}
		faults = append(faults, check(list, acks)...)
	}
	return errors.Join(faults...)
}

// repeat posts each writer's last message again, which must be the same one, and its next,
// which may have been kept without an acknowledgement.
func (l *Ledger) repeat(ctx context.Context, s Store) error {
	last := map[int]ack{}
	for _, a := range l.acks {
		if a.cycle == l.cycle && a.n >= last[a.writer].n {
			last[a.writer] = a
		}
	}
	for _, a := range last {
		r, err := s.Append(ctx, post(a.cycle, a.writer, a.n))
		if err != nil {
			return err
		}
		if !r.Repeated || r.Message.ID != a.id || r.Message.Epoch != a.epoch {
			return fmt.Errorf("%s was acknowledged as %s at %d; repeated it is %s at %d (repeated: %v)",
				text(a.cycle, a.writer, a.n), a.id, a.epoch, r.Message.ID, r.Message.Epoch, r.Repeated)
		}
		if _, err := s.Append(ctx, post(a.cycle, a.writer, a.n+1)); err != nil {
			return err
		}
	}
	return nil
}

// check compares what a thread holds with what was acknowledged of it.
func check(list []chat.Message, acks []ack) (faults []error) {
	by := map[string]chat.Message{}
	next := map[string]int{} // the writer's number that must come next
	var last chat.Cursor
	for _, m := range list {
		if m.Epoch <= last {
			faults = append(faults, fmt.Errorf("%s at %d comes after %d", m.Text, m.Epoch, last))
		}
		last = m.Epoch
		if _, there := by[m.Text]; there {
			faults = append(faults, fmt.Errorf("%s is there twice", m.Text))
		}
		by[m.Text] = m
		writer, number, _ := cutLast(m.Text)
		if number != next[writer] {
			faults = append(faults, fmt.Errorf("%s comes where number %d was to come", m.Text, next[writer]))
		}
		next[writer] = number + 1
	}
	for _, a := range acks {
		t := text(a.cycle, a.writer, a.n)
		switch m, there := by[t]; {
		case !there:
			faults = append(faults, fmt.Errorf("%s was acknowledged and is lost", t))
		case m.ID != a.id || m.Epoch != a.epoch:
			faults = append(faults, fmt.Errorf("%s was acknowledged as %s at %d and is %s at %d", t, a.id, a.epoch, m.ID, m.Epoch))
		}
	}
	if len(faults) > 20 {
		faults = append(slices.Clip(faults[:20]), fmt.Errorf("and %d more", len(faults)-20))
	}
	return faults
}

// cutLast cuts a text into its writer and its number.
func cutLast(s string) (writer string, number int, err error) {
	i := strings.LastIndexByte(s, '.')
	_, err = fmt.Sscanf(s[i+1:], "%d", &number)
	return s[:i], number, err
}
