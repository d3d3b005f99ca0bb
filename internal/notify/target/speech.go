package target

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
)

// aloud is that room as a target. A room that nothing can be said in is broken.
func aloud(s notify.Speaker, room string) notify.Target {
	t := notify.Target{Key: notify.KindSpeech.Key(people.Fold(room)), Name: "speech in the " + room}
	var has func(string) bool
	if s != nil {
		has = s.Has
	}
	if wrong := Unspoken(has, room); wrong != nil {
		t.Broken = wrong.Error()
		return t
	}
	t.Sender = speech{s, room}
	return t
}

// Unspoken is why nothing can be said in that room, nil where it can. Has knows the rooms
// that can be spoken in, and is nil where the house has no speakers.
func Unspoken(has func(room string) bool, room string) *Wrong {
	switch {
	case has == nil:
		return &Wrong{fmt.Sprintf("%q is to be spoken in, and askhub.toml has no speakers", room), "write the room under [[speakers.rooms]] there, or take it out of speak_in"}
	case !has(room):
		return &Wrong{fmt.Sprintf("%q is no room of askhub.toml", room), "write it under [[speakers.rooms]] there, or mend its name in speak_in"}
	}
	return nil
}

// speech lets one room take messages.
type speech struct {
	speaker notify.Speaker
	room    string
}

// Send implements notify.Sender. A voice says the words alone.
func (s speech) Send(ctx context.Context, m *notify.Message) error {
	return s.speaker.Speak(ctx, s.room, m.Text)
}

// Once is a Speaker that says the same words once within notify.Merge in each room, whoever
// they are for, and one thing at a time there. Make it by OncePerRoom.
type Once struct {
	notify.Speaker
	now   func() time.Time
	mu    sync.Mutex
	rooms map[string]*place
}

// place is one room: who holds turn speaks there.
type place struct {
	turn chan struct{}
	said map[string]time.Time
}

// OncePerRoom is a Once before s.
func OncePerRoom(s notify.Speaker, now func() time.Time) *Once {
	return &Once{Speaker: s, now: now, rooms: map[string]*place{}}
}

// Speak implements notify.Speaker.
func (o *Once) Speak(ctx context.Context, room, sentence string) error {
	r := o.in(room)
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return notify.Retry("something else is still being said in the " + room)
	}
	defer func() { <-r.turn }()
	for words, at := range r.said {
		if age := o.now().Sub(at); age >= notify.Merge || age < 0 {
			delete(r.said, words)
		}
	}
	if _, just := r.said[sentence]; just {
		return nil
	}
	if err := o.Speaker.Speak(ctx, room, sentence); err != nil {
		return err
	}
	r.said[sentence] = o.now()
	return nil
}

func (o *Once) in(room string) *place {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := people.Fold(room)
	if o.rooms[key] == nil {
		o.rooms[key] = &place{turn: make(chan struct{}, 1), said: map[string]time.Time{}}
	}
	return o.rooms[key]
}
