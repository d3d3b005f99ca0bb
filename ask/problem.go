package ask

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Code is the stable machine word of a problem. The set is closed for the ask
// contract; the Hub's own API adds words of its own.
type Code string

// The codes of the ask contract. codeTable has the status of each.
const (
	// CodeMalformed is a request that is not proper HTTP.
	CodeMalformed Code = "malformed_request"
	// CodeAmbiguous is a request that two readers could read in two ways.
	CodeAmbiguous Code = "ambiguous_request"
	// CodeInvalidJSON is a body that is not exactly one JSON object in UTF-8.
	CodeInvalidJSON Code = "invalid_json"
	// CodeDuplicateKey is a key that stands twice in one object.
	CodeDuplicateKey Code = "duplicate_key"
	// CodeKeyCase is a known key in other letters, such as "ASKER".
	CodeKeyCase Code = "key_case"
	// CodeWrongType is a value of another type than its field has.
	CodeWrongType Code = "wrong_type"
	// CodeMissingField is a required field that is absent or blank.
	CodeMissingField Code = "missing_field"
	// CodeInvalidField is a value that its field cannot hold.
	CodeInvalidField Code = "invalid_field"
	// CodeUnauthorized is a request without the right bearer token.
	CodeUnauthorized Code = "unauthorized"
	// CodeForbidden is a caller who may not do this.
	CodeForbidden Code = "forbidden"
	// CodeNotFound is an address with nothing at it.
	CodeNotFound Code = "not_found"
	// CodeMethodNotAllowed is a method that this address does not take.
	CodeMethodNotAllowed Code = "method_not_allowed"
	// CodeTooSlow is a request whose body did not arrive in time.
	CodeTooSlow Code = "request_timeout"
	// CodeBodyTooLarge is a body over MaxBody.
	CodeBodyTooLarge Code = "body_too_large"
	// CodeQuestionTooLong is a question over MaxQuestion.
	CodeQuestionTooLong Code = "question_too_long"
	// CodeNotJSON is a content type that is not JSON.
	CodeNotJSON Code = "unsupported_media_type"
	// CodeTooMany is a caller over its limit.
	CodeTooMany Code = "too_many_requests"
	// CodeHeadersTooLarge is a request head that is too large.
	CodeHeadersTooLarge Code = "headers_too_large"
	// CodeInternal is a fault of the one who answers.
	CodeInternal Code = "internal"
	// CodeNotImplemented is a transfer coding that nobody here understands.
	CodeNotImplemented Code = "not_implemented"
	// CodeUnavailable is something that is down for now.
	CodeUnavailable Code = "unavailable"
)

// CodeTable has the HTTP status of each code of one service.
type CodeTable map[Code]int

// Problem is the problem of that code, with the status that the table gives it. Field may be
// empty. A code that the table does not know is a CodeInternal.
func (t CodeTable) Problem(code Code, field, detail string) *Problem {
	status, known := t[code]
	if !known {
		code, status = CodeInternal, http.StatusInternalServerError
	}
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code, Field: field}
}

// codeTable is the one place that says which status a code of the contract has.
var codeTable = CodeTable{
	CodeMalformed:        http.StatusBadRequest,
	CodeAmbiguous:        http.StatusBadRequest,
	CodeInvalidJSON:      http.StatusBadRequest,
	CodeDuplicateKey:     http.StatusBadRequest,
	CodeKeyCase:          http.StatusBadRequest,
	CodeWrongType:        http.StatusBadRequest,
	CodeMissingField:     http.StatusBadRequest,
	CodeInvalidField:     http.StatusBadRequest,
	CodeUnauthorized:     http.StatusUnauthorized,
	CodeForbidden:        http.StatusForbidden,
	CodeNotFound:         http.StatusNotFound,
	CodeMethodNotAllowed: http.StatusMethodNotAllowed,
	CodeTooSlow:          http.StatusRequestTimeout,
	CodeBodyTooLarge:     http.StatusRequestEntityTooLarge,
	CodeQuestionTooLong:  http.StatusRequestEntityTooLarge,
	CodeNotJSON:          http.StatusUnsupportedMediaType,
	CodeTooMany:          http.StatusTooManyRequests,
	CodeHeadersTooLarge:  http.StatusRequestHeaderFieldsTooLarge,
	CodeInternal:         http.StatusInternalServerError,
	CodeNotImplemented:   http.StatusNotImplemented,
	CodeUnavailable:      http.StatusServiceUnavailable,
}

