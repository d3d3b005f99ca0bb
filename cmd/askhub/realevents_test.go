package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify"
)

// TestARealHomeTellsTheHousehold presses the button of a real Home Assistant's demo and lets
// a timer of its own run: Sam's phone gets both, and the weather comes from it too.
func TestARealHomeTellsTheHousehold(t *testing.T) {
	address, token := os.Getenv("ASKHUB_TEST_HOMEASSISTANT_URL"), os.Getenv("ASKHUB_TEST_HOMEASSISTANT_TOKEN")
	if address == "" {
		t.Skip("Home Assistant is not running for this test")
	}
	p := newPhone(t)
	event := func(entity, say string) string {
		return "[[home_assistant.events]]\nentity = \"" + entity + "\"\nsay = \"" + say + "\"\npeople = [\"everyone\"]\nlevel = \"urgent\"\n"
	}
	h := startChatHouseWith(t, 1, "", "[home_assistant]\nurl = \""+address+"\"\n"+
		event("event.push_button_press", "Somebody is at the front door.")+event("timer.laundry", "The laundry is done.")+event("timer.kitchen", "The oven is done."),
		config.DefaultHomeToken+"="+token+"\nPHONE_TOKEN=tk_phone\n")
	h.slay(0)
	folks := "[[person]]\nname = \"sam\"\nrole = \"adult\"\nquiet = \"00:00-23:59\"\nphone = [\"" + strings.Replace(p.URL, "://", "://:$PHONE_TOKEN@", 1) + "/topic\"]\n"
	if err := os.WriteFile(h.dir+"/"+config.PeopleName, []byte(folks), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.serve(0); err != nil {
		t.Fatal(err)
	}
	wait(t, "the weather", func() bool {
		_, body, err := h.asCaller("POST", "/ask", strings.Repeat("t", 40), `{"question": "will it rain tomorrow?"}`)
		return err == nil && strings.Contains(body, `"reply":"Tomorrow `) && strings.Contains(body, "% chance of rain.")
	})
	service := func(path, body string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/services/"+path, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: HTTP %d", path, resp.StatusCode)
		}
	}
	for range 20 { // held down
		service("button/press", `{"entity_id":"button.push"}`)
	}
	service("timer/start", `{"entity_id":"timer.kitchen","duration":"00:05:00"}`)
	service("timer/cancel", `{"entity_id":"timer.kitchen"}`)
	service("timer/start", `{"entity_id":"timer.laundry","duration":"00:00:01"}`)
	wait(t, "the doorbell", func() bool { return p.times("Somebody is at the front door.") == 1 })
	wait(t, "the laundry", func() bool { return p.times("The laundry is done.") == 1 })
	list, err := h.store().Notices().List(context.Background(), notify.Query{Person: "sam", Limit: 9})
	if err != nil || len(list) != 2 || list[0].From != config.HomeName {
		t.Errorf("the notices are %+v, %v", list, err)
	}
}
