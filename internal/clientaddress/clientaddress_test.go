package clientaddress_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/askhub/askhub/internal/clientaddress"
)

func prefixes(list ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range list {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// request is one from that peer with those lines of X-Forwarded-For.
func request(peer string, forwarded ...string) *http.Request {
	r := &http.Request{RemoteAddr: peer, Header: http.Header{}}
	for _, line := range forwarded {
		r.Header.Add("X-Forwarded-For", line)
	}
	return r
}

func TestTheClientsAddress(t *testing.T) {
	const proxy = "127.0.0.1:40000"
	trusted := prefixes("127.0.0.1/32", "10.0.0.0/8", "::1/128", "fd00::/8")
	for name, tt := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"a peer alone":                        {"192.168.1.7:5000", nil, "192.168.1.7"},
		"a peer that claims to be another":    {"192.168.1.7:5000", []string{"203.0.113.9"}, "192.168.1.7"},
		"a peer that claims to be a proxy":    {"192.168.1.7:5000", []string{"203.0.113.9, 127.0.0.1"}, "192.168.1.7"},
		"through the proxy":                   {proxy, []string{"192.168.1.7"}, "192.168.1.7"},
		"through the proxy over IPv6":         {"[::1]:40000", []string{"2001:db8::7"}, "2001:db8::7"},
		"a claim in front of the proxy's own": {proxy, []string{"203.0.113.9, 192.168.1.7"}, "192.168.1.7"},
		"a trusted address claimed":           {proxy, []string{"10.0.0.9, 192.168.1.7"}, "192.168.1.7"},
		"loopback claimed":                    {proxy, []string{"127.0.0.1, 192.168.1.7"}, "192.168.1.7"},
		"a line of one's own before":          {proxy, []string{"203.0.113.9", "192.168.1.7"}, "192.168.1.7"},
		"many lines of one's own before":      {proxy, []string{"203.0.113.9", "10.0.0.1", "127.0.0.1", "192.168.1.7"}, "192.168.1.7"},
		"two proxies":                         {proxy, []string{"192.168.1.7, 10.0.0.2"}, "192.168.1.7"},
		"two proxies with a line each":        {proxy, []string{"192.168.1.7", "10.0.0.2"}, "192.168.1.7"},
		"two proxies and a claim":             {proxy, []string{"8.8.8.8,192.168.1.7,10.0.0.2"}, "192.168.1.7"},
		"the proxy's own request":             {proxy, nil, "127.0.0.1"},
		"a trusted client":                    {proxy, []string{"10.0.0.2"}, "10.0.0.2"},
		"an empty line":                       {proxy, []string{""}, "127.0.0.1"},
		"an empty item":                       {proxy, []string{"192.168.1.7, "}, "127.0.0.1"},
		"garbage":                             {proxy, []string{"unknown"}, "127.0.0.1"},
		"garbage at the right":                {proxy, []string{"192.168.1.7, _hidden"}, "127.0.0.1"},
		"garbage behind a trusted one":        {proxy, []string{"192.168.1.7, ??, 10.0.0.2"}, "10.0.0.2"},
		"garbage at the left":                 {proxy, []string{"'; drop, 192.168.1.7"}, "192.168.1.7"},
		"no address at all":                   {proxy, []string{"0.0.0.0"}, "127.0.0.1"},
		"a name":                              {proxy, []string{"localhost"}, "127.0.0.1"},
		"a number":                            {proxy, []string{"3232235783"}, "127.0.0.1"},
		"octal":                               {proxy, []string{"0300.0250.1.7"}, "127.0.0.1"},
		"with a port":                         {proxy, []string{"192.168.1.7:1234"}, "192.168.1.7"},
		"IPv6 with a port":                    {proxy, []string{"[2001:db8::7]:1234"}, "2001:db8::7"},
		"IPv6 in brackets":                    {proxy, []string{"[2001:db8::7]"}, "2001:db8::7"},
		"IPv4 in IPv6":                        {proxy, []string{"::ffff:192.168.1.7"}, "192.168.1.7"},
		"a proxy in IPv6 form":                {"[::ffff:127.0.0.1]:40000", []string{"192.168.1.7"}, "192.168.1.7"},
		"a forwarded proxy in IPv6 form":      {proxy, []string{"192.168.1.7, ::ffff:10.0.0.2"}, "192.168.1.7"},
		"a zone":                              {proxy, []string{"fe80::1%eth0"}, "fe80::1"},
		"a peer with a zone":                  {"[fe80::1%eth0]:40000", []string{"203.0.113.9"}, "fe80::1"},
		"a trusted peer with a zone":          {"[fd00::1%eth0]:40000", []string{"203.0.113.9"}, "203.0.113.9"},
		"tabs":                                {proxy, []string{"\t192.168.1.7\t"}, "192.168.1.7"},
		"eight proxies": {
			proxy,
			[]string{"192.168.1.7, 10.0.0.7, 10.0.0.6, 10.0.0.5, 10.0.0.4, 10.0.0.3, 10.0.0.2, 10.0.0.1"},
			"192.168.1.7",
		},
		"more than any household has": {
			proxy,
			[]string{"192.168.1.7, 10.0.0.8, 10.0.0.7, 10.0.0.6, 10.0.0.5", "10.0.0.4, 10.0.0.3, 10.0.0.2, 10.0.0.1"},
			"10.0.0.8",
		},
		"a peer without an address": {"@", []string{"192.168.1.7"}, "invalid IP"},
		"no peer":                   {"", nil, "invalid IP"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := clientaddress.New(trusted)(request(tt.peer, tt.forwarded...)); got.String() != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestOtherHeadersAreNotRead(t *testing.T) {
	r := request("127.0.0.1:40000")
	for _, name := range []string{"X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP", "X-Forwarded"} {
		r.Header.Set(name, "203.0.113.9")
	}
	r.Header.Set("Forwarded", "for=203.0.113.9")
	if got := clientaddress.New(prefixes("127.0.0.1/32"))(r); got.String() != "127.0.0.1" {
		t.Errorf("got %s", got)
	}
}

func TestNobodyIsTrustedUnlessNamed(t *testing.T) {
	if got := clientaddress.New(nil)(request("127.0.0.1:40000", "203.0.113.9")); got.String() != "127.0.0.1" {
		t.Errorf("got %s", got)
	}
}

// Whatever stands in the header: a peer that nobody trusts is itself, what a trusted proxy
// adds at the right wins over all that came before, and the form is always the same.
func FuzzNew(f *testing.F) {
	f.Add("192.168.1.7", "203.0.113.9")
	f.Add("fe80::1%eth0, 10.0.0.1", "::ffff:10.0.0.2")
	f.Add(",,", "[::1]:443")
	f.Fuzz(func(t *testing.T, first, second string) {
		of := clientaddress.New(prefixes("10.0.0.0/8"))
		if got := of(request("192.168.1.7:1", first, second)); got.String() != "192.168.1.7" {
			t.Errorf("a stranger became %s", got)
		}
		if got := of(request("10.0.0.1:1", first, second, "192.168.1.7")); got.String() != "192.168.1.7" {
			t.Errorf("a claim won over the proxy's word: %s", got)
		}
		got := of(request("10.0.0.1:1", first, second))
		if !got.IsValid() || got.Is4In6() || got.Zone() != "" || got.IsUnspecified() {
			t.Errorf("a form that is none: %s", got)
		}
		// Lines are one list, however they are cut.
		if joined := of(request("10.0.0.1:1", first+","+second)); joined != got {
			t.Errorf("two lines give %s, one gives %s", got, joined)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	of := clientaddress.New(prefixes("127.0.0.1/32", "10.0.0.0/8"))
	r := request("127.0.0.1:40000", "203.0.113.9, 192.168.1.7, 10.0.0.2")
	b.ReportAllocs()
	for b.Loop() {
		of(r)
	}
}
