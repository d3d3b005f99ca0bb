package lawtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// module writes a txtar archive as a module called m, and loads it.
func module(t *testing.T, archive string) *Tree {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive + "-- go.mod --\nmodule m\n\ngo 1.26\n")).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return load(t, root)
}

// broken holds for each law the modules that break it and the chain of imports
// that the complaint must show.
var broken = map[string][]struct{ archive, way string }{
	"the contract is small": {
		{pkg("ask/askserve", "example.test/big"), "./ask/askserve imports example.test/big"},
		{pkg("ask", "m/internal/words") + pkg("internal/words"), "./ask imports ./internal/words"},
		{pkg("ask") + "-- ask/a_test.go --\npackage ask\nimport _ \"example.test/big\"\n", "./ask imports example.test/big"},
	},
	"the chat is small": {
		{pkg("chat", "database/sql/driver", "example.test/big"), "./chat imports example.test/big"},
	},
	"a chat program does not carry the test cases": {
		{pkg("chat", "m/chat/chattest") + pkg("chat/chattest"), "./chat imports ./chat/chattest"},
	},
	"the contract knows nothing of the Hub": {
		{pkg("plan", "m/internal/words") + pkg("internal/words"), "./plan imports ./internal/words"},
	},
	"a project needs no database": {
		{pkg("ask/askserve", "m/ask") + pkg("ask", "database/sql"), "./ask imports database/sql"},
		{pkg("ask/askserve", "m/ask") + pkg("ask", "database/sql"), "./ask/askserve imports ./ask imports database/sql"},
	},
	"the cases of approvals are small": {
		{pkg("ask/approve/approvetest", "example.test/big"), "./ask/approve/approvetest imports example.test/big"},
	},
	"a program does not carry the test cases": {
		{pkg("ask/askserve", "m/ask/asktest") + pkg("ask/asktest"), "./ask/askserve imports ./ask/asktest"},
	},
	"the catalogue knows no HTTP": {
		{pkg("plan", "m/plan/answer") + pkg("plan/answer", "net/http"), "./plan imports ./plan/answer imports net/http"},
	},
	"the catalogue keeps nothing and holds no model": {
		{pkg("plan", "database/sql"), "./plan imports database/sql"},
		{pkg("plan", "m/x") + pkg("x", "m/internal/llm") + pkg("internal/llm"), "./plan imports ./x imports ./internal/llm"},
	},
	"the admin app asks as anybody does": {
		{pkg("internal/admin", "m/x") + pkg("x", "m/internal/hub") + pkg("internal/hub"), "./internal/admin imports ./x imports ./internal/hub"},
	},
	"the guard holds no model": {
		{pkg("internal/hub/guard", "m/x") + pkg("x", "m/internal/llm") + pkg("internal/llm"), "./internal/hub/guard imports ./x imports ./internal/llm"},
	},
	"the guard reaches no network": {
		{pkg("internal/hub/guard", "net"), "./internal/hub/guard imports net"},
		{pkg("internal/hub/guard", "m/fold") + pkg("fold", "net/http"), "./internal/hub/guard imports ./fold imports net/http"},
	},
	"what acts holds no model": {
		{pkg("internal/hub/merge", "m/internal/llm/script") + pkg("internal/llm/script"), "./internal/hub/merge imports ./internal/llm/script"},
		{pkg("internal/hub/dispatch", "github.com/sashabaranov/go-openai"), "imports github.com/sashabaranov/go-openai"},
	},
	"only decide may use a model": {
		{pkg("internal/project/email", "m/internal/llm") + pkg("internal/llm"), "./internal/project/email imports ./internal/llm"},
		{pkg("internal/api", "m/internal/llm/openai") + pkg("internal/llm/openai"), "./internal/api imports ./internal/llm/openai"},
	},
	"a scripted model is for tests": {
		{pkg("cmd/askhub", "m/x") + pkg("x", "m/internal/llm/script") + pkg("internal/llm/script"), "./x imports ./internal/llm/script"},
	},
	"stages meet only in the Hub": {
		{pkg("internal/hub/merge", "m/internal/hub/reply") + pkg("internal/hub/reply"), "./internal/hub/merge imports ./internal/hub/reply"},
		{pkg("internal/hub/decide", "m/x") + pkg("x", "m/internal/hub/guard") + pkg("internal/hub/guard"), "./x imports ./internal/hub/guard"},
	},
	"the Hub learns no data model": {
		{pkg("internal/api", "m/internal/hub") + pkg("internal/hub", "m/internal/project/email") + pkg("internal/project/email"), "./internal/hub imports ./internal/project/email"},
		{pkg("internal/hub/dispatch", "m/internal/connector/lamps") + pkg("internal/connector/lamps"), "./internal/hub/dispatch imports ./internal/connector/lamps"},
	},
	"a connector knows only its trade": {
		{pkg("internal/connector/lamps", "m/internal/hub") + pkg("internal/hub"), "./internal/connector/lamps imports ./internal/hub"},
		{pkg("internal/connector/lamps", "m/internal/config") + pkg("internal/config"), "./internal/connector/lamps imports ./internal/config"},
	},
	"a project stands alone": {
		{pkg("internal/project/email", "m/internal/hub/routing") + pkg("internal/hub/routing"), "./internal/project/email imports ./internal/hub/routing"},
	},
	"only cmd chooses": {
		{pkg("internal/web", "m/internal/store/sqlite") + pkg("internal/store/sqlite"), "./internal/web imports ./internal/store/sqlite"},
		{pkg("internal/web", "m/internal/connector/lamps") + pkg("internal/connector/lamps"), "./internal/web imports ./internal/connector/lamps"},
	},
	"a protocol's wire knows nothing of the Hub": {
		{pkg("internal/completions", "m/x") + pkg("x", "m/internal/hub/decide") + pkg("internal/hub/decide"), "./x imports ./internal/hub/decide"},
		{pkg("internal/mcpserver", "m/internal/hub") + pkg("internal/hub"), "./internal/mcpserver imports ./internal/hub"},
	},
	"the proof stands beside the Hub": {
		{pkg("internal/hub", "m/internal/unreachable") + pkg("internal/unreachable"), "./internal/hub imports ./internal/unreachable"},
	},
	"nobody imports a command": {
		{pkg("ask", "m/cmd/askhub/flags") + pkg("cmd/askhub/flags"), "./ask imports ./cmd/askhub/flags"},
	},
	"the Hub cannot reach internet control": {
		{pkg("internal/hub", "m/x") + pkg("x", "m/internal/project/internet/rules") + pkg("internal/project/internet/rules"), "./x imports ./internal/project/internet/rules"},
	},
}

