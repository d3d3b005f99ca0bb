package homeassistant

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// recorded are exchanges with a real Home Assistant 2026.11.0 and its demo entities.
type recorded struct {
	States, Areas, Entities, Devices, Calendars, Events jsontext.Value
	Exchanges                                           map[string]saidAndDone
}

// saidAndDone is what the agent says, and what changes.
type saidAndDone struct {
	Reply   jsontext.Value
	Changes []jsontext.Value
}

// replay answers as Home Assistant was recorded to, and notes what it is told to do.
type replay struct {
	*httptest.Server
	recorded
	token string

	mu     sync.Mutex
	states map[string]jsontext.Value
	told   []string // what the agent was told
	calls  []string // every other request
	silent bool     // devices do not answer
	reply  string   // what the agent says instead of what was recorded
	status int
	state  string // how far it has started
	refuse string // the type of event that is for administrators only
	// forecasts are those of weather entities by kind; one that is missing is refused.
	forecasts map[string]string
	// meanwhile comes while the states are asked for.
	meanwhile string
	// whatever is what the agent says and does whatever it is told.
	whatever *saidAndDone
	// instead are raw messages in place of the reply to a call over the WebSocket.
	instead map[string][]string
	conns   map[*websocket.Conn]bool
	// shut is whether nobody may connect.
	shut bool
	// refusing is called before a forecast that is not there is refused, without the lock.
	refusing func()
	// aliases are those of each entity as Home Assistant has them, where null is its own name;
	// an entity that is not here has that one alone.
	aliases map[string]string
	// floors are the floors, and looked the entities whose aliases were asked for, call by call.
	floors   string
	looked   [][]string
	modified int
}

