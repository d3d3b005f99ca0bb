package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/askhub/askhub/internal/pattern"
)

var (
	nameForm = pattern.Lazy(`^[a-z][a-z0-9_]*$`)
	envForm  = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// runnable are the shipped projects that `serve` can start.
var runnable = []string{"compass", "email", "internet"}

// AdminName is the admin app's name as a caller: HUB_TOKEN_ADMIN (spec 1).
const AdminName = "admin"

// ChatName is the way in of the chat's own threads, which have no token of the Hub.
const ChatName = "chat"

// HubName is whom the Hub's own notices are from, and AppriseName whom those that
// somebody asked for in words are from.
const (
	HubName     = "hub"
	AppriseName = "apprise"
)

// check collects every fault, so that one start shows them all.
type check struct {
	c      *Config
	path   string
	at     map[string]int
	faults []error
}

func (v *check) fault(field, format string, args ...any) {
	v.faults = append(v.faults, &Error{v.path, v.line(field), field, fmt.Sprintf(format, args...)})
}

func (v *check) warn(field, text string) {
	e := Error{v.path, v.line(field), field, text}
	v.c.warnings = append(v.c.warnings, e.Error())
}

// line is where the field stands, or else the nearest table that it belongs to.
func (v *check) line(field string) int {
	for field != "" {
		if n, ok := v.at[field]; ok {
			return n
		}
		cut := strings.LastIndexAny(field, ".[")
		if cut < 0 {
			return 0
		}
		field = field[:cut]
	}
	return 0
}

func (v *check) all() {
	v.spelling()
	v.listen()
	v.reach()
	v.admin()
	v.chat()
	v.notices()
	v.approvals()
	c := v.c
	v.store()
	if c.Secrets == "" {
		c.Secrets = DefaultSecrets(os.Getenv)
	}
	c.Secrets = v.filePath("secrets", c.Secrets)
	v.names("guest", c.Guest)
	if c.Budget.Duration < 500*time.Millisecond || c.Budget.Duration > time.Minute {
		v.fault("budget", `must be a duration from "500ms" to "1m"; the usual is "8s"`)
	}
	if c.Record.Days < 0 || c.Record.Days > 3650 {
		v.fault("record.days", "must be from 0 (nothing but counts) to 3650")
	}
	for _, name := range c.WayInNames() {
		c.WaysIn[name] = v.wayIn(name, c.WaysIn[name])
	}
	urls := map[string]string{}
	for _, name := range c.ProjectNames() {
		p := v.project(name, c.Projects[name])
		if other, taken := urls[p.URL]; taken && p.URL != "" {
			v.fault("projects."+name+".url", "is the address of %s too; each project has its own", other)
		}
		urls[p.URL] = name
		c.Projects[name] = p
	}
	for i := range c.Compass.Calendars {
		v.calendar(fmt.Sprintf("compass.calendars[%d]", i), &c.Compass.Calendars[i])
	}
	for i := range c.Email.Accounts {
		v.mailAccount(fmt.Sprintf("email.accounts[%d]", i), &c.Email.Accounts[i])
	}
	v.internet()
	v.model()
	v.paperclip()
	v.wyoming()
	v.webSearch()
	v.homeAssistant()
}

// spelling refuses capitals, which the library would let pass.
func (v *check) spelling() {
	for _, field := range slices.Sorted(maps.Keys(v.at)) {
		last := field[strings.LastIndex(field, ".")+1:]
		if strings.ToLower(last) != last && !inNames(field) {
			v.fault(field, "no such field; write it in small letters")
		}
	}
}

// inNames says whether the last step is a name that the household chose, which is
// checked as such.
func inNames(field string) bool {
	table, _, _ := strings.Cut(field, ".")
	return strings.Count(field, ".") == 1 && (table == "ways_in" || table == "projects")
}

func (v *check) listen() {
	host, ok := v.listenAddress("listen", DefaultListen, v.c.Listen)
	if ok && v.c.TLS == "" && !Loopback(host) {
		v.warn("listen", "others on the network can reach the Hub, and nothing here encrypts what they send; set tls to local-ca, files or proxy (docs/reach.md says which), or use 127.0.0.1")
	}
}

// listenAddress is the host of an address to listen on, if it is one.
func (v *check) listenAddress(field, like, address string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		v.fault(field, "must be an address and a port, like %q", like)
		return "", false
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		v.fault(field, "the port must be a number from 0 to 65535, like %q", like)
	}
	if host != "" && host != "localhost" && net.ParseIP(host) == nil {
		v.fault(field, "the address must be an IP address or localhost, like %q", like)
		return "", false
	}
	return host, true
}

