package routing_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/logtest"
)

// version is one call of Watch's function.
type version struct {
	file     *routing.File
	problems []routing.Problem
}

// hasTopic is whether the version is good and its first row has that topic.
func (v version) hasTopic(topic string) bool {
	return v.file != nil && v.file.Destinations[0].Topics[0] == topic
}

// withTopic is a correct file whose first topic is that one.
func withTopic(topic string) []byte {
	return []byte(strings.Replace(small, "| email, inbox |", "| "+topic+" |", 1))
}

func write(t *testing.T, path string, src []byte) {
	t.Helper()
	if err := os.WriteFile(path, src, 0o600); err != nil {
		t.Fatal(err)
	}
}

// watch follows path in the background until the test ends, and gives its versions.
func watch(t *testing.T, path string, log *slog.Logger) <-chan version {
	t.Helper()
	versions := make(chan version, 100)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- routing.Watch(ctx, path, log, func(f *routing.File, p []routing.Problem) { versions <- version{f, p} })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Watch: %v", err)
		}
	})
	return versions
}

// until waits for a version that is as wanted, and fails on none within a generous time.
func until(t *testing.T, versions <-chan version, what string, wanted func(version) bool) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case v := <-versions:
			if wanted(v) {
				return
			}
		case <-late:
			t.Fatalf("no version with %s", what)
		}
	}
}

func TestAChangeOfTheFileIsFollowed(t *testing.T) {
	quietLog := slog.New(slog.DiscardHandler)
	for name, change := range map[string]func(t *testing.T, path string){
		"written over": func(t *testing.T, path string) { write(t, path, withTopic("new")) },
		"renamed over it": func(t *testing.T, path string) {
			write(t, path+".tmp", withTopic("new"))
			if err := os.Rename(path+".tmp", path); err != nil {
				t.Fatal(err)
			}
		},
		"moved away and written anew": func(t *testing.T, path string) {
			if err := os.Rename(path, path+"~"); err != nil {
				t.Fatal(err)
			}
			write(t, path, withTopic("new"))
		},
		"truncated, then written in pieces": func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for _, b := range withTopic("new") {
				if _, err := f.Write([]byte{b}); err != nil {
					t.Fatal(err)
				}
			}
		},
		"deleted and made again": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			write(t, path, withTopic("new"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "routing.md")
			write(t, path, withTopic("old"))
			versions := watch(t, path, quietLog)
			until(t, versions, "the first topic", func(v version) bool { return v.hasTopic("old") })
			change(t, path)
			until(t, versions, "the new topic", func(v version) bool { return v.hasTopic("new") })
		})
	}
}

func TestABrokenEditIsReportedWithItsLineAndThenMended(t *testing.T) {
	t.Parallel()
	var logged logtest.Log
	path := filepath.Join(t.TempDir(), "routing.md")
	write(t, path, withTopic("old"))
	versions := watch(t, path, slog.New(slog.NewTextHandler(&logged, nil)))
	until(t, versions, "the first topic", func(v version) bool { return v.hasTopic("old") })

	write(t, path, []byte(strings.Replace(small, "query /ask", "querry", 1)))
	until(t, versions, "an error in line 4", func(v version) bool {
		return v.file == nil && len(v.problems) == 1 && v.problems[0].Line == 4
	})
	if s := logged.String(); !strings.Contains(s, "line=4") || !strings.Contains(s, "last good version stays") {
		t.Errorf("the log does not name the line: %s", s)
	}
	// The very text of before counts again, although it is not new.
	write(t, path, withTopic("old"))
	until(t, versions, "the first topic again", func(v version) bool { return v.hasTopic("old") })
}

func TestAFileThatGoesIsReportedAndComesBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "routing.md")
	write(t, path, withTopic("old"))
	versions := watch(t, path, slog.New(slog.DiscardHandler))
	until(t, versions, "the first topic", func(v version) bool { return v.hasTopic("old") })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	until(t, versions, "the file gone", func(v version) bool {
		return v.file == nil && strings.Contains(v.problems[0].Message, "cannot be read")
	})
	write(t, path, withTopic("old"))
	until(t, versions, "the topic again", func(v version) bool { return v.hasTopic("old") })
}

func TestLinksAreFollowed(t *testing.T) {
	quietLog := slog.New(slog.DiscardHandler)
	link := func(t *testing.T, to, from string) {
		t.Helper()
		if err := os.Symlink(to, from+".new"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(from+".new", from); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("a config folder that is a link", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		target := filepath.Join(dir, "real")
		if err := os.Mkdir(target, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(target, "routing.md"), withTopic("old"))
		link(t, target, filepath.Join(dir, "config"))
		versions := watch(t, filepath.Join(dir, "config", "routing.md"), quietLog)
		until(t, versions, "the first topic", func(v version) bool { return v.hasTopic("old") })
		write(t, filepath.Join(target, "routing.md"), withTopic("new"))
		until(t, versions, "the new topic", func(v version) bool { return v.hasTopic("new") })
	})
	t.Run("a file that is a link into a folder that is swapped", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		for _, v := range []string{"v1", "v2"} {
			if err := os.Mkdir(filepath.Join(dir, v), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, v, "routing.md"), withTopic(v))
		}
		link(t, "v1", filepath.Join(dir, "data"))
		link(t, filepath.Join("data", "routing.md"), filepath.Join(dir, "routing.md"))
		versions := watch(t, filepath.Join(dir, "routing.md"), quietLog)
		until(t, versions, "the first version", func(v version) bool { return v.hasTopic("v1") })
		link(t, "v2", filepath.Join(dir, "data"))
		until(t, versions, "the second version", func(v version) bool { return v.hasTopic("v2") })
		write(t, filepath.Join(dir, "v2", "routing.md"), withTopic("v3"))
		until(t, versions, "a change in the new folder", func(v version) bool { return v.hasTopic("v3") })
	})
}

func TestABrokenFileAtTheStartIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "routing.md")
	never := func(*routing.File, []routing.Problem) { t.Error("a version was reported") }
	log := slog.New(slog.DiscardHandler)

	if err := routing.Watch(t.Context(), path, log, never); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "askhub init") {
		t.Errorf("no file: %v", err)
	}
	write(t, path, []byte(strings.Replace(small, "query /ask", "querry", 1)))
	var fault *routing.FaultError
	if err := routing.Watch(t.Context(), path, log, never); !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), path+":4: unknown kind") {
		t.Errorf("a broken file: %v", err)
	}
	if _, problems, err := routing.Load(path); !errors.As(err, &fault) || len(problems) != 1 {
		t.Errorf("Load of a broken file: %v, %v", problems, err)
	}
}
