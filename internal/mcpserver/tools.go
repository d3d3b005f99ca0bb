package mcpserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askhub/askhub/ask"
)

// arguments are what a tool takes: a model that sends another name has misunderstood,
// and is told instead of being half obeyed.
type arguments struct{ schema *jsonschema.Schema }

func takes(required []string, properties map[string]*jsonschema.Schema) arguments {
	return arguments{&jsonschema.Schema{
		Type: "object", Properties: properties, Required: required, PropertyOrder: slices.Sorted(maps.Keys(properties)),
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}}
}

// read decodes the arguments strictly into v.
func (a arguments) read(args jsontext.Value, v any) error {
	if len(args) == 0 || args.Kind() == 'n' {
		args = jsontext.Value("{}")
	}
	var members map[string]jsontext.Value
	if p := ask.DecodeJSON(args, &members); p != nil {
		return p
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if a.schema.Properties[name] == nil {
			return ask.NewProblem(ask.CodeInvalidField, "", fmt.Sprintf("There is no argument %q. Send %s.", short(name), a.names()))
		}
	}
	for _, name := range a.schema.Required {
		if members[name] == nil {
			return ask.NewProblem(ask.CodeMissingField, name, fmt.Sprintf("Send %q: %s", name, a.schema.Properties[name].Description))
		}
	}
	if p := ask.DecodeJSON(args, v); p != nil {
		return p
	}
	return nil
}

// names are the arguments that there are, in words.
func (a arguments) names() string {
	if len(a.schema.PropertyOrder) == 0 {
		return "none"
	}
	return `"` + strings.Join(a.schema.PropertyOrder, `", "`) + `"`
}

// short is a name that somebody else chose, as much of it as is worth repeating.
func short(name string) string {
	if runes := []rune(name); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return name
}

func text(description string, most int) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string", Description: description}
	if most > 0 {
		s.MinLength, s.MaxLength = new(1), new(most)
	}
	return s
}

// askToolFor is the tool ask for a caller who may choose among these askers.
func askToolFor(askers []ask.Asker) (*mcp.Tool, arguments) {
	properties := map[string]*jsonschema.Schema{
		"question":    text("What the person said, in their own words.", ask.MaxQuestion),
		"person":      text("Whom it is about, a name of the household. Left out: whom the question names, else who asks.", 100),
		"in_reply_to": text("The id of a reply with the status clarify or pending that the question continues, within two minutes.", 0),
	}
	required := []string{"question"}
	if len(askers) > 1 {
		who := text("Who asks.", 0)
		for _, a := range askers {
			who.Enum = append(who.Enum, string(a))
		}
		properties["asker"] = who
		required = append(required, "asker")
	}
	given := takes(required, properties)
	return &mcp.Tool{
		Name: "ask", Title: "Ask the household",
		Description: "Asks the household's projects and gives back one short honest sentence. It may also carry out what is asked, such as turning a lamp on.",
		InputSchema: given.schema, OutputSchema: replySchema,
		// Neither read-only nor harmless for certain: what is asked for may be done.
		Annotations: &mcp.ToolAnnotations{Title: "Ask the household", OpenWorldHint: new(true), DestructiveHint: new(true)},
	}, given
}

var readOnly = mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false), DestructiveHint: new(false)}

var (
	nothing          = takes(nil, map[string]*jsonschema.Schema{})
	capabilitiesTool = &mcp.Tool{
		Name: "capabilities", Title: "What can be asked",
		Description: "Says which topics and people the household's projects know, and which projects answer now.",
		InputSchema: nothing.schema, OutputSchema: object("topics", "people", "projects"), Annotations: &readOnly,
	}

	onlyID  = takes([]string{"id"}, map[string]*jsonschema.Schema{"id": text("The id of a reply of ask, such as ask_01…", 40)})
	whyTool = &mcp.Tool{
		Name: "why", Title: "How an answer came about",
		Description: "Shows the record of one earlier reply: how it was decided, who was asked, and how long each part took.",
		InputSchema: onlyID.schema, OutputSchema: object("id", "status", "route"), Annotations: &readOnly,
	}
)

// replySchema is the reply of POST /ask, as far as a model has to know it.
var replySchema = func() *jsonschema.Schema {
	s := object("id", "status", "reply")
	s.Properties = map[string]*jsonschema.Schema{
		"id": text("For why, and for in_reply_to.", 0),
		"status": {Type: "string", Enum: []any{
			"answered", "done", "clarify", "no_match", "no_answer", "refused", "unavailable", "pending", "elsewhere",
		}},
		"reply":   text("The sentence to give back.", 0),
		"choices": {Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: "The candidates of a clarify."},
	}
	return s
}()

// object is an object with at least these members; the contract grows by adding.
func object(required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: required}
}

// said is a reply as a tool's result: the sentence for the model, the whole for programs.
func said(r *Reply) *mcp.CallToolResult {
	sentence := r.Reply
	if r.Status == "clarify" { // a model would else ask anew, and be asked back again
		sentence += fmt.Sprintf("\n(Ask the person, then call ask again with their words and in_reply_to %q.)", r.ID)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: sentence}}, StructuredContent: raw(r.Whole)}
}

// shown is a JSON document as a tool's result.
func shown(v jsontext.Value) *mcp.CallToolResult {
	if v == nil {
		return nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(v)}}, StructuredContent: raw(v)}
}

// raw is a document that encoding/json, which the SDK writes with, leaves as it is.
type raw jsontext.Value

// MarshalJSON is the document itself.
func (r raw) MarshalJSON() ([]byte, error) { return r, nil }

// ReadReply is the reply of POST /ask in whole.
func ReadReply(whole jsontext.Value) (*Reply, error) {
	var r struct {
		ID      string   `json:"id"`
		Status  string   `json:"status"`
		Reply   string   `json:"reply"`
		Choices []string `json:"choices"`
	}
	if err := json.Unmarshal(whole, &r); err != nil {
		return nil, err
	}
	return &Reply{ID: r.ID, Status: r.Status, Reply: r.Reply, Choices: r.Choices, Whole: whole}, nil
}
