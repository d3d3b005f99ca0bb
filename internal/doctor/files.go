package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
)

// maxFile is the largest people.toml that is read, in bytes.
const maxFile = 1 << 20

// folder looks at who may change what the Hub goes by.
func (e *exam) folder() []Check {
	info, err := os.Stat(e.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Check{{"folder", Fault, "the config folder " + e.Dir + " is not there", fmt.Sprintf(`Run "askhub init %s", or name another folder with --config.`, e.Dir), false}}
	case err != nil:
		return []Check{{"folder", Fault, "the config folder " + e.Dir + " cannot be looked at", "Give this account the right to read it.", false}}
	case !info.IsDir():
		return []Check{{"folder", Fault, e.Dir + " is not a folder", "Name the folder that holds askhub.toml with --config.", false}}
	}
	var checks []Check
	for _, path := range []string{e.Dir, e.path(config.FileName), e.path(config.RoutingName), e.path(config.PeopleName)} {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o002 != 0 {
			checks = append(checks, Check{"folder", Fault, fmt.Sprintf("anybody on this machine can change %s (mode %04o)", path, info.Mode().Perm()), "Run: chmod o-w " + path, false})
		}
	}
	if checks == nil {
		checks = []Check{{Check: "folder", State: OK, What: e.Dir}}
	}
	return checks
}

func (e *exam) path(name string) string { return filepath.Join(e.Dir, name) }

// config loads askhub.toml.
func (e *exam) config() []Check {
	cfg, err := config.Load(e.Dir)
	if err != nil {
		var checks []Check
		for _, err := range each(err) {
			checks = append(checks, e.configFault(err))
		}
		return checks
	}
	e.cfg = cfg
	checks := []Check{{Check: "config", State: OK, What: fmt.Sprintf("askhub.toml names %s and %s",
		count(len(cfg.WaysIn), "way in", "ways in"), count(len(cfg.Projects), "project", "projects"))}}
	if e.Shipped != nil {
		if err := e.Shipped(cfg); err != nil {
			checks = nil
			for _, err := range each(err) {
				checks = append(checks, e.configFault(err))
			}
		}
	}
	for _, w := range cfg.Warnings() {
		what, mend := halves(w, "; ", "Look at it in "+e.path(config.FileName)+".")
		checks = append(checks, Check{"config", Warn, strings.TrimPrefix(what, e.Dir+string(filepath.Separator)), mend, false})
	}
	// The address of a calendar is often its key.
	holdsKeys := slices.ContainsFunc(cfg.Compass.Calendars, func(c config.Calendar) bool { return c.URL != "" || c.CalDAV != "" })
	path := e.path(config.FileName)
	if info, err := os.Stat(path); err == nil && holdsKeys && info.Mode().Perm()&0o077 != 0 {
		checks = append(checks, Check{"config", Warn, fmt.Sprintf("others can read the calendars' addresses in askhub.toml (mode %04o), and an address is often its own key", info.Mode().Perm()), "Run: chmod 600 " + path, false})
	}
	return checks
}

func (e *exam) configFault(err error) Check {
	var fault *config.Error
	switch {
	case errors.As(err, &fault):
		what := config.FileName
		mend := "Mend " + e.path(config.FileName) + "."
		if fault.Line > 0 {
			what = fmt.Sprintf("%s line %d", what, fault.Line)
			mend = fmt.Sprintf("Mend line %d of %s.", fault.Line, e.path(config.FileName))
		}
		if fault.Field != "" {
			what += ": " + fault.Field
		}
		return Check{"config", Fault, what + ": " + fault.Problem, mend, false}
	case errors.Is(err, fs.ErrNotExist):
		return Check{"config", Fault, "there is no askhub.toml in " + e.Dir, fmt.Sprintf(`Run "askhub init %s", or name another folder with --config.`, e.Dir), false}
	}
	return Check{"config", Fault, err.Error(), "Make it a file that this account may read.", false}
}

// people loads people.toml.
func (e *exam) people() []Check {
	path := e.path(config.PeopleName)
	src, bad := readSmall("people", path)
	if bad != nil {
		return bad
	}
	house, err := people.Parse(config.PeopleName, src)
	var faults []Check
	for _, fault := range people.Faults(err) {
		mend := sentence("mend " + path)
		if fault.Mend != "" {
			mend = sentence(fault.Mend)
		}
		fault.Mend = ""
		faults = append(faults, Check{"people", Fault, fault.Error(), mend, false})
	}
	switch {
	case len(faults) > 0:
		return faults
	case err != nil:
		return []Check{{"people", Fault, err.Error(), sentence("mend " + path), false}}
	}
	e.house = house
	checks := []Check{{Check: "people", State: OK, What: fmt.Sprintf("people.toml names %s, on the clock of %s", count(len(house.People()), "person", "people"), house.Zone())}}
	if len(house.People()) == 0 {
		checks[0] = Check{"people", Warn, "people.toml names nobody, so nobody has a name to ask by", "Name yourself in " + path + ", as its own text shows.", false}
	}
	if house.Zone() == time.Local {
		checks = append(checks, Check{"people", Warn, "people.toml names no time zone, so the machine's own says when today is", `Write a line like zone = "Europe/London" at the top of ` + path + ".", false})
	}
	return checks
}

