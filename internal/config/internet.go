package config

import (
	"fmt"
	"slices"
	"strings"
)

// The backends of the internet project.
const (
	BackendAdGuard = "adguard"
	BackendLinux   = "linux"
	// BackendSample is made-up use in memory, to try it with.
	BackendSample = "sample"
)

// Internet is what the shipped internet project reads and changes.
type Internet struct {
	// Backend is BackendAdGuard, BackendLinux, BackendSample, or empty for none.
	Backend string `toml:"backend"`
	// URL is the address of AdGuard Home's page; Username and PasswordEnv, the name of a
	// secret, open it.
	URL         string `toml:"url"`
	Username    string `toml:"username"`
	PasswordEnv string `toml:"password_env"`
	// Log and Leases are the paths of dnsmasq's log and lease file, on a Linux router.
	Log    string `toml:"log"`
	Leases string `toml:"leases"`
	// Devices are those that are known and may be changed.
	Devices []InternetDevice `toml:"devices"`
	ByModel
}

// InternetDevice is one device of one person.
type InternetDevice struct {
	// Name is what the household calls it.
	Name   string `toml:"name"`
	Person string `toml:"person"`
	// IDs are its MAC addresses, IP addresses and client ids of AdGuard Home.
	IDs []string `toml:"ids"`
}

// internet checks what only this file knows; the project checks the rest.
func (v *check) internet() {
	n := &v.c.Internet
	if _, set := v.at["internet"]; !set {
		return
	}
	if !slices.Contains([]string{BackendAdGuard, BackendLinux, BackendSample}, n.Backend) {
		v.fault("internet.backend", "must be adguard (AdGuard Home), linux (this machine is the router) or sample (made-up use, to try it with)")
	}
	adguard := n.Backend == BackendAdGuard
	for field, value := range map[string]string{"url": n.URL, "username": n.Username, "password_env": n.PasswordEnv} {
		if value != "" && !adguard {
			v.fault("internet."+field, `goes with backend = "adguard" only; take this line out`)
		}
	}
	if adguard {
		v.adguard(n)
	}
	for field, path := range map[string]*string{"log": &n.Log, "leases": &n.Leases} {
		switch {
		case *path == "":
		case n.Backend != BackendLinux:
			v.fault("internet."+field, `goes with backend = "linux" only; take this line out`)
		default:
			*path = v.filePath("internet."+field, *path)
		}
	}
	if len(n.Devices) == 0 {
		v.fault("internet.devices", "must have at least one table, with name, person and ids")
	}
	for i, d := range n.Devices {
		field := fmt.Sprintf("internet.devices[%d]", i)
		if strings.TrimSpace(d.Name) == "" {
			v.fault(field+".name", `must be what the household calls it, like "Harry's tablet"`)
		}
		if !personName(d.Person) {
			v.fault(field+".person", "must name the person whose device it is")
		}
		if len(d.IDs) == 0 {
			v.fault(field+".ids", `must have at least one MAC address, IP address or client id, like ["02:00:00:00:00:11"]`)
		}
	}
	v.byModel("internet", n.ByModel)
}

// adguard checks where AdGuard Home is.
func (v *check) adguard(n *Internet) {
	n.URL = strings.TrimRight(n.URL, "/")
	u := v.address("internet.url", n.URL)
	switch {
	case u == nil:
	case u.RawQuery != "" || u.ForceQuery:
		v.fault("internet.url", "must have no query; it is the address of AdGuard Home's page")
	case strings.HasSuffix(u.Path, "/control"):
		v.fault("internet.url", "must be the address of AdGuard Home's page; askhub adds /control itself")
	case u.Scheme == "http" && !Loopback(u.Hostname()):
		v.warn("internet.url", "nothing encrypts the password on its way to "+u.Hostname()+"; use https:// where AdGuard Home has it")
	}
	if n.Username == "" {
		v.fault("internet.username", "must name the user of AdGuard Home")
	}
	if !envForm().MatchString(n.PasswordEnv) {
		v.fault("internet.password_env", "must name the secret that holds the password, like ADGUARD_PASSWORD; the password itself never stands in this file")
		n.PasswordEnv = "" // it may be the password
	}
}
