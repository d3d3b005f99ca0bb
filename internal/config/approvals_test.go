package config

import (
	"strings"
	"testing"
	"time"
)

func TestTheApprovalsAreRead(t *testing.T) {
	c, err := load(t, "[approvals]\nwait = \"5m\"\ndays = 7\n")
	if err != nil || c.Approvals.Wait.Duration != 5*time.Minute || c.Approvals.Keep() != 7*24*time.Hour {
		t.Errorf("%+v, %v", c.Approvals, err)
	}
	if silent, err := load(t, ""); err != nil || silent.Approvals.Wait.Duration != 10*time.Minute || silent.Approvals.Days != 90 {
		t.Errorf("a silent file: %+v, %v", silent.Approvals, err)
	}
	for text, want := range map[string]string{
		`wait = "59s"`:   ":2: approvals.wait: must be a duration from",
		`wait = "61m"`:   ":2: approvals.wait: must be a duration from",
		`wait = "never"`: ":2: approvals.wait: must be a duration from",
		"days = 0":       ":2: approvals.days: must be from 1",
		"days = 3651":    ":2: approvals.days: must be from 1",
	} {
		if _, err := load(t, "[approvals]\n"+text+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
