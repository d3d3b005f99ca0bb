package config

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// StorePassword names the secret that opens a PostgreSQL store.
const StorePassword = "STORE_PASSWORD"

// StoreIsServer says whether the store is a PostgreSQL database and no file.
func (c *Config) StoreIsServer() bool { return strings.Contains(c.Store, "://") }

// DataDir is the folder for what is kept in files: the store's, or else the config's.
func (c *Config) DataDir() string {
	if c.StoreIsServer() {
		return c.Dir
	}
	return filepath.Dir(c.Store)
}

// store checks where the store is. No fault quotes an address: it may hold a password.
func (v *check) store() {
	c := v.c
	if !c.StoreIsServer() {
		c.Store = v.filePath("store", c.Store)
		return
	}
	const like = `write it like "postgres://askhub@localhost/askhub"`
	u, err := url.Parse(c.Store)
	if err != nil {
		v.fault("store", "is not an address; %s", like)
		return
	}
	query := u.Query()
	_, password := u.User.Password()
	switch {
	case u.Scheme != "postgres" && u.Scheme != "postgresql":
		v.fault("store", `must be a file, or a PostgreSQL database; %s`, like)
	case password || slices.ContainsFunc([]string{"password", "sslpassword"}, query.Has):
		v.fault("store", "must hold no password; put it into the secrets file as %s, or name a file of PostgreSQL's with PGPASSFILE", StorePassword)
	case u.Fragment != "" || strings.HasSuffix(c.Store, "#"):
		v.fault("store", "must have no # part")
	case strings.Trim(u.Path, "/") == "" && !query.Has("dbname") && !query.Has("service"):
		v.fault("store", "must name a database; %s", like)
	case u.Port() != "" && !goodPort(u.Port()):
		v.fault("store", "the port must be a number from 1 to 65535")
	}
}

// shownStore is the store as it is safe to show.
func (c *Config) shownStore() string {
	u, err := url.Parse(c.Store)
	if !c.StoreIsServer() || err != nil {
		return c.Store
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	return shown.String()
}
