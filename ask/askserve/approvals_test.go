package askserve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

const approvalToken ask.BearerToken = "approval-token-0123456789abcdef0123456"

func desk(t *testing.T, owner string) *approve.Desk {
	t.Helper()
	d, err := approve.Open(t.Context(), approve.Options{
		Owner: owner, Store: approve.NewMemory(), Log: slog.New(slog.DiscardHandler),
		Execute: func(context.Context, approve.Approval) (string, error) { return "The trip is paid.", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func TestAProjectsApprovalsHaveTheirOwnToken(t *testing.T) {
	d := desk(t, "school")
	h, _ := made(t, says("Yes."), func(p *Project) { p.Approvals, p.ApprovalToken = d, approvalToken })
	a, err := d.Ask(t.Context(), approve.Request{What: "Pay for the trip.", Who: "sam", Action: jsontext.Value(`{"pay":"trip"}`)})
	if err != nil {
		t.Fatal(err)
	}
	call := func(method, path string, token ask.BearerToken, body io.Reader) int {
		r := request(method, path, "")
		r.Header.Set("Authorization", "Bearer "+string(token))
		r.Body = io.NopCloser(body)
		return do(h, r).Code
	}
	yes := `{"decision":"yes","digest":"` + a.Digest + `"}`
	for _, path := range []string{"/approvals", "/approvals/" + a.ID} {
		if code := call(http.MethodGet, path, approvalToken, http.NoBody); code != 200 {
			t.Errorf("GET %s: %d", path, code)
		}
		// Who may ask may not approve, nor see what waits.
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if code := call(method, path, token, unread{t}); code != 401 {
				t.Errorf("%s %s with the ask token: %d", method, path, code)
			}
		}
	}
	if code := call(http.MethodPost, "/ask", approvalToken, unread{t}); code != 401 {
		t.Errorf("/ask with the approval token: %d", code)
	}
	if code := call(http.MethodPost, "/approvals/"+a.ID, approvalToken, strings.NewReader(yes)); code != 200 {
		t.Errorf("a yes: %d", code)
	}
	if got, err := d.Get(t.Context(), a.ID); err != nil || got.State != approve.Done {
		t.Errorf("it is %s, %v", got.State, err)
	}
}

func TestAProjectWithoutApprovalsHasNoneOnTheWire(t *testing.T) {
	h, _ := made(t, says("Yes."))
	for _, path := range []string{"/approvals", "/approvals/1"} {
		if w := do(h, request("GET", path, "")); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestNewSaysWhatIsWrongWithTheApprovals(t *testing.T) {
	good := Project{Name: "school", Token: token, Answer: says("Yes."), Approvals: desk(t, "school"), ApprovalToken: approvalToken}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Project){
		"no token":          func(p *Project) { p.ApprovalToken = "" },
		"a short token":     func(p *Project) { p.ApprovalToken = "short" },
		"the ask token":     func(p *Project) { p.ApprovalToken = p.Token },
		"a token for none":  func(p *Project) { p.Approvals = nil },
		"another's project": func(p *Project) { p.Approvals = desk(t, "garden") },
	} {
		p := good
		change(&p)
		if _, err := New(p); err == nil || strings.Contains(err.Error(), string(token)) || strings.Contains(err.Error(), string(approvalToken)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	good.ApprovalToken = ""
	env := map[string]string{"PORT": "0"}
	if err := run(t.Context(), good, func(name string) string { return env[name] }); err == nil || !strings.Contains(err.Error(), "APPROVAL_TOKEN_SCHOOL") {
		t.Errorf("without the variable: %v", err)
	}
}

func TestNoAnswerTellsTheApprovalToken(t *testing.T) {
	for name, f := range map[string]answerFunc{
		"an answer": says("It is " + string(approvalToken) + "."),
		"a reason": func(context.Context, ask.Question) (ask.Answer, error) {
			return ask.NoAnswer("no " + string(approvalToken)), nil
		},
		"an error": func(context.Context, ask.Question) (ask.Answer, error) {
			return ask.Answer{}, errors.New(string(approvalToken))
		},
		"data": func(context.Context, ask.Question) (ask.Answer, error) {
			a := ask.Say("Yes.")
			a.Data = []byte(`"` + approvalToken + `"`)
			return a, nil
		},
	} {
		h, log := made(t, f, func(p *Project) { p.Approvals, p.ApprovalToken = desk(t, "school"), approvalToken })
		if w := do(h, request("POST", "/ask", aboutSelf)); strings.Contains(w.Body.String()+log.String(), string(approvalToken)) {
			t.Errorf("%s: %s, and the log %s", name, w.Body, log)
		}
	}
}
