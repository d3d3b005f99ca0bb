package ask

import (
	"bytes"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// wireConn watches the bytes of one connection, because net/http drops a
// Content-Length beside a Transfer-Encoding without a word, and answers what it
// refuses itself in plain text.
//
// It follows the framing from head to head: a body's length is in its head. At
// a chunked body it stops, and the server closes the connection after that
// request; so it never has to read chunks. Only one goroutine reads at a time:
// net/http's own order makes sure of that.
type wireConn struct {
	net.Conn
	watch watch
}

func (c *wireConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.watch.see(p[:n])
	return n, err
}

// writeTimeout is how long one piece of an answer may wait for who asked to read.
// Each piece has its own, so that a stream of events may last.
const writeTimeout = 30 * time.Second

// Write turns an answer that net/http wrote itself into a problem.
func (c *wireConn) Write(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	if q := ownAnswer(p, &c.watch); q != nil {
		if _, err := c.Conn.Write(q); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// CloseWrite lets the last answer reach a sender who is still sending.
func (c *wireConn) CloseWrite() error {
	if h, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return nil
}

// bothFramings says whether the chunked request that is being handled had a
// Content-Length too, or may have had one.
func (c *wireConn) bothFramings() bool { return !c.watch.done || c.watch.both }

// plainError is the head of every answer that net/http writes itself, after its
// status line; a handler's answer always has a Date too.
const plainError = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// ownAnswer is the problem that stands for an answer of net/http's own; nil where p is another.
// It looks at w only where p is one: then nothing else reads the connection.
func ownAnswer(p []byte, w *watch) []byte {
	if bytes.HasPrefix(p, []byte("HTTP/1.1 417 ")) { // no handler here answers so
		return onWire(NewProblem(CodeMalformed, "Expect", "Send Expect: 100-continue, or leave Expect out."))
	}
	if len(p) > 512 || !bytes.HasPrefix(p, []byte("HTTP/1.1 ")) || !bytes.Contains(p, []byte(plainError)) {
		return nil
	}
	line, rest, _ := strings.Cut(string(p), "\r\n")
	if !strings.HasPrefix("\r\n"+rest, plainError) || len(line) < 12 {
		return nil
	}
	status, err := strconv.Atoi(line[9:12])
	if err != nil {
		return nil
	}
	problem := NewProblem(CodeMalformed, "", "The request is not proper HTTP/1.1.")
	switch {
	case w.twoHosts:
		problem = NewProblem(CodeAmbiguous, "Host", "Send the Host header once.")
	case strings.Contains(line, "Host header"):
		problem = NewProblem(CodeMalformed, "Host", "Send one proper Host header.")
	case status == http.StatusRequestHeaderFieldsTooLarge:
		problem = NewProblem(CodeHeadersTooLarge, "", "Send a smaller request head.")
	case status == http.StatusNotImplemented:
		problem = NewProblem(CodeNotImplemented, "Transfer-Encoding", "Send a Content-Length, or the chunked coding alone.")
	case status != http.StatusBadRequest:
		problem.Status, problem.Title = status, http.StatusText(status)
	}
	return onWire(problem)
}

// onWire is the whole answer that says p and ends the connection.
func onWire(p *Problem) []byte {
	body := p.body()
	return append([]byte("HTTP/1.1 "+strconv.Itoa(p.Status)+" "+p.Title+"\r\nContent-Type: "+ProblemType+
		"\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\nConnection: close\r\n\r\n"), body...)
}

// watch follows the framing of requests in a stream of bytes.
type watch struct {
	body     int64  // bytes of the current body that are still to come
	line     []byte // the start of a header line that came in pieces
	started  bool   // the request line of this head was seen
	length   int64  // this head's Content-Length; 0 is none
	chunked  bool   // this head has a Transfer-Encoding
	hasLimit bool   // this head has a Content-Length
	hasHost  bool   // this head has a Host
	twoHosts bool   // a head had two; it stays, since the connection ends with it
	done     bool   // nothing is watched any more
	both     bool   // the last head had both framings, or it could not be told
}

// keptLine is how much of a header line is kept: its name and a length fit. A
// Content-Length in a longer line is not believed.
const keptLine = 128

func (w *watch) see(p []byte) {
	for len(p) > 0 && !w.done {
		if w.body > 0 {
			skip := min(w.body, int64(len(p)))
			w.body -= skip
			p = p[skip:]
			continue
		}
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			w.keep(p)
			return
		}
		if len(w.line) == 0 {
			w.header(p[:end])
		} else {
			w.keep(p[:end])
			w.header(w.line)
			w.line = w.line[:0]
		}
		p = p[end+1:]
	}
}

func (w *watch) keep(p []byte) {
	if room := keptLine - len(w.line); room > 0 {
		w.line = append(w.line, p[:min(room, len(p))]...)
	}
}

// header takes one line of a head, without its line feed.
func (w *watch) header(line []byte) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	switch {
	case !w.started:
		// An empty line before a request is passed over, as net/http does.
		if len(line) > 0 {
			w.started, w.length, w.chunked, w.hasLimit, w.hasHost = true, 0, false, false, false
		}
	case len(line) == 0:
		w.started = false
		if w.chunked {
			w.done, w.both = true, w.both || w.hasLimit
			return
		}
		w.body = w.length
	default:
		switch line[0] | 0x20 {
		case 'h':
			if _, ok := headerValue(line, "host"); ok {
				w.twoHosts, w.hasHost = w.twoHosts || w.hasHost, true
			}
		case 'c':
			if value, ok := headerValue(line, "content-length"); ok {
				w.hasLimit = true
				n, err := strconv.ParseInt(string(value), 10, 63)
				if err != nil || n < 0 || len(line) >= keptLine {
					w.done, w.both = true, true // net/http refuses it; nothing after it is trusted
					return
				}
				w.length = n
			}
		case 't':
			if _, ok := headerValue(line, "transfer-encoding"); ok {
				w.chunked = true
			}
		}
	}
}

// headerValue is the value of line where it is the header of that name. A space
// before the colon counts as the header too: net/http refuses it.
func headerValue(line []byte, name string) ([]byte, bool) {
	if len(line) <= len(name) || !equalFoldASCII(line[:len(name)], name) {
		return nil, false
	}
	rest := bytes.TrimLeft(line[len(name):], " \t")
	if len(rest) == 0 || rest[0] != ':' {
		return nil, false
	}
	return bytes.Trim(rest[1:], " \t"), true
}

func equalFoldASCII(b []byte, lower string) bool {
	for i := range b {
		c := b[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
