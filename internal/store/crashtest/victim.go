package crashtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/askhub/askhub/chat"
)

// Victim has the command post, whose standard output is what Post writes, and kills it:
// by die after so many acknowledgements, where die is nil by kill -9. What it has
// acknowledged goes into the ledger.
func (l *Ledger) Victim(cmd *exec.Cmd, after int, die func() error) error {
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if die == nil {
		die = cmd.Process.Kill
	}
	lines := bufio.NewReaderSize(out, 1<<16)
	if err := l.Read(lines, after); err != nil {
		return errors.Join(fmt.Errorf("it ended before it was killed: %w", err), cmd.Wait())
	}
	err = errors.Join(die(), ignoreDone(cmd.Process.Kill()))
	// What it said before it died counts too.
	if rest := l.Read(lines, 1<<30); !errors.Is(rest, io.EOF) {
		err = errors.Join(err, rest)
	}
	_ = cmd.Wait() // it was killed
	return err
}

func ignoreDone(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Die ends a child that was to post and cannot.
func Die(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// PostForever posts as Post does, until the process is killed.
func PostForever(s chat.Store, cycle, writers int) {
	if err := Post(context.Background(), s, cycle, writers, os.Stdout); err != nil {
		Die(err)
	}
}
