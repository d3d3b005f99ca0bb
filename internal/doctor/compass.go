package doctor

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
)

// maxCalendar is the most that is read of a calendar, in bytes.
const maxCalendar = 32 << 20

// calendars looks at what the shipped compass project reads. Those on the network are
// its own to fetch, and only what it needs for that is looked at.
func (e *exam) calendars() []Check {
	var checks []Check
	good := 0
	for i, c := range e.cfg.Compass.Calendars {
		check := fmt.Sprintf("compass.calendars[%d]", i)
		before := len(checks)
		if e.house != nil {
			if _, ok := e.house.Find(c.Person); !ok {
				checks = append(checks, Check{check, Warn, "it is " + c.Person + "'s, whom people.toml does not name, so nobody may ask about it", "Name " + c.Person + " in people.toml, or mend person in askhub.toml.", false})
			}
		}
		if c.File != "" {
			if err := e.calendarFile(c.File); err != nil {
				checks = append(checks, Check{check, Fault, "the file " + c.File + " " + err.Error(), "Mend file in askhub.toml, or put the calendar there.", false})
			}
		}
		checks = append(checks, e.calendarPassword(check, c)...)
		if len(checks) == before {
			good++
		}
	}
	if good > 0 {
		checks = append([]Check{{Check: "compass", State: OK, What: count(good, "calendar is set up well", "calendars are set up well")}}, checks...)
	}
	return checks
}

func (e *exam) calendarFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return errors.New("is not there")
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return errors.New("may not be read by this account")
	}
	defer f.Close()
	ics, err := io.ReadAll(io.LimitReader(f, maxCalendar))
	if err != nil {
		return errors.New("cannot be read")
	}
	if err := e.Calendar(ics); err != nil {
		return fmt.Errorf("is not a calendar that can be read (%w)", err)
	}
	return nil
}

func (e *exam) calendarPassword(check string, c config.Calendar) []Check {
	if c.PasswordEnv == "" {
		return nil
	}
	found, err := secrets.Lookup(e.cfg.Secrets, e.Environ, c.PasswordEnv)
	if err == nil && found[c.PasswordEnv] == "" {
		return []Check{{check, Fault, "its password " + c.PasswordEnv + " is missing", "Put the line " + c.PasswordEnv + "=… into " + e.cfg.Secrets + ".", false}}
	}
	for _, address := range []string{c.URL, c.CalDAV} {
		if u, err := url.Parse(address); err == nil && u.Scheme == "http" && !config.Loopback(u.Hostname()) {
			return []Check{{check, Warn, "its password " + c.PasswordEnv + " goes over the network unencrypted", "Write https:// in its address.", false}}
		}
	}
	return nil
}
