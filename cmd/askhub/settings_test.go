package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
)

// commented is a setting, or a table, behind a #.
var commented = regexp.MustCompile(`(?m)^# ?((?:[a-z_0-9]+ = |\[).*)$`)

// readAs reads text as the askhub.toml of a folder of its own.
func readAs(t *testing.T, text string) (*config.Config, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(dir)
	if err != nil {
		return nil, err
	}
	return cfg, checkShipped(cfg)
}

// TestEveryPartOfANewSettingsFileCanBeSwitchedOn takes the # away from each table that init
// writes behind one.
func TestEveryPartOfANewSettingsFileCanBeSwitchedOn(t *testing.T) {
	text := string((&initCmd{}).settings(newHome(t).env(), "/x/secrets.conf"))
	head, tables, found := strings.Cut(text, "# [admin]")
	if !found {
		t.Fatal("there is no [admin]")
	}
	on := head + commented.ReplaceAllString("# [admin]"+tables, "$1")
	cfg, err := readAs(t, on)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, on)
	}
	for i, of := 0, reflect.TypeFor[config.Config](); i < of.NumField(); i++ {
		f := of.Field(i)
		name := f.Tag.Get("toml")
		if !f.IsExported() || name == "-" {
			continue
		}
		if !regexp.MustCompile(`(?m)^\[*` + name + `(\.[a-z_]+)?(\]+| = )`).MatchString(commented.ReplaceAllString(text, "$1")) {
			t.Errorf("the file says nothing of %s", name)
		}
	}
	if !cfg.HomeAssistant.Configured() || !cfg.Paperclip.Configured() || !cfg.WebSearch.Configured() || len(cfg.Speakers.Rooms) == 0 || len(cfg.Email.Accounts) == 0 || len(cfg.Internet.Devices) == 0 {
		t.Errorf("%+v", cfg)
	}
}

// TestTheSettingsInTheDocumentsAreGood reads each block of settings that docs shows.
func TestTheSettingsInTheDocumentsAreGood(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	block := regexp.MustCompile("(?s)```toml\n(.*?)```")
	count := 0
	for _, page := range pages {
		for _, m := range block.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "[[person]]") { // people.toml
				continue
			}
			text := withNeighbours(m[1])
			count++
			if _, err := readAs(t, text); err != nil {
				t.Errorf("%s\n%s\n%v", page, m[1], err)
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d blocks were found", count)
	}
}

// withNeighbours is a block of settings with the tables that it leaves to its neighbours.
func withNeighbours(text string) string {
	lacks := func(part, needs string) bool { return strings.Contains(text, part) && !strings.Contains(text, needs) }
	if lacks("[admin]", "tls =") {
		text = "tls = \"local-ca\"\n" + text
	}
	if lacks("[speakers]", "[home_assistant]") || lacks("[[home_assistant.", "[home_assistant]") || lacks("[[speakers.", "[home_assistant]") {
		text += "\n[home_assistant]\nurl = \"http://127.0.0.1:8123\"\n"
	}
	if lacks("rooms = [", "[[speakers.rooms]]") {
		for _, room := range []string{"kitchen", "bedroom"} {
			text += "\n[[speakers.rooms]]\nname = \"" + room + "\"\nsatellite = \"assist_satellite." + room + "\"\n"
		}
	}
	if lacks("[internet]", "[[internet.devices]]") {
		text += "\n[[internet.devices]]\nname = \"Tablet\"\nperson = \"harry\"\nids = [\"02:00:00:00:00:11\"]\n"
	}
	return text
}
