package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/completions"
)

// about describes one route for the OpenAPI document.
type about struct {
	summary, description string
	// request and reply are zero values of the bodies' types; nil where there is none.
	request, reply any
	// media is the reply's type where it is not JSON.
	media string
	// codes are the problems that this route adds to those of its callers.
	codes []ask.Code
	// status is the good reply's; 200 where it is 0.
	status int
	// chat are the errors of the chat's wire, which has its own form of them.
	chat []chat.ErrCode
	// query are its parameters.
	query []queryParam
	// since is whether it takes a cursor; gone is an address with no good reply.
	since, gone bool
	// openAI is whether errors have the form of OpenAI's protocol.
	openAI bool
}

// queryParam describes one parameter of a query.
type queryParam struct {
	name, kind, doc string
	choices         []any
}

var (
	aboutAsk = about{
		summary:     "Ask a question",
		description: "Guards, decides, asks the projects and answers in one sentence. Every outcome is a 200; a 4xx means that the request itself is wrong.",
		request:     askRequest{}, reply: askReply{},
		codes: []ask.Code{
			ask.CodeAmbiguous, ask.CodeInvalidJSON, ask.CodeDuplicateKey, ask.CodeKeyCase, ask.CodeWrongType, ask.CodeMissingField,
			ask.CodeInvalidField, CodeUnknownPerson, CodeAskerNotAllowed, ask.CodeBodyTooLarge, ask.CodeQuestionTooLong,
			ask.CodeNotJSON, ask.CodeTooMany,
		},
	}
	aboutRecord = about{
		summary:     "See how an answer came about",
		description: "The record of one request, for whoever asked and the admin app.",
		reply:       recordReply{}, codes: []ask.Code{CodeUnknownAsk},
	}
	aboutCapabilities = about{summary: "See what can be asked", description: "The merged topics and people, and which projects answer now.", reply: capabilities{}}
	aboutHealth       = about{summary: "See whether the Hub runs", description: "With the admin token, also the state of each part.", reply: health{}}
	aboutMetrics      = about{summary: "Read the metrics", description: "In the Prometheus text format.", media: "text/plain"}
	aboutOpenAPI      = about{summary: "Read this document", description: "OpenAPI 3.1.", media: "application/json"}
	aboutDocs         = about{summary: "Read this document as a page", description: "For people.", media: "text/html"}
)

// document is the API's description in its two forms.
type document struct {
	json []byte
	page []byte
}

// documentOnce builds the document when it is first asked for: most Hubs never are.
func documentOnce(version string) func() *document {
	return sync.OnceValue(func() *document {
		api := describe(version)
		b, err := json.MarshalIndent(api, "", "  ")
		if err != nil {
			panic(err) // the table is fixed, so a test meets this first
		}
		return &document{json: append(b, '\n'), page: docsPage(api)}
	})
}

// Document is the OpenAPI 3.1 document of the Hub's API, in JSON.
func Document(version string) []byte { return documentOnce(version)().json }

func (s *Server) openapi(w http.ResponseWriter, _ *http.Request, _ caller) *ask.Problem {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(s.document().json)
	return nil
}

// describe makes the document of the route table.
func describe(version string) *huma.OpenAPI {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	api := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "askhub", Version: version,
			Description: "The Hub's own API: ask a question in plain words, get one short honest sentence. Projects speak the ask contract instead.",
			License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Components: &huma.Components{
			Schemas: schemas,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"wayIn":   {Type: "http", Scheme: "bearer", Description: "The token of a way in, HUB_TOKEN_<NAME>."},
				"admin":   {Type: "http", Scheme: "bearer", Description: "The admin app's token, HUB_TOKEN_ADMIN."},
				"project": {Type: "http", Scheme: "bearer", Description: "A project's token for the Hub, HUB_TOKEN_<NAME>."},
				"chat":    {Type: "apiKey", In: "header", Name: chat.TokenHeader, Description: "A chat's token: 64 lowercase hexadecimal digits, made in the browser."},
			},
		},
	}
	for _, e := range table {
		api.AddOperation(operation(schemas, e))
	}
	tolerate(schemas)
	return api
}

