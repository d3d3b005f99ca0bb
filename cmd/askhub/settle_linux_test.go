package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestOnlyCodeIsForgotten(t *testing.T) {
	const file = "/usr/local/bin/askhub"
	for line, want := range map[string]bool{
		"00400000-00ce6000 r-xp 00000000 fd:00 12 " + file:        true,
		"00ce6000-02000000 r--p 008e6000 fd:00 12 " + file:        true,
		"02000000-02100000 rw-p 01c00000 fd:00 12 " + file:        false,
		"7f0000000000-7f0000001000 r-xp 00000000 fd:00 13 /lib/x": false,
		"7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0 [vdso]":  false,
		"c000000000-c000400000 rw-p 00000000 00:00 0":             false,
		"": false,
	} {
		if _, _, ok := ownCode(line, file); ok != want {
			t.Errorf("%q: %v", line, ok)
		}
	}
	if from, size, _ := ownCode("00400000-00ce6000 r-xp 00000000 fd:00 12 "+file, file); from != 0x400000 || size != 0x8e6000 {
		t.Errorf("%x, %x", from, size)
	}
}

// TestTheProgramGoesOnWithoutItsCode forgets, and runs what was forgotten.
func TestTheProgramGoesOnWithoutItsCode(t *testing.T) {
	resident := func() (kb int) {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Skip("/proc is not there")
		}
		_, rest, _ := strings.Cut(string(status), "RssFile:")
		if _, err := fmt.Sscanf(strings.TrimSpace(rest), "%d kB", &kb); err != nil {
			t.Fatal(err)
		}
		return kb
	}
	before := resident()
	forgetCode()
	if after := resident(); after >= before {
		t.Errorf("%d kB of files are in memory, %d before", after, before)
	}
}
