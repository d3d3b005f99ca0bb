package plan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/askhub/askhub/plan"
)

// nodeHash reads one catalogue a line and prints its hash, by the words of spec 4.
const nodeHash = `
const keys = ["id", "permission", "permissions", "description", "args", "attackerFields", "kind", "service", "stateFields", "rowName", "groupBy", "outputs"];
const { createHash } = require("crypto");
for (const line of require("fs").readFileSync(0, "utf8").split("\n")) {
  if (line === "") continue;
  const tools = JSON.parse(line).tools.map(t => Object.fromEntries(keys.filter(k => Object.hasOwn(t, k)).map(k => [k, t[k]])));
  console.log(createHash("sha256").update(JSON.stringify(tools)).digest("hex"));
}`

// nodeHashes are the hashes that Node gives for the catalogues.
func nodeHashes(t *testing.T, catalogues []string) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	var in bytes.Buffer
	for _, doc := range catalogues {
		if err := json.Compact(&in, []byte(doc)); err != nil {
			t.Fatal(err)
		}
		in.WriteByte('\n')
	}
	cmd := exec.CommandContext(t.Context(), node, "-e", nodeHash)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func goHash(t *testing.T, doc string) string {
	t.Helper()
	c, err := plan.ParseCatalogue([]byte(doc))
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	return c.Hash()
}

// optional are a tool's optional keys, each with a value that is hard to write alike.
var optional = []string{
	`"permission": "mail"`,
	`"permissions": ["mail", "mail.lesen/für"]`,
	`"args": {"z": {"maxLength": 1e2, "type": "text", "describe": "größer als \u0001 \"x\" \\ \u2028 \ud83d\ude00 \/", "also": {"b": 1, "a": [null, true, -0, 1.50, 1e21, 1e-7, 123456789012345680000, 0.1e-5, 5e-324, 1e400]}},
	          "a": {"nullable": true, "describe": "<&>\u007f\u0085", "values": ["ß", "t"], "type": "enum", "10": 1, "9": 2, "010": 3, "4294967295": 4, "4294967294": 5}}`,
	`"kind": "remote", "service": "calendar"`,
	`"stateFields": {"unread": {"values": [false, "no"], "field": "seen", "synonyms": [], "x": {}}}`,
	`"rowName": "title"`,
	`"rowName": ["title", "sender"]`,
	`"groupBy": {"day": {"enum": ["Mo", "Di"], "say": "Tag"}}`,
	`"outputs": {"ref": {"describe": "id", "path": "rows[].ref", "kind": "customer", "n": 3.0}, "a": {"path": "facts.a", "describe": "é", "safe": true}}`,
}

func TestTheHashIsThatOfJavaScript(t *testing.T) {
	const base = `"attackerFields": [], "description": "Findet E-Mails – schnell.", "id": "mail"`
	var docs []string
	add := func(keys ...string) {
		docs = append(docs, `{"idKinds": ["customer"], "tools": [{`+strings.Join(append(keys, base), ", ")+`}]}`)
	}
	add()
	add(optional[0], optional[1], optional[2], optional[4], optional[5], optional[7], optional[8]) // all that go together
	for _, key := range optional {
		add(key)
	}
	docs = append(docs, `{"tools": [{"id": "b", "description": "B", "attackerFields": []}, {"id": "a", "description": "A", "attackerFields": ["facts.x"]}]}`)
	for i, want := range nodeHashes(t, docs) {
		if got := goHash(t, docs[i]); got != want {
			t.Errorf("%s\ngives %s, JavaScript %s", docs[i], got, want)
		}
	}
}

