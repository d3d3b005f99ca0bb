// Package config reads askhub.toml, the Hub's settings: one struct, decoded
// strictly, checked whole, and printed only redacted. Secrets are not in it; they
// are package secrets'.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/askhub/askhub/internal/tomlfault"
)

// The files of a config folder.
const (
	FileName    = "askhub.toml"
	RoutingName = "routing.md"
	PeopleName  = "people.toml"
	// LocalCAName and LocalCAKeyName are the local CA's certificate and key.
	LocalCAName    = "local-ca.pem"
	LocalCAKeyName = "local-ca.key"
)

// The values of tls (spec 5); empty is plain HTTP.
const (
	TLSFiles   = "files"
	TLSLocalCA = "local-ca"
	TLSProxy   = "proxy"
)

// What holds where the file is silent (spec 5).
const (
	DefaultListen    = "127.0.0.1:8420"
	DefaultStore     = "askhub.db"
	DefaultBudget    = 8 * time.Second
	DefaultDays      = 30
	DefaultPerMinute = 60
	DefaultAtOnce    = 4
	DefaultThreads   = 500
)

// maxFile is the largest askhub.toml that is read, in bytes.
const maxFile = 1 << 20

// Config is askhub.toml with its defaults filled in and its paths made whole.
type Config struct {
	// Dir is the folder that the file was read from; relative paths start here.
	Dir string `toml:"-"`
	// Listen is the Hub's address, host and port.
	Listen string `toml:"listen"`
	// PublicURL is the address that people type, with no slash at its end; empty where
	// the file names none.
	PublicURL string `toml:"public_url"`
	// TLS is TLSFiles, TLSLocalCA, TLSProxy, or empty for plain HTTP.
	TLS string `toml:"tls"`
	// TLSCert and TLSKey are the paths of the household's own certificate and key, which
	// TLSFiles reads.
	TLSCert string `toml:"tls_cert"`
	TLSKey  string `toml:"tls_key"`
	// TrustedProxies are addresses and prefixes; Proxies is them parsed.
	TrustedProxies []string `toml:"trusted_proxies"`
	// Store is the path of the store's file, or the address of a PostgreSQL database.
	Store string `toml:"store"`
	// Secrets is the path of the secrets file.
	Secrets string `toml:"secrets"`
	// Guest names the destinations that an unknown speaker reaches (spec 5).
	Guest []string `toml:"guest"`
	// Budget is how long a whole request may take (spec 5).
	Budget Duration `toml:"budget"`
	Record Record   `toml:"record"`
	// WaysIn are by name; the token of NAME is HUB_TOKEN_<NAME>.
	WaysIn map[string]WayIn `toml:"ways_in"`
	// Projects are by name; the token of NAME is PROJECT_TOKEN_<NAME>.
	Projects map[string]Project `toml:"projects"`
	Compass  Compass            `toml:"compass"`
	Email    Email              `toml:"email"`
	Internet Internet           `toml:"internet"`
	Chat     Chat               `toml:"chat"`
	// Admin is the admin app.
	Admin   Admin   `toml:"admin"`
	Notices Notices `toml:"notices"`
	// Approvals are what needs a person's yes.
	Approvals Approvals `toml:"approvals"`
	// Model is the language model; without one the embedded router decides.
	Model Model `toml:"model"`
	// Paperclip is where jobs are filed; without one "file a job" is not set up.
	Paperclip Paperclip `toml:"paperclip"`
	// Wyoming is the way in of voice assistants; it is off where it listens nowhere.
	Wyoming Wyoming `toml:"wyoming"`
	// WebSearch is what is looked up outside the house; nothing where it is left out.
	WebSearch WebSearch `toml:"web_search"`
	// HomeAssistant acts in the house, and Speakers speak in its rooms.
	HomeAssistant HomeAssistant `toml:"home_assistant"`
	Speakers      Speakers      `toml:"speakers"`

	proxies  []netip.Prefix
	warnings []string
	// path and lines are the file and where its fields stand in it.
	path  string
	lines map[string]int
}

// Record says how much of each request is kept (spec 5).
type Record struct {
	// Days is how long; 0 keeps nothing but counts.
	Days int `toml:"days"`
	// Text is whether questions and answers are kept too.
	Text bool `toml:"text"`
}

