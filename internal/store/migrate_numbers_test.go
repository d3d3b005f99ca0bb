package store

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

// Two branches may each take the next number. Only the two engines' files of one migration
// share theirs.
func TestEachMigrationHasANumberOfItsOwn(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	seen := map[string]string{}
	for _, name := range names {
		number, rest, _ := strings.Cut(path.Base(name), "_")
		what := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(rest, ".sql"), "_sqlite"), "_postgres")
		if other, taken := seen[number]; taken && other != what {
			t.Errorf("%s has the number of %s: give it the next one", name, other)
		}
		seen[number] = what
	}
}
