package children

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain is also the child: with CHILD set, this binary is one.
func TestMain(m *testing.M) {
	switch os.Getenv("CHILD") {
	case "ends":
		fmt.Println("started", os.Getenv("TOKEN"))
		os.Exit(1)
	case "stays":
		fmt.Println("started", os.Getenv("TOKEN"))
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Println("stopped")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is this binary as a child of that kind, with the lines that it prints.
func child(t *testing.T, kind string, token func() string) (Child, <-chan string) {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	lines := make(chan string, 100)
	go func() {
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return Child{
		Name: "school", Path: os.Args[0], Output: w,
		Env: func() ([]string, error) { return []string{"CHILD=" + kind, "TOKEN=" + token()}, nil },
	}, lines
}

func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(20 * time.Second):
		t.Fatal("the child said nothing")
		return ""
	}
}

func TestAChildThatEndsIsStartedAgain(t *testing.T) {
	c, lines := child(t, "ends", func() string { return "a" })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { Keep(ctx, []Child{c}, slog.New(slog.DiscardHandler)); close(done) }()
	for range 2 {
		if got := next(t, lines); got != "started a" {
			t.Fatalf("got %q", got)
		}
	}
	cancel()
	<-done
}

func TestAChildStopsWithItsParentAndRestartsWithItsNewToken(t *testing.T) {
	var token atomic.Value
	token.Store("old")
	c, lines := child(t, "stays", func() string { return token.Load().(string) })
	restart := make(chan struct{})
	c.Restart = restart
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { Keep(ctx, []Child{c}, slog.New(slog.DiscardHandler)); close(done) }()
	if got := next(t, lines); got != "started old" {
		t.Fatalf("got %q", got)
	}
	token.Store("new")
	restart <- struct{}{}
	if got := next(t, lines); got != "stopped" {
		t.Fatalf("got %q", got)
	}
	if got := next(t, lines); got != "started new" {
		t.Fatalf("got %q", got)
	}
	cancel()
	if got := next(t, lines); got != "stopped" {
		t.Fatalf("a child must stop by itself when its standard input ends, got %q", got)
	}
	<-done
}
