package localca

import (
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/askhub/askhub/internal/pattern"
)

// maxAddresses bounds what a machine with very many addresses puts into one certificate.
const maxAddresses = 64

// Hosts are the names and addresses by which a server that listens at listen (a host) is
// called: public (the host of public_url; may be empty), this machine's names, and its
// private addresses as far as they are listened on.
func Hosts(public, listen string) []string {
	out := []string{"localhost", "127.0.0.1", "::1"}
	if public != "" {
		out = append(out, public)
	}
	if name, err := os.Hostname(); err == nil {
		out = append(out, machineNames(name)...)
	}
	a, err := netip.ParseAddr(listen)
	switch {
	case listen == "" || err == nil && a.IsUnspecified():
		out = append(out, PrivateAddresses()...)
	case err == nil && !a.IsLoopback():
		out = append(out, a.Unmap().WithZone("").String())
	}
	return out
}

var nameForm = pattern.Lazy(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// machineNames are what a machine of that name is called: the name itself, its first
// step, and that one as its neighbours call it (HOST.local).
func machineNames(name string) []string {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if !nameForm().MatchString(name) || len(name) > 200 {
		return nil
	}
	short, _, _ := strings.Cut(name, ".")
	out := []string{name}
	if short != name && nameForm().MatchString(short) {
		out = append(out, short)
	}
	if name != short+".local" {
		out = append(out, short+".local")
	}
	return out
}

// carrier is the range of the addresses between a home and its provider, which mesh
// networks use too (RFC 6598).
var carrier = netip.MustParsePrefix("100.64.0.0/10")

// PrivateAddresses are those of this machine that nobody owns on the internet.
func PrivateAddresses() []string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	return privateAddresses(all)
}

func privateAddresses(all []net.Addr) []string {
	var out []string
	for _, entry := range all {
		p, err := netip.ParsePrefix(entry.String())
		if err != nil {
			continue
		}
		if a := p.Addr().Unmap(); (a.IsPrivate() || carrier.Contains(a)) && len(out) < maxAddresses {
			out = append(out, a.String())
		}
	}
	return out
}
