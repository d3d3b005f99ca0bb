// Command vulnallow reads the JSON output of govulncheck on standard input and
// exits 1 where this module's code reaches a vulnerability that the file named as
// its argument does not allow. Only the standard library's can be allowed.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// A frame is one step of the way from this module's code to the fault.
type frame struct {
	Module   string `json:"module"`
	Version  string `json:"version"`
	Package  string `json:"package"`
	Function string `json:"function"`
}

// A finding is one vulnerability; the first frame is the faulty symbol.
type finding struct {
	OSV   string  `json:"osv"`
	Fixed string  `json:"fixed_version"`
	Trace []frame `json:"trace"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: govulncheck -format json ./... | vulnallow FILE")
		os.Exit(2)
	}
	allowed, err := readAllowed(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulnallow:", err)
		os.Exit(2)
	}
	found, scanned, err := readFindings(os.Stdin)
	if err == nil && !scanned {
		err = errors.New("standard input holds no report of govulncheck")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vulnallow:", err)
		os.Exit(2)
	}
	if !report(os.Stdout, found, allowed) {
		os.Exit(1)
	}
}

// readAllowed reads the ids that may stand; an id without a reason is refused.
func readAllowed(file string) (map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	allowed := map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, why, _ := strings.Cut(line, " ")
		if strings.TrimSpace(why) == "" {
			return nil, fmt.Errorf("%s:%d: %s has no reason", file, n, id)
		}
		allowed[id] = strings.TrimSpace(why)
	}
	return allowed, lines.Err()
}

// readFindings reads a report; what is only required or imported, and never
// called, is left out. Scanned tells a report from an empty pipe.
func readFindings(r io.Reader) (found map[string]finding, scanned bool, err error) {
	found = map[string]finding{}
	d := json.NewDecoder(r)
	for {
		var m struct {
			Config  *struct{} `json:"config"`
			Finding *finding  `json:"finding"`
		}
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return found, scanned, nil
		case err != nil:
			return nil, scanned, err
		}
		scanned = scanned || m.Config != nil
		if f := m.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			found[f.OSV] = *f
		}
	}
}

// report prints each finding and says whether all of them may stand.
func report(w io.Writer, found map[string]finding, allowed map[string]string) bool {
	good := true
	for _, id := range slices.Sorted(maps.Keys(found)) {
		f := found[id]
		at := f.Trace[0]
		why, ok := allowed[id]
		switch {
		case ok && at.Module == "stdlib":
			fmt.Fprintf(w, "allowed  %s  %s.%s: %s\n", id, at.Package, at.Function, why)
			continue
		case ok:
			fmt.Fprintf(w, "FAULT    %s is allowed, but %s is no part of the standard library: update it\n", id, at.Module)
		default:
			fmt.Fprintf(w, "FAULT    %s  %s.%s of %s %s, mended in %q\n", id, at.Package, at.Function, at.Module, at.Version, f.Fixed)
		}
		good = false
		for _, step := range f.Trace[1:] {
			fmt.Fprintf(w, "         called by %s.%s\n", step.Package, step.Function)
		}
	}
	fmt.Fprintf(w, "%d reached, %d allowed by file\n", len(found), len(allowed))
	return good
}
