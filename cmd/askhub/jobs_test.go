package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/connector/paperclip/standin"
)

// runStandIn is the program paperclip-standin ADDRESS of the scripts. It takes what it is to
// do wrong next from the path /fail: "cut" files the job and ends the connection.
func runStandIn() {
	s := standin.New()
	mux := http.NewServeMux()
	mux.Handle("/", s)
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /fail/cut", func(http.ResponseWriter, *http.Request) { s.Fail(standin.Fault{Cut: true, Filed: true}) })
	mux.HandleFunc("POST /fail/busy", func(http.ResponseWriter, *http.Request) {
		s.Fail(standin.Fault{Status: http.StatusConflict, Body: `{"error":"not now"}`})
	})
	mux.HandleFunc("GET /issues", func(w http.ResponseWriter, _ *http.Request) { _ = json.MarshalWrite(w, s.Issues()) })
	if err := http.ListenAndServe(os.Args[1], mux); err != nil {
		panic(err)
	}
}

// fails has the stand-in do the next filing wrong: "fails cut", "fails busy".
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: fails cut|busy")
	}
	resp, err := http.Post("http://"+ts.Getenv("BENCH")+"/fail/"+args[0], "", nil)
	ts.Check(err)
	_ = resp.Body.Close()
}

// issues checks how many issues the stand-in has.
func issues(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: issues N")
	}
	resp, err := http.Get("http://" + ts.Getenv("BENCH") + "/issues")
	ts.Check(err)
	defer resp.Body.Close()
	var list []standin.Issue
	ts.Check(json.UnmarshalRead(resp.Body, &list))
	if strconv.Itoa(len(list)) != args[0] {
		ts.Fatalf("there are %d issues, want %s: %+v", len(list), args[0], list)
	}
}

// adminToken is the admin app's, from the script's own secrets file.
func adminToken(ts *testscript.TestScript) string {
	file := ts.ReadFile(filepath.Join(ts.Getenv("HOME"), ".config", "environment.d", "10-secrets.conf"))
	for line := range strings.Lines(file) {
		if token, ok := strings.CutPrefix(line, "HUB_TOKEN_ADMIN="); ok {
			return strings.TrimSpace(token)
		}
	}
	ts.Fatalf("the secrets file has no HUB_TOKEN_ADMIN")
	return ""
}

// tap says yes or no to the first approval of the list, as the admin app does: "tap ADDRESS
// yes". It prints the approval as it then stands.
func tap(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: tap ADDRESS yes|no")
	}
	token := adminToken(ts)
	call := func(method, path string, body []byte) []byte {
		req, err := http.NewRequest(method, "http://"+args[0]+path, bytes.NewReader(body))
		ts.Check(err)
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		ts.Check(err)
		defer resp.Body.Close()
		said, err := io.ReadAll(resp.Body)
		ts.Check(err)
		if resp.StatusCode != http.StatusOK {
			ts.Fatalf("%s %s: %s %s", method, path, resp.Status, said)
		}
		return said
	}
	var list struct {
		Approvals []approve.Approval `json:"approvals"`
	}
	ts.Check(json.Unmarshal(call(http.MethodGet, "/approvals", nil), &list))
	if len(list.Approvals) == 0 {
		ts.Fatalf("no approval is there")
	}
	a := list.Approvals[0]
	decision, err := json.Marshal(approve.Decision{ID: a.ID, Decision: approve.Answer(args[1]), Digest: a.Digest, By: "sam"})
	ts.Check(err)
	_, err = ts.Stdout().Write([]byte(strings.TrimSpace(string(call(http.MethodPost, "/approve", decision))) + "\n"))
	ts.Check(err)
}
