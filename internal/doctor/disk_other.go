//go:build !linux && !darwin

package doctor

func writable(string) bool { return true }

func freeBytes(string) (free uint64, known bool) { return 0, false }
