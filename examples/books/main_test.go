package main

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/ask/asktest"
	"github.com/askhub/askhub/askplan"
)

const token = "books-token-0123456789abcdef0123456789"

func made(t *testing.T) askserve.Project {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC) }
	of := project(now)
	of.Token, of.Zone = token, time.UTC
	p, err := askplan.New(of)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBooksAnswer(t *testing.T) {
	p := made(t)
	for _, c := range []struct {
		asker          ask.Asker
		question, want string // a reason where it is no sentence
	}{
		{"sam", "Which books have I borrowed?", "You have 2 books on loan: Momo due on Friday and The BFG due on Friday 11 December."},
		{"sam", "Which books are due by Friday?", "You have one book due: Momo on Friday."},
		{"harry", "Which books have I borrowed?", "You have no books on loan."},
		{"sam", "Where is The Hobbit?", "The library has one book: The Hobbit on shelf F2."},
		{"sam", "Does the library have books by Roald Dahl?", "The library has 2 books: Matilda on shelf C1 and The Witches on shelf C1."},
		{"sam", "Does the library have a book called “Dune”?", "There are no books titled “Dune” in the library."},
		{"sam", "Renew The BFG", "asking changes nothing here"},
		{"sam", "Which book should I read?", "that needs a person's own judgement"},
		{"sam", "What is for dinner?", "that is about something else"},
		{"sam", "How many pages has the book?", "there is no look-up here that tells that"},
	} {
		a, err := p.Answer(context.Background(), ask.Question{Question: c.question, Asker: c.asker})
		if err != nil {
			t.Fatal(err)
		}
		got := a.Reason
		if a.Answer != nil {
			got = *a.Answer
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q\n%s", c.question, got, c.want, a.Data)
		}
	}
}

func TestBooksKeepTheContract(t *testing.T) {
	h, err := askserve.New(made(t))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := ask.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- ask.Serve(ctx, ln, h) }()
	asktest.Run(t, "http://"+ln.Addr().String(), token, asktest.Asking("Which books have I borrowed?"))
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestBooksIsSmall(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n >= 135 {
		t.Errorf("a project of three look-ups has %d lines", n)
	}
}
