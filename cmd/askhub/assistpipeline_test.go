package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// assist is a running Home Assistant, spoken to as its own page speaks to it.
type assist struct {
	*testing.T
	url, token string

	ws   *websocket.Conn
	last int
}

func openAssist(t *testing.T) *assist {
	t.Helper()
	a := &assist{T: t, url: os.Getenv("ASKHUB_TEST_HOMEASSISTANT_URL"), token: os.Getenv("ASKHUB_TEST_HOMEASSISTANT_TOKEN")}
	if a.url == "" {
		t.Skip("Home Assistant is not running for this test")
	}
	ws, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(a.url, "http")+"/api/websocket", nil)
	if err != nil {
		t.Fatal(err)
	}
	ws.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = ws.CloseNow() })
	a.ws = ws
	a.read() // auth_required
	a.write(map[string]any{"type": "auth", "access_token": a.token})
	if m := a.read(); m.Type != "auth_ok" {
		t.Fatalf("Home Assistant does not know the token: %+v", m)
	}
	return a
}

// assistMessage is what is read of a message.
type assistMessage struct {
	ID      int            `json:"id"`
	Type    string         `json:"type"`
	Success bool           `json:"success"`
	Error   any            `json:"error"`
	Result  jsontext.Value `json:"result"`
	Event   struct {
		Type string `json:"type"`
		Data struct {
			Message string `json:"message"`
			Output  struct {
				Response struct {
					Type   string `json:"response_type"`
					Speech struct {
						Plain struct {
							Speech string `json:"speech"`
						} `json:"plain"`
					} `json:"speech"`
				} `json:"response"`
			} `json:"intent_output"`
		} `json:"data"`
	} `json:"event"`
}

func (a *assist) write(v map[string]any) {
	a.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = a.ws.Write(a.Context(), websocket.MessageText, b)
	}
	if err != nil {
		a.Fatal(err)
	}
}

func (a *assist) read() assistMessage {
	a.Helper()
	ctx, cancel := context.WithTimeout(a.Context(), 30*time.Second)
	defer cancel()
	_, b, err := a.ws.Read(ctx)
	if err != nil {
		a.Fatal(err)
	}
	var m assistMessage
	if err := json.Unmarshal(b, &m); err != nil {
		a.Fatalf("%s: %v", b, err)
	}
	return m
}

// command sends one command and gives its result.
func (a *assist) command(kind string, more map[string]any) assistMessage {
	a.Helper()
	a.last++
	more["id"], more["type"] = a.last, kind
	a.write(more)
	for {
		if m := a.read(); m.ID == a.last && m.Type == "result" {
			if !m.Success {
				a.Fatalf("%s: %v", kind, m.Error)
			}
			return m
		}
	}
}

// result sends one command and reads its result.
func (a *assist) result(kind string, more map[string]any, to any) {
	a.Helper()
	if raw := a.command(kind, more).Result; json.Unmarshal(raw, to) != nil {
		a.Fatalf("%s: %s is not the expected result", kind, raw)
	}
}

// hears is what the pipeline says to a sentence.
func (a *assist) hears(pipeline, text string) string {
	a.Helper()
	a.command("assist_pipeline/run", map[string]any{
		"start_stage": "intent", "end_stage": "intent", "pipeline": pipeline, "input": map[string]any{"text": text},
	})
	for {
		switch m := a.read(); m.Event.Type {
		case "intent-end":
			return m.Event.Data.Output.Response.Speech.Plain.Speech
		case "error":
			a.Fatalf("the pipeline failed: %s", m.Event.Data.Message)
		}
	}
}

// rest calls Home Assistant's REST API.
func (a *assist) rest(method, path string, body map[string]any) map[string]any {
	a.Helper()
	out, err := a.tryRest(a.Context(), method, path, body)
	if err != nil {
		a.Fatal(err)
	}
	return out
}

func (a *assist) tryRest(ctx context.Context, method, path string, body map[string]any) (map[string]any, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil || resp.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s: status %d, %s", path, resp.StatusCode, raw), err)
	}
	return out, nil
}

// join sets up an integration of Home Assistant's, until the test ends.
func (a *assist) join(handler string, settings map[string]any) {
	a.Helper()
	const flows = "/api/config/config_entries/flow"
	flow := a.rest(http.MethodPost, flows, map[string]any{"handler": handler})
	made := a.rest(http.MethodPost, fmt.Sprint(flows, "/", flow["flow_id"]), settings)
	entry, ok := made["result"].(map[string]any)
	if !ok {
		a.Fatalf("Home Assistant does not take %s: %v", handler, made)
	}
	a.Cleanup(func() {
		_, _ = a.tryRest(context.Background(), http.MethodDelete, fmt.Sprint("/api/config/config_entries/entry/", entry["entry_id"]), nil)
	})
}

// A sentence that Home Assistant's own pipeline hears reaches askhub over Wyoming, and what
// askhub says is what the pipeline says.
func TestHomeAssistantsVoiceIsAnswered(t *testing.T) {
	a := openAssist(t)
	voice := addressOf(t)
	startHouseWith(t, "[wyoming]\nlisten = \""+voice+"\"\nasker = \"sam\"\n\n")
	host, port, err := net.SplitHostPort(voice)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	a.join("wyoming", map[string]any{"host": host, "port": number})
	none := map[string]any{"name": "askhub", "language": "en", "conversation_engine": "conversation.askhub", "conversation_language": "en"}
	for _, off := range []string{"stt_engine", "stt_language", "tts_engine", "tts_language", "tts_voice", "wake_word_entity", "wake_word_id"} {
		none[off] = nil
	}
	var pipeline struct {
		ID string `json:"id"`
	}
	a.result("assist_pipeline/pipeline/create", none, &pipeline)
	for text, want := range map[string]string{
		"what does Harry have on today?": "Harry has",
		"turn off the kids' internet":    "Use the admin app to change internet limits.",
		"who won the match in 1966?":     "",
	} {
		if got := a.hears(pipeline.ID, text); got == "" || !strings.Contains(got, want) {
			t.Errorf("%s: it says %q, want %q", text, got, want)
		} else {
			t.Logf("%s → %s", text, got)
		}
	}
	a.command("assist_pipeline/pipeline/delete", map[string]any{"pipeline_id": pipeline.ID})
}
