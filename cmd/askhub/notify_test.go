package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/notify/webpush"
	"github.com/askhub/askhub/internal/store/sqlite"
)

func TestATestReachesThePersonsPhones(t *testing.T) {
	p := newPhone(t)
	h := newAddTo(t)
	write(t, h.secrets(), read(t, h.secrets())+"PHONE_TOKEN=tk_phone\n")
	folks := func(phones string) {
		write(t, h.file("people.toml"), "[[person]]\nname = \"sam\"\nrole = \"adult\"\nphone = ["+phones+"]\n")
	}
	topic := `"` + strings.Replace(p.URL, "://", "://:$PHONE_TOKEN@", 1) + `/topic"`
	folks(topic)
	h.want(exitFine, []string{"notify", "test", "Sam"}, "ok    ntfy at 127.0.0.1:", "it took the test")
	if p.times(testMessage) != 1 {
		t.Error("the phone did not get it")
	}
	p.down = true
	h.want(exitNeedDown, []string{"notify", "test", "sam"}, "FAULT ntfy at 127.0.0.1:", "ntfy answers 502 just now")
	folks(topic + `, "push", "http://apprise.home/notify/key"`)
	h.want(exitNot, []string{"notify", "test", "sam", "--json"}, `"target": "push"`, "no browser of Sam takes pushes", "write apprise+http:// in front")
	if strings.Contains(h.out.String(), "tk_phone") {
		t.Error("the token is shown")
	}
	r := newRooms(t)
	write(t, h.file("askhub.toml"), read(t, h.file("askhub.toml"))+"\n[home_assistant]\nurl = \""+r.URL+"\"\n[[speakers.rooms]]\nname = \"bedroom\"\nsatellite = \"assist_satellite.bedroom\"\n")
	write(t, h.file("people.toml"), "[[person]]\nname = \"sam\"\nrole = \"adult\"\nphone = ["+topic+"]\nspeak_in = [\"bedroom\", \"attic\"]\n")
	p.down = false
	h.want(exitNot, []string{"notify", "test", "sam"}, "ok    speech in the bedroom: it took the test", `FAULT speech in the attic: "attic" is no room of askhub.toml`)
	if r.heard() != "bedroom: "+testMessage {
		t.Errorf("the rooms heard %s", r.heard())
	}
	h.want(exitNot, []string{"notify", "test", "bob"})
	if !strings.Contains(h.err.String(), "nobody is called \"bob\": people.toml has sam") {
		t.Errorf("it says %s", h.err.String())
	}
}

func TestNoticesAreListed(t *testing.T) {
	h := newAddTo(t)
	write(t, h.file("people.toml"), "zone = \"Europe/London\"\n[[person]]\nname = \"sam\"\nrole = \"adult\"\n")
	h.want(exitFine, []string{"notify", "list"}, "there are none")
	db, err := sqlite.Open(t.Context(), h.file("askhub.db"))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 7, 10, 8, 0, 0, 0, time.UTC)
	for i, state := range []notify.State{notify.Delivered, notify.Dead} {
		e := notify.Entry{ID: []string{"ntc_1", "ntc_2"}[i], At: at, Notice: notify.Notice{From: "bus", Person: "sam", Level: notify.Important, Message: []string{"One.", "Two."}[i]}}
		e.Deliveries = []notify.Delivery{{Target: "phone:a", Name: "ntfy at ntfy.sh", State: state, Due: at, First: at, Done: at}}
		if state == notify.Dead {
			e.Deliveries[0].Reason = "ntfy answers 404"
		}
		if _, err := db.Notices().Add(t.Context(), &e, notify.DefaultCap); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	h.want(exitFine, []string{"notify", "list"}, "2026-07-10 09:00  bus to sam, important: One.", "    ntfy at ntfy.sh: delivered", "dead (ntfy answers 404)")
	h.want(exitFine, []string{"notify", "list", "--undelivered", "--json", "--person", "sam"}, `"id": "ntc_2"`)
	if strings.Contains(h.out.String(), "ntc_1") {
		t.Errorf("what was delivered is listed: %s", h.out.String())
	}
	h.want(exitUsage, []string{"notify", "list", "--limit", "0"})
}

func TestThePushKeyGoesWithTheSecrets(t *testing.T) {
	h := newAddTo(t)
	key, err := webpush.LoadKey(h.file(webpush.KeyName))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file  string
		words []string
		there bool
	}{{"whole.tar.gz", []string{"--with-secrets"}, true}, {"plain.tar.gz", nil, false}} {
		file := filepath.Join(t.TempDir(), c.file)
		h.want(exitFine, append([]string{"backup", file}, c.words...))
		other := newHome(t)
		other.must(t, "restore", file)
		path := filepath.Join(other.conf(), webpush.KeyName)
		if _, err := os.Stat(path); (err == nil) != c.there {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if again, err := webpush.LoadKey(path); c.there && (err != nil || again.Public() != key.Public()) {
			t.Errorf("%s: it is another key, %v", c.file, err)
		}
	}
}
