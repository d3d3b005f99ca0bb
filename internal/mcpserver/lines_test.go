package mcpserver

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	greeted  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	asking   = `{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"ask","arguments":{"question":"is the lamp on?"}}}`
)

// line is one that came back.
type line struct {
	ID     jsontext.Value `json:"id"`
	Result jsontext.Value `json:"result"`
	Error  *fault         `json:"error"`
}

// speak sends these lines and a question after them, whose id is "last", and gives back
// what was answered until that and what has the awaited id were, by id.
func speak(t *testing.T, awaited string, sent ...string) map[string][]line {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	hub := &scripted{reply: `{"id":"ask_1","status":"answered","reply":"Yes."}`}
	over := make(chan error, 1)
	go func() {
		err := Run(t.Context(), Config{Hub: hub, Version: "1"}, in, out)
		_ = out.CloseWithError(io.EOF)
		over <- err
	}()
	go func() {
		_, _ = io.WriteString(toServer, strings.Join(append(append([]string{greeting, greeted}, sent...), asking), "\n")+"\n")
	}()
	all := map[string][]line{}
	giveUp := time.AfterFunc(20*time.Second, func() { _ = toServer.Close() })
	defer giveUp.Stop()
	for answers := bufio.NewScanner(fromServer); (len(all[`"last"`]) == 0 || len(all[awaited]) == 0) && answers.Scan(); {
		var l line
		if err := json.Unmarshal(answers.Bytes(), &l); err != nil {
			t.Fatalf("%q is no answer: %v", answers.Bytes(), err)
		}
		all[string(l.ID)] = append(all[string(l.ID)], l)
	}
	_ = toServer.Close()
	if err := <-over; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if l := all[`"last"`]; len(l) != 1 || l[0].Error != nil || !strings.Contains(string(l[0].Result), "Yes.") {
		t.Errorf("the question afterwards was answered with %+v", l)
	}
	return all
}

// inner is whether a message tells of what is inside here.
func inner(message string) bool {
	return strings.Contains(message, "unmarshal") || strings.Contains(message, "mcp.") || strings.Contains(message, "Go ")
}

// A line that is no message is answered as JSON-RPC says, and the connection goes on.
func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		sent, id string
		code     int
	}{
		"no JSON":            {`hello`, "null", -32700},
		"half of JSON":       {`{"jsonrpc":"2.0","id":7,`, "null", -32700},
		"two in a line":      {`{"jsonrpc":"2.0","id":7,"method":"ping"} {"jsonrpc":"2.0","id":8,"method":"ping"}`, "null", -32700},
		"a key twice":        {`{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, "null", -32700},
		"no UTF-8":           {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}", "null", -32700},
		"a number":           {`42`, "null", -32600},
		"null":               {`null`, "null", -32600},
		"a list":             {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, "null", -32600},
		"an empty list":      {`[]`, "null", -32600},
		"an empty object":    {`{}`, "null", -32600},
		"another version":    {`{"jsonrpc":"1.0","id":7,"method":"ping"}`, "7", -32600},
		"an odd id":          {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		"too long a line":    {`{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("a", 1<<20) + `"}`, "null", -32600},
		"an unknown one":     {`{"jsonrpc":"2.0","id":7,"method":"no/such"}`, "7", -32601},
		"an unknown tool":    {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm","arguments":{}}}`, "7", -32602},
		"odd parameters":     {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}`, "7", -32602},
		"a number as a name": {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}`, "7", -32602},
		"an odd version":     {`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":{}}}`, "7", -32602},
		"no parameters":      {`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, "7", -32600},
		"nested very deep":   {`{"jsonrpc":"2.0","id":7,"method":"ping","params":` + strings.Repeat("[", 60000) + strings.Repeat("]", 60000) + `}`, "null", -32700},
	} {
		t.Run(name, func(t *testing.T) {
			got := speak(t, c.id, c.sent)
			if l := got[c.id]; len(l) != 1 || l[0].Error == nil || l[0].Error.Code != c.code || l[0].Error.Message == "" || inner(l[0].Error.Message) {
				t.Errorf("got %+v", l)
			}
		})
	}
}

// What nobody has to answer is passed over, and ends nothing either.
func TestWhatNeedsNoAnswerEndsNothing(t *testing.T) {
	for _, sent := range []string{
		`{"jsonrpc":"2.0","id":"x"}`, "", "  \t", "\r", `{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","method":"no/such"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`,
	} {
		speak(t, `"last"`, sent)
	}
}

// Wrong arguments are a result that a model can read and mend.
func TestWrongArgumentsSayTheirMend(t *testing.T) {
	for args, want := range map[string]string{
		`{}`: `"question"`, `{"question":7}`: "question", `{"question":""}`: `"question"`, `{"question":"hi","asker":"sam"}`: `no argument`,
		`[]`: "object", `{"question":"hi","in_reply_to":[]}`: "in_reply_to",
	} {
		l := speak(t, "7", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":`+args+`}}`)["7"]
		if len(l) != 1 || !strings.Contains(string(l[0].Result), `"isError":true`) || !strings.Contains(string(l[0].Result), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: got %+v", args, l)
		}
	}
}

// A script writes all that it asks and closes; it is answered all the same.
func TestWhatWasAskedBeforeTheEndIsAnswered(t *testing.T) {
	var out bytes.Buffer
	hub := &scripted{reply: `{"id":"ask_1","status":"answered","reply":"Yes."}`}
	in := strings.NewReader(strings.Join([]string{greeting, greeted, "garbage", asking}, "\n"))
	if err := Run(t.Context(), Config{Hub: hub, Version: "1"}, in, &out); err != nil {
		t.Error(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 3 || !strings.Contains(got, "-32700") || !strings.Contains(got, "Yes.") {
		t.Errorf("got %s", got)
	}
}
