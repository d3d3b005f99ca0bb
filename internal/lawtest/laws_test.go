package lawtest

import (
	"testing"
)

// words is the allow-list of the public packages: libraries whose types the
// contract itself speaks.
var (
	words     = []string{"github.com/go-json-experiment/json/..."}
	testTools = []string{"github.com/google/go-cmp/...", "pgregory.net/rapid", "go.uber.org/goleak", "./internal/leaktest"}
	network   = []string{"net", "net/http/...", "net/rpc/...", "net/smtp", "crypto/tls", "os/exec"}
	databases = []string{"database/sql/...", "modernc.org/...", "github.com/jackc/...", "github.com/pressly/goose/..."}
	models    = []string{"./internal/llm/...", "github.com/sashabaranov/go-openai/...", "github.com/anthropics/anthropic-sdk-go/..."}
	stages    = []string{
		"./internal/hub/guard/...", "./internal/hub/decide/...", "./internal/hub/dispatch/...",
		"./internal/hub/merge/...", "./internal/hub/reply/...",
	}
	hub = []string{"./internal/hub/...", "./internal/api/..."}
)

var importLaws = map[string]ImportLaw{
	"the contract is small": {
		From: []string{"./ask/..."}, Except: []string{"./ask/approve/approvetest"}, Only: append([]string{"./ask/..."}, words...), InTests: testTools,
		Why: "who writes a project takes on what these packages import, so that is the standard library and the contract's own JSON",
	},
	"the chat is small": {
		From: []string{"./chat", "./chat/chattest"}, Only: append([]string{"./chat", "pgregory.net/rapid", "github.com/anishathalye/porcupine"}, append([]string{"github.com/google/go-cmp/..."}, words...)...),
		InTests: append([]string{"./chat/..."}, testTools...),
		Why:     "who serves the chat contract takes on what these packages import; the rest is the store's own",
	},
	"a chat program does not carry the test cases": {
		From: []string{"./chat"}, Never: []string{"./chat/chattest", "testing"},
		Why: "conformance cases are for tests, not for a running server",
	},
	"the contract knows nothing of the Hub": {
		From: []string{"./ask/...", "./plan/...", "./askplan/...", "./chat/..."}, Never: []string{"./internal/..."},
		Why: "a public package must serve somebody who has no Hub",
	},
	"a project needs no database": {
		From: []string{"./ask/...", "./askplan/..."}, Never: databases,
		Why: "a whole project is one Go function; a database would be its largest part",
	},
	"the cases of approvals are small": {
		From: []string{"./ask/approve/approvetest"}, Only: append([]string{"./ask/approve", "github.com/google/go-cmp/...", "github.com/anishathalye/porcupine"}, words...),
		Why: "who tests a store of approvals takes on what tells two values and two histories apart, and no more",
	},
	"a program does not carry the test cases": {
		From: []string{"./ask", "./ask/askserve", "./ask/askclient", "./ask/approve"}, Never: []string{"./ask/asktest", "./ask/approve/approvetest", "testing"},
		Why: "conformance cases are for tests and for askhub check, not for a running project",
	},
	"the catalogue knows no HTTP": {
		From: []string{"./plan/..."}, Never: network,
		Why: "a plan is checked and run on values alone, so that it can be checked anywhere",
	},
	"the catalogue keeps nothing and holds no model": {
		From: []string{"./plan/..."}, Never: append(append([]string{}, databases...), models...),
		Why: "who plans, and where a question is kept, is the app's choice; the catalogue only judges and runs",
	},
	"the guard holds no model": {
		From: []string{"./internal/hub/guard/..."}, Never: models,
		Why: "a control action is refused before anything is asked, and a model can be talked round",
	},
	"the guard reaches no network": {
		// ask and routing are set aside: they hold words, and ask has the contract's HTTP
		// problems beside them. What the guard imports besides must do its work in memory.
		From: []string{"./internal/hub/guard/..."}, Never: network, Beside: []string{"./ask", "./internal/hub/routing"},
		Why: "the guard must give its verdict when everything else is down, and tell nobody what was asked",
	},
	"what acts holds no model": {
		From:  []string{"./internal/hub/dispatch/...", "./internal/hub/merge/...", "./internal/hub/reply/..."},
		Never: models,
		Why:   "only decide may use a model: an action and a sentence are never made up",
	},
	"only decide may use a model": {
		From: []string{"./internal/..."}, Except: []string{"./internal/hub/decide/...", "./internal/llm/...", "./internal/doctor"}, Direct: true,
		Never: models,
		Why:   "a model is asked who knows, and by the doctor whether it is there; a project is handed its model by cmd",
	},
	"a scripted model is for tests": {
		From: []string{"./..."}, Except: []string{"./internal/llm/script"}, Never: []string{"./internal/llm/script"},
		Why: "no program carries a model that says what it is told",
	},
	"stages meet only in the Hub": {
		From: stages, Never: stages,
		Why: "each stage is read, tested and replaced alone; their shared words live in routing",
	},
	"the Hub learns no data model": {
		From: hub, Never: []string{"./internal/connector/...", "./internal/project/..."},
		Why: "a new project is one row and one capabilities reply, no code in the Hub",
	},
	"a connector knows only its trade": {
		From: []string{"./internal/connector/..."}, OnlyHere: true,
		Only:    []string{"./ask", "./ask/askclient", "./internal/hub/dispatch", "./internal/hub/routing", "./internal/timers/words", "./internal/daystart", "./internal/connector/..."},
		InTests: []string{"./internal/leaktest", "./internal/freeport"},
		Why:     "a destination sees the contract's words, the interface that dispatch declares, the reader of what people say and when a day begins, nothing of the Hub's state",
	},
	"a project stands alone": {
		From:  []string{"./internal/project/..."},
		Never: []string{"./internal/hub/...", "./internal/api/...", "./internal/store/...", "./internal/connector/...", "./internal/llm/..."},
		Why:   "each project is built, run and used without the Hub, and never holds a model",
	},
	"only cmd chooses": {
		From: []string{"./..."}, Except: []string{"./cmd/...", "./bench/..."}, Direct: true,
		Never: []string{
			"./internal/store/sqlite/...", "./internal/store/postgres/...", "./internal/llm/openai/...", "./internal/llm/anthropic/...",
			"./internal/connector/...", "./internal/project/...",
		},
		Why: "which store, provider and destination a household has is wiring, and wiring stands in one place",
	},
	"the admin app asks as anybody does": {
		From:  []string{"./internal/admin/..."},
		Never: append([]string{"./internal/hub/...", "./internal/api/...", "./internal/connector/...", "./internal/project/..."}, models...),
		Why:   "it is a process of its own that has tokens and HTTP, and nothing that could approve in its place",
	},
	"a protocol's wire knows nothing of the Hub": {
		From: []string{"./internal/completions", "./internal/mcpserver"}, Never: []string{"./internal/hub/...", "./internal/api"},
		Why: "another protocol is read and tested by itself, and cannot go round what the API checks",
	},
	"the proof stands beside the Hub": {
		From: hub, Never: []string{"./internal/unreachable"},
		Why: "what proves that the Hub reaches no control action is no part of the way of a question",
	},
	"nobody imports a command": {
		From: []string{"./..."}, Never: []string{"./cmd/...", "./bench/...", "./examples/...", "./internal/lawtest/..."},
		Why: "a command is the end of the line",
	},
	"the Hub cannot reach internet control": {
		From: append([]string{"./internal/connector/...", "./internal/llm/..."}, hub...), Never: []string{"./internal/project/internet/..."},
		Why: "there is no code in the Hub that could carry out a control action",
	},
}

func TestImportLaws(t *testing.T) {
	tree := load(t, "../..")
	for name, law := range importLaws {
		t.Run(name, func(t *testing.T) { report(t, law.Check(tree)) })
	}
}

func TestFileLaws(t *testing.T) {
	tree := load(t, "../..")
	for name, check := range map[string]func(*Tree) []string{
		"no file is too long":              LongFiles,
		"a package's name says something":  VagueNames,
		"each package says what it is for": MissingDocs,
		"a skipped test says why":          BareSkips,
		"nothing names one machine":        ForeignPaths,
		"the pages name what is there":     Pages,
		"the Hub names no control action": func(t *Tree) []string {
			return ControlEndpoints(t, append([]string{"./internal/connector/...", "./internal/llm/..."}, hub...)...)
		},
	} {
		t.Run(name, func(t *testing.T) { report(t, check(tree)) })
	}
}

func load(t *testing.T, root string) *Tree {
	t.Helper()
	tree, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func report(t *testing.T, faults []string) {
	t.Helper()
	for _, f := range faults {
		t.Error(f)
	}
}
