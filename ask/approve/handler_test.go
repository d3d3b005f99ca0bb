package approve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
)

func call(d *Desk, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	return w
}

func TestApprovalsOnTheWire(t *testing.T) {
	d, ran := made(t)
	if w := call(d, "GET", "/approvals", ""); w.Code != 200 || w.Body.String() != `{"approvals":[]}` {
		t.Errorf("none: %d %s", w.Code, w.Body)
	}
	a := asked(t, d, request("Mend the tap."))
	stamp := func(f string) string { return a.Created.Format(f) }
	one := `{"id":"` + a.ID + `","owner":"school","what":"Mend the tap.","who":"sam","why":"the tap drips","action":{"file":"Mend the tap.","n":1.5},` +
		`"digest":"` + a.Digest + `","state":"pending","created":"` + stamp("2006-01-02T15:04:05.999999Z07:00") + `","expires":"` + a.Expires.Format("2006-01-02T15:04:05.999999Z07:00") + `"}`
	if w := call(d, "GET", "/approvals/"+a.ID, ""); w.Code != 200 || w.Body.String() != one {
		t.Errorf("one:\n%s\nwant\n%s", w.Body, one)
	}
	if w := call(d, "GET", "/approvals", ""); w.Body.String() != `{"approvals":[`+one+`]}` {
		t.Errorf("all: %s", w.Body)
	}
	w := call(d, "POST", "/approvals/"+a.ID, `{"id":"`+a.ID+`","decision":"yes","digest":"`+a.Digest+`","by":"alex"}`)
	var got Approval
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got.State != Done || got.Result.By != "alex" || ran.Load() != 1 {
		t.Errorf("a yes: %d %s", w.Code, w.Body)
	}
	// The id stands in the address already.
	if again := call(d, "POST", "/approvals/"+a.ID, `{"decision":"no","digest":"`+a.Digest+`"}`); again.Code != 200 || again.Body.String() != w.Body.String() {
		t.Errorf("a later tap: %d %s", again.Code, again.Body)
	}
}

func TestAGetNeverChangesAnything(t *testing.T) {
	store := NewMemory()
	d, ran := made(t, func(o *Options) { o.Store = store })
	a := asked(t, d, request("Mend the tap."))
	before := store.(*Memory).at(a.ID)
	query := "?id=" + a.ID + "&decision=yes&digest=" + a.Digest
	for _, method := range []string{"GET", "HEAD"} {
		for _, path := range []string{"/approvals", "/approvals/" + a.ID, "/approvals/" + a.ID + "/yes"} {
			call(d, method, path+query, `{"decision":"yes","digest":"`+a.Digest+`"}`)
		}
	}
	if diff := cmp.Diff(before, store.(*Memory).at(a.ID)); diff != "" || ran.Load() != 0 {
		t.Errorf("it ran %d times, and changed: %s", ran.Load(), diff)
	}
}

func TestBadCallsNameTheFieldAndTheMend(t *testing.T) {
	d, ran := made(t)
	a := asked(t, d, request("Mend the tap."))
	at, zeros := "/approvals/"+a.ID, strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		code               ask.Code
		field              string
	}{
		"an unknown id":      {"GET", "/approvals/" + strings.Repeat("0", 32), "", 404, CodeUnknown, "id"},
		"no id":              {"GET", "/approvals/", "", 404, CodeUnknown, "id"},
		"an id of no form":   {"POST", "/approvals/..", `{"decision":"yes","digest":"` + zeros + `"}`, 404, CodeUnknown, "id"},
		"another address":    {"GET", "/approvals/a/b", "", 404, ask.CodeNotFound, ""},
		"another digest":     {"POST", at, `{"decision":"yes","digest":"` + zeros + `"}`, 409, CodeDigest, "digest"},
		"another id":         {"POST", at, `{"id":"1","decision":"yes","digest":"` + a.Digest + `"}`, 400, ask.CodeInvalidField, "id"},
		"no decision":        {"POST", at, `{"digest":"` + a.Digest + `"}`, 400, ask.CodeInvalidField, "decision"},
		"another word":       {"POST", at, `{"decision":"Yes","digest":"` + a.Digest + `"}`, 400, ask.CodeInvalidField, "decision"},
		"true":               {"POST", at, `{"decision":true,"digest":"` + a.Digest + `"}`, 400, ask.CodeWrongType, "decision"},
		"two decisions":      {"POST", at, `{"decision":"no","decision":"yes","digest":"` + a.Digest + `"}`, 400, ask.CodeDuplicateKey, "decision"},
		"a key in capitals":  {"POST", at, `{"DECISION":"yes","digest":"` + a.Digest + `"}`, 400, ask.CodeKeyCase, "decision"},
		"no digest":          {"POST", at, `{"decision":"yes"}`, 400, ask.CodeInvalidField, "digest"},
		"a name of controls": {"POST", at, `{"decision":"yes","digest":"` + a.Digest + `","by":"a\u0000"}`, 400, ask.CodeInvalidField, "by"},
		"mute with a yes":    {"POST", at, `{"decision":"yes","digest":"` + a.Digest + `","mute":true}`, 400, ask.CodeInvalidField, "mute"},
		"no JSON":            {"POST", at, `yes`, 400, ask.CodeInvalidJSON, "body"},
		"a list is not told": {"POST", "/approvals", `{}`, 405, ask.CodeMethodNotAllowed, ""},
		"another method":     {"DELETE", at, "", 405, ask.CodeMethodNotAllowed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := call(d, c.method, c.path, c.body)
			var p ask.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != c.status || p.Code != c.code || p.Field != c.field || p.Detail == "" {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if (w.Code == http.StatusMethodNotAllowed) != (w.Header().Get("Allow") != "") {
				t.Errorf("Allow is %q", w.Header().Get("Allow"))
			}
		})
	}
	if got, err := d.Get(t.Context(), a.ID); err != nil || got.State != Pending || ran.Load() != 0 {
		t.Errorf("it is %s now, %v", got.State, err)
	}
}

// Whatever is sent, only a whole yes to what was seen carries anything out.
func FuzzDecide(f *testing.F) {
	good := func(digest string) string { return `{"decision":"yes","digest":"` + digest + `","by":"alex"}` }
	for _, body := range []string{good("DIGEST"), `{"decision":"no","digest":"DIGEST","mute":true}`, `{"decision":"yes"}`, `{"decision":["yes"]}`, `yes`, `{"decision":"yes","digest":"DIGEST","decision":"no"}`, ``} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		d, ran := made(t)
		a := asked(t, d, request("Mend the tap."))
		body = strings.ReplaceAll(body, "DIGEST", a.Digest)
		w := call(d, "POST", "/approvals/"+a.ID, body)
		got, err := d.Get(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		var dec Decision
		p := ask.DecodeJSON([]byte(body), &dec)
		whole := p == nil && (dec.ID == "" || dec.ID == a.ID) && dec.Digest == a.Digest && dec.check() == nil
		want, runs := Pending, int64(0)
		if whole && dec.Decision == Yes {
			want, runs = Done, 1
		} else if whole {
			want = Denied
		}
		if got.State != want || ran.Load() != runs || (w.Code == 200) != whole {
			t.Errorf("%q: %d, it is %s and ran %d times", body, w.Code, got.State, ran.Load())
		}
	})
}