func newReplay(t *testing.T) *replay {
	t.Helper()
	raw, err := os.ReadFile("testdata/homeassistant-2026.11.0.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &replay{token: strings.Repeat("h", 40), states: map[string]jsontext.Value{}, conns: map[*websocket.Conn]bool{}}
	if err := json.Unmarshal(raw, &r.recorded, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	var states []jsontext.Value
	if err := json.Unmarshal(r.States, &states); err != nil {
		t.Fatal(err)
	}
	for _, s := range states {
		r.states[idOf(s)] = s
	}
	r.modify("") // which was not recorded
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() {
		r.drop()
		r.Close()
	})
	return r
}

func idOf(state jsontext.Value) string {
	var s wireState
	_ = json.Unmarshal(state, &s)
	return s.ID
}

// config is what a connector needs to reach it.
func (r *replay) config() Config {
	return Config{URL: r.URL, Token: func() ask.BearerToken { return ask.BearerToken(r.token) }, Now: func() time.Time {
		return time.Date(2026, 11, 30, 22, 10, 0, 0, time.UTC)
	}}
}

func (r *replay) serve(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/api/websocket" {
		r.mu.Lock()
		shut := r.shut
		r.mu.Unlock()
		if shut {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		r.socket(w, req)
		return
	}
	if req.Header.Get("Authorization") != "Bearer "+r.token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := strings.TrimPrefix(req.URL.Path, "/api/states/")
	switch {
	case r.status != 0:
		w.WriteHeader(r.status)
	case req.URL.Path == "/api/conversation/process" && req.Method == http.MethodPost:
		r.converse(w, req)
	case req.Method != http.MethodGet:
		r.calls = append(r.calls, req.Method+" "+req.URL.Path)
		w.WriteHeader(http.StatusMethodNotAllowed)
	case req.URL.Path == "/api/config":
		w.Write([]byte(`{"state":"` + r.state + `"}`))
	case req.URL.Path == "/api/calendars":
		w.Write(r.Calendars)
	case req.URL.Path == "/api/calendars/calendar.calendar_1":
		w.Write(r.Events)
	case strings.HasPrefix(req.URL.Path, "/api/calendars/"):
		w.Write([]byte("[]"))
	case r.states[id] != nil:
		w.Write(r.states[id])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (r *replay) converse(w http.ResponseWriter, req *http.Request) {
	var said struct {
		Text         string `json:"text"`
		Agent        string `json:"agent_id"`
		Conversation string `json:"conversation_id"`
		Language     string `json:"language"`
	}
	if json.UnmarshalRead(req.Body, &said) != nil || said.Agent != "conversation.home_assistant" || said.Conversation != "askhub-kitchen" || said.Language != "en" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.told = append(r.told, said.Text)
	if r.reply != "" {
		w.Write([]byte(r.reply))
		return
	}
	x, ok := r.Exchanges[strings.ToLower(said.Text)]
	if r.whatever != nil {
		x, ok = *r.whatever, true
	}
	if !ok {
		w.Write([]byte(`{"response":{"response_type":"error","data":{"code":"no_intent_match"}}}`))
		return
	}
	if !r.silent {
		for _, s := range x.Changes {
			r.change(s)
		}
	}
	w.Write(x.Reply)
}

// change makes a state what it is and tells whoever follows; the lock is held.
func (r *replay) change(state jsontext.Value) {
	r.states[idOf(state)] = state
	r.send(`{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"` + idOf(state) + `","new_state":` + string(state) + `}}}`)
}

func (r *replay) send(text string) {
	for conn := range r.conns {
		_ = conn.Write(context.Background(), websocket.MessageText, []byte(text))
	}
}

// turn makes the state of one entity another one, as its device does by itself.
func (r *replay) turn(id, state string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s map[string]jsontext.Value
	_ = json.Unmarshal(r.states[id], &s)
	s["state"] = jsontext.Value(`"` + state + `"`)
	raw, _ := json.Marshal(s)
	r.change(raw)
}

// add puts another entity into the house, before anybody connects.
func (r *replay) add(states ...string) {
	for _, s := range states {
		r.states[idOf(jsontext.Value(s))] = jsontext.Value(s)
	}
}

// drop ends every connection, as a restart does.
func (r *replay) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.conns {
		_ = conn.CloseNow()
	}
}

// admits says whether somebody may connect. Who was let in stays.
func (r *replay) admits(anybody bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut = !anybody
}

// entries are those of the registry with all that is known of each, by id; null where there
// is none. The lock is held.
func (r *replay) entries(ids []string) string {
	r.looked = append(r.looked, ids)
	var all []map[string]jsontext.Value
	_ = json.Unmarshal(r.Entities, &all)
	found := map[string]map[string]jsontext.Value{}
	for _, id := range ids {
		found[id] = nil
		for _, e := range all {
			if string(e["entity_id"]) == `"`+id+`"` {
				e["aliases"] = jsontext.Value(cmp.Or(r.aliases[id], "[null]"))
				found[id] = e
			}
		}
	}
	raw, _ := json.Marshal(found, json.FormatNilMapAsNull(true))
	return string(raw)
}

// modify notes that the entry of an entity has changed, or of each where id is empty; the lock
// is held.
func (r *replay) modify(id string) {
	var all []map[string]jsontext.Value
	_ = json.Unmarshal(r.Entities, &all)
	r.modified++
	for _, e := range all {
		if id == "" || string(e["entity_id"]) == `"`+id+`"` {
			e["modified_at"] = jsontext.Value(fmt.Sprintf("1796076000.%06d", r.modified))
		}
	}
	r.Entities, _ = json.Marshal(all)
}

// names gives an entity those aliases, as a person does on Home Assistant's pages.
func (r *replay) names(id, aliases string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.aliases == nil {
		r.aliases = map[string]string{}
	}
	was := cmp.Or(r.aliases[id], "[null]")
	r.aliases[id] = aliases
	r.modify(id)
	r.send(`{"id":2,"type":"event","event":{"event_type":"entity_registry_updated","data":{"action":"update","entity_id":"` + id + `","changes":{"aliases":` + was + `}}}}`)
}

func (r *replay) socket(w http.ResponseWriter, req *http.Request) {
	conn, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	ctx := context.Background()
	say := func(text string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		_ = conn.Write(ctx, websocket.MessageText, []byte(text))
	}
	say(`{"type":"auth_required","ha_version":"2026.11.0"}`)
	for {
		_, raw, err := conn.Read(ctx)
		if err != nil {
			r.mu.Lock()
			delete(r.conns, conn)
			r.mu.Unlock()
			return
		}
		var m struct {
			ID    jsontext.Value `json:"id"`
			Type  string         `json:"type"`
			Token string         `json:"access_token"`
			Event string         `json:"event_type"`
			Kind  string         `json:"forecast_type"`
			IDs   []string       `json:"entity_ids"`
		}
		_ = json.Unmarshal(raw, &m)
		r.mu.Lock()
		instead, ok := r.instead[m.Type]
		r.mu.Unlock()
		if ok {
			for _, text := range instead {
				say(strings.ReplaceAll(text, "ID", string(m.ID)))
			}
			continue
		}
		result := "null"
		switch m.Type {
		case "auth":
			if m.Token != r.token {
				say(`{"type":"auth_invalid","message":"Invalid access token or password"}`)
				return
			}
			say(`{"type":"auth_ok","ha_version":"2026.11.0"}`)
			continue
		case "subscribe_events":
			if r.refuse != "" && m.Event == r.refuse {
				say(`{"id":` + string(m.ID) + `,"type":"result","success":false,"error":{"code":"unauthorized","message":"Unauthorized"}}`)
				continue
			}
			r.mu.Lock()
			r.conns[conn] = true
			r.mu.Unlock()
		case "get_states":
			r.mu.Lock()
			if r.meanwhile != "" {
				r.send(r.meanwhile)
			}
			var all []string
			for _, s := range r.states {
				all = append(all, string(s))
			}
			r.mu.Unlock()
			result = "[" + strings.Join(all, ",") + "]"
		case "weather/subscribe_forecast":
			r.mu.Lock()
			items, ok := r.forecasts[m.Kind]
			refusing := r.refusing
			r.mu.Unlock()
			if !ok {
				if refusing != nil {
					refusing()
				}
				say(`{"id":` + string(m.ID) + `,"type":"result","success":false,"error":{"code":"invalid_entity_id","message":"Weather entity not found"}}`)
				continue
			}
			say(`{"id":` + string(m.ID) + `,"type":"result","success":true,"result":null}`)
			say(`{"id":` + string(m.ID) + `,"type":"event","event":{"type":"` + m.Kind + `","forecast":` + items + `}}`)
			continue
		case "config/floor_registry/list":
			r.mu.Lock()
			result = cmp.Or(r.floors, "[]")
			r.mu.Unlock()
		case "config/area_registry/list":
			r.mu.Lock()
			result = string(r.Areas)
			r.mu.Unlock()
		case "config/device_registry/list":
			result = string(r.Devices)
		case "config/entity_registry/list":
			r.mu.Lock()
			result = string(r.Entities)
			r.mu.Unlock()
		case "config/entity_registry/get_entries":
			r.mu.Lock()
			result = r.entries(m.IDs)
			r.mu.Unlock()
		default:
			r.mu.Lock()
			r.calls = append(r.calls, m.Type)
			r.mu.Unlock()
		}
		say(`{"id":` + string(m.ID) + `,"type":"result","success":true,"result":` + result + `}`)
	}
}
