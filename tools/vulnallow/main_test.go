package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stream is a report of three findings: one called in the standard library, one
// called in a library, and one that is only imported.
const stream = `{"config": {"protocol_version": "v1.0.0"}}
{"osv": {"id": "GO-1"}}
{"finding": {"osv": "GO-1", "fixed_version": "v1.2.3", "trace": [
  {"module": "stdlib", "version": "v1.0.0", "package": "net/http", "function": "Get"},
  {"module": "example.test/m", "package": "example.test/m", "function": "main"}]}}
{"finding": {"osv": "GO-2", "trace": [{"module": "example.test/lib", "package": "example.test/lib", "function": "Parse"}]}}
{"finding": {"osv": "GO-3", "trace": [{"module": "example.test/lib", "package": "example.test/lib"}]}}
`

func TestOnlyReachedFindingsCount(t *testing.T) {
	found, scanned, err := readFindings(strings.NewReader(stream))
	if err != nil || !scanned || len(found) != 2 {
		t.Fatalf("got %d findings, scanned %v, %v; want GO-1 and GO-2", len(found), scanned, err)
	}
	var out strings.Builder
	if report(&out, found, nil) {
		t.Error("two findings passed with nothing allowed")
	}
	if want := "called by example.test/m.main"; !strings.Contains(out.String(), want) {
		t.Errorf("the report lacks %q:\n%s", want, out.String())
	}
}

func TestOnlyTheStandardLibraryCanBeAllowed(t *testing.T) {
	found, _, err := readFindings(strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	if report(&strings.Builder{}, found, map[string]string{"GO-1": "why", "GO-2": "why"}) {
		t.Error("a library's finding was allowed")
	}
	delete(found, "GO-2")
	if !report(&strings.Builder{}, found, map[string]string{"GO-1": "why"}) {
		t.Error("the standard library's finding was not allowed")
	}
}

func TestAnEmptyReportIsNoScan(t *testing.T) {
	if _, scanned, err := readFindings(strings.NewReader("")); scanned || err != nil {
		t.Errorf("scanned %v, %v; want neither", scanned, err)
	}
	if _, _, err := readFindings(strings.NewReader("no report")); err == nil {
		t.Error("text that is no JSON passed")
	}
}

func TestAnAllowedIDNeedsAReason(t *testing.T) {
	file := filepath.Join(t.TempDir(), "allowed.txt")
	for text, good := range map[string]bool{
		"# comment\n\nGO-1 mended in the next Go\n": true,
		"GO-1\n":    false,
		"GO-1   \n": false,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readAllowed(file); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}
