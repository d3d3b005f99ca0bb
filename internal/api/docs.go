package api

import (
	"bytes"
	_ "embed"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/askhub/askhub/ask"
)

//go:embed docs.html
var docsHTML string

// docsPolicy lets the page load nothing and run nothing; its one style stands in it.
const docsPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (s *Server) docs(w http.ResponseWriter, _ *http.Request, _ caller) *ask.Problem {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", docsPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write(s.document().page)
	return nil
}

// The page's view of the document.
type (
	docsView struct {
		Title, Version, Description string
		Operations                  []docsOperation
		Schemas                     []docsSchema
	}
	docsOperation struct {
		Method, Path, ID, Summary, Description, By string
		Request, Reply                             string
		Problems                                   []docsProblem
	}
	docsProblem struct{ Status, Text string }
	docsSchema  struct {
		Name   string
		Fields []docsField
	}
	docsField struct {
		Name, Type, Doc string
		Required        bool
		Ref             string
	}
)

// docsPage is the document as a page for people.
func docsPage(api *huma.OpenAPI) []byte {
	view := docsView{Title: api.Info.Title, Version: api.Info.Version, Description: api.Info.Description}
	for _, e := range table {
		view.Operations = append(view.Operations, docsOperationOf(api, e))
	}
	schemas := api.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		view.Schemas = append(view.Schemas, docsSchemaOf(name, schemas[name]))
	}
	var b bytes.Buffer
	page := template.Must(template.New("docs").Parse(docsHTML))
	if err := page.Execute(&b, view); err != nil {
		panic(err) // the template and its data are fixed, so a test meets this first
	}
	return b.Bytes()
}

func docsOperationOf(api *huma.OpenAPI, e endpoint) docsOperation {
	item := api.Paths[e.path]
	op := item.Get
	if e.method == http.MethodPost {
		op = item.Post
	}
	out := docsOperation{Method: e.method, Path: e.path, ID: op.OperationID, Summary: op.Summary, Description: op.Description, By: e.by.String()}
	if op.RequestBody != nil {
		out.Request = refName(op.RequestBody.Content["application/json"].Schema)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		if good := strings.HasPrefix(status, "2"); good {
			for _, media := range op.Responses[status].Content {
				out.Reply = refName(media.Schema)
			}
		} else {
			out.Problems = append(out.Problems, docsProblem{status, op.Responses[status].Description})
		}
	}
	return out
}

func docsSchemaOf(name string, s *huma.Schema) docsSchema {
	out := docsSchema{Name: name}
	for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[field]
		out.Fields = append(out.Fields, docsField{
			Name: field, Type: typeName(p), Doc: p.Description, Ref: refName(p),
			Required: slices.Contains(s.Required, field),
		})
	}
	return out
}

// typeName says a property's type in words.
func typeName(s *huma.Schema) string {
	switch {
	case len(s.Enum) > 0:
		var words []string
		for _, v := range s.Enum {
			words = append(words, v.(string))
		}
		return strings.Join(words, " | ")
	case s.Type == "array" && s.Items != nil:
		return "list of " + typeName(s.Items)
	case s.Format != "":
		return s.Type + " (" + s.Format + ")"
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, "#/components/schemas/")
	default:
		return s.Type
	}
}

// refName is the name of the schema that s, or its items, refers to.
func refName(s *huma.Schema) string {
	if s.Type == "array" && s.Items != nil {
		s = s.Items
	}
	return strings.TrimPrefix(s.Ref, "#/components/schemas/")
}

// String says who may call, for the page.
func (c callers) String() string {
	switch c {
	case anyone:
		return "anyone"
	case admin:
		return "the admin app"
	case wayIn:
		return "a way in"
	case browser:
		return "whoever has the chat's token"
	default:
		return "a way in or the admin app"
	}
}
