package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestQuantileIsTheNearestRank(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3, 6, 7, 8, 9, 10}
	for share, want := range map[float64]float64{0: 1, 0.5: 5, 0.9: 9, 0.99: 10, 1: 10} {
		if got := quantile(values, share); got != want {
			t.Errorf("quantile %v is %v, want %v", share, got, want)
		}
	}
	if got := median([]time.Duration(nil)); got != 0 {
		t.Errorf("the median of nothing is %v", got)
	}
	if values[0] != 5 {
		t.Error("the values were sorted in place")
	}
}

func TestARowIsKeptWithinItsLimit(t *testing.T) {
	tests := []struct {
		name string
		row  row
		want bool
	}{
		{"the median ratio counts, not the worst", row{hub: []float64{1, 1, 9}, ref: []float64{1, 1, 1}, limit: 1}, true},
		{"more than the limit", row{hub: []float64{2, 2, 0}, ref: []float64{1, 1, 1}, limit: 1.5}, false},
		{"nothing measured", row{limit: 1}, false},
		{"an absolute limit goes by the worst", row{hub: []float64{1, 30}, limit: 25, absolute: true}, false},
		{"within an absolute limit", row{hub: []float64{1, 20}, limit: 25, absolute: true}, true},
	}
	for _, test := range tests {
		if got := test.row.kept(); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	var out strings.Builder
	if err := printTable(&out, "Hub", []row{tests[1].row}, true); err != nil || !strings.Contains(out.String(), "NO") {
		t.Errorf("the table hides a miss (%v):\n%s", err, out.String())
	}
}

func TestLoadAsksEachQuestionOnce(t *testing.T) {
	var asked, together, most atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := together.Add(1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		asked.Add(1)
		_, _ = w.Write([]byte(`{"answer":"two"}`))
		together.Add(-1)
	}))
	defer server.Close()
	target := newTarget(&process{name: "p", url: server.URL}, askOne, []string{"t"}, `"answer":"two"`)
	times, err := target.atOnce(context.Background(), 200, 8)
	if err != nil || len(times) != 200 || asked.Load() != 200 || most.Load() > 8 {
		t.Errorf("%d times, %d asked, %d at once, %v; want 200, 200, at most 8", len(times), asked.Load(), most.Load(), err)
	}
	if times, err := target.paced(context.Background(), 1000, 50*time.Millisecond); err != nil || len(times) != 50 {
		t.Errorf("%d paced, %v; want 50", len(times), err)
	}
}

func TestAWrongReplyIsNoFigure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"answer":null,"reason":"x"}`))
	}))
	defer server.Close()
	target := newTarget(&process{name: "p", url: server.URL}, askOne, []string{"t"}, `"answer":"two"`)
	if _, err := target.atOnce(context.Background(), 10, 2); err == nil {
		t.Error("a reply without its answer was counted")
	}
}

func TestAProcessTellsItsTimeAndMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: &exec.Cmd{Process: self}}
	if mb, err := p.memory(); err != nil || mb < 1 {
		t.Errorf("%v MB, %v", mb, err)
	}
	begin, err := p.cpu()
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ { // until the clock has moved, so that no machine is too fast
		now, err := p.cpu()
		if err != nil || now < begin {
			t.Fatalf("%v after %v: %v", now, begin, err)
		}
		if now > begin {
			break
		}
	}
}

func TestAProgramThatEndsIsSaidSo(t *testing.T) {
	_, err := start(context.Background(), "it", "/bin/sh", "-c", "echo no store >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "no store") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v; want what it wrote and its exit status", err)
	}
	if _, err := start(context.Background(), "it", filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v; want that there is no such program", err)
	}
}
