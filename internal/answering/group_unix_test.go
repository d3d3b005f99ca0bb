//go:build unix

package answering

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What a program has started ends with it: each holds a pipe open, and the pipe's end
// tells when the last is gone.
func TestACommandEndsWithAllThatItHasStarted(t *testing.T) {
	at := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(at, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		// Nobody reads its standard input, it prints for ever, and it leaves a child each way.
		line := []string{"sh", "-c", `exec 3>"$AT"; echo here >&3; (sleep 3600 &) ; sleep 3600 & yes`}
		ended <- Command{Line: line, Env: []string{"AT=" + at, "PATH=" + os.Getenv("PATH")}}.Tell(ctx, told)
	}()
	pipe, err := os.Open(at) // once the program has opened it too
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := io.ReadFull(pipe, make([]byte, len("here\n"))); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("one that was ended has heard")
	}
	_ = pipe.SetReadDeadline(time.Now().Add(30 * time.Second))
	if n, err := pipe.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("something that it started is still there: %d, %v", n, err)
	}
}
