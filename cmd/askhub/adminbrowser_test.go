package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/browsertest"
	"github.com/askhub/askhub/internal/connector/paperclip/standin"
)

// TestInTheBrowser is a parent's evening with the whole household running: the Hub, the admin
// app and the internet project, each a process, and Debian's Chromium as the phone.
// Paperclip is a stand-in; the suite paperclip has a real one.
func TestInTheBrowser(t *testing.T) {
	chromium := browsertest.Chromium(t, "../../internal/web/browser")
	phone, s := strings.Repeat("b", 40), standin.New()
	bench := httptest.NewServer(s)
	defer bench.Close()
	h := startAdminHouseWith(t,
		fmt.Sprintf("[ways_in.phone]\naskers = [\"sam\"]\n[paperclip]\nurl = %q\ncompany = %q\nproject = %q\n", bench.URL, standin.Company, standin.Project),
		"HUB_TOKEN_PHONE="+phone+"\nPAPERCLIP_KEY="+standin.Key+"\n")
	var made enrolled
	if err := json.Unmarshal([]byte(h.command("admin", "enrol", "--person", "sam", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	browsertest.Run(t, "testdata/browser", "household.test.mjs",
		"ASKHUB_ADMIN="+h.origin, "ASKHUB_HUB="+h.url, "ASKHUB_PHONE="+phone, "ASKHUB_CODE="+made.Code, "ASKHUB_CHROMIUM="+chromium)
	if n := len(s.Issues()); n != 1 {
		t.Errorf("%d jobs are filed, want one", n)
	}
}