// Any unknown key inside args, with any number and text, hashes as in JavaScript.
func TestAnyDocumentHashesAsInJavaScript(t *testing.T) {
	var docs []string
	for range 300 {
		docs = append(docs, `{"tools": [{"id": "a", "description": "A", "attackerFields": [], "args": {"x": {"type": "text", "describe": "d", "more": `+
			anyJSON(3).Example(len(docs))+`}}}]}`)
	}
	for i, want := range nodeHashes(t, docs) {
		if got := goHash(t, docs[i]); got != want {
			t.Errorf("%s\ngives %s, JavaScript %s", docs[i], got, want)
		}
	}
}

func anyJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := func(label string) string {
			b, err := json.Marshal(rapid.String().Draw(t, label))
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		most := 5
		if depth == 0 {
			most = 3
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"null", "true", "false", "0", "-0.0", "1E3"}).Draw(t, "word")
		case 1:
			b, err := json.Marshal(rapid.Float64().Draw(t, "number"))
			if err != nil {
				return "1e999"
			}
			return string(b)
		case 2, 3:
			return text("text")
		case 4:
			return "[" + strings.Join(rapid.SliceOfN(anyJSON(depth-1), 0, 4).Draw(t, "items"), ",") + "]"
		}
		names := rapid.SliceOfNDistinct(rapid.OneOf(rapid.StringMatching(`[0-9]{1,11}`), rapid.String()), 0, 4, rapid.ID).Draw(t, "names")
		members := make([]string, len(names))
		for i, name := range names {
			b, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			members[i] = string(b) + ":" + anyJSON(depth-1).Draw(t, "member")
		}
		return "{" + strings.Join(members, ",") + "}"
	})
}

// A tool written in Go hashes as the same tool in JSON.
func TestAToolInGoHashesAsItsJSON(t *testing.T) {
	doc := `{"tools": [
	  {"id": "mail.find", "permission": "mail", "description": "Finds mail.",
	   "args": {"sender": {"type": "text", "describe": "who wrote it", "maxLength": 40},
	            "folder": {"type": "enum", "describe": "which folder", "values": ["inbox", "archive"], "nullable": true}},
	   "attackerFields": ["rows[].title"],
	   "stateFields": {"unread": {"field": "seen", "values": [false, "no"], "synonyms": ["new"]}},
	   "rowName": ["title"], "groupBy": {"folder": {"enum": ["inbox", "archive"]}},
	   "outputs": {"id": {"path": "rows[].ref", "describe": "its id", "kind": "message"},
	               "title": {"path": "rows[].fields.title", "describe": "its \"title\"", "safe": true}}},
	  {"id": "calendar", "permissions": [], "description": "Asks.", "attackerFields": [], "kind": "remote", "service": "compass",
	   "args": {"question": {"type": "text", "describe": "the whole question to ask there", "maxLength": 200}}}
	], "idKinds": ["message"]}`
	find := plan.New(plan.Spec{
		ID: "mail.find", Permission: "mail", Description: "Finds mail.", AttackerFields: []string{"rows[].title"},
		States:  []plan.State{{Word: "unread", StateField: plan.StateField{Field: "seen", Values: []any{false, "no"}, Synonyms: []string{"new"}}}},
		RowName: []string{"title"}, GroupBy: []plan.Group{{Key: "folder", Labels: []string{"inbox", "archive"}}},
		Outputs: []plan.Output{
			{Name: "id", Path: "rows[].ref", Describe: "its id", Kind: "message"},
			{Name: "title", Path: "rows[].fields.title", Describe: `its "title"`, Safe: true},
		},
	}, func(findArgs) string { return "" }, func(context.Context, findArgs) (plan.Result, error) { return found() })
	calendar := plan.NewRemote(plan.Spec{ID: "calendar", Permissions: []string{}, Description: "Asks.", AttackerFields: []string{}}, "compass")
	c, err := plan.NewCatalogue([]plan.Tool{find, calendar}, []string{"message"})
	if err != nil {
		t.Fatal(err)
	}
	// args stand before attackerFields in the hash, wherever the document has them.
	if want := goHash(t, doc); c.Hash() != want {
		t.Errorf("%s, want %s", c.Hash(), want)
	}
}
