package config

import (
	"strings"
	"testing"
)

const goodInternet = `
[internet]
backend = "adguard"
url = "http://127.0.0.1:3000/"
username = "askhub"
password_env = "ADGUARD_PASSWORD"
[[internet.devices]]
name = "Harry's tablet"
person = "harry"
ids = ["02:00:00:00:00:11"]
`

func TestTheInternetProjectsSettings(t *testing.T) {
	c, err := parse("askhub.toml", []byte(goodInternet))
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Internet; n.URL != "http://127.0.0.1:3000" || len(n.Devices) != 1 || n.Devices[0].Person != "harry" {
		t.Errorf("%+v", n)
	}
	for change, want := range map[[2]string]string{
		{`"adguard"`, `"openwrt"`}:                                        "internet.backend: must be adguard",
		{`url = "http://127.0.0.1:3000/"`, ""}:                            "internet.url: must be an address",
		{`:3000/"`, `:3000/control"`}:                                     "internet.url: must be the address of AdGuard Home's page",
		{`username = "askhub"`, ""}:                                       "internet.username: must name the user",
		{`"ADGUARD_PASSWORD"`, `"my secret password"`}:                    "internet.password_env: must name the secret",
		{`person = "harry"`, ""}:                                          "internet.devices[0].person: must name the person",
		{`name = "Harry's tablet"`, ""}:                                   "internet.devices[0].name: must be what the household calls it",
		{`["02:00:00:00:00:11"]`, `[]`}:                                   "internet.devices[0].ids: must have at least one",
		{`backend = "adguard"`, "backend = \"adguard\"\nleases = \"/x\""}: "internet.leases: goes with backend = \"linux\"",
		{`backend = "adguard"`, `backend = "linux"`}:                      "internet.url: goes with backend = \"adguard\"",
		{`[[internet.devices]]`, "[[internet.devices]]\nmac = \"02:00\""}: "internet.devices[0].mac: no such field",
		{`backend = "adguard"`, "backend = \"adguard\"\nmodel = \"x\"\n"}: "internet.model: no such field",
	} {
		text := strings.Replace(goodInternet, change[0], change[1], 1)
		_, err := parse("askhub.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "askhub.toml:") {
			t.Errorf("%v\n got %v\nwant %s", change, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "my secret") {
			t.Errorf("what may be a password is quoted: %v", err)
		}
	}
	c, err = parse("askhub.toml", []byte(strings.Replace(goodInternet, "127.0.0.1:3000", "192.168.1.2", 1)))
	if err != nil || len(c.Warnings()) != 1 || !strings.Contains(c.Warnings()[0], "nothing encrypts the password") {
		t.Errorf("%v, %v", c.Warnings(), err)
	}
}
