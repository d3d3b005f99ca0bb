package ask

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func post(body string, header ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/ask", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header[header[i]] = nil
		if header[i+1] != "" {
			r.Header[header[i]] = strings.Split(header[i+1], "|")
		}
	}
	return r
}

// read is what a project does with a body.
func read(r *http.Request) (Question, *Problem) {
	var q Question
	p := ReadJSON(httptest.NewRecorder(), r, &q)
	if p == nil {
		p = q.Validate()
	}
	return q, p
}

func TestBadInput(t *testing.T) {
	long := strings.Repeat("é", MaxQuestion)
	for _, c := range []struct {
		name, body string
		header     []string
		status     int
		code       Code
		field      string
	}{
		{"not JSON", `what?`, nil, 400, CodeInvalidJSON, "body"},
		{"nothing", ``, nil, 400, CodeInvalidJSON, "body"},
		{"null", `null`, nil, 400, CodeInvalidJSON, "body"},
		{"a list", `[]`, nil, 400, CodeInvalidJSON, "body"},
		{"a string", `"x"`, nil, 400, CodeInvalidJSON, "body"},
		{"half an object", `{"question":"q","asker":"sam"`, nil, 400, CodeInvalidJSON, "body"},
		{"a second document", `{"question":"q","asker":"sam"}{}`, nil, 400, CodeInvalidJSON, "body"},
		{"a byte order mark", "\ufeff" + `{"question":"q","asker":"sam"}`, nil, 400, CodeInvalidJSON, "body"},
		{"a duplicate key", `{"question":"q","asker":"sam","asker":"emma"}`, nil, 400, CodeDuplicateKey, "asker"},
		{"an escaped duplicate", `{"question":"q","asker":"sam","\u0061sker":"emma"}`, nil, 400, CodeDuplicateKey, "asker"},
		{"a duplicate deep inside", `{"question":"q","asker":"sam","x":[{"y":1,"y":2}]}`, nil, 400, CodeDuplicateKey, "x.0.y"},
		{"ASKER", `{"question":"q","ASKER":"sam"}`, nil, 400, CodeKeyCase, "asker"},
		{"ASKER beside asker", `{"question":"q","asker":"sam","ASKER":"emma"}`, nil, 400, CodeKeyCase, "asker"},
		{"a long s", `{"question":"q","asker":"sam","aſker":"emma"}`, nil, 400, CodeKeyCase, "asker"},
		{"an escaped capital", `{"question":"q","asker":"sam","\u0041sker":"emma"}`, nil, 400, CodeKeyCase, "asker"},
		{"a Kelvin sign", "{\"question\":\"q\",\"asker\":\"sam\",\"as\u212aer\":\"emma\"}", nil, 400, CodeKeyCase, "asker"},
		{"bad UTF-8", "{\"question\":\"q\xff\",\"asker\":\"sam\"}", nil, 400, CodeInvalidJSON, "question"},
		{"half a surrogate pair", `{"question":"q","asker":"s\ud800"}`, nil, 400, CodeInvalidJSON, "asker"},
		{"no question", `{"asker":"sam"}`, nil, 400, CodeMissingField, "question"},
		{"an empty question", `{"question":"","asker":"sam"}`, nil, 400, CodeMissingField, "question"},
		{"a null question", `{"question":null,"asker":"sam"}`, nil, 400, CodeMissingField, "question"},
		{"a blank question", "{\"question\":\" \u00a0\u200b\",\"asker\":\"sam\"}", nil, 400, CodeMissingField, "question"},
		{"a bell in the question", `{"question":"q\u0007","asker":"sam"}`, nil, 400, CodeInvalidField, "question"},
		{"no asker", `{"question":"q"}`, nil, 400, CodeMissingField, "asker"},
		{"a blank asker", `{"question":"q","asker":" "}`, nil, 400, CodeMissingField, "asker"},
		{"an asker with a space before it", `{"question":"q","asker":" sam"}`, nil, 400, CodeInvalidField, "asker"},
		{"a line feed in asker", `{"question":"q","asker":"sam\nemma"}`, nil, 400, CodeInvalidField, "asker"},
		{"a turned asker", "{\"question\":\"q\",\"asker\":\"sam\u202e\"}", nil, 400, CodeInvalidField, "asker"},
		{"a NUL in person", `{"question":"q","asker":"sam","person":"e\u0000"}`, nil, 400, CodeInvalidField, "person"},
		{"a tab in source", `{"question":"q","asker":"sam","source":"a\tb"}`, nil, 400, CodeInvalidField, "source"},
		{"an endless asker", `{"question":"q","asker":"` + strings.Repeat("a", 101) + `"}`, nil, 400, CodeInvalidField, "asker"},
		{"a number for question", `{"question":1,"asker":"sam"}`, nil, 400, CodeWrongType, "question"},
		{"a list for asker", `{"question":"q","asker":["sam"]}`, nil, 400, CodeWrongType, "asker"},
		{"text", `{"question":"q","asker":"sam"}`, []string{"Content-Type", "text/plain"}, 415, CodeNotJSON, "Content-Type"},
		{"no content type", `{"question":"q","asker":"sam"}`, []string{"Content-Type", ""}, 415, CodeNotJSON, "Content-Type"},
		{"two content types", `{"question":"q","asker":"sam"}`, []string{"Content-Type", "application/json|text/plain"}, 400, CodeAmbiguous, "Content-Type"},
		{"Latin 1", `{"question":"q","asker":"sam"}`, []string{"Content-Type", "application/json; charset=latin1"}, 415, CodeNotJSON, "Content-Type"},
		{"gzip", `{"question":"q","asker":"sam"}`, []string{"Content-Encoding", "gzip"}, 415, CodeNotJSON, "Content-Type"},
		{"a large body", `{"question":"q","asker":"sam","x":"` + strings.Repeat("x", MaxBody) + `"}`, nil, 413, CodeBodyTooLarge, "body"},
		{"a long question", `{"question":"` + long + `é","asker":"sam"}`, nil, 413, CodeQuestionTooLong, "question"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, p := read(post(c.body, c.header...))
			if p == nil {
				t.Fatal("it was taken")
			}
			if p.Status != c.status || p.Code != c.code || p.Field != c.field {
				t.Errorf("got %d %s %q (%s), want %d %s %q", p.Status, p.Code, p.Field, p.Detail, c.status, c.code, c.field)
			}
			if strings.ContainsAny(p.Detail, "\n") || strings.Contains(p.Detail, "json:") || strings.Contains(p.Detail, "ask.") {
				t.Errorf("the detail shows the inside: %q", p.Detail)
			}
		})
	}
}

