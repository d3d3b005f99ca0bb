package api

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/openapi.json anew")

// TestTheDocumentInTheDocsIsTheOneThatIsServed keeps docs/openapi.json true;
// go test ./internal/api -update writes it.
func TestTheDocumentInTheDocsIsTheOneThatIsServed(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "openapi.json")
	served := Document("1")
	if *update {
		if err := os.WriteFile(path, served, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, served) {
		t.Error("docs/openapi.json is out of date: go test ./internal/api -update writes it anew")
	}
}
