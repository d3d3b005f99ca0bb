package main

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// forgetCode takes the program's own file out of this process's memory: its start has run
// through all of it, and serving needs little. What is needed comes back from the file
// page by page. Nothing that was written is touched.
func forgetCode() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		if from, size, ok := ownCode(lines.Text(), self); ok {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, size, syscall.MADV_DONTNEED) // advice
		}
	}
}

// ownCode reads one line of /proc/self/maps, and says whether it is a part of that file
// that cannot be written.
func ownCode(line, file string) (from, size uintptr, ok bool) {
	fields := strings.Fields(line)
	if len(fields) != 6 || fields[5] != file || fields[1] != "r-xp" && fields[1] != "r--p" {
		return 0, 0, false
	}
	first, end, _ := strings.Cut(fields[0], "-")
	a, err := strconv.ParseUint(first, 16, 64)
	b, fault := strconv.ParseUint(end, 16, 64)
	if err != nil || fault != nil || b <= a {
		return 0, 0, false
	}
	return uintptr(a), uintptr(b - a), true
}
