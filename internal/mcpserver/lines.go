package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// noMessage is what is said of JSON that is something else.
const noMessage = `This is no message of JSON-RPC 2.0: send "jsonrpc", "id", "method" and "params".`

// lines lets through what is a message of JSON-RPC, one a line. Anything else is answered
// with an error and passed over: the SDK would end the connection at it.
//
// At the end of the input it waits until what was asked has been answered, for a script
// writes its questions and closes, and the SDK would drop them.
type lines struct {
	in   *bufio.Reader
	out  *whole
	rest []byte // of a line that is let through
}

func newLines(in io.Reader, out *whole) *lines {
	return &lines{in: bufio.NewReaderSize(in, MaxBody+1), out: out}
}

// Read is io.Reader's.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if err = l.skip(); err == nil {
				err = l.refuse(nil, jsonrpc.CodeInvalidRequest, "A message of more than 128 KB is not read.")
			}
			line = nil
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if failed := l.check(line); failed != nil {
				return 0, failed
			}
		}
		if err != nil && len(l.rest) == 0 {
			l.out.settle()
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// skip passes over the rest of a line.
func (l *lines) skip() error {
	for {
		if _, err := l.in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// check lets a line through, or answers what is wrong with it.
func (l *lines) check(line []byte) error {
	line = bytes.TrimSpace(line)
	switch {
	case !jsontext.Value(line).IsValid():
		return l.refuse(nil, jsonrpc.CodeParseError, "This is not JSON: send one message a line, in UTF-8, with no key twice.")
	case line[0] == '[':
		return l.refuse(nil, jsonrpc.CodeInvalidRequest, "Send one message a line, and no list of them.")
	}
	var m envelope
	_ = json.Unmarshal(line, &m)
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return l.refuse(m.ID, jsonrpc.CodeInvalidRequest, noMessage)
	}
	if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() {
		l.out.expect(fmt.Sprintf("%#v", r.ID.Raw()))
	}
	l.rest = append(bytes.Clone(line), '\n')
	return nil
}

// envelope tells a request, a reply and a notification apart.
type envelope struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
}

// refusal is the answer to a line that is not let through.
type refusal struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Error   fault          `json:"error"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// refuse answers a line that is not let through; id is null where none can be read.
func (l *lines) refuse(id jsontext.Value, code int, message string) error {
	if kind := id.Kind(); kind != '"' && kind != '0' {
		id = jsontext.Value("null")
	}
	raw, err := json.Marshal(refusal{Version: "2.0", ID: id, Error: fault{code, message}})
	if err != nil {
		return err
	}
	_, err = l.out.Write(append(raw, '\n'))
	return err
}

// whole writes each line in one piece, whoever writes, and knows what has not been answered.
type whole struct {
	out io.Writer

	mu sync.Mutex
	// open are the ids of requests without an answer; idle is closed when there are none left.
	open map[string]bool
	idle chan struct{}
}

func newWhole(out io.Writer) *whole { return &whole{out: out, open: map[string]bool{}} }

// Write is io.Writer's.
func (w *whole) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(plainly(p)); err != nil {
		return 0, err
	}
	var m envelope
	if json.Unmarshal(p, &m) == nil && m.Method == "" {
		id := string(m.ID)
		var text string
		if m.ID.Kind() == '"' && json.Unmarshal(m.ID, &text) == nil {
			id = fmt.Sprintf("%#v", text)
		}
		delete(w.open, id)
	}
	if len(w.open) == 0 && w.idle != nil {
		close(w.idle)
		w.idle = nil
	}
	return len(p), nil
}

// expect notes a request. Its id is the SDK's, which answers to 1.0 as 1.
func (w *whole) expect(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[id] = true
}

// settled is how long an answer may take at the end: longer than any question does.
const settled = 10 * time.Second

// settle waits until every request has been answered.
func (w *whole) settle() {
	w.mu.Lock()
	if len(w.open) == 0 {
		w.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	w.idle = idle
	w.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(settled):
	}
}

// plainly is a message without the inner names that the SDK puts into its errors about
// parameters of another form.
func plainly(message []byte) []byte {
	var r refusal
	if !bytes.Contains(message, []byte("unmarshal")) || json.Unmarshal(message, &r) != nil || r.Error.Code == 0 {
		return message
	}
	r.Error.Message = "The parameters are not of the form that this method takes."
	raw, err := json.Marshal(r)
	if err != nil {
		return message
	}
	return append(raw, '\n')
}
