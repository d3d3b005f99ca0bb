// Package browsertest runs the tests of pages, which are node's, in Debian's Chromium. What those
// tests share is in profile.mjs.
package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Chromium is the browser's program. The test is skipped where it is not installed, or the
// browser's libraries are not in page, the folder of internal/web's browser tests.
func Chromium(t *testing.T, page string) string {
	t.Helper()
	chromium := program(t, "chromium")
	for _, name := range []string{"playwright-core", "@axe-core/playwright"} {
		if _, err := os.Stat(filepath.Join(page, "node_modules", filepath.FromSlash(name))); err != nil {
			t.Skipf("%s is not installed: run npm ci in internal/web/browser", name)
		}
	}
	return chromium
}

// Files are the names of the tests in dir; there has to be one.
func Files(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.test.mjs"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no tests in %s: %v", dir, err)
	}
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return files
}

// Run runs one file of dir on node's own test runner, with that environment beside this
// process's, and passes its verdict on. The test is skipped where node is not installed.
func Run(t *testing.T, dir, file string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, "node"), "--test", "--test-reporter=spec", file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("node --test %s: %v", file, err)
	}
}

func program(t *testing.T, name string) string {
	t.Helper()
	found, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return found
}
