package homeassistant

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
)

// standIn is no Home Assistant: it keeps calendars and lists in memory, takes nothing that
// a real one would not, and fails as it is told to. What a real one says is on the tape.
type standIn struct {
	*httptest.Server

	mu     sync.Mutex
	states []string
	events map[string][]event
	lists  map[string][]item
	// calls are the service calls that came.
	calls []string
	// loses is whether it takes what is written, and writes nothing.
	loses bool
	// after is how many reads it takes until what was written is seen.
	after, reads int
	// listed is how often a list was read.
	listed int
	status int
	// refuses is an entry, by its name or its UID, that it takes nothing about.
	refuses string
	// aliases are those of the entities in its registry, where null is an entity's own name.
	aliases map[string]string
}

func newStandIn(t *testing.T, states ...string) *standIn {
	t.Helper()
	s := &standIn{events: map[string][]event{}, lists: map[string][]item{}}
	for _, line := range states {
		id, name, _ := strings.Cut(line, "=")
		features := "127"
		if id, ok := strings.CutSuffix(id, "!"); ok {
			s.states = append(s.states, fmt.Sprintf(`{"entity_id":%q,"state":"off","attributes":{"friendly_name":%q}}`, id, name))
			continue
		}
		s.states = append(s.states, fmt.Sprintf(`{"entity_id":%q,"state":"0","attributes":{"friendly_name":%q,"supported_features":%s}}`, id, name, features))
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) config() Config {
	return Config{URL: s.URL, Token: func() ask.BearerToken { return ask.BearerToken(strings.Repeat("h", 40)) }, Now: inDecember}
}

// known is whether there is such an entity; the lock is held.
func (s *standIn) known(id string) bool {
	return slices.ContainsFunc(s.states, func(line string) bool {
		return strings.Contains(line, `"entity_id":"`+id+`"`) && strings.Contains(line, "127")
	})
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/websocket" {
		s.socket(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if service, ok := strings.CutPrefix(r.URL.Path, "/api/services/"); ok {
		var data map[string]string
		err := json.UnmarshalRead(r.Body, &data)
		s.calls = append(s.calls, service)
		switch {
		case s.status != 0:
			w.WriteHeader(s.status)
		case s.refuses != "" && data["item"] == s.refuses:
			w.WriteHeader(http.StatusBadRequest)
		case err != nil || r.Method != http.MethodPost || !s.known(data["entity_id"]) || !s.carryOut(service, data):
			w.WriteHeader(http.StatusBadRequest)
		default:
			_, _ = w.Write([]byte("[]"))
		}
		return
	}
	if r.URL.Path == "/api/calendars" {
		_, _ = w.Write([]byte("[" + strings.Join(s.states, ",") + "]"))
		return
	}
	id, ok := strings.CutPrefix(r.URL.Path, "/api/calendars/")
	start, err1 := time.Parse(time.RFC3339, r.URL.Query().Get("start"))
	end, err2 := time.Parse(time.RFC3339, r.URL.Query().Get("end"))
	if !ok || r.Method != http.MethodGet || err1 != nil || err2 != nil || !end.After(start) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.reads++
	id, _ = url.PathUnescape(id)
	within := slices.DeleteFunc(slices.Clone(s.events[id][:s.seen(len(s.events[id]))]), func(e event) bool {
		first, _ := e.Start.moment(start.Location())
		last, _ := e.End.moment(start.Location())
		return !first.Before(end) || !last.After(start)
	})
	_ = json.MarshalWrite(w, within, json.FormatNilSliceAsNull(false))
}

// seen is how many of them are seen yet; the lock is held.
func (s *standIn) seen(n int) int {
	if s.reads <= s.after && n > 0 {
		return n - 1
	}
	return n
}

// carryOut is false for what a real one refuses; the lock is held.
func (s *standIn) carryOut(service string, data map[string]string) bool {
	has := func(fields ...string) bool {
		for _, f := range fields {
			if data[f] == "" {
				return false
			}
		}
		return len(data) == len(fields)+1
	}
	id := data["entity_id"]
	entry := slices.IndexFunc(s.lists[id], func(i item) bool { return i.UID == data["item"] })
	switch {
	case service == "calendar/create_event" && has("summary", "start_date_time", "end_date_time"):
		start, err1 := time.Parse(time.RFC3339, data["start_date_time"])
		end, err2 := time.Parse(time.RFC3339, data["end_date_time"])
		_, from := start.Zone()
		if _, to := end.Zone(); err1 != nil || err2 != nil || !end.After(start) || from != to {
			return false
		}
		s.keep(id, event{Summary: data["summary"], Start: instant{DateTime: data["start_date_time"]}, End: instant{DateTime: data["end_date_time"]}})
	case service == "calendar/create_event" && has("summary", "start_date", "end_date"):
		if data["end_date"] <= data["start_date"] {
			return false
		}
		s.keep(id, event{Summary: data["summary"], Start: instant{Date: data["start_date"]}, End: instant{Date: data["end_date"]}})
	case s.loses && strings.HasPrefix(service, "todo/"):
	case service == "todo/add_item" && has("item"):
		s.lists[id] = append(s.lists[id], item{Summary: data["item"], UID: fmt.Sprintf("uid-%d", len(s.calls)), Status: itemOpen})
	case service == "todo/update_item" && has("item", "status") && entry >= 0:
		s.lists[id][entry].Status = data["status"]
	case service == "todo/remove_item" && has("item") && entry >= 0:
		s.lists[id] = slices.Delete(s.lists[id], entry, entry+1)
	default:
		return false
	}
	return true
}

func (s *standIn) keep(id string, e event) {
	if s.reads = 0; !s.loses {
		s.events[id] = append(s.events[id], e)
	}
}

func (s *standIn) socket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	ctx := context.Background()
	_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"auth_required"}`))
	for {
		_, raw, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var m struct {
			ID     int    `json:"id"`
			Type   string `json:"type"`
			Entity string `json:"entity_id"`
			// Entities are those whose entries are asked for.
			Entities []string `json:"entity_ids"`
		}
		_ = json.Unmarshal(raw, &m)
		result := "[]"
		s.mu.Lock()
		switch m.Type {
		case "auth":
			result = ""
		case "get_states":
			result = "[" + strings.Join(s.states, ",") + "]"
		case "config/entity_registry/list":
			var entries []string
			for _, id := range slices.Sorted(maps.Keys(s.aliases)) {
				entries = append(entries, fmt.Sprintf(`{"entity_id":%q,"platform":"local","area_id":null,"device_id":null,"disabled_by":null,"modified_at":1796076000.5}`, id))
			}
			result = "[" + strings.Join(entries, ",") + "]"
		case "config/entity_registry/get_entries":
			var entries []string
			for _, id := range m.Entities {
				entries = append(entries, fmt.Sprintf(`%q:{"entity_id":%q,"platform":"local","aliases":%s}`, id, id, s.aliases[id]))
			}
			result = "{" + strings.Join(entries, ",") + "}"
		case "todo/item/list":
			s.listed++
			items, _ := json.Marshal(map[string]any{"items": s.lists[m.Entity]})
			result = string(items)
		case "call_service", "execute_script", "fire_event":
			s.calls = append(s.calls, m.Type)
		}
		s.mu.Unlock()
		reply := fmt.Sprintf(`{"id":%d,"type":"result","success":true,"result":%s}`, m.ID, result)
		if result == "" {
			reply = `{"type":"auth_ok"}`
		}
		_ = conn.Write(ctx, websocket.MessageText, []byte(reply))
	}
}

// expectCalls are the service calls since the last look.
func (s *standIn) expectCalls(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.calls, want) {
		t.Errorf("the service calls were %q, want %q", s.calls, want)
	}
	s.calls = nil
}
