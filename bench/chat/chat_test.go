package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askhub/askhub/chat"
)

// What is compared does the same work: the same posts give the same pages.
func TestTheReferenceAndTheStoreGiveTheSamePages(t *testing.T) {
	ctx := context.Background()
	var pages [2][]chat.Page
	for i, place := range []string{t.TempDir(), filepath.Join(t.TempDir(), "hub.db")} {
		s, err := open(ctx, place)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.fill(threadOf(0), rules().Keep); err != nil {
			t.Fatal(err)
		}
		var first chat.Cursor
		for n := range 60 {
			r, err := s.Append(ctx, chat.Post{Thread: threadOf(0), Author: chat.Operator, Text: text, Now: began.Add(time.Duration(n%7) * time.Second)})
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				first = r.Message.Epoch
			}
		}
		for _, since := range []chat.Cursor{0, 1, first, first + 1<<40} {
			p, err := s.Read(ctx, threadOf(0), since)
			if err != nil {
				t.Fatal(err)
			}
			pages[i] = append(pages[i], p)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	if d := cmp.Diff(pages[0], pages[1], cmpopts.EquateEmpty(), cmpopts.IgnoreFields(chat.Message{}, "ID")); d != "" {
		t.Errorf("reference and store differ:\n%s", d)
	}
}

func TestATableSaysWhatMissesItsAim(t *testing.T) {
	rows := compare("a thing", "µs", map[string][]float64{kindFiles: {100, 100, 100}, kindSQLite: {5, 9, 50}}, 0.1)
	rows = append(rows, compare("another", "ms", map[string][]float64{kindFiles: {1}, kindSQLite: {2}, kindServer: {3}}, 1)...)
	rows = append(rows, row{what: "a third", unit: "MB", kind: kindSQLite, got: []float64{61}, limit: 60, absolute: true})
	var out strings.Builder
	if err := printTable(&out, rows); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"yes", "NO", "", "NO"} {
		line := strings.Split(out.String(), "\n")[i+1]
		fields := strings.Fields(line)
		last := fields[len(fields)-1]
		if want == "" && (last == "yes" || last == "NO") || want != "" && last != want {
			t.Errorf("%q ends in %q, want %q", line, last, want)
		}
	}
}