// WayIn is one way in, whose caller shows its own token.
type WayIn struct {
	// Askers are those for whom it may speak; never empty.
	Askers []string `toml:"askers"`
	// Want is text, speech or notification; empty lets the source decide.
	Want string `toml:"want"`
	// PerMinute and AtOnce are its limits, in requests.
	PerMinute int `toml:"per_minute"`
	AtOnce    int `toml:"at_once"`
}

// Project is one data project.
type Project struct {
	// URL is its address, with no slash at the end.
	URL string `toml:"url"`
	// Run names the shipped project that `serve` starts as a child; empty where it
	// runs by itself.
	Run string `toml:"run"`
}

// Compass is what the shipped compass project reads.
type Compass struct {
	Calendars []Calendar `toml:"calendars"`
	ByModel
}

// Calendar is one calendar of one person: exactly one of File, URL and CalDAV is set.
type Calendar struct {
	Person string `toml:"person"`
	// Tag is school or health.
	Tag string `toml:"tag"`
	// File is the path of an ICS file.
	File string `toml:"file"`
	// URL is where an ICS file is fetched from; often a secret in itself.
	URL string `toml:"url"`
	// CalDAV is a calendar collection's address.
	CalDAV   string `toml:"caldav"`
	Username string `toml:"username"`
	// PasswordEnv names the secret that holds the password.
	PasswordEnv string `toml:"password_env"`
}

// Email is what the shipped email project reads.
type Email struct {
	Accounts []MailAccount `toml:"accounts"`
	ByModel
}

// MailAccount is one mail account of one person.
type MailAccount struct {
	Person string `toml:"person"`
	// Server is a host, or a host and a port.
	Server string `toml:"server"`
	// Security is tls (the usual), starttls, or plain for a server on this machine.
	Security string `toml:"security"`
	// PinnedSHA256 is the one certificate that is trusted, for a bridge on this machine.
	PinnedSHA256 string `toml:"pinned_sha256"`
	Username     string `toml:"username"`
	// PasswordEnv names the secret that holds the password.
	PasswordEnv string `toml:"password_env"`
	// Addresses are the account's own, where the username is none.
	Addresses []string `toml:"addresses"`
	// Mailboxes are what is read; INBOX where there are none.
	Mailboxes []string `toml:"mailboxes"`
}

// Chat is the chat's settings (spec 3).
type Chat struct {
	// Origins are the pages of elsewhere whose scripts may call the chat, as browsers
	// name them: "https://os.example".
	Origins []string `toml:"origins"`
	// Answers is who answers in a thread that has no setting of its own: hub, host or off.
	Answers string `toml:"answers"`
	// Threads is how many threads with messages the host holds.
	Threads int `toml:"threads"`
	// Webhook is an address that is told of each message that waits for the host.
	Webhook string `toml:"webhook"`
	// WebhookTokenEnv names the secret that goes along as a bearer token.
	WebhookTokenEnv string `toml:"webhook_token_env"`
	// Command is a program with its arguments that is told alike, on its standard input.
	Command []string `toml:"command"`
}

// Duration is a time.Duration that is written like "8s" in the file.
type Duration struct{ time.Duration }

// UnmarshalText reads Go's form of a duration. What is none becomes -1, which the
// check of the whole file refuses with its line; an error from here would have none.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		v = -1
	}
	d.Duration = v
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Error is one fault in askhub.toml.
type Error struct {
	File string
	// Line is from 1; 0 where a fault has none, such as a field that is missing.
	Line int
	// Field is the dotted name, such as ways_in.phone.askers.
	Field string
	// Problem says what is wrong and how to mend it; it never quotes a secret.
	Problem string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Problem)
	return b.String()
}

// DefaultDir is the config folder where none is named: $XDG_CONFIG_HOME/askhub, or
// ~/.config/askhub.
func DefaultDir(getenv func(string) string) string {
	// The XDG rules say that a relative path there is to be ignored.
	if xdg := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "askhub")
	}
	return filepath.Join(getenv("HOME"), ".config", "askhub")
}

// DefaultSecrets is the fixed place of the secrets file (spec 1).
func DefaultSecrets(getenv func(string) string) string {
	return filepath.Join(getenv("HOME"), ".config", "environment.d", "10-secrets.conf")
}

// Load reads askhub.toml in dir. Its error joins one *Error for each fault.
func Load(dir string) (*Config, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("config folder: %w", err)
	}
	path := filepath.Join(dir, FileName)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: run `askhub init %s`, or name another folder with --config", path, fs.ErrNotExist, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return parse(path, data)
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	if info.Size() > maxFile {
		return nil, errors.New("larger than 1 MB, which no askhub.toml is")
	}
	return os.ReadFile(path)
}

