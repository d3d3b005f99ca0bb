// Package lawtest holds the laws of the repository as checks that a test runs:
// who may import whom and why, how long a file may be, and that what the pages
// name is there. Each check returns its complaints, one a line, and is itself
// tested on a small module that breaks it.
package lawtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Package is what a law wants to know of one package, in the words of go list.
type Package struct {
	ImportPath   string
	Name         string
	Doc          string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// Tree is a module on disk, as its laws see it.
type Tree struct {
	// Root is the module's folder, Module its path.
	Root, Module string
	// Files are the tracked files and those that would be, relative to Root, with slashes.
	Files []string
	// Packages holds the module's packages and everything that they reach, by import path.
	Packages map[string]Package
}

// Load reads the module in the folder root. A package that does not compile is
// still read: it is the compiler's to complain of that.
func Load(root string) (*Tree, error) {
	module, err := run(root, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	t := &Tree{Root: root, Module: strings.TrimSpace(string(module)), Packages: map[string]Package{}}
	out, err := run(root, "go", "list", "-e", "-deps",
		"-json=ImportPath,Name,Doc,GoFiles,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		return nil, err
	}
	for d := jsontext.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		switch err := json.UnmarshalDecode(d, &p); {
		case errors.Is(err, io.EOF):
			t.Files, err = files(root)
			return t, err
		case err != nil:
			return nil, fmt.Errorf("the output of go list: %w", err)
		}
		t.Packages[p.ImportPath] = p
	}
}

// files asks git, which knows what is ignored. A module that no git knows is walked.
func files(root string) ([]string, error) {
	if out, err := run(root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"); err == nil {
		var list []string
		for f := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			if _, err := os.Stat(filepath.Join(root, f)); f != "" && err == nil {
				list = append(list, f)
			}
		}
		return list, nil
	}
	var list []string
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		list = append(list, filepath.ToSlash(rel))
		return err
	})
	return list, err
}

func run(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}

// rel is a package's path as the laws write it: "./" and the folder for this
// module's own, the import path for everything else.
func (t *Tree) rel(importPath string) string {
	if importPath == t.Module {
		return "./"
	}
	if in, ok := strings.CutPrefix(importPath, t.Module+"/"); ok {
		return "./" + in
	}
	return importPath
}

// read is the content of one file of Files.
func (t *Tree) read(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(t.Root, filepath.FromSlash(file)))
}

// withEnding are the files of that ending.
func (t *Tree) withEnding(ending string) []string {
	var list []string
	for _, f := range t.Files {
		if strings.HasSuffix(f, ending) {
			list = append(list, f)
		}
	}
	return list
}

// matches says whether a path falls under one of the patterns: a path itself, or
// "path/..." for it and everything below.
func matches(path string, patterns []string) bool {
	for _, p := range patterns {
		if base, below := strings.CutSuffix(p, "/..."); path == p || below && (path == base || strings.HasPrefix(path, base+"/")) {
			return true
		}
	}
	return false
}