func operation(schemas huma.Registry, e endpoint) *huma.Operation {
	op := &huma.Operation{
		Method: e.method, Path: e.path,
		OperationID: strings.ToLower(e.method) + strings.NewReplacer("/", "-", "{", "", "}", "", ".", "-").Replace(e.path),
		Summary:     e.about.summary, Description: e.about.description,
		Responses: map[string]*huma.Response{},
	}
	if e.by&wayIn != 0 {
		op.Security = append(op.Security, map[string][]string{"wayIn": {}})
	}
	if e.by&admin != 0 {
		op.Security = append(op.Security, map[string][]string{"admin": {}})
	}
	if e.by&browser != 0 {
		op.Security = append(op.Security, map[string][]string{"chat": {}})
	}
	if e.by&dataProject != 0 {
		op.Security = append(op.Security, map[string][]string{"project": {}})
	}
	for _, q := range e.about.query {
		op.Parameters = append(op.Parameters, &huma.Param{Name: q.name, In: "query", Description: q.doc, Schema: &huma.Schema{Type: q.kind, Enum: q.choices}})
	}
	if e.about.since {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "since", In: "query", Description: "The cursor of an earlier poll; 0 or left out gives the newest 50 messages.",
			Schema: &huma.Schema{Type: "integer", Format: "int64", Minimum: new(float64)},
		})
	}
	if strings.Contains(e.path, "{id}") {
		op.Parameters = []*huma.Param{{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: "string"}}}
	}
	if e.about.request != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(reflect.TypeOf(e.about.request), true, "")},
		}}
	}
	addChatErrors(schemas, op, e)
	if e.about.gone {
		return op
	}
	status := cmp.Or(e.about.status, http.StatusOK)
	ok := &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{}}
	switch {
	case e.about.reply != nil:
		ok.Content["application/json"] = &huma.MediaType{Schema: schemas.Schema(reflect.TypeOf(e.about.reply), true, "")}
	case e.about.media == "application/json":
		ok.Content[e.about.media] = &huma.MediaType{Schema: &huma.Schema{Type: "object"}}
	default:
		ok.Content[e.about.media] = &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
	}
	op.Responses[strconv.Itoa(status)] = ok
	addProblems(schemas, op, e)
	return op
}

// addProblems describes each error by its status, with the codes that it can carry.
func addProblems(schemas huma.Registry, op *huma.Operation, e endpoint) {
	codes := e.about.codes
	if e.by&(wayIn|admin|dataProject) != 0 {
		codes = append([]ask.Code{ask.CodeUnauthorized, CodeNotForThisCaller, CodeUnknownCaller}, codes...)
	}
	media, schema := ask.ProblemType, schemas.Schema(reflect.TypeFor[ask.Problem](), true, "")
	if e.about.openAI {
		media, schema = "application/json", schemas.Schema(reflect.TypeFor[completions.ErrorBody](), true, "")
	}
	for _, code := range codes {
		addError(op, status(code), string(code), media, schema)
	}
}

// status is the HTTP status of a code, whoever's it is.
func status(code ask.Code) int {
	for _, t := range []ask.CodeTable{ownCodes, approve.Codes(), completions.Codes(), ask.Codes()} {
		if s, ok := t[code]; ok {
			return s
		}
	}
	return http.StatusInternalServerError
}

// addChatErrors describes the errors of the chat's wire.
func addChatErrors(schemas huma.Registry, op *huma.Operation, e endpoint) {
	statuses := chat.Codes()
	for _, code := range e.about.chat {
		addError(op, statuses[code], string(code), "application/json", schemas.Schema(reflect.TypeFor[chatError](), true, ""))
	}
}

// addError names one code under its status.
func addError(op *huma.Operation, status int, code, media string, schema *huma.Schema) {
	key := strconv.Itoa(status)
	if op.Responses[key] == nil {
		op.Responses[key] = &huma.Response{
			Description: http.StatusText(status) + ": " + code,
			Content:     map[string]*huma.MediaType{media: {Schema: schema}},
		}
		return
	}
	op.Responses[key].Description += ", " + code
}

// tolerate lets every object carry fields that are not known yet (spec 1,
// "Versioning"): the contract grows by adding. A member that has no value is
// left out, never null.
func tolerate(schemas huma.Registry) {
	for _, s := range schemas.Map() {
		s.AdditionalProperties = true
		for _, p := range s.Properties {
			p.Nullable = false
		}
	}
}
