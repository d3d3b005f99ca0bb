// Package systemd_test checks the unit files and the script that installs them.
package systemd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var units = []string{"askhub.service", "askhub-project@.service"}

// home is an empty home folder with stand-ins for what the script calls.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bin/systemctl"), "#!/bin/sh\necho \"$@\" >>\"$HOME/systemctl.log\"\n", 0o755)
	write(t, filepath.Join(dir, "askhub"), "#!/bin/sh\n", 0o755)
	return dir
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// install runs the script in that home.
func install(t *testing.T, home string, args ...string) (output string, ok bool) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	cmd := exec.Command("./install", args...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + filepath.Join(home, "bin") + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestInstallPutsTheProgramAndTheUnitsInPlace(t *testing.T) {
	home := home(t)
	if out, ok := install(t, home, filepath.Join(home, "askhub")); !ok {
		t.Fatal(out)
	}
	for _, f := range []string{".local/bin/askhub", ".config/systemd/user/askhub.service", ".config/askhub/credentials/hub"} {
		if _, err := os.Stat(filepath.Join(home, f)); err != nil {
			t.Error(err)
		}
	}
	if got := read(t, filepath.Join(home, "systemctl.log")); got != "--user daemon-reload\n" {
		t.Errorf("systemctl was called with %q", got)
	}
	if out, ok := install(t, home, filepath.Join(home, "none")); ok {
		t.Errorf("a program that is not there was installed: %s", out)
	}
}

func TestMovedTokensAreInOnePlace(t *testing.T) {
	home := home(t)
	secrets := filepath.Join(home, ".config/environment.d/10-secrets.conf")
	write(t, secrets, "# ours\nHUB_TOKEN_PHONE=aaaa\nPROJECT_TOKEN_COMPASS_NHS=\"bb+/b=\"\nOTHER=stays\n", 0o600)
	if out, ok := install(t, home, "--credentials"); !ok {
		t.Fatal(out)
	}
	if got := read(t, secrets); got != "# ours\nOTHER=stays\n" {
		t.Errorf("the secrets file holds %q", got)
	}
	for name, want := range map[string]string{"hub/PHONE": "aaaa\n", "project/COMPASS_NHS": "bb+/b=\n"} {
		file := filepath.Join(home, ".config/askhub/credentials", name)
		if got := read(t, file); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want that only its owner reads it", name, info.Mode(), err)
		}
	}

	write(t, secrets, "HUB_TOKEN_PHONE=cccc\n", 0o600)
	if out, ok := install(t, home, "--credentials"); ok || !strings.Contains(out, "is there already") {
		t.Errorf("a token was overwritten: %s", out)
	}
	if got := read(t, secrets); got != "HUB_TOKEN_PHONE=cccc\n" {
		t.Errorf("the refused run changed the secrets file to %q", got)
	}

	if out, ok := install(t, home, "--project", "compass", "compass_nhs"); !ok {
		t.Fatal(out)
	}
	if got := read(t, filepath.Join(home, ".config/askhub/credentials/projects/compass/COMPASS_NHS")); got != "bb+/b=\n" {
		t.Errorf("the project's own token is %q", got)
	}
	if out, ok := install(t, home, "--project", "email", "email_agent"); ok {
		t.Errorf("a token that nobody has was given: %s", out)
	}
}

// verified is a folder of the units as installed, with the program in place.
func verified(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	home := home(t)
	for _, u := range units {
		text := strings.ReplaceAll(read(t, u), "%h", home)
		write(t, filepath.Join(home, "units", strings.Replace(u, "@", "@compass", 1)), text, 0o644)
	}
	write(t, filepath.Join(home, ".local/bin/askhub"), "#!/bin/sh\n", 0o755)
	return filepath.Join(home, "units")
}

func TestSystemdTakesTheUnits(t *testing.T) {
	dir := verified(t)
	for _, u := range []string{"askhub.service", "askhub-project@compass.service"} {
		cmd := exec.Command("systemd-analyze", "verify", "--user", "--man=no", filepath.Join(dir, u))
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil || bytes.Contains(out, []byte(u)) {
			t.Errorf("%s: %v\n%s", u, err, out)
		}
	}
}

// The score is systemd's own, in tenths, and reads a unit as if root ran it: what is
// left of it is nearly all capabilities, which a person's unit never has.
func TestTheUnitsExposeLittle(t *testing.T) {
	dir := verified(t)
	for _, u := range []string{"askhub.service", "askhub-project@compass.service"} {
		out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=45", filepath.Join(dir, u)).CombinedOutput()
		if err != nil {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			t.Errorf("%s: %v: %s", u, err, lines[len(lines)-1])
		}
	}
}
