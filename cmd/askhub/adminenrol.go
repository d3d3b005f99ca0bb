package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/people"
)

// adminHost is what every command on the host's side of the admin app begins with.
type adminHost struct {
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	JSON   bool   `help:"Print it as JSON."`
}

// onAdmin works on what the admin app keeps, beside a running one.
func (c *adminHost) onAdmin(e *env, work func(*config.Config, admin.Store) error) (err error) {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	if !storeThere(cfg) {
		return exitError{exitNot, fmt.Errorf("there is no store at %s yet: \"askhub serve\" makes it", cfg.Store)}
	}
	db, err := openStore(e, cfg)
	if err != nil {
		return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
	defer func() { err = errors.Join(err, db.close()) }()
	return work(cfg, db.admin())
}

type adminEnrolCmd struct {
	Person  string `help:"Who enrols: an adult of people.toml." required:"" placeholder:"NAME"`
	Replace bool   `help:"Revoke all of that person's passkeys and sessions first, as for a lost phone."`
	QR      bool   `name:"qr" help:"Print the address as a QR code, in a pipe too."`
	adminHost
}

// Help is the command's example.
func (adminEnrolCmd) Help() string {
	return "The code lives ten minutes and works once. Another device of the same person is enrolled the same way; --replace is for a lost one, or where no passkey is left.\n\n" +
		"Examples:\n  askhub admin enrol --person sam\n  askhub admin enrol --person sam --replace"
}

// enrolled is enrol --json.
type enrolled struct {
	Person  string    `json:"person"`
	Code    string    `json:"code"`
	URL     string    `json:"url"`
	Expires time.Time `json:"expires"`
	// Revoked is how many passkeys went.
	Revoked int `json:"revoked"`
}

// Run makes a code and prints it.
func (c *adminEnrolCmd) Run(e *env) error {
	return c.onAdmin(e, func(cfg *config.Config, store admin.Store) error {
		house, err := loadPeople(cfg)
		if err != nil {
			return err
		}
		person, err := adultNamed(house, c.Person)
		if err != nil {
			return err
		}
		code, text := admin.NewCode(person, time.Now())
		revoked, err := store.NewCode(e.ctx, code, c.Replace)
		if err != nil {
			return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
		}
		out := enrolled{Person: person, Code: text, URL: cfg.AdminOrigin(cfg.Admin.Listen) + "/enrol", Expires: code.Expires.UTC(), Revoked: revoked}
		if c.JSON {
			return printDocument(e.stdout, &out)
		}
		return c.tell(e, &out)
	})
}

// adultNamed is the adult of people.toml that a name or alias means.
func adultNamed(house *people.Household, name string) (string, error) {
	p, ok := house.Find(name)
	if ok && p.Role == people.RoleAdult {
		return string(p.Name), nil
	}
	var adults []string
	for _, p := range house.People() {
		if p.Role == people.RoleAdult {
			adults = append(adults, string(p.Name))
		}
	}
	switch {
	case len(adults) == 0:
		return "", exitError{exitNot, errors.New("people.toml has no adult yet: write one into it, with role = \"adult\"")}
	case ok:
		return "", exitError{exitNot, fmt.Errorf("%s is no adult in people.toml, and only adults say yes there: %s", p.Name, strings.Join(adults, ", "))}
	}
	return "", exitError{exitNot, fmt.Errorf("nobody is called %q: the adults of people.toml are %s", name, strings.Join(adults, ", "))}
}

func (c *adminEnrolCmd) tell(e *env, out *enrolled) error {
	if c.Replace {
		fmt.Fprintf(e.stdout, "%s's passkeys were revoked (%d), and every session with them.\n", people.Spoken(out.Person), out.Revoked)
	}
	fmt.Fprintf(e.stdout, "The code for %s, for %d minutes and one device:\n  %s\n", people.Spoken(out.Person), int(admin.CodeLives.Minutes()), out.Code)
	// What is behind the # is never sent to any server.
	if strings.HasPrefix(out.URL, "http://localhost") {
		fmt.Fprintln(e.stdout, "A browser on this machine can open it, and no other: phones need tls and public_url, as docs/reach.md says.")
	}
	return offerQR(e, "To be opened on that device:", out.URL+"#code="+out.Code, c.QR)
}

type adminPasskeysCmd struct {
	List   adminListCmd   `cmd:"" default:"withargs" help:"List all passkeys."`
	Revoke adminRevokeCmd `cmd:"" help:"Revoke one passkey, with the sessions that it began."`
}

type adminListCmd struct{ adminHost }

// Help is the command's example.
func (adminListCmd) Help() string {
	return "Examples:\n  askhub admin passkeys list\n  askhub admin passkeys list --json"
}

// passkeyListed is one passkey of list --json.
type passkeyListed struct {
	Name     string    `json:"name"`
	Person   string    `json:"person"`
	Device   string    `json:"device"`
	Host     string    `json:"host"`
	Created  time.Time `json:"created"`
	Used     time.Time `json:"used,omitzero"`
	Sessions int       `json:"sessions"`
}

// Run lists the passkeys.
func (c *adminListCmd) Run(e *env) error {
	return c.onAdmin(e, func(_ *config.Config, store admin.Store) error {
		keys, err := store.Passkeys(e.ctx)
		if err != nil {
			return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
		}
		sessions, err := store.Sessions(e.ctx)
		if err != nil {
			return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
		}
		listed := []passkeyListed{}
		for i := range keys {
			p := &keys[i]
			one := passkeyListed{Name: p.Name(), Person: p.Person, Device: p.Label, Host: p.Host, Created: p.Created, Used: p.Used}
			for _, s := range sessions {
				if s.Passkey == one.Name && s.Live(time.Now()) {
					one.Sessions++
				}
			}
			listed = append(listed, one)
		}
		if c.JSON {
			return printDocument(e.stdout, map[string]any{"passkeys": listed})
		}
		return printPasskeys(e, listed)
	})
}

func printPasskeys(e *env, listed []passkeyListed) error {
	if len(listed) == 0 {
		_, err := fmt.Fprintln(e.stdout, "There are no passkeys yet: \"askhub admin enrol --person NAME\" makes a code for the first one.")
		return err
	}
	rows := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "PASSKEY\tPERSON\tMADE ON\tFOR\tLAST USED (UTC)\tSESSIONS")
	for _, p := range listed {
		used := "never"
		if !p.Used.IsZero() {
			used = p.Used.UTC().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(rows, "%s\t%s\t%s\t%s\t%s\t%d\n", p.Name, oneLine(p.Person), oneLine(p.Device), p.Host, used, p.Sessions)
	}
	return rows.Flush()
}

type adminRevokeCmd struct {
	Name string `arg:"" help:"The passkey, as \"askhub admin passkeys list\" names it, or its first digits, 4 at least."`
	adminHost
}

// Help is the command's example.
func (adminRevokeCmd) Help() string {
	return "Example:\n  askhub admin passkeys revoke 3f9c21ab04de"
}

// revokedKey is revoke --json.
type revokedKey struct {
	Name   string `json:"name"`
	Person string `json:"person"`
}

// Run revokes one passkey.
func (c *adminRevokeCmd) Run(e *env) error {
	return c.onAdmin(e, func(_ *config.Config, store admin.Store) error {
		keys, err := store.Passkeys(e.ctx)
		if err != nil {
			return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
		}
		var found []revokedKey
		for i := range keys {
			if name := keys[i].Name(); len(c.Name) >= 4 && strings.HasPrefix(name, strings.ToLower(c.Name)) {
				found = append(found, revokedKey{name, keys[i].Person})
			}
		}
		switch len(found) {
		case 0:
			return exitError{exitNot, fmt.Errorf("there is no passkey %q: \"askhub admin passkeys list\" names them", c.Name)}
		case 1:
		default:
			return exitError{exitNot, fmt.Errorf("%d passkeys begin with %s: name one whole", len(found), c.Name)}
		}
		if err := store.Revoke(e.ctx, found[0].Name); err != nil && !errors.Is(err, admin.ErrUnknown) {
			return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
		}
		if c.JSON {
			return printDocument(e.stdout, &found[0])
		}
		_, err = fmt.Fprintf(e.stdout, "The passkey %s of %s is revoked, and every session that it began.\n", found[0].Name, people.Spoken(found[0].Person))
		return err
	})
}

// enrolledKeys are all passkeys in the doctor's words.
func enrolledKeys(e *env, cfg *config.Config) (out []doctor.Enrolled, err error) {
	if !storeThere(cfg) {
		return nil, nil
	}
	db, err := openStore(e, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	keys, err := db.admin().Passkeys(e.ctx)
	for i := range keys {
		out = append(out, doctor.Enrolled{Person: keys[i].Person, Host: keys[i].Host})
	}
	return out, err
}