func parse(path string, data []byte) (*Config, error) {
	c := &Config{
		Dir:       filepath.Dir(path),
		Listen:    DefaultListen,
		Store:     DefaultStore,
		Guest:     []string{"home_assistant", "web_search", "speakers"},
		Budget:    Duration{DefaultBudget},
		Record:    Record{Days: DefaultDays, Text: true},
		Chat:      Chat{Answers: "hub", Threads: DefaultThreads},
		Admin:     Admin{Serve: true},
		Notices:   Notices{Days: DefaultNoticeDays, PerProject: DefaultPerProject},
		Approvals: Approvals{Wait: Duration{DefaultApprovalWait}, Days: DefaultApprovalDays},
	}
	if faults := tomlfault.Decode(data, c); len(faults) > 0 {
		all := make([]error, len(faults))
		for i, f := range faults {
			all[i] = &Error{path, f.Line, f.Field, f.Wrong + "; " + f.Mend}
		}
		return nil, errors.Join(all...)
	}
	c.path, c.lines = path, tomlfault.Lines(data)
	v := &check{c: c, path: path, at: c.lines}
	v.all()
	if err := errors.Join(v.faults...); err != nil {
		return nil, err
	}
	return c, nil
}

// RoutingPath is the household's routing.md.
func (c *Config) RoutingPath() string { return filepath.Join(c.Dir, RoutingName) }

// PeoplePath is the household's people.toml.
func (c *Config) PeoplePath() string { return filepath.Join(c.Dir, PeopleName) }

// ProjectNames are the projects' names in alphabetical order.
func (c *Config) ProjectNames() []string { return sorted(c.Projects) }

// WayInNames are the ways in by name, in alphabetical order.
func (c *Config) WayInNames() []string { return sorted(c.WaysIn) }

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Fault is a fault that somebody else finds in the file, at the line of its field.
func (c *Config) Fault(field, problem string) *Error {
	v := check{at: c.lines}
	return &Error{c.path, v.line(field), field, problem}
}

// Warnings are settings that work and that somebody may regret, each with its mend.
func (c *Config) Warnings() []string { return slices.Clone(c.warnings) }

// ListenOn replaces the address that the file gives, where a person names another one
// at the start. It is held to the same rules, and warned of alike. Its error is an *Error.
func (c *Config) ListenOn(address string) error {
	c.Listen = address
	c.warnings = slices.DeleteFunc(c.warnings, func(w string) bool { return strings.Contains(w, ": listen: ") })
	v := &check{c: c, path: "--listen"}
	v.listen()
	return errors.Join(v.faults...)
}

// Proxies are those whose word on a client's address is taken (spec 3).
func (c *Config) Proxies() []netip.Prefix { return slices.Clone(c.proxies) }

// LocalCAPath is the certificate of the household's own CA, which phones install.
func (c *Config) LocalCAPath() string { return filepath.Join(c.Dir, LocalCAName) }

// LocalCAKeyPath is its key.
func (c *Config) LocalCAKeyPath() string { return filepath.Join(c.Dir, LocalCAKeyName) }

// Redacted is a copy that is safe to show: an ICS address or a webhook's
// often carries its own key, so only its host stays.
func (c *Config) Redacted() *Config {
	r := *c
	r.Store = c.shownStore()
	r.Compass.Calendars = slices.Clone(c.Compass.Calendars)
	for i := range r.Compass.Calendars {
		cal := &r.Compass.Calendars[i]
		cal.URL, cal.CalDAV = hostOnly(cal.URL), hostOnly(cal.CalDAV)
	}
	r.Chat.Webhook = hostOnly(r.Chat.Webhook)
	return &r
}

// String is the redacted config as TOML.
func (c *Config) String() string {
	b, err := toml.Marshal(c.Redacted())
	if err != nil {
		return "config that cannot be shown: " + err.Error()
	}
	return string(b)
}

// GoString keeps %#v redacted too.
func (c *Config) GoString() string { return c.String() }

func hostOnly(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	return scheme + "://" + host + "/…"
}

// Dialable is a listen address as one that can be called: a Hub on all addresses
// answers on loopback too.
func Dialable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// Loopback says whether only this machine reaches the host.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
