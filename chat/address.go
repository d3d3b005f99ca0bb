package chat

import (
	"net/http"
	"net/netip"
)

// AddressKey is how an address counts towards the limits: an IPv4 address alone, also
// one written as IPv6, and of IPv6 the /64 that one household or one machine holds.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		p, err := a.Prefix(64)
		if err == nil {
			return p.String()
		}
	}
	if !a.IsValid() {
		return "unknown"
	}
	return a.String()
}

// PeerAddress is the address at the other end of the connection, whatever a header says.
func PeerAddress(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr()
}