// filePath makes a path whole.
func (v *check) filePath(field, p string) string {
	switch {
	case p == "":
		v.fault(field, "must name a file")
		return ""
	case strings.Contains(p, "://"):
		v.fault(field, "must be a file of this machine, not an address")
		return p
	case strings.ContainsFunc(p, unicode.IsControl):
		v.fault(field, "must hold no control characters")
		return p
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(os.Getenv("HOME"), rest)
	}
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(v.c.Dir, p)
}

// names checks a list of names of destinations.
func (v *check) names(field string, list []string) {
	for i, name := range list {
		if !nameForm().MatchString(name) {
			v.fault(field, "%q is not a name: small letters, digits and _, a letter first", name)
		}
		if slices.Contains(list[:i], name) {
			v.fault(field, "%q stands there twice", name)
		}
	}
}

func (v *check) callerName(field, name string) {
	switch {
	case !nameForm().MatchString(name):
		v.fault(field, "%q is not a name: small letters, digits and _, a letter first (its token's name is made from it)", name)
	case name == AdminName:
		v.fault(field, "this name is the admin app's own; choose another")
	case name == ChatName:
		v.fault(field, "this name is the chat's own; choose another")
	case name == WyomingName:
		v.fault(field, "this name is that of [wyoming] itself; choose another")
	}
}

func (v *check) wayIn(name string, w WayIn) WayIn {
	field := "ways_in." + name
	v.callerName(field, name)
	if _, taken := v.c.Projects[name]; taken {
		v.fault(field, "a project has the same name, so they would share HUB_TOKEN_%s; rename one", strings.ToUpper(name))
	}
	if len(w.Askers) == 0 {
		v.fault(field+".askers", `must name at least one person it may speak for, like ["sam"]`)
	}
	for i, asker := range w.Askers {
		if !personName(asker) {
			v.fault(field+".askers", "%q is not a person's name", asker)
		}
		if slices.Contains(w.Askers[:i], asker) {
			v.fault(field+".askers", "%q stands there twice", asker)
		}
	}
	if !slices.Contains([]string{"", "text", "speech", "notification"}, w.Want) {
		v.fault(field+".want", "must be text, speech or notification, or be left out")
	}
	v.limits(field, &w.PerMinute, &w.AtOnce)
	return w
}

// limits are those of a way in, with the usual ones where the file is silent.
func (v *check) limits(field string, perMinute, atOnce *int) {
	limit := func(key string, n *int, usual int) {
		if _, set := v.at[field+key]; !set && *n == 0 {
			*n = usual
		}
		if *n < 1 || *n > 100_000 {
			v.fault(field+key, "must be from 1 to 100000; the usual is %d", usual)
		}
	}
	limit(".per_minute", perMinute, DefaultPerMinute)
	limit(".at_once", atOnce, DefaultAtOnce)
}

