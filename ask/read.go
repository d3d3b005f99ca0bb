package ask

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// bodyTimeout is how long a body may take to arrive once it is read.
const bodyTimeout = 5 * time.Second

// ReadJSON reads the request's body into v, which points to a struct: the
// content type (415), the framing (400), the size (413), then exactly one strict
// JSON object (400 naming the field). Unknown fields are ignored; one that
// differs from a known field only in the case of its letters is refused.
// Call it after the token was checked, since it is what reads the body.
func ReadJSON(w http.ResponseWriter, r *http.Request, v any) *Problem {
	if p := checkContentType(r.Header); p != nil {
		return p
	}
	buf := bodies.Get().(*[]byte)
	defer bodies.Put(buf)
	body, p := readBody(w, r, *buf)
	if p != nil {
		return p
	}
	return DecodeJSON(body, v)
}

// ReadBody reads a JSON body of at most that many bytes, for a protocol whose bodies
// may be larger than the contract's. The content type (415), the framing (400), the
// size (413) and the time (408) are checked; what is in it is not. Call it after the
// token was checked.
func ReadBody(w http.ResponseWriter, r *http.Request, most int) ([]byte, *Problem) {
	if p := checkContentType(r.Header); p != nil {
		return nil, p
	}
	if r.ContentLength > int64(most) {
		return nil, bodyTooLarge(most)
	}
	stop := startBody(w)
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(most)+1))
	if err != nil {
		return nil, unreadBody(err)
	}
	if len(body) > most {
		return nil, bodyTooLarge(most)
	}
	stop()
	return body, nil
}

// startBody gives the body bodyTimeout from now on; stop lifts that again.
func startBody(w http.ResponseWriter) (stop func()) {
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(bodyTimeout)) != nil {
		return func() {} // a writer without a connection below it, as in a test, has no deadline to set
	}
	return func() { _ = control.SetReadDeadline(time.Time{}) }
}

// unreadBody is why a body was not read to its end.
func unreadBody(err error) *Problem {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return NewProblem(CodeTooSlow, "body", "The body did not arrive in time.")
	}
	return NewProblem(CodeMalformed, "body", "The body could not be read to its end.")
}

// bodies holds buffers that any legal body fits into, with one byte more to see one that does not.
var bodies = sync.Pool{New: func() any { b := make([]byte, MaxBody+1); return &b }}

func checkContentType(h http.Header) *Problem {
	types := h["Content-Type"]
	if len(types) == 1 && types[0] == "application/json" && h["Content-Encoding"] == nil {
		return nil
	}
	if len(types) > 1 {
		return NewProblem(CodeAmbiguous, "Content-Type", "Send the Content-Type header once.")
	}
	wrong := NewProblem(CodeNotJSON, "Content-Type", "Send the body as application/json in UTF-8.")
	if len(types) == 0 || h.Get("Content-Encoding") != "" {
		return wrong
	}
	kind, params, err := mime.ParseMediaType(types[0])
	if err != nil || kind != "application/json" && (!strings.HasPrefix(kind, "application/") || !strings.HasSuffix(kind, "+json")) {
		return wrong
	}
	if c, ok := params["charset"]; ok && !strings.EqualFold(c, "utf-8") {
		return wrong
	}
	return nil
}

// readBody reads the whole body into buf, which is one byte larger than allowed.
func readBody(w http.ResponseWriter, r *http.Request, buf []byte) ([]byte, *Problem) {
	if r.ContentLength > MaxBody {
		return nil, bodyTooLarge(MaxBody)
	}
	stop := startBody(w)
	n := 0
	for {
		m, err := r.Body.Read(buf[n:])
		n += m
		if n > MaxBody {
			return nil, bodyTooLarge(MaxBody)
		}
		switch {
		case err == io.EOF:
			stop()
			return buf[:n], nil
		case err != nil:
			return nil, unreadBody(err)
		}
	}
}

func bodyTooLarge(most int) *Problem {
	return NewProblem(CodeBodyTooLarge, "body", fmt.Sprintf("Send a body of at most %d KB.", most>>10))
}

// DecodeJSON decodes exactly one strict JSON document into v: no duplicate key,
// keys in their exact case, valid UTF-8, nothing after the document. The problem
// names the field. Where v points to a struct the document must be an object.
func DecodeJSON(data []byte, v any) *Problem {
	fields := fieldsOf(reflect.TypeOf(v))
	if fields != nil && !startsObject(data) {
		return NewProblem(CodeInvalidJSON, "body", "Send one JSON object.")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return jsonProblem(err)
	}
	if fields == nil {
		return nil
	}
	var p *Problem
	eachMember(data, func(key, _ []byte) bool {
		p = fields.check(key)
		return p == nil
	})
	return p
}

