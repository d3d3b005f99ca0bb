package main

import (
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/config"
)

// TestWhatAShippedProjectWouldNotTakeIsRefusedAtTheStart goes through what package config
// leaves to the projects: their processes would end as soon as they start.
func TestWhatAShippedProjectWouldNotTakeIsRefusedAtTheStart(t *testing.T) {
	device := func(name, ids string) string {
		return "[[internet.devices]]\nname = \"" + name + "\"\nperson = \"harry\"\nids = [" + ids + "]\n"
	}
	account := func(more string) string {
		return "[[email.accounts]]\nperson = \"sam\"\nserver = \"imap.example.org\"\nusername = \"sam@example.org\"\npassword_env = \"SAM_MAIL\"\n" + more
	}
	const sample, router = "[internet]\nbackend = \"sample\"\n", "[internet]\nbackend = \"linux\"\n"
	for text, want := range map[string]string{
		sample + device("Tablet", `"02:00:00:00:00:11"`) + device("tablet", `"02:00:00:00:00:12"`):        "internet.devices[1].name is that of devices[0] too",
		sample + device("Tablet", `"02:00:00:00:00:11"`) + device("Phone", `"02-00-00-00-00-11"`):         "internet.devices[1].ids[0] is an id of devices[0] too",
		sample + device("Tablet", `"02:00:00:00:00:11", "02:00:00:00:00:11"`):                             "internet.devices[0].ids[1] is an id of devices[0] too",
		sample + device("Tablet", `"Harry's tablet"`):                                                     "internet.devices[0].ids[0] must be a MAC address",
		sample + device("<b>", `"192.168.1.20"`):                                                          "internet.devices[0].name must be what the household calls it",
		router + device("Tablet", `"harrys-tablet"`):                                                      "internet.devices[0].ids are too few: Tablet needs a MAC address or an IP address",
		account("") + account(""):                                                                         "email.accounts[1].mailboxes names \"INBOX\", which accounts[0] reads already",
		account("security = \"plain\"\n"):                                                                 "email.accounts[0].security may be \"plain\" for this machine alone",
		account("pinned_sha256 = \"abc\"\n"):                                                              "email.accounts[0].pinned_sha256 must be the SHA-256",
		account("addresses = [\"sam\"]\n"):                                                                "email.accounts[0].addresses[0] must be an address",
		account("mailboxes = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\n"):                               "email.accounts[0].mailboxes may be at most",
		strings.Replace(account(""), "imap.example.org", "imap.example.org:99999", 1):                     "email.accounts[0].server must be a host",
		sample + device("Tablet", `"02:00:00:00:00:11"`) + account(""):                                    "",
		router + device("Tablet", `"02:00:00:00:00:11", "192.168.1.20"`) + account("mailboxes = [\"A\"]"): "",
	} {
		h := newHome(t)
		h.must(t, "init")
		path := h.conf() + "/" + config.FileName
		settings := read(t, path)
		write(t, path, settings+"\n"+text)
		for _, command := range []string{"serve", "doctor", "project internet"} {
			if want == "" && command != "doctor" {
				continue
			}
			code := run(h.env(), strings.Fields(command))
			said := h.out.String() + h.err.String()
			problem := strings.Replace(want, " ", ": ", 1)
			if want == "" && strings.Contains(said, "FAULT config") || want != "" && (code == exitFine || !strings.Contains(said, problem)) {
				t.Errorf("%s\n%s says\n%s\nwant %s", text, command, said, problem)
			}
			if command == "serve" && !strings.Contains(said, "askhub.toml:") {
				t.Errorf("%s\nno line in\n%s", text, said)
			}
		}
	}
}
