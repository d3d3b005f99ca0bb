package speakers

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// ErrUnfit is what no voice may say, or what is too long for one.
var ErrUnfit = errors.New("it cannot be said aloud")

// heard is how long a Speak waits for a fault. A sentence may take longer, and is then
// being said.
const heard = 8 * time.Second

// Speak says sentence in one room for somebody who waits for nothing but a fault: what is
// still being said after a few seconds is said. It ends when ctx does.
func (c *Connector) Speak(ctx context.Context, room, sentence string) error {
	r, ok := c.room(room)
	switch {
	case !ok:
		return fmt.Errorf("there is no speaker in %q", room)
	case sentence == "" || utf8.RuneCountInString(sentence) > maxMessage || !safe(sentence):
		return ErrUnfit
	}
	under := &saying{fault: make(chan error, 1)}
	c.saying.Go(func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
		defer cancel()
		under.fault <- c.announce(bounded, r, sentence, under.first)
	})
	timer := time.NewTimer(heard)
	defer timer.Stop()
	select {
	case err := <-under.fault:
		return err
	case <-timer.C:
		if under.first() { // nothing has begun, and nothing will
			return ErrSilent
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Quiet is whether only what is urgent is said just now.
func (c *Connector) Quiet() bool { return c.cfg.Quiet(c.cfg.Now()) }
