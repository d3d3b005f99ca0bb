package config

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReachIsRead(t *testing.T) {
	c, err := load(t, `public_url = "https://askhub.home:8420"
listen = "0.0.0.0:8420"
tls = "files"
tls_cert = "tls/hub.pem"
tls_key = "/etc/hub/key.pem"
trusted_proxies = ["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"]
[chat]
origins = ["https://os.example", "http://192.168.1.9:5173", "https://[fd00::1]:8443"]
`)
	if err != nil {
		t.Fatal(err)
	}
	if c.PublicHost() != "askhub.home" || c.TLS != TLSFiles || c.TLSCert != filepath.Join(c.Dir, "tls", "hub.pem") || c.TLSKey != "/etc/hub/key.pem" {
		t.Errorf("%s", c)
	}
	want := []netip.Prefix{
		netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fd00::/8"),
	}
	if !slices.Equal(c.Proxies(), want) {
		t.Errorf("proxies %v", c.Proxies())
	}
	if len(c.Chat.Origins) != 3 || len(c.Warnings()) != 0 {
		t.Errorf("origins %q, warnings %q", c.Chat.Origins, c.Warnings())
	}
	silent, err := load(t, "")
	if err != nil || silent.PublicHost() != "" || silent.TLS != "" || silent.Proxies() != nil {
		t.Errorf("a silent file: %v, %s", err, silent)
	}
}

