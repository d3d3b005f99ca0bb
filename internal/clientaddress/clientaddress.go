// Package clientaddress says from which address a request comes: the peer's, or the one
// that a trusted proxy forwards (spec 3). Whatever else a request claims is not believed.
package clientaddress

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/realclientip/realclientip-go"
)

// maxHops is how many addresses of X-Forwarded-For are looked at. A household has one
// proxy, or two.
const maxHops = 8

// New gives the address of a request's client. It is the peer's, unless the peer is one
// of trusted: then it is the right-most address of X-Forwarded-For that is not, with all
// lines of the header read as one list. Each proxy adds its own peer at the right, so
// that everything to the left of the first address that is not trusted is hearsay.
//
// Where the list runs out, holds something that is no address or is longer than any
// household's, the last trusted address is given: the one that is known. X-Real-IP and
// Forwarded are never read, since a proxy that does not know them passes them on as
// they came. IPv4 comes in its own form, and without a zone. Of a peer that has no IP
// address it is the zero Addr.
func New(trusted []netip.Prefix) func(*http.Request) netip.Addr {
	known := func(a netip.Addr) bool {
		for _, p := range trusted {
			if p.Contains(a) {
				return true
			}
		}
		return false
	}
	return func(r *http.Request) netip.Addr {
		client, ok := parse(r.RemoteAddr)
		if !ok {
			return netip.Addr{}
		}
		if !known(client) {
			return client
		}
		hops := 0
		lines := r.Header["X-Forwarded-For"]
		for i := len(lines) - 1; i >= 0; i-- {
			for rest, more := lines[i], true; more; hops++ {
				var item string
				rest, item, more = cutLast(rest)
				a, ok := parse(strings.Trim(item, " \t"))
				if !ok || hops == maxHops {
					return client
				}
				client = a
				if !known(a) {
					return client
				}
			}
		}
		return client
	}
}

// cutLast takes the last item from a list with commas, and says whether there is more.
func cutLast(list string) (rest, item string, more bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list, false
	}
	return list[:i], list[i+1:], true
}

// parse reads an address, with a port or without.
func parse(s string) (netip.Addr, bool) {
	found, err := realclientip.ParseIPAddr(s)
	if err != nil {
		return netip.Addr{}, false
	}
	a, ok := netip.AddrFromSlice(found.IP)
	a = a.Unmap()
	return a, ok && !a.IsUnspecified()
}
