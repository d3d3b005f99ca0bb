package config

// What holds where [notices] is silent.
const (
	DefaultNoticeDays = 30
	DefaultPerProject = 30
)

// Notices says how notices are kept, and how many a project may send.
type Notices struct {
	// Days is how long a notice is kept; one that waits is kept longer.
	Days int `toml:"days"`
	// PerProject is how many notices of one project pass within ten minutes; as many urgent
	// ones pass beside.
	PerProject int `toml:"per_project"`
}

// notices checks [notices].
func (v *check) notices() {
	n := &v.c.Notices
	if n.Days < 1 || n.Days > 3650 {
		v.fault("notices.days", "must be from 1 to 3650; the usual is %d", DefaultNoticeDays)
	}
	if n.PerProject < 1 || n.PerProject > 100_000 {
		v.fault("notices.per_project", "must be from 1 to 100000; the usual is %d", DefaultPerProject)
	}
}
