package main

import (
	"fmt"
	"runtime/debug"
)

// version is set by the release build; else the module's own is used.
var version = ""

// versionText is the version of this binary.
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "0.1.0-dev"
}

type versionCmd struct{}

// Help is the command's example.
func (versionCmd) Help() string { return "Example:\n  askhub version" }

// Run prints the version.
func (versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.stdout, "askhub", versionText())
	return err
}
