package sqlite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
)

// text is a message as people write them.
const text = "what does Harry have on today, and does he need his trainers?"

// BenchmarkPost posts by so many writers at once, each in a thread of its own. Their
// clocks go fast, so that the windows let every post through.
func BenchmarkPost(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			c := open(b, fresh(b)).Chat(chat.DefaultRules())
			var left atomic.Int64
			left.Store(int64(b.N))
			took := make([][]time.Duration, writers)
			var all sync.WaitGroup
			begin := time.Now()
			b.ReportAllocs()
			for w := range writers {
				all.Go(func() {
					p := chat.Post{Thread: chat.Thread(chat.NewHolder()), Author: chat.Operator, Text: text, Address: fmt.Sprint("192.0.2.", w), Now: begin}
					for i := 0; left.Add(-1) >= 0; i++ {
						p.Now, p.Key = p.Now.Add(31*time.Second), fmt.Sprint("key ", i)
						at := time.Now()
						if _, err := c.Append(context.Background(), p); err != nil {
							b.Error(err)
							return
						}
						took[w] = append(took[w], time.Since(at))
					}
				})
			}
			all.Wait()
			times := slices.Concat(took...)
			slices.Sort(times)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkPoll polls a thread that is as full as it gets: with nothing new, and the whole
// of it, of which 50 messages come.
func BenchmarkPoll(b *testing.B) {
	c := open(b, fresh(b)).Chat(chat.DefaultRules())
	ctx, thread := context.Background(), chat.Thread(chat.NewHolder())
	var list []chat.Message
	for i := range 200 {
		epoch := chat.Cursor(noon.UnixMilli()) + chat.Cursor(i)
		list = append(list, chat.Message{ID: fmt.Sprint("MSG-20261023-120000-", fmt.Sprintf("%06x", i)), Epoch: epoch, Author: chat.Operator, Text: text})
	}
	if _, err := c.Import(ctx, thread, list, noon); err != nil {
		b.Fatal(err)
	}
	last := list[len(list)-1].Epoch
	for name, since := range map[string]chat.Cursor{"empty": last, "whole": 0} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p, err := c.Read(ctx, thread, since); err != nil || p.Cursor != last {
					b.Fatal(p.Cursor, err)
				}
			}
		})
	}
}
