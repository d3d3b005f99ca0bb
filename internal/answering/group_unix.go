//go:build unix

package answering

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// inGroup has a program end together with those that it has started: it is tried again
// and again, and what each try left behind would fill the machine.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
