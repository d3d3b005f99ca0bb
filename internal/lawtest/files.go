package lawtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// MaxLines is the length at which a Go file wants a seam.
const MaxLines = 600

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// LongFiles complains of Go files over MaxLines that no generator wrote.
func LongFiles(t *Tree) []string {
	return t.eachGo(func(file string, text []byte) []string {
		if n := bytes.Count(text, []byte("\n")); n > MaxLines && !generated.Match(text) {
			return []string{fmt.Sprintf("%s has %d lines, more than %d: find its seam", file, n, MaxLines)}
		}
		return nil
	})
}

// vague are names that say nothing of what a package is for, so that everything ends in it.
var vague = []string{"util", "utils", "common", "models", "helper", "helpers", "misc", "shared", "types", "base"}

// VagueNames complains of packages whose name says nothing.
func VagueNames(t *Tree) []string {
	return t.eachPackage(func(dir string, p Package) []string {
		if slices.Contains(vague, p.Name) || slices.Contains(vague, path.Base(dir)) {
			return []string{dir + " has a name that says nothing: call it after what it does"}
		}
		return nil
	})
}

// MissingDocs complains of packages without a doc comment.
func MissingDocs(t *Tree) []string {
	return t.eachPackage(func(dir string, p Package) []string {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			return []string{dir + " has no package comment: say in a sentence what it is for"}
		}
		return nil
	})
}

// BareSkips complains of a test that is skipped without a reason.
func BareSkips(t *Tree) []string {
	return t.eachGo(func(file string, text []byte) []string {
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		var faults []string
		inspect(file, text, func(at token.Position, n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "SkipNow" && f.Sel.Name != "Skip" && f.Sel.Name != "Skipf" {
				return
			}
			// A method of another type may have the same name; a test's receiver is a plain name.
			if who, ok := f.X.(*ast.Ident); !ok || len(who.Name) > 2 {
				return
			}
			if len(call.Args) == 0 || literal(call.Args[0]) == `""` {
				faults = append(faults, fmt.Sprintf("%s:%d skips without a reason: say what is missing", file, at.Line))
			}
		})
		return faults
	})
}

// foreign are paths and hosts of the machine that something was built on. They are
// put together here, so that this file does not break its own law.
var foreign = regexp.MustCompile(`(^|[^\w.~-])/(work|root)/|bash` + `_jobs|` +
	`\b(proxy\.golang|sum\.golang|pypi|files\.pythonhosted|deb\.debian|security\.debian|registry\.npmjs|registry\.yarnpkg|static\.crates|index\.crates)` + `\.(org|io|com)\b`)

// ForeignPaths complains of a path of one machine or of a registry's host in any
// tracked text. A lock file is its own client's to write.
func ForeignPaths(t *Tree) []string {
	var faults []string
	for _, file := range t.Files {
		if path.Base(file) == "package-lock.json" || path.Base(file) == "go.sum" {
			continue
		}
		text, err := t.read(file)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		for n, line := range strings.Split(string(text), "\n") {
			if found := foreign.FindString(line); found != "" {
				faults = append(faults, fmt.Sprintf("%s:%d names %q, which belongs to one machine", file, n+1, found))
			}
		}
	}
	return faults
}

// writes are the words of a path that would change something on the internet-control
// service: what spec 2, section 3, keeps out of the Hub.
var writes = regexp.MustCompile(`(?i)^(https?://[^/]+)?/([\w.{}%-]+/)*(limits?|allowances?|schedules?|blocklists?|filters?|parental\w*|profiles?|pause|unlock|lock|cut|restore|internet)(/|\?|$)`)

// ControlEndpoints complains of a string in one of the folders that could name a
// write of the internet-control service.
func ControlEndpoints(t *Tree, folders ...string) []string {
	return t.eachGo(func(file string, text []byte) []string {
		if strings.HasSuffix(file, "_test.go") || !matches("./"+path.Dir(file), folders) {
			return nil
		}
		var faults []string
		inspect(file, text, func(at token.Position, n ast.Node) {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return
			}
			// A route's pattern may begin with its method.
			_, target, found := strings.Cut(unquote(lit), " ")
			if !found {
				target = unquote(lit)
			}
			if writes.MatchString(target) {
				faults = append(faults, fmt.Sprintf("%s:%d names %s: the Hub holds no way to a control action", file, at.Line, lit.Value))
			}
		})
		return faults
	})
}

func (t *Tree) eachGo(check func(file string, text []byte) []string) []string {
	var faults []string
	for _, file := range t.withEnding(".go") {
		if strings.Contains("/"+file, "/testdata/") {
			continue
		}
		text, err := t.read(file)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		faults = append(faults, check(file, text)...)
	}
	return faults
}

func (t *Tree) eachPackage(check func(dir string, p Package) []string) []string {
	var faults []string
	for _, importPath := range slices.Sorted(maps.Keys(t.Packages)) {
		if dir := t.rel(importPath); strings.HasPrefix(dir, "./") {
			faults = append(faults, check(dir, t.Packages[importPath])...)
		}
	}
	return faults
}

// inspect visits each node of a Go file; one that does not parse is the compiler's
// to complain of.
func inspect(file string, text []byte, visit func(token.Position, ast.Node)) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n != nil {
			visit(set.Position(n.Pos()), n)
		}
		return true
	})
}

func literal(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		return lit.Value
	}
	return ""
}

func unquote(lit *ast.BasicLit) string {
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return lit.Value
	}
	return s
}
