package admin_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/browsertest"
)

// TestInTheBrowser runs each browser/*.test.mjs against the app in Debian's Chromium, whose
// virtual authenticator has a finger for every passkey.
func TestInTheBrowser(t *testing.T) {
	chromium := browsertest.Chromium(t, "../web/browser")
	for _, name := range browsertest.Files(t, "browser") {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.net.also = changes
			h.hub.also = (&aHub{}).serve
			h.run()
			knobs := httptest.NewServer(http.HandlerFunc(h.knobs))
			t.Cleanup(knobs.Close)
			browsertest.Run(t, "browser", name, "ASKHUB_ADMIN="+h.origin, "ASKHUB_KNOBS="+knobs.URL, "ASKHUB_CHROMIUM="+chromium)
			if t.Failed() {
				t.Logf("%s", h.log)
			}
		})
	}
}

// knobs is what the browser tests turn: one JSON command a call.
func (h *house) knobs(w http.ResponseWriter, r *http.Request) {
	var c struct {
		Do     string         `json:"do"`
		Person string         `json:"person"`
		Owner  string         `json:"owner"`
		ID     string         `json:"id"`
		What   string         `json:"what"`
		Who    string         `json:"who"`
		Why    string         `json:"why"`
		Action jsontext.Value `json:"action"`
	}
	if err := json.UnmarshalRead(r.Body, &c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	o := h.net
	if c.Owner == "hub" {
		o = h.hub
	}
	switch c.Do {
	case "code":
		_ = ask.WriteJSON(w, map[string]string{"code": h.code(c.Person)})
	case "want":
		a, err := o.desk.Ask(r.Context(), approve.Request{What: c.What, Who: c.Who, Why: c.Why, Action: c.Action})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = ask.WriteJSON(w, &a)
	case "state":
		a := h.now(o, c.ID)
		_ = ask.WriteJSON(w, map[string]any{"approval": a, "ran": o.ran.Load()})
	case "revoke": // all passkeys of the person, as for a lost phone
		keys, _ := h.store.Passkeys(r.Context())
		for i := range keys {
			if keys[i].Person == c.Person {
				_ = h.store.Revoke(r.Context(), keys[i].Name())
			}
		}
		_ = ask.WriteJSON(w, map[string]string{})
	default:
		http.Error(w, "no such knob: "+c.Do, http.StatusBadRequest)
	}
}

func (h *house) now(o *owner, id string) approve.Approval {
	a, err := o.desk.Get(h.t.Context(), id)
	if err != nil {
		h.t.Error(err)
	}
	return a
}

// changes is what the internet project offers, without its backend.
func changes(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/changes" || r.Method != http.MethodGet {
		ask.WriteProblem(w, ask.NewProblem(ask.CodeInvalidField, "fields.minutes", "Give a number of minutes from 1 to 600."))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"changes":[{"change":"cut","title":"Cut the internet","fields":[` +
		`{"name":"device","label":"Device","type":"choice","choices":[{"value":"tablet","label":"Harry's tablet"}],"required":true},` +
		`{"name":"minutes","label":"For how long","type":"number","unit":"minutes","min":1,"max":600},` +
		`{"name":"from","label":"From","type":"time"},{"name":"days","label":"On","type":"days"},{"name":"note","label":"Note","type":"text"}]}]}`))
}
