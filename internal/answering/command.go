package answering

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Command tells an assistant by starting a program: it gets the Waiting as JSON on its
// standard input, and an exit with 0 means that it has heard. What a message says is
// never part of the command line. Where its time is over it is ended with all that it
// has started.
type Command struct {
	// Line is the program and its arguments.
	Line []string
	// Env is its whole environment.
	Env []string
}

// stopWait is how long a program may take to stop when its time is over.
const stopWait = 2 * time.Second

// Tell implements Teller.
func (c Command) Tell(ctx context.Context, w Waiting) error {
	body, err := json.Marshal(&w)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, c.Line[0], c.Line[1:]...)
	cmd.Stdin, cmd.Env, cmd.WaitDelay = bytes.NewReader(append(body, '\n')), c.Env, stopWait
	inGroup(cmd)
	said := &tail{}
	cmd.Stdout, cmd.Stderr = said, said
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s took too long", c.Line[0])
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it ended well, and left a child of its own behind
	case err != nil:
		return fmt.Errorf("%s: %w: %s", c.Line[0], err, said)
	}
	return nil
}

// tail keeps the end of what a program says.
type tail struct{ text []byte }

const tailSize = 500

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = t.text[over:]
	}
	return len(b), nil
}

func (t *tail) String() string {
	return strings.ToValidUTF8(strings.TrimSpace(string(t.text)), "\uFFFD")
}