// Known says whether the contract has that code.
func (c Code) Known() bool {
	_, known := codeTable[c]
	return known
}

// Codes are all codes of the contract with their status.
func Codes() CodeTable {
	return maps.Clone(codeTable)
}

// ProblemType is the media type of a problem (RFC 9457).
const ProblemType = "application/problem+json"

// Problem is a protocol error as it goes over the wire (RFC 9457). Code is
// stable; Title and Detail are for people and may change.
type Problem struct {
	// Type is "about:blank": Code says more than a link would.
	Type string `json:"type"`
	// Title is the status in words.
	Title string `json:"title"`
	// Status is the HTTP status.
	Status int `json:"status"`
	// Detail says what is wrong and how to mend it. It never holds anything internal.
	Detail string `json:"detail,omitzero"`
	// Code is the stable machine word.
	Code Code `json:"code"`
	// Field is the field, header or "body" that is at fault; empty where none is.
	Field string `json:"field,omitzero"`
}

// NewProblem is the problem of that code of the contract, as CodeTable.Problem makes it.
func NewProblem(code Code, field, detail string) *Problem {
	return codeTable.Problem(code, field, detail)
}

// Error is the code and the detail.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return string(p.Code)
	}
	return string(p.Code) + ": " + p.Detail
}

// Retryable says whether the same request may succeed later.
func (p *Problem) Retryable() bool {
	switch p.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// closes says whether the connection ends with this problem: the body may be
// unread, or the request may have been read in a way its sender did not mean.
func (p *Problem) closes() bool {
	switch p.Status {
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestTimeout,
		http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return true
	}
	return p.Code == CodeAmbiguous || p.Code == CodeMalformed
}

// lingerAfterProblem is how long the rest of an unread body may take to arrive
// before the connection is cut.
const lingerAfterProblem = time.Second

// WriteProblem answers with p. A 401 gets WWW-Authenticate. Where the body may
// be unread the connection closes and the answer does not wait for that body.
func WriteProblem(w http.ResponseWriter, p *Problem) { WriteProblemAs(w, p, ProblemType, p.body()) }

// WriteProblemAs answers with p as WriteProblem does, in another protocol's form.
func WriteProblemAs(w http.ResponseWriter, p *Problem, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	if p.Status == http.StatusUnauthorized && h.Get("WWW-Authenticate") == "" {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if p.closes() {
		h.Set("Connection", "close")
		// A writer without a connection below it, as in a test, has no deadline to set.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerAfterProblem))
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body)
}

// body is the problem in JSON, with the parts that RFC 9457 wants filled in.
func (p *Problem) body() []byte {
	q := *p
	if q.Type == "" {
		q.Type = "about:blank"
	}
	if q.Title == "" {
		q.Title = http.StatusText(q.Status)
	}
	q.Detail = strings.ToValidUTF8(q.Detail, "?")
	q.Field = strings.ToValidUTF8(q.Field, "?")
	b, err := json.Marshal(&q)
	if err != nil { // only a Code that is not UTF-8 can get here
		return []byte(`{"type":"about:blank","status":500,"code":"internal"}`)
	}
	return b
}

// WriteJSON answers 200 with v, or a CodeInternal problem where v cannot be written.
func WriteJSON(w http.ResponseWriter, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		WriteProblem(w, NewProblem(CodeInternal, "", "The answer could not be written."))
		return err
	}
	h := w.Header()
	h["Content-Type"] = jsonContentType
	h["Cache-Control"] = noStore
	_, err = w.Write(b)
	return err
}

// Shared header values spare an allocation for each answer; nobody may change them.
var (
	jsonContentType = []string{"application/json"}
	noStore         = []string{"no-store"}
)
