package config

import "time"

// What holds where [approvals] is silent, and the bounds of how long a request waits.
const (
	DefaultApprovalWait = 10 * time.Minute
	DefaultApprovalDays = 90
	minApprovalWait     = time.Minute
	maxApprovalWait     = time.Hour
)

// Approvals says how long what needs a person's yes waits for one, and how long it is kept.
type Approvals struct {
	// Wait is how long a request waits before it expires.
	Wait Duration `toml:"wait"`
	// Days is how long one that is over is kept.
	Days int `toml:"days"`
}

// Keep is how long one that is over is kept.
func (a Approvals) Keep() time.Duration { return time.Duration(a.Days) * 24 * time.Hour }

// approvals checks [approvals].
func (v *check) approvals() {
	a := &v.c.Approvals
	if a.Wait.Duration < minApprovalWait || a.Wait.Duration > maxApprovalWait {
		v.fault("approvals.wait", `must be a duration from "1m" to "1h"; the usual is "10m"`)
	}
	if a.Days < 1 || a.Days > 3650 {
		v.fault("approvals.days", "must be from 1 to 3650; the usual is %d", DefaultApprovalDays)
	}
}
