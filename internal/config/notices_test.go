package config

import (
	"strings"
	"testing"
)

func TestTheNoticesAreRead(t *testing.T) {
	c, err := load(t, "[notices]\ndays = 7\nper_project = 100\n")
	if err != nil || c.Notices != (Notices{Days: 7, PerProject: 100}) {
		t.Errorf("%+v, %v", c.Notices, err)
	}
	if silent, err := load(t, ""); err != nil || silent.Notices != (Notices{Days: 30, PerProject: 30}) {
		t.Errorf("a silent file: %+v, %v", silent.Notices, err)
	}
	for text, want := range map[string]string{
		"days = 0":        ":2: notices.days: must be from 1",
		"days = 3651":     ":2: notices.days: must be from 1",
		"per_project = 0": ":2: notices.per_project: must be from 1",
	} {
		if _, err := load(t, "[notices]\n"+text+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
