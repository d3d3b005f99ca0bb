package chattest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/askhub/askhub/chat"
)

// An operation of a history is a post of a text, or a poll since a cursor.
type operation struct {
	thread chat.Thread
	post   bool
	text   string
	since  chat.Cursor
}

// An outcome is what came of it: the new message's epoch, or the page in words.
type outcome struct {
	epoch chat.Cursor
	page  string
}

// line is a message as a history has it.
func line(epoch chat.Cursor, text string) string { return fmt.Sprintf("%d=%s;", epoch, text) }

func pageOf(p chat.Page) string {
	var b strings.Builder
	for _, m := range p.Messages {
		b.WriteString(line(m.Epoch, m.Text))
	}
	fmt.Fprintf(&b, "awaiting %v, cursor %d", p.Awaiting, p.Cursor)
	return b.String()
}

// thread is a thread as a history knows it: its messages in order, for posts are what the
// store said that they are.
type thread struct {
	list string // lines, for comparing
	last chat.Cursor
}

// expected is the page that a poll of the thread must give.
func (s thread) expected(since chat.Cursor) string {
	lines := strings.SplitAfter(s.list, ";")
	lines = lines[:len(lines)-1]
	if since == 0 && len(lines) > chat.Newest {
		lines = lines[len(lines)-chat.Newest:]
	}
	var b strings.Builder
	for _, l := range lines {
		var epoch chat.Cursor
		if _, err := fmt.Sscanf(l, "%d=", &epoch); err == nil && epoch > since {
			b.WriteString(l)
		}
	}
	fmt.Fprintf(&b, "awaiting %v, cursor %d", s.last > 0, s.last)
	return b.String()
}

// threadModel says which histories of one thread could have happened one operation
// after the other.
var threadModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := map[chat.Thread][]porcupine.Operation{}
		for _, o := range history {
			t := o.Input.(operation).thread
			by[t] = append(by[t], o)
		}
		var all [][]porcupine.Operation
		for _, h := range by {
			all = append(all, h)
		}
		return all
	},
	Init: func() any { return thread{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(thread), input.(operation), output.(outcome)
		if !in.post {
			return out.page == s.expected(in.since), s
		}
		return out.epoch > s.last, thread{s.list + line(out.epoch, in.text), out.epoch}
	},
	Equal: func(a, b any) bool { return a.(thread) == b.(thread) },
}

// histories: at once, posts and polls of each thread go as if they went one by one.
func histories(t *testing.T, open Opener) {
	t.Run("is linearizable in each thread", func(t *testing.T) { linearizable(t, []Whole{open(t, lenient())}) })
}

// linearizable has clients post and poll through the handles at once.
func linearizable(t *testing.T, handles []Whole) {
	const clients, each = 8, 40
	threads := []chat.Thread{newThread(), newThread()}
	var mu sync.Mutex
	var history []porcupine.Operation
	begin := time.Now()
	together(clients, func(client int) error {
		s := handles[client%len(handles)]
		known := map[chat.Thread]chat.Cursor{}
		for i := range each {
			in := operation{thread: threads[(client/2+i/5)%len(threads)], post: (client+i)%3 == 0, text: fmt.Sprintf("%d.%d", client, i)}
			in.since = known[in.thread]
			var out outcome
			var err error
			called := time.Since(begin).Nanoseconds()
			if in.post {
				var r chat.Receipt
				// The clocks of those who post do not agree.
				now := began.Add(time.Duration(i-client*7) * time.Millisecond)
				r, err = s.Append(context.Background(), chat.Post{Thread: in.thread, Author: chat.Operator, Text: in.text, Now: now})
				out.epoch = r.Message.Epoch
			} else {
				var p chat.Page
				p, err = s.Read(context.Background(), in.thread, in.since)
				out.page, known[in.thread] = pageOf(p), p.Cursor
			}
			returned := time.Since(begin).Nanoseconds()
			if err != nil {
				t.Error(err)
				return err
			}
			mu.Lock()
			history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: called, Output: out, Return: returned})
			mu.Unlock()
		}
		return nil
	})
	if t.Failed() {
		return
	}
	switch porcupine.CheckOperationsTimeout(threadModel, history, 30*time.Second) {
	case porcupine.Illegal:
		t.Error("no order of these posts and polls gives what was seen")
	case porcupine.Unknown:
		t.Error("the history was not judged within 30 s")
	}
}
