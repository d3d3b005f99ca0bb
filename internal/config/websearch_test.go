package config

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestWebSearch(t *testing.T) {
	for text, want := range map[string]string{
		`url = "http://127.0.0.1:8888/"`:                        "",
		"latitude = 53.8\nlongitude = -1.55\nplace = \"Leeds\"": "",
		"latitude = 0\nlongitude = 0.0":                         "",
		"":                                                      "web_search: must have url",
		`latitude = 53.8`:                                       "web_search: latitude and longitude go together",
		"latitude = 91\nlongitude = 0":                          "web_search.latitude: must be degrees",
		"latitude = nan\nlongitude = 0":                         "web_search.latitude: must be degrees",
		"latitude = 1\nlongitude = -200":                        "web_search.longitude: must be degrees",
		`url = "searx"`:                                         "web_search.url: is not an address; write http:// or https:// in front of it",
		`url = "http://127.0.0.1/?a=b"`:                         "web_search.url: must have no query",
		`url = "http://u:p@127.0.0.1/"`:                         "web_search.url: must hold no user name",
		"url = \"http://127.0.0.1\"\nlanguage = \"English\"":    "web_search.language: must be a language",
		"url = \"http://127.0.0.1\"\nplace = \"Leeds\"":         "web_search.place: goes with latitude",
		`key = "x"`:                                             "web_search.key: no such field",
	} {
		c, err := parse(filepath.Join(t.TempDir(), FileName), []byte("[web_search]\n"+text+"\n"))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %s", text, err, want)
		case want == "" && (!c.WebSearch.Configured() || strings.HasSuffix(c.WebSearch.URL, "/")):
			t.Errorf("%s: got %+v", text, c.WebSearch)
		}
	}
	c, err := parse(filepath.Join(t.TempDir(), FileName), []byte("[web_search]\nurl = \"http://search.lan\"\n"))
	if err != nil || len(c.Warnings()) != 1 || !strings.Contains(c.Warnings()[0], "nothing encrypts") {
		t.Errorf("got %v, %v; want a warning", c.Warnings(), err)
	}
	c, err = parse(filepath.Join(t.TempDir(), FileName), nil)
	if err != nil || c.WebSearch.Configured() {
		t.Errorf("got %+v, %v; want none", c.WebSearch, err)
	}
}
