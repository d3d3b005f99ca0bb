package config

import (
	"strings"
	"testing"
)

func TestTheAdminAppsAddress(t *testing.T) {
	for text, want := range map[string][2]string{
		"":                          {"127.0.0.1:8430", "http://localhost:8430"},
		`listen = "127.0.0.1:8500"`: {"127.0.0.1:8430", "http://localhost:8430"},
		"listen = \"0.0.0.0:8420\"\ntls = \"local-ca\"\npublic_url = \"https://askhub.home:8420\"":                {"0.0.0.0:8430", "https://askhub.home:8430"},
		"listen = \"0.0.0.0:8420\"\ntls = \"local-ca\"\npublic_url = \"https://192.168.1.9:8420\"":                {"0.0.0.0:8430", "https://localhost:8430"},
		"tls = \"proxy\"\ntrusted_proxies = [\"127.0.0.1\"]\npublic_url = \"https://askhub.example.org\"":         {"127.0.0.1:8430", "http://localhost:8430"},
		"tls = \"proxy\"\ntrusted_proxies = [\"127.0.0.1\"]\n[admin]\npublic_url = \"https://admin.example.org\"": {"127.0.0.1:8430", "https://admin.example.org"},
		"[admin]\nlisten = \"127.0.0.1:9000\"": {"127.0.0.1:9000", "http://localhost:9000"},
		"listen = \"0.0.0.0:8420\"\ntls = \"local-ca\"\npublic_url = \"https://askhub.home:8420\"\n[admin]\nlisten = \"127.0.0.1:9000\"": {"127.0.0.1:9000", "https://askhub.home:9000"},
		"listen = \"0.0.0.0:8420\"\ntls = \"local-ca\"\n[admin]\npublic_url = \"https://yes.home:8430\"\nserve = false":                  {"0.0.0.0:8430", "https://yes.home:8430"},
	} {
		c, err := parse("/x/askhub.toml", []byte(text))
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		if got := c.AdminOrigin(c.Admin.Listen); c.Admin.Listen != want[0] || got != want[1] {
			t.Errorf("%s\nlistens on %s, is reached at %s, want %v", text, c.Admin.Listen, got, want)
		}
		if c.Admin.Serve == strings.Contains(text, "serve = false") {
			t.Errorf("%s\nserve is %v", text, c.Admin.Serve)
		}
		if r := c.AdminReach(); r.Listen != want[0] || r.PublicURL != want[1] || c.Listen == r.Listen {
			t.Errorf("%s\nits door is at %s, %s", text, r.Listen, r.PublicURL)
		}
	}
}

func TestAFaultOfTheAdminAppNamesFieldAndMend(t *testing.T) {
	for text, want := range map[string]string{
		"[admin]\nlisten = \"8430\"":                                                "3: admin.listen: must be an address and a port",
		"[admin]\nlisten = \"askhub.home:8430\"":                                    "must be an IP address or localhost",
		"[admin]\nlisten = \"127.0.0.1:8420\"":                                      "the Hub's own address",
		"[admin]\nlisten = \"0.0.0.0:8430\"":                                        "set tls to local-ca",
		"[admin]\npublic_url = \"https://192.168.1.9:8430\"":                        "the host must be a name",
		"[admin]\npublic_url = \"http://askhub.home:8430\"":                         "must begin with https://",
		"[admin]\npublic_url = \"https://askhub.home:8430/\"":                       "take the / at its end away",
		"[admin]\npublic_url = \"\"":                                                "or be left out",
		"public_url = \"https://a.home\"\n[admin]\npublic_url = \"https://a.home\"": "the Hub's own address",
		"[admin]\nport = 8430":                                                      "no such field",
	} {
		_, err := parse("/x/askhub.toml", []byte("\n"+text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "admin.") {
			t.Errorf("%s\n%v\nwant %q", text, err, want)
		}
	}
	if _, err := parse("/x/askhub.toml", []byte("[admin]\npublic_url = \"http://localhost:8430\"")); err != nil {
		t.Error(err)
	}
}