func startsObject(data []byte) bool {
	i := skipSpace(data, 0)
	return i < len(data) && data[i] == '{'
}

// jsonProblem turns the decoder's error into one that names the field and
// nothing of the decoder's own.
func jsonProblem(err error) *Problem {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		field := fieldName(syntax.JSONPointer)
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return NewProblem(CodeDuplicateKey, field, "Send "+quoted(field)+" once.")
		case strings.Contains(syntax.Error(), "UTF-8"):
			return NewProblem(CodeInvalidJSON, field, "The body is not valid UTF-8"+near(field)+".")
		case strings.Contains(syntax.Error(), "after top-level value"):
			return NewProblem(CodeInvalidJSON, "body", "Send exactly one JSON object, with nothing after it.")
		}
		return NewProblem(CodeInvalidJSON, field, "The body is not valid JSON"+near(field)+".")
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		field := fieldName(semantic.JSONPointer)
		return NewProblem(CodeWrongType, field, quoted(field)+" must be "+typeName(semantic.GoType)+".")
	}
	return NewProblem(CodeInvalidJSON, "body", "The body is not valid JSON.")
}

// near is the place of a fault, where a field is known that can be named.
func near(field string) string {
	if field == "body" {
		return ""
	}
	return " at or near " + quoted(field)
}

// fieldName is the pointer as a dotted path, or "body" for the document itself.
func fieldName(p jsontext.Pointer) string {
	var parts []string
	for token := range p.Tokens() {
		parts = append(parts, token)
	}
	name := strings.ToValidUTF8(strings.Join(parts, "."), "?")
	if name == "" {
		return "body"
	}
	if len(name) > 80 {
		name = strings.ToValidUTF8(name[:80], "") + "…"
	}
	return name
}

func quoted(name string) string { return `"` + name + `"` }

func typeName(t reflect.Type) string {
	if t == nil {
		return "of another type"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[time.Time]() {
		return "an RFC 3339 instant"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number in range"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "of another type"
}

// fieldSet is the JSON names of a struct.
type fieldSet struct{ names []string }

var fieldSets sync.Map // of reflect.Type to *fieldSet

// fieldsOf is the names of the struct that t points to; nil where it is none.
func fieldsOf(t reflect.Type) *fieldSet {
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	if s, ok := fieldSets.Load(t); ok {
		return s.(*fieldSet)
	}
	set := new(fieldSet)
	for _, f := range reflect.VisibleFields(t.Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		set.names = append(set.names, name)
	}
	s, _ := fieldSets.LoadOrStore(t, set)
	return s.(*fieldSet)
}

// check refuses a key that equals a known one only after case folding, such as
// "ASKER" or "aſker": one reader would take it for the field, another not.
func (s *fieldSet) check(key []byte) *Problem {
	for _, name := range s.names {
		if string(key) == name {
			return nil
		}
	}
	for _, name := range s.names {
		if strings.EqualFold(string(key), name) {
			return NewProblem(CodeKeyCase, name, "Write the key "+quoted(name)+" exactly so, in lower case.")
		}
	}
	return nil
}

// eachMember calls f with each key and raw value of a valid JSON object, until f says false.
func eachMember(data []byte, f func(key, value []byte) bool) {
	i := skipSpace(data, 0) + 1 // past the brace
	for {
		i = skipSpace(data, i)
		if data[i] == '}' {
			return
		}
		end := stringEnd(data, i)
		key := data[i+1 : end-1]
		for _, c := range key {
			if c == '\\' { // an escape may spell a known name
				key, _ = jsontext.AppendUnquote(nil, data[i:end])
				break
			}
		}
		i = skipSpace(data, skipSpace(data, end)+1) // past the colon
		end = valueEnd(data, i)
		if !f(key, data[i:end]) {
			return
		}
		i = skipSpace(data, end)
		if data[i] == ',' {
			i++
		}
	}
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// stringEnd is the index after the closing quote of the string at i.
func stringEnd(data []byte, i int) int {
	for i++; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// valueEnd is the index after the value at i.
func valueEnd(data []byte, i int) int {
	depth := 0
	for {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of a number or a word before it
			}
			depth--
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
}
