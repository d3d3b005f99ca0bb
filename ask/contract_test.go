package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const testToken BearerToken = "abcdefghijklmnopqrstuvwxyz-012345"

func TestBearerFrom(t *testing.T) {
	good := "Bearer " + string(testToken)
	for _, c := range []struct {
		name   string
		values []string
		status int // 0 is taken
	}{
		{"the token", []string{good}, 0},
		{"another case of the scheme", []string{"bearer " + string(testToken)}, 0},
		{"none", nil, 401},
		{"empty", []string{""}, 401},
		{"no token", []string{"Bearer "}, 401},
		{"no scheme", []string{string(testToken)}, 401},
		{"another scheme", []string{"Basic " + string(testToken)}, 401},
		{"31 characters", []string{"Bearer " + string(testToken[:31])}, 401},
		{"a space inside", []string{good + " x"}, 401},
		{"a letter outside ASCII", []string{good + "é"}, 401},
		{"twice the same", []string{good, good}, 400},
		{"two", []string{good, "Bearer x"}, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/capabilities", nil)
			r.Header["Authorization"] = c.values
			got, p := BearerFrom(r)
			switch {
			case c.status == 0 && (p != nil || got != testToken):
				t.Errorf("got %v", p)
			case c.status != 0 && (p == nil || p.Status != c.status || got != ""):
				t.Errorf("got %v, want %d", p, c.status)
			}
		})
	}
}

func TestATokenReachesNoLogAndNoDump(t *testing.T) {
	var out bytes.Buffer
	config := struct{ Token BearerToken }{testToken}
	fmt.Fprintf(&out, "%s %v %q %#v %+v %v", testToken, testToken, testToken, testToken, config, config)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "token", testToken, "config", config)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", testToken, "config", config)
	b, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	if strings.Contains(out.String(), string(testToken)) {
		t.Errorf("it is there: %s", out.String())
	}
}

func TestDigest(t *testing.T) {
	if !SameDigest(Digest(testToken), Digest(testToken)) || SameDigest(Digest(testToken), Digest(testToken+"x")) {
		t.Error("digests do not tell tokens apart")
	}
}

func TestEveryCodeHasItsStatus(t *testing.T) {
	for code, status := range Codes() {
		p := NewProblem(code, "f", "d")
		if p.Status != status || p.Title != http.StatusText(status) || p.Title == "" || status < 400 {
			t.Errorf("%s: %+v", code, p)
		}
	}
	if p := NewProblem("nobody_knows", "", ""); p.Code != CodeInternal || p.Status != 500 {
		t.Errorf("an unknown code became %+v", p)
	}
	if !NewProblem(CodeTooMany, "", "").Retryable() || NewProblem(CodeInvalidJSON, "", "").Retryable() {
		t.Error("what is worth another try is wrong")
	}
}

func TestWriteProblem(t *testing.T) {
	w := httptest.NewRecorder()
	WriteProblem(w, Unauthorized())
	if w.Code != 401 || w.Header().Get("Content-Type") != ProblemType || w.Header().Get("WWW-Authenticate") != "Bearer" || w.Header().Get("Connection") != "close" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	// The Hub's own codes fill in the rest.
	w = httptest.NewRecorder()
	WriteProblem(w, &Problem{Status: 403, Code: "asker_not_allowed", Field: "asker", Detail: "bad \xff bytes"})
	var p Problem
	if fault := DecodeJSON(w.Body.Bytes(), &p); fault != nil || p.Title != "Forbidden" || p.Type != "about:blank" || p.Code != "asker_not_allowed" {
		t.Errorf("got %+v, %v", p, fault)
	}
	if w.Header().Get("Connection") != "" {
		t.Error("a refusal whose body was read ends the connection")
	}
}

func TestCapabilities(t *testing.T) {
	good := Capabilities{Project: "email_agent", Topics: []string{"email", "what is new"}, People: []Person{"sam"}}
	if p := good.Validate(); p != nil {
		t.Error(p)
	}
	if p := (Capabilities{Project: "p", Topics: []string{}, People: []Person{}}).Validate(); p != nil {
		t.Error(p)
	}
	for name, c := range map[string]Capabilities{
		"project":  {Project: "Email Agent", Topics: []string{}, People: []Person{}},
		"topics":   {Project: "p", People: []Person{}},
		"people":   {Project: "p", Topics: []string{}},
		"topics.1": {Project: "p", Topics: []string{"a", "<b>"}, People: []Person{}},
		"topics.0": {Project: "p", Topics: []string{strings.Repeat("a", 61)}, People: []Person{}},
		"people.0": {Project: "p", Topics: []string{}, People: []Person{"sam\n"}},
	} {
		if p := c.Validate(); p == nil || p.Field != name {
			t.Errorf("%s: got %v", name, p)
		}
	}
	if TokenVariable("email-agent") != "PROJECT_TOKEN_EMAIL_AGENT" {
		t.Error(TokenVariable("email-agent"))
	}
}
