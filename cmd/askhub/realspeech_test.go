package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify"
)

// startVoice is a stand-in for a program that makes speech of words, as Piper does, over the
// Wyoming protocol: it says what it is, and Home Assistant makes tts.test_voice of it.
func startVoice(t *testing.T) (host string, port int) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	const made = `"attribution":{"name":"test","url":""},"installed":true,"description":"","version":"1"`
	const info = `{"type":"info","data":{"tts":[{"name":"Test voice",` + made + `,"voices":[{"name":"one",` + made + `,"languages":["en"]}]}]}}` + "\n"
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					if strings.Contains(lines.Text(), `"describe"`) {
						fmt.Fprint(conn, info)
					}
				}
			}()
		}
	}()
	return "127.0.0.1", ln.Addr().(*net.TCPAddr).Port
}

// TestARealHomeSaysAnUrgentNotice has a real Home Assistant say a notice on a media player
// of its demo. The demo has no satellite, and plays to nobody.
func TestARealHomeSaysAnUrgentNotice(t *testing.T) {
	a := openAssist(t)
	host, port := startVoice(t)
	a.join("wyoming", map[string]any{"host": host, "port": port})
	h := startChatHouseWith(t, 1, "", "[projects.bus]\nurl = \"http://127.0.0.1:1\"\n[home_assistant]\nurl = \""+a.url+"\"\n"+
		"[speakers]\nquiet = \"00:00-23:59\"\ntts = \"tts.test_voice\"\n[[speakers.rooms]]\nname = \"bedroom\"\nmedia_player = \"media_player.bedroom\"\n"+
		"[[speakers.rooms]]\nname = \"attic\"\nmedia_player = \"media_player.attic\"\n",
		"HUB_TOKEN_BUS="+busToken+"\nHUB_TOKEN_ADMIN="+chiefToken+"\n"+config.DefaultHomeToken+"="+a.token+"\n")
	h.slay(0)
	folks := "[[person]]\nname = \"sam\"\nrole = \"adult\"\nspeak_in = [\"bedroom\", \"attic\"]\n"
	if err := os.WriteFile(h.dir+"/"+config.PeopleName, []byte(folks), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.serve(0); err != nil {
		t.Fatal(err)
	}
	a.command("subscribe_events", map[string]any{"event_type": "call_service"})
	const said = "The bus burns, everybody is SAFE!"
	if status, reply, err := h.asCaller("POST", "/notify", busToken, noticeBody(notify.Urgent, said)); err != nil || status != http.StatusAccepted {
		t.Fatalf("%d %s %v", status, reply, err)
	}
	var states string
	wait(t, "both rooms", func() bool {
		list, err := h.store().Notices().List(context.Background(), notify.Query{Limit: 9})
		if err != nil || len(list) != 1 {
			return false
		}
		states = ""
		for _, d := range list[0].Deliveries {
			if notify.KindOf(d.Target) == notify.KindSpeech {
				states += d.Name + ": " + string(d.State) + " " + d.Reason + "\n"
			}
		}
		return strings.Contains(states, "speech in the bedroom: delivered") && strings.Contains(states, "speech in the attic: waiting the speaker in the attic did not answer")
	})
	// Home Assistant called its own services: first to speak, then to play that there.
	var calls []string
	for !strings.Contains(strings.Join(calls, " "), "media_player.play_media") {
		_, raw, err := a.ws.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Event struct {
				Data struct {
					Domain  string `json:"domain"`
					Service string `json:"service"`
					With    struct {
						Message string `json:"message"`
						Player  string `json:"media_player_entity_id"`
						Entity  any    `json:"entity_id"`
						Over    bool   `json:"announce"`
					} `json:"service_data"`
				} `json:"data"`
			} `json:"event"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		d := m.Event.Data
		calls = append(calls, fmt.Sprint(d.Domain, ".", d.Service, " ", d.With.Entity, " ", d.With.Player, " ", d.With.Message, " ", d.With.Over))
	}
	if len(calls) != 2 || calls[0] != "tts.speak [tts.test_voice] [media_player.bedroom] "+said+" false" && calls[0] != "tts.speak tts.test_voice media_player.bedroom "+said+" false" ||
		!strings.HasPrefix(calls[1], "media_player.play_media [media_player.bedroom]") || !strings.HasSuffix(calls[1], "true") {
		t.Errorf("it called %q", calls)
	}
}