func TestGoodInput(t *testing.T) {
	for name, r := range map[string]*http.Request{
		"the least":           post(`{"question":"q","asker":"sam"}`),
		"everything":          post(`{"question":"q","asker":"sam","person":"Mary Jane","source":"esp32"}`),
		"unknown fields":      post(` { "mood" : [1,{"a":"}"}] , "question" : "q\"{" , "n":-1.5e3,"t":true , "asker" : "sam" } ` + "\n"),
		"null person":         post(`{"question":"q","asker":"sam","person":null}`),
		"a charset":           post(`{"question":"q","asker":"sam"}`, "Content-Type", "Application/JSON; charset=UTF-8"),
		"a JSON type":         post(`{"question":"q","asker":"sam"}`, "Content-Type", "application/merge-patch+json"),
		"exactly 4,000":       post(`{"question":"` + strings.Repeat("🎓", MaxQuestion) + `","asker":"sam"}`),
		"exactly 32 KB":       post(`{"question":"q","asker":"sam","x":"` + strings.Repeat("x", MaxBody-len(`{"question":"q","asker":"sam","x":""}`)) + `"}`),
		"lines":               post(`{"question":"first\nsecond\tthird","asker":"sam"}`),
		"a name with joiners": post("{\"question\":\"q\",\"asker\":\"نی\u200cلوفر\"}"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, p := read(r); p != nil {
				t.Errorf("it was refused: %v in %q", p, p.Field)
			}
		})
	}
	q, _ := read(post(`{"question":"q","asker":"sam"}`))
	if q.About() != "sam" {
		t.Errorf("without a person it is about %q", q.About())
	}
}

func TestNothingIsReadWhereTheLengthIsTooLarge(t *testing.T) {
	r := post("")
	r.ContentLength = MaxBody + 1
	r.Body = unreadable{t}
	if _, p := read(r); p == nil || p.Code != CodeBodyTooLarge {
		t.Errorf("got %v", p)
	}
}

type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, http.ErrBodyReadAfterClose
}
func (unreadable) Close() error { return nil }

// FuzzQuestion: what is taken means the same to a second strict reader, and
// never reads differently when it is written again.
func FuzzQuestion(f *testing.F) {
	for _, s := range []string{
		`{"question":"q","asker":"sam"}`, `{"question":"q","ASKER":"sam"}`, `{"a":{"b":[1,"}"]},"question":"\u0071","asker":"s"}`,
		`{"question":"q","asker":"sam","aſker":1}`, `{}`, `null`, "{\"question\":\"\xff\"}", `{"":{},"question":"q" , "asker":"x"}x`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var q Question
		if p := DecodeJSON(body, &q); p != nil {
			if codeTable[p.Code] != http.StatusBadRequest || p.Field == "" {
				t.Fatalf("%q: %v in %q", body, p, p.Field)
			}
			return
		}
		b, err := json.Marshal(q)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var again Question
		if p := DecodeJSON(b, &again); p != nil || again != q {
			t.Fatalf("%q became %q: %v", body, b, p)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"answer":"Yes."}`, `{"answer":null,"reason":"no data"}`, `{"reason":"r"}`, `{"answer":"a","data":{"x":[1]},"expires":"2026-10-10T09:00:00Z"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, p := DecodeAnswer(body)
		if p != nil {
			return
		}
		if a.Answer == nil && strings.TrimSpace(a.Reason) == "" || a.Answer != nil && strings.TrimSpace(*a.Answer) == "" {
			t.Fatalf("%q says nothing", body)
		}
	})
}

func BenchmarkReadJSON(b *testing.B) {
	b.ReportAllocs()
	body := `{"question":"what does Harry have on today?","asker":"sam","person":"harry","source":"phone"}`
	w := httptest.NewRecorder()
	for b.Loop() {
		var q Question
		if p := ReadJSON(w, post(body), &q); p != nil {
			b.Fatal(p)
		}
	}
}
