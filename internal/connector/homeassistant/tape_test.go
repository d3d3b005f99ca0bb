package homeassistant

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// exchange is a request to Home Assistant and its reply: by REST, or a message by the
// WebSocket, whose method is WS.
type exchange struct {
	Method string         `json:"method"`
	Path   string         `json:"path"`
	Body   jsontext.Value `json:"body,omitzero"`
	Status int            `json:"status,omitzero"`
	Reply  jsontext.Value `json:"reply"`
}

// tape records the exchanges with a real Home Assistant, or answers as they were recorded.
type tape struct {
	*httptest.Server
	mu        sync.Mutex
	exchanges []exchange
	played    []bool
}

// record stands between the connector and the Home Assistant at that address.
func record(t *testing.T, address string) *tape {
	t.Helper()
	tp := &tape{}
	tp.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/websocket" {
			tp.pass(w, r, address)
			return
		}
		body, _ := io.ReadAll(r.Body)
		out, _ := http.NewRequestWithContext(r.Context(), r.Method, address+r.URL.RequestURI(), bytes.NewReader(body))
		out.Header = r.Header
		resp, err := http.DefaultClient.Do(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		reply, _ := io.ReadAll(resp.Body)
		if jsontext.Value(reply).IsValid() {
			tp.keep(exchange{Method: r.Method, Path: r.URL.RequestURI(), Body: body, Status: resp.StatusCode, Reply: reply})
		} else {
			t.Errorf("%s is answered with %s", r.URL, reply)
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = w.Write(reply)
	}))
	t.Cleanup(tp.Close)
	return tp
}

func (tp *tape) keep(e exchange) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.exchanges = append(tp.exchanges, e)
}

// handled is what is read of a message to pass it on.
type handled struct {
	ID   int    `json:"id"`
	Type string `json:"type"`
}

// keyOf is a message without what differs from one connection to the next.
func keyOf(raw []byte) (key jsontext.Value, m handled) {
	var all map[string]jsontext.Value
	_ = json.Unmarshal(raw, &all)
	_ = json.Unmarshal(raw, &m)
	delete(all, "id")
	delete(all, "access_token")
	key, _ = json.Marshal(all, json.Deterministic(true))
	return key, m
}

// pass passes the messages of one connection on, both ways.
func (tp *tape) pass(w http.ResponseWriter, r *http.Request, address string) {
	near, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer near.CloseNow()
	far, resp, err := websocket.Dial(r.Context(), "ws"+strings.TrimPrefix(address, "http")+"/api/websocket", nil)
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	if err != nil {
		return
	}
	defer far.CloseNow()
	far.SetReadLimit(maxMessage)
	var mu sync.Mutex
	asked := map[int]jsontext.Value{}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		for {
			kind, raw, err := near.Read(ctx)
			if err != nil || far.Write(ctx, kind, raw) != nil {
				return
			}
			key, m := keyOf(raw)
			mu.Lock()
			asked[m.ID] = key
			mu.Unlock()
		}
	}()
	for {
		kind, raw, err := far.Read(ctx)
		if err != nil {
			return
		}
		_, m := keyOf(raw)
		var reply struct {
			Result jsontext.Value `json:"result"`
		}
		if _ = json.Unmarshal(raw, &reply); m.Type == "result" {
			mu.Lock()
			tp.keep(exchange{Method: "WS", Body: asked[m.ID], Reply: bytes.Clone(reply.Result)})
			mu.Unlock()
		}
		if near.Write(ctx, kind, raw) != nil {
			return
		}
	}
}

// save writes the tape; of the states, only what is read in the test.
func (tp *tape) save(t *testing.T, to string) {
	t.Helper()
	tp.mu.Lock()
	defer tp.mu.Unlock()
	var kept []exchange
	for _, e := range tp.exchanges {
		var m handled
		_ = json.Unmarshal(e.Body, &m)
		switch m.Type {
		case "get_states":
			var all, some []jsontext.Value
			_ = json.Unmarshal(e.Reply, &all)
			for _, s := range all {
				if id := idOf(s); strings.HasPrefix(id, "calendar.") || strings.HasPrefix(id, "todo.") || strings.HasPrefix(id, "light.") {
					some = append(some, s)
				}
			}
			e.Reply, _ = json.Marshal(some)
		case "config/floor_registry/list", "config/area_registry/list", "config/device_registry/list", "config/entity_registry/list":
			e.Reply = jsontext.Value("[]")
		case "config/entity_registry/get_entries": // nobody asks for any where none is listed
			continue
		}
		if len(e.Body) == 0 {
			e.Body = nil
		}
		kept = append(kept, e)
	}
	raw, err := json.Marshal(kept, jsontext.WithIndent(" "))
	if err == nil {
		err = os.WriteFile(to, append(raw, '\n'), 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}

// replayed answers each request as it was answered when it was recorded, in that order for
// requests that are the same. What was not recorded is an error.
func replayed(t *testing.T, from string) *tape {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	tp := &tape{}
	if err := json.Unmarshal(raw, &tp.exchanges); err != nil {
		t.Fatal(err)
	}
	for i := range tp.exchanges {
		_ = tp.exchanges[i].Body.Canonicalize()
	}
	tp.played = make([]bool, len(tp.exchanges))
	tp.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/websocket" {
			tp.speak(t, w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		e, ok := tp.answer(r.Method, r.URL.RequestURI(), body)
		if !ok {
			t.Errorf("%s %s %s was not recorded", r.Method, r.URL.RequestURI(), body)
		}
		w.WriteHeader(cmp.Or(e.Status, http.StatusTeapot))
		_, _ = w.Write(e.Reply)
	}))
	t.Cleanup(tp.Close)
	return tp
}

// answer is the next reply to that request, or the last one again where it is only read.
func (tp *tape) answer(method, path string, body jsontext.Value) (e exchange, ok bool) {
	_ = body.Canonicalize()
	tp.mu.Lock()
	defer tp.mu.Unlock()
	for i, x := range tp.exchanges {
		if x.Method != method || x.Path != path || !bytes.Equal(x.Body, body) {
			continue
		}
		if !tp.played[i] {
			tp.played[i] = true
			return x, true
		}
		e, ok = x, method != http.MethodPost
	}
	return e, ok
}

// atEnd is an error where a change was recorded that was not asked for again.
func (tp *tape) atEnd(t *testing.T) {
	t.Helper()
	tp.mu.Lock()
	defer tp.mu.Unlock()
	for i, x := range tp.exchanges {
		if x.Method == http.MethodPost && !tp.played[i] {
			t.Errorf("%s %s was recorded and not asked for", x.Path, x.Body)
		}
	}
}

// speak answers one connection of the WebSocket.
func (tp *tape) speak(t *testing.T, w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	ctx := context.Background()
	_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"auth_required","ha_version":"2026.11.0"}`))
	for {
		_, raw, err := conn.Read(ctx)
		if err != nil {
			return
		}
		key, m := keyOf(raw)
		if m.Type == "auth" {
			_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"auth_ok","ha_version":"2026.11.0"}`))
			continue
		}
		e, ok := tp.answer("WS", "", key)
		ok = ok || m.Type == "subscribe_events" // each is answered alike
		if !ok {
			t.Errorf("%s was not recorded", key)
		}
		out, _ := json.Marshal(map[string]any{"id": m.ID, "type": "result", "success": ok, "result": e.Reply})
		_ = conn.Write(ctx, websocket.MessageText, out)
	}
}
