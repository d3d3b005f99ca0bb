// Package smalldisk gives a test a disk of its own, which is soon full and can be made
// read-only: a tmpfs in a mount namespace that only this test sees.
package smalldisk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inside names, in the environment, the test that runs in its namespace already.
const inside = "ASKHUB_TEST_SMALL_DISK"

// Disk is the disk.
type Disk struct {
	// Dir is where it is mounted.
	Dir string
	t   *testing.T
}

// Run runs the test in a process and a namespace of its own, with a disk of that size,
// such as 2m. It skips where the system allows no such thing.
func Run(t *testing.T, size string, test func(t *testing.T, d *Disk)) {
	t.Helper()
	if os.Getenv(inside) == t.Name() {
		d := &Disk{Dir: filepath.Join(t.TempDir(), "disk"), t: t}
		if err := os.Mkdir(d.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("tmpfs", d.Dir, "tmpfs", 0, "mode=0711,size="+size); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(d.Dir, syscall.MNT_DETACH) })
		test(t, d)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Unshareflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	switch {
	case cmd.Process == nil:
		t.Skipf("a disk of one's own is not allowed here: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("skipped inside:\n%s", out)
	}
}

// Bind shows a folder of the disk in another place too.
func (d *Disk) Bind(folder, place string) error {
	if err := os.Mkdir(place, 0o700); err != nil {
		return err
	}
	d.t.Cleanup(func() { _ = syscall.Unmount(place, syscall.MNT_DETACH) })
	return syscall.Mount(folder, place, "", syscall.MS_BIND, "")
}

// Resize gives the disk another size.
func (d *Disk) Resize(size string) { d.remount(0, "size="+size) }

// ReadOnly makes the disk read-only, or not. It cannot while a file is open for writing.
func (d *Disk) ReadOnly(on bool) {
	flags := uintptr(0)
	if on {
		flags = syscall.MS_RDONLY
	}
	d.remount(flags, "")
}

func (d *Disk) remount(flags uintptr, data string) {
	d.t.Helper()
	if err := syscall.Mount("tmpfs", d.Dir, "tmpfs", syscall.MS_REMOUNT|flags, data); err != nil {
		d.t.Fatal(err)
	}
}