func (v *check) project(name string, p Project) Project {
	field := "projects." + name
	v.callerName(field, name)
	switch {
	case name == HubName:
		v.fault(field, "this name is the Hub's own, so the project's notices would pass for the Hub's; choose another")
	case name == AppriseName:
		v.fault(field, "this name is that of the destination for notifications, so the project's notices would pass for a person's; choose another")
	case name == HomeName && v.c.HomeAssistant.Configured(): // else the project is the destination
		v.fault(field, "this name is that of the destination for the house, so the project's notices would pass for the house's; choose another")
	}
	p.URL = strings.TrimRight(p.URL, "/")
	u := v.address(field+".url", p.URL)
	if u != nil && (u.RawQuery != "" || u.ForceQuery) {
		v.fault(field+".url", "must have no query; askhub adds /ask and the like itself")
	}
	if p.Run == "" {
		return p
	}
	if !slices.Contains(runnable, p.Run) {
		v.fault(field+".run", "%q is not a project that askhub can start; it has %s", p.Run, strings.Join(runnable, ", "))
	} else if u != nil && (u.Scheme != "http" || !Loopback(u.Hostname()) || u.Port() == "" || u.Path != "") {
		v.fault(field+".url", `a project that askhub starts itself listens here: write it like "http://127.0.0.1:8421"`)
	}
	return p
}

// mailAccount checks what only this file knows; the project checks the rest.
func (v *check) mailAccount(field string, a *MailAccount) {
	if !personName(a.Person) {
		v.fault(field+".person", "must name the person whose mail it is")
	}
	if a.Server == "" {
		v.fault(field+".server", `must name the mail server, like "imap.example.org"`)
	}
	if !slices.Contains([]string{"", "tls", "starttls", "plain"}, a.Security) {
		v.fault(field+".security", "must be tls, starttls or plain, or be left out")
	}
	if a.Username == "" {
		v.fault(field+".username", "must name the account, often its address")
	}
	if !envForm().MatchString(a.PasswordEnv) {
		v.fault(field+".password_env", "must name the secret that holds the password, like SAM_MAIL_PASSWORD; the password itself never stands in this file")
	}
}

func (v *check) calendar(field string, cal *Calendar) {
	if !personName(cal.Person) {
		v.fault(field+".person", "must name the person whose calendar it is")
	}
	if cal.Tag != "school" && cal.Tag != "health" {
		v.fault(field+".tag", "must be school or health")
	}
	set := 0
	for _, s := range []string{cal.File, cal.URL, cal.CalDAV} {
		if s != "" {
			set++
		}
	}
	if set != 1 {
		v.fault(field, "must have exactly one of file, url and caldav")
	}
	if cal.File != "" {
		cal.File = v.filePath(field+".file", cal.File)
	}
	if cal.URL != "" {
		v.address(field+".url", cal.URL)
	}
	if cal.CalDAV != "" {
		v.address(field+".caldav", cal.CalDAV)
	}
	if cal.PasswordEnv != "" && !envForm().MatchString(cal.PasswordEnv) {
		v.fault(field+".password_env", "must be the name of a secret, like HARRY_CALDAV_PASSWORD, and not the password itself")
	}
	if (cal.Username == "") != (cal.PasswordEnv == "") {
		v.fault(field, "username and password_env go together; give both or neither")
	}
	if cal.File != "" && cal.Username != "" {
		v.fault(field+".username", "a file needs no name and password; take both out")
	}
}

// address checks a web address; its faults never quote it, since it may hold a secret.
func (v *check) address(field, s string) *url.URL {
	if s == "" {
		v.fault(field, `must be an address, like "http://127.0.0.1:8421"`)
		return nil
	}
	if strings.HasPrefix(s, "webcal://") {
		v.fault(field, "write https:// in place of webcal://")
		return nil
	}
	u, err := url.Parse(s)
	switch {
	case !strings.Contains(s, "://"):
		v.fault(field, "is not an address; write http:// or https:// in front of it")
	case err != nil || u.Host == "" || u.Hostname() == "":
		v.fault(field, `is not an address; write it like "http://127.0.0.1:8421"`)
	case u.Scheme != "http" && u.Scheme != "https":
		v.fault(field, "must begin with http:// or https://")
	case u.User != nil:
		v.fault(field, "must hold no user name or password; they belong into the secrets file")
	case u.Fragment != "" || strings.HasSuffix(s, "#"):
		v.fault(field, "must have no # part")
	case u.Port() != "" && !goodPort(u.Port()):
		v.fault(field, "the port must be a number from 1 to 65535")
	default:
		return u
	}
	return nil
}

func goodPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// personName says whether s can name a person; people.toml says who there is.
func personName(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, unicode.IsControl)
}
