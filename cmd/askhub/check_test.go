package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/ask/asktest"
)

func TestCheckExitsByWhatItFound(t *testing.T) {
	h, err := askserve.New(askserve.Project{
		Name: "hello", Topics: []string{"hello"}, People: []ask.Person{"sam"}, Token: asktest.TestToken,
		Answer: func(context.Context, ask.Question) (ask.Answer, error) { return ask.Say("Hello."), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := ask.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	good := ask.NewServer(h)
	go func() { _ = good.Serve(ln) }()
	defer good.Close()
	// The same project on a server that does not watch the framing breaks an [ours] clause.
	unwatched := httptest.NewServer(h)
	defer unwatched.Close()
	wrong := asktest.NewScripted(t, asktest.Script{Fault: asktest.Nonsense})
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()

	for _, c := range []struct {
		name string
		cmd  checkCmd
		code int
		says string
	}{
		{"fine", checkCmd{URL: "http://" + ln.Addr().String(), TokenEnv: "TOKEN", Strict: true}, 0, "hello at"},
		{"fine as JSON", checkCmd{URL: "http://" + ln.Addr().String(), TokenEnv: "TOKEN", JSON: true}, 0, `"ok": true`},
		{"a warning", checkCmd{URL: unwatched.URL, TokenEnv: "TOKEN"}, 0, "warning"},
		{"a warning is an error with --strict", checkCmd{URL: unwatched.URL, TokenEnv: "TOKEN", Strict: true}, 1, "BROKEN"},
		{"not the contract", checkCmd{URL: wrong.URL, TokenEnv: "TOKEN"}, 1, "1.4   [fixed]"},
		{"no token", checkCmd{URL: wrong.URL, TokenEnv: "NOTHING"}, 2, ""},
		{"no address", checkCmd{URL: "nonsense", TokenEnv: "TOKEN"}, 2, ""},
		{"nobody there", checkCmd{URL: "http://" + closed.Addr().String(), TokenEnv: "TOKEN"}, 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := c.cmd.Run(&env{ctx: t.Context(), stdout: &out, stderr: &out, getenv: func(name string) string {
				if name == "TOKEN" {
					return string(asktest.TestToken)
				}
				return ""
			}})
			code, coded := 0, exitError{}
			if errors.As(err, &coded) {
				code = coded.code
			} else if err != nil {
				t.Fatal(err)
			}
			if code != c.code || !strings.Contains(out.String(), c.says) {
				t.Errorf("exit code %d (%v), printed:\n%s", code, err, out.String())
			}
			if strings.Contains(out.String(), string(asktest.TestToken)) {
				t.Error("the token was printed")
			}
		})
	}
}
