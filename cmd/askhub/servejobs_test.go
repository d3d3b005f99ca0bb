package main

import (
	"context"
	"errors"
	"testing"

	"github.com/askhub/askhub/internal/connector/paperclip"
	"github.com/askhub/askhub/internal/jobs"
	"github.com/askhub/askhub/internal/notify"
)

// shelf is an outbox that takes notices, or says why not.
type shelf struct {
	taken []notify.Notice
	err   error
}

func (s *shelf) Add(_ context.Context, n notify.Notice) (string, error) {
	s.taken = append(s.taken, n)
	return "ntc_1", s.err
}

func TestNewsOfAJobAreNoticesOfTheHub(t *testing.T) {
	for important, level := range map[bool]notify.Level{false: notify.Info, true: notify.Important} {
		s := &shelf{}
		if err := (jobNews{s}).Tell(t.Context(), jobs.News{Person: "sam", Message: "The job is done.", Important: important}); err != nil {
			t.Fatal(err)
		}
		want := notify.Notice{From: notify.Hub, Person: "sam", Message: "The job is done.", Level: level}
		if len(s.taken) != 1 || s.taken[0] != want {
			t.Errorf("got %+v, want %+v", s.taken, want)
		}
	}
	if err := (jobNews{&shelf{err: notify.ErrUnknownPerson}}).Tell(t.Context(), jobs.News{}); err != nil {
		t.Errorf("who does not live here any more is told nothing, got %v", err)
	}
	full := errors.New("the disk is full")
	if err := (jobNews{&shelf{err: full}}).Tell(t.Context(), jobs.News{}); !errors.Is(err, full) {
		t.Errorf("what was not kept is told later, got %v", err)
	}
}

// What stands in an approval is filed as it stands, or not at all.
func TestAnActionThatIsNoJobIsCertainlyNotFiled(t *testing.T) {
	bench := workBench{paperclip.New(paperclip.Config{})}
	for _, action := range []string{`{}`, `{"destination":"paperclip"}`, `[]`, `{"destination":"paperclip","title":"x","more":1}`} {
		_, err := bench.File(t.Context(), "a1", []byte(action))
		var failure jobs.Failure
		if !errors.As(err, &failure) || failure.Uncertain() || failure.Says() == "" {
			t.Errorf("%s: got %v", action, err)
		}
	}
}
