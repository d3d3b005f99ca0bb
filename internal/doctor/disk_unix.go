//go:build linux || darwin

package doctor

import "syscall"

// writable is whether this account may write there; it writes nothing, since the Hub
// watches its folder.
func writable(path string) bool {
	const write = 2
	return syscall.Access(path, write) == nil
}

// freeBytes is the room that is left for this account.
func freeBytes(dir string) (free uint64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