// readSmall reads a file of the config folder.
func readSmall(check, path string) ([]byte, []Check) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, []Check{{check, Fault, path + " is not there", fmt.Sprintf(`Run "askhub init %s", which writes what is missing.`, filepath.Dir(path)), false}}
	case err == nil && !info.Mode().IsRegular():
		return nil, []Check{{check, Fault, path + " is not a file", "Put the file there.", false}}
	case err == nil && info.Size() > maxFile:
		return nil, []Check{{check, Fault, path + " is larger than 1 MB", "Take out what does not belong there.", false}}
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, []Check{{check, Fault, path + " cannot be read", "Give this account the right to read it.", false}}
	}
	return src, nil
}

// routing loads routing.md.
func (e *exam) routing() []Check {
	path := e.path(config.RoutingName)
	if _, bad := readSmall("routing", path); bad != nil {
		return bad
	}
	file, problems, err := routing.Load(path)
	checks := problemChecks(problems, path)
	if file == nil {
		if len(checks) == 0 {
			checks = []Check{{"routing", Fault, err.Error(), sentence("mend " + path), false}}
		}
		return checks
	}
	e.rules = file
	ok := Check{Check: "routing", State: OK, What: fmt.Sprintf("routing.md has %s and %s that are refused",
		count(len(file.Destinations), "destination", "destinations"), count(len(file.NeverRoute), "control action", "control actions"))}
	return append([]Check{ok}, checks...)
}

func problemChecks(problems []routing.Problem, path string) []Check {
	var checks []Check
	for _, p := range problems {
		what, mend := halves(p.Message, ": ", fmt.Sprintf("Mend line %d of %s.", p.Line, path))
		state := Warn
		if p.Severity == routing.Error {
			state = Fault
		}
		checks = append(checks, Check{"routing", state, fmt.Sprintf("routing.md line %d: %s", p.Line, what), mend, false})
	}
	return checks
}

// lint compares routing.md with what the projects declared just now.
func (e *exam) lint(found []project) []Check {
	if e.rules == nil {
		return nil
	}
	var live []ask.Capabilities
	for _, p := range found {
		if p.live {
			live = append(live, p.caps)
		}
	}
	checks := problemChecks(routing.Lint(e.rules, live), e.path(config.RoutingName))
	for _, p := range found {
		if _, ok := e.rules.Find(p.name); !ok && !p.live {
			checks = append(checks, Check{"routing", Warn, p.name + " is configured and has no row in routing.md, so nothing is ever asked there", "Add its row to " + e.path(config.RoutingName) + ".", false})
		}
	}
	return checks
}

// guest looks up what an unknown speaker reaches.
func (e *exam) guest() []Check {
	if e.rules == nil {
		return nil
	}
	var unknown []string
	for _, name := range e.cfg.Guest {
		if _, ok := e.rules.Find(name); !ok {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return []Check{{"guest", Warn, "a guest may reach " + strings.Join(unknown, ", ") + ", which routing.md does not know", "Set guest in askhub.toml to names that have a row in routing.md.", false}}
	}
	return []Check{{Check: "guest", State: OK, What: "a guest reaches " + orNothing(e.cfg.Guest)}}
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// waysIn looks up for whom each way in may speak.
func (e *exam) waysIn() []Check {
	if e.house == nil {
		return nil
	}
	var checks []Check
	for _, name := range e.cfg.WayInNames() {
		askers := e.cfg.WaysIn[name].Askers
		check := "ways_in." + name
		var unknown []string
		for _, asker := range askers {
			if _, ok := e.house.Find(asker); !ok && asker != string(people.Guest) {
				unknown = append(unknown, asker)
			}
		}
		if len(unknown) > 0 {
			checks = append(checks, Check{check, Fault, "it speaks for " + strings.Join(unknown, ", ") + ", whom people.toml does not name", "Name them in people.toml, or mend askers of [" + check + "] in askhub.toml.", false})
			continue
		}
		checks = append(checks, Check{Check: check, State: OK, What: "it speaks for " + strings.Join(askers, ", ")})
	}
	return checks
}

// destinations says which rows of routing.md lead nowhere yet.
func (e *exam) destinations() []Check {
	if e.rules == nil {
		return nil
	}
	var missing, acting []string
	for _, d := range e.rules.Destinations {
		_, configured := e.cfg.Projects[d.Project]
		switch {
		case d.Placeholder || configured:
		case d.Kind == routing.KindQuery:
			missing = append(missing, d.Project)
		case e.connects(d.Project):
		case d.Kind == routing.KindCommand || d.Kind == routing.KindDecision:
			acting = append(acting, d.Project)
		}
	}
	var checks []Check
	if len(missing) > 0 {
		checks = append(checks, Check{"routing", Warn, "active in routing.md and not configured, so that a question for it has no answer: " + strings.Join(missing, ", "), `Set each up in askhub.toml ("askhub project add URL" does it for one of your own), or mark its row as a placeholder.`, false})
	}
	if len(acting) > 0 {
		checks = append(checks, Check{Check: "connectors", State: OK, What: "not set up in askhub.toml, which is said to whom asks for them: " + strings.Join(acting, ", ")})
	}
	return checks
}