// lawful is a module that keeps every law, in the places where a law could be read
// too widely.
var lawful = strings.Join([]string{
	pkg("ask", "net/http", "github.com/go-json-experiment/json"),
	pkg("ask/askserve", "m/ask"),
	pkg("ask/asktest", "m/ask", "m/ask/askserve", "testing"),
	pkg("ask/approve", "m/ask"),
	pkg("ask/approve/approvetest", "m/ask/approve", "testing", "github.com/anishathalye/porcupine"),
	"-- ask/a_test.go --\npackage ask_test\nimport (\n_ \"github.com/google/go-cmp/cmp\"\n_ \"m/ask\"\n)\n",
	pkg("plan", "strings"),
	pkg("chat", "net/http", "github.com/go-json-experiment/json"),
	pkg("chat/chattest", "m/chat", "testing", "pgregory.net/rapid"),
	pkg("internal/hub/routing", "m/ask"),
	pkg("internal/hub/guard", "m/internal/hub/routing", "m/internal/hub/guard/fold"),
	pkg("internal/hub/guard/fold", "golang.org/x/text/unicode/norm"),
	pkg("internal/hub/decide", "m/internal/llm"),
	pkg("internal/llm", "net/http"),
	pkg("internal/hub/dispatch", "m/ask", "net/http"),
	pkg("internal/hub", "m/internal/hub/guard", "m/internal/hub/decide", "m/internal/hub/dispatch"),
	pkg("internal/connector/lamps", "m/internal/hub/dispatch", "example.test/lamps", "net/http"),
	pkg("internal/project/internet", "m/ask/askserve", "m/internal/project/internet/rules"),
	pkg("internal/project/internet/rules"),
	pkg("internal/store/sqlite", "database/sql"),
	pkg("cmd/askhub", "m/internal/hub", "m/internal/store/sqlite", "m/internal/connector/lamps", "m/internal/project/internet"),
}, "")

// pkg is a package of one file that imports the given ones.
func pkg(dir string, imports ...string) string {
	var b strings.Builder
	b.WriteString("-- " + dir + "/a.go --\n// Package p is part of a made-up module.\npackage p\n")
	for _, i := range imports {
		b.WriteString("import _ \"" + i + "\"\n")
	}
	return b.String()
}

func TestEachImportLawBites(t *testing.T) {
	for name, law := range importLaws {
		if len(broken[name]) == 0 {
			t.Errorf("no module breaks %q", name)
		}
		for _, b := range broken[name] {
			t.Run(name, func(t *testing.T) {
				faults := strings.Join(law.Check(module(t, b.archive)), "\n")
				if want := b.way; !strings.Contains(faults, want) || !strings.Contains(faults, law.Why) {
					t.Errorf("the complaint is %q; want the way %q and the reason", faults, want)
				}
			})
		}
	}
}

func TestALawfulModulePasses(t *testing.T) {
	tree := module(t, lawful)
	for name, law := range importLaws {
		t.Run(name, func(t *testing.T) { report(t, law.Check(tree)) })
	}
}