func TestEachFaultOfReachNamesLineFieldAndMend(t *testing.T) {
	const proxied = "tls = \"proxy\"\ntrusted_proxies = [%q]"
	for _, tt := range []struct{ name, text, want string }{
		{"public_url empty", `public_url = ""`, `:1: public_url: must be the address that people type`},
		{"public_url of no scheme", `public_url = "askhub.home:8420"`, `:1: public_url: is not an address; write http:// or https:// in front of it`},
		{"public_url of another scheme", `public_url = "ftp://askhub.home"`, `:1: public_url: must begin with http`},
		{"public_url with a slash", `public_url = "https://askhub.home/"`, `:1: public_url: take the / at its end away`},
		{"public_url with a path", `public_url = "https://askhub.home/hub"`, `:1: public_url: must end with the host or its port`},
		{"public_url with a query", `public_url = "https://askhub.home?a"`, `:1: public_url: must end with the host`},
		{"public_url with a bare query", `public_url = "https://askhub.home?"`, `:1: public_url: must end with the host`},
		{"public_url with a fragment", `public_url = "https://askhub.home#a"`, `:1: public_url: must have no # part`},
		{"public_url with a user", `public_url = "https://sam:hunter2@askhub.home"`, `:1: public_url: must hold no user name`},
		{"public_url with capitals", `public_url = "https://AskHub.home"`, `:1: public_url: the host must be`},
		{"public_url with a scheme in capitals", `public_url = "HTTPS://askhub.home"`, `:1: public_url: write it in small letters`},
		{"public_url with an empty port", `public_url = "https://askhub.home:"`, `:1: public_url: write it in small letters and without what is empty`},
		{"public_url with a wrong port", `public_url = "https://askhub.home:0"`, `:1: public_url: the port must be`},
		{"public_url of everywhere", `public_url = "https://0.0.0.0:8420"`, `:1: public_url: the host must be`},
		{"public_url with a zone", `public_url = "https://[fe80::1%25eth0]:8420"`, `:1: public_url: the host must be`},
		{"public_url of digits", `public_url = "https://192.168.1"`, `:1: public_url: the host must be`},
		{"public_url with a star", `public_url = "https://*.askhub.home"`, `:1: public_url: the host must be`},
		{"public_url in the clear beside TLS", "public_url = \"http://askhub.home\"\ntls = \"local-ca\"", `:1: public_url: must begin with https://, since tls is "local-ca"`},
		{"tls unknown", "\ntls = \"letsencrypt\"", `:2: tls: must be files`},
		{"tls empty", `tls = ""`, `:1: tls: must be files`},
		{"tls in capitals", `tls = "Files"`, `:1: tls: must be files`},
		{"tls of another type", `tls = true`, `:1: tls`},
		{"files without a certificate", "tls = \"files\"\ntls_key = \"k\"", `: tls_cert: must name the file of the certificate, since tls is "files"`},
		{"files without a key", "tls = \"files\"\ntls_cert = \"c\"", `: tls_key: must name the file of the key`},
		{"files with an empty key", "tls = \"files\"\ntls_cert = \"c\"\ntls_key = \"\"", `:3: tls_key: must name the file`},
		{"a certificate that nobody reads", "tls = \"local-ca\"\ntls_cert = \"c\"", `:2: tls_cert: only tls = "files" reads it`},
		{"a key that nobody reads", "tls_key = \"k\"", `:1: tls_key: only tls = "files" reads it`},
		{"proxy without proxies", "tls = \"proxy\"", `: trusted_proxies: must name the proxy`},
		{"proxy with no proxies", "tls = \"proxy\"\ntrusted_proxies = []", `:2: trusted_proxies: must name the proxy`},
		{"a proxy by name", fmt.Sprintf(proxied, "caddy.home"), `:2: trusted_proxies: "caddy.home" is neither`},
		{"a proxy with a port", fmt.Sprintf(proxied, "127.0.0.1:80"), `:2: trusted_proxies: "127.0.0.1:80" is neither`},
		{"every address", fmt.Sprintf(proxied, "0.0.0.0/0"), `:2: trusted_proxies: "0.0.0.0/0" is every address`},
		{"every IPv6 address", fmt.Sprintf(proxied, "::/0"), `:2: trusted_proxies: "::/0" is every address`},
		{"no address", fmt.Sprintf(proxied, "0.0.0.0"), `:2: trusted_proxies: "0.0.0.0" is no address of a proxy`},
		{"an address in its other form", fmt.Sprintf(proxied, "::ffff:10.0.0.1"), `:2: trusted_proxies: "::ffff:10.0.0.1": write the address alone`},
		{"an address with a zone", fmt.Sprintf(proxied, "fe80::1%eth0"), `:2: trusted_proxies: "fe80::1%eth0": write the address alone`},
		{"more than its prefix", fmt.Sprintf(proxied, "10.0.0.1/8"), `:2: trusted_proxies: "10.0.0.1/8": its address has more than its prefix; write 10.0.0.0/8 or 10.0.0.1`},
		{"a proxy twice", "trusted_proxies = [\"::1\", \"::1\"]", `:1: trusted_proxies: "::1" stands there twice`},
		{"any origin", "[chat]\norigins = [\"*\"]", `:2: chat.origins: * would let every page`},
		{"the origin null", "[chat]\norigins = [\"null\"]", `:2: chat.origins: "null" is what any page`},
		{"an empty origin", "[chat]\norigins = [\"\"]", `:2: chat.origins: must be an origin`},
		{"an origin with a slash", "[chat]\norigins = [\"https://os.example/\"]", `:2: chat.origins: "https://os.example/": an origin ends with its host`},
		{"an origin with a path", "[chat]\norigins = [\"https://os.example/app\"]", `:2: chat.origins: "https://os.example/app": an origin ends`},
		{"an origin without a scheme", "[chat]\norigins = [\"os.example\"]", `:2: chat.origins: is not an address`},
		{"an origin with a star", "[chat]\norigins = [\"https://*.example\"]", `:2: chat.origins: "https://*.example": the host must be`},
		{"an origin in capitals", "[chat]\norigins = [\"https://OS.example\"]", `:2: chat.origins: "https://OS.example": the host must be`},
		{"an origin with a scheme in capitals", "[chat]\norigins = [\"HTTPS://os.example\"]", `is not how a browser writes it`},
		{"an origin with the usual port", "[chat]\norigins = [\"https://os.example:443\"]", `browsers leave the usual port out; write https://os.example`},
		{"an origin twice", "[chat]\norigins = [\"https://os.example\", \"https://os.example\"]", `:2: chat.origins: "https://os.example" stands there twice`},
		{"another field of the chat", "[chat]\norigin = \"https://os.example\"", `:2: chat.origin: no such field`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := load(t, tt.text)
			if err == nil {
				t.Fatalf("taken: %s", c)
			}
			if !strings.Contains(err.Error(), FileName) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v\nwant it to hold %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
	}
}

// What encrypts makes the warning of an open address go.
func TestTLSEndsTheWarningOfAnOpenAddress(t *testing.T) {
	for settings, warned := range map[string]bool{
		"":                                     true,
		"public_url = \"https://askhub.home\"": true,
		"tls = \"local-ca\"":                   false,
		"tls = \"files\"\ntls_cert = \"c\"\ntls_key = \"k\"": false,
		"tls = \"proxy\"\ntrusted_proxies = [\"10.0.0.2\"]":  false,
	} {
		c, err := load(t, "listen = \"0.0.0.0:8420\"\n"+settings)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(c.Warnings()) > 0; got != warned {
			t.Errorf("%q: warnings %q", settings, c.Warnings())
		}
		if warned && !strings.Contains(c.Warnings()[0], "set tls to local-ca, files or proxy") {
			t.Errorf("the warning names no setting: %q", c.Warnings())
		}
	}
}
