package mcpserver

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askhub/askhub/ask"
)

// MaxBody is the largest message that is read, in bytes.
const MaxBody = 128 << 10

// Caller is who calls over HTTP.
type Caller struct {
	// Name tells callers apart. The same name always has the same askers.
	Name   string
	Askers []ask.Asker
	Hub    Hub
}

// Endpoint serves streamable HTTP. Each request is whole in itself, so there are no
// sessions that somebody could take over, and several Hubs may share the callers.
type Endpoint struct {
	version string
	http    http.Handler

	mu sync.Mutex
	// servers are by the caller's name, for a tool's schema takes longer than its call.
	servers map[string]*mcp.Server
}

// NewEndpoint is an Endpoint of a program of that version.
func NewEndpoint(version string) *Endpoint {
	e := &Endpoint{version: version, servers: map[string]*mcp.Server{}}
	e.http = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if c, ok := r.Context().Value(callerKey{}).(Caller); ok {
			return e.server(c)
		}
		return nil
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxBody, PropagateRequestCancellation: true,
		// A page that rebinds a name has no token, and behind a proxy the host is the house's.
		DisableLocalhostProtection: true,
	})
	return e
}

func (e *Endpoint) server(c Caller) *mcp.Server {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.servers[c.Name]
	if s == nil {
		s = New(Config{Hub: ofRequest{}, Askers: c.Askers, Version: e.version})
		e.servers[c.Name] = s
	}
	return s
}

// sameOrigin lets no page of elsewhere call, whatever token it has.
var sameOrigin = http.NewCrossOriginProtection()

// Serve answers one request as that caller.
func (e *Endpoint) Serve(w http.ResponseWriter, r *http.Request, c Caller) *ask.Problem {
	if sameOrigin.Check(r) != nil {
		return ask.NewProblem(ask.CodeForbidden, "Origin", "A page of another origin may not call this.")
	}
	body, p := ask.ReadBody(w, r, MaxBody)
	if p != nil {
		return p
	}
	// The SDK's decoder lets a key stand twice.
	if !jsontext.Value(body).IsValid() {
		return ask.NewProblem(ask.CodeInvalidJSON, "body", "Send one JSON-RPC message, with no key twice.")
	}
	// What it says of other bodies has its inner names in it.
	if !messages(body) {
		return ask.NewProblem(ask.CodeInvalidJSON, "body", noMessage)
	}
	c.Hub = untilGone{c.Hub, r.Context()}
	r = r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
	r.Body = io.NopCloser(bytes.NewReader(body))
	e.http.ServeHTTP(plainWriter{w}, r)
	return nil
}

// messages says whether a JSON document is a message of JSON-RPC, or a list of them.
func messages(body jsontext.Value) bool {
	all := []jsontext.Value{body}
	if body.Kind() == '[' && json.Unmarshal(body, &all) != nil {
		return false
	}
	for _, one := range all {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return false
		}
	}
	return len(all) > 0
}

// plainWriter writes each message plainly.
type plainWriter struct{ http.ResponseWriter }

// Write is io.Writer's.
func (w plainWriter) Write(p []byte) (int, error) {
	if _, err := w.ResponseWriter.Write(plainly(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap lets http.ResponseController reach the writer itself.
func (w plainWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

type callerKey struct{}

// ofRequest is the Hub as the caller of the request sees it.
type ofRequest struct{}

func hubOf(ctx context.Context) (Hub, error) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	if !ok { // a change of the SDK's: nobody may then be taken for another
		return nil, ask.NewProblem(ask.CodeInternal, "", "Something went wrong here; the log says what.")
	}
	return c.Hub, nil
}

// Ask asks as the request's caller.
func (ofRequest) Ask(ctx context.Context, q Question) (*Reply, error) {
	h, err := hubOf(ctx)
	if err != nil {
		return nil, err
	}
	return h.Ask(ctx, q)
}

// Capabilities is what the request's caller can ask.
func (ofRequest) Capabilities(ctx context.Context) (jsontext.Value, error) {
	h, err := hubOf(ctx)
	if err != nil {
		return nil, err
	}
	return h.Capabilities(ctx)
}

// Why is one record, if the request's caller may see it.
func (ofRequest) Why(ctx context.Context, id string) (jsontext.Value, error) {
	h, err := hubOf(ctx)
	if err != nil {
		return nil, err
	}
	return h.Why(ctx, id)
}

// untilGone ends a call when its HTTP request does, also in the older versions of the
// protocol, for which the SDK does not.
type untilGone struct {
	Hub

	request context.Context //nolint:containedctx // it lives as long as the one request
}

// Ask asks until the caller has gone.
func (u untilGone) Ask(ctx context.Context, q Question) (*Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(u.request, cancel)()
	return u.Hub.Ask(ctx, q)
}
