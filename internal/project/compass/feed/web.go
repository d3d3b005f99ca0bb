package feed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/project/compass/calendar"
)

const (
	webEvery   = 5 * time.Minute
	webTimeout = 30 * time.Second
	userAgent  = "askhub-compass/1"
)

// Errors of a server, with what to do about them.
var (
	errUnreachable = errors.New("the server cannot be reached: check its name and that it is on")
	errSlow        = errors.New("the server does not answer in time")
	errLogin       = errors.New("the server wants another user name or password: set username and password")
	errGone        = errors.New("there is nothing at that address: check it")
	errBusy        = errors.New("the server is in trouble itself")
)

// URL is an ICS file at an address.
type URL struct {
	address, user, password string
	client                  *http.Client
}

var _ Source = (*URL)(nil)

// NewURL is the ICS file at an http, https or webcal address.
func NewURL(address, user, password string) (*URL, error) {
	u, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	return &URL{u.String(), user, password, newClient()}, nil
}

// parseAddress names the fault without the address, which may hold a secret.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("is not an address: write it as https://…")
	}
	switch strings.ToLower(u.Scheme) {
	case "webcal", "webcals":
		u.Scheme = "https"
	case "http", "https":
	default:
		return nil, errors.New("must begin with https://, http:// or webcal://")
	}
	if u.Host == "" {
		return nil, errors.New("names no server: write it as https://server/path")
	}
	if u.User != nil {
		return nil, errors.New("must not hold a password: use username and password")
	}
	return u, nil
}

func newClient() *http.Client {
	return &http.Client{
		Timeout: webTimeout,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: 20 * time.Second,
			MaxIdleConnsPerHost:   2,
			IdleConnTimeout:       90 * time.Second,
			ForceAttemptHTTP2:     true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 5 {
				return errors.New("too many redirects")
			}
			if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
				return errors.New("a redirect from https to http")
			}
			if inside(req.Context(), req.URL.Hostname()) && !inside(req.Context(), via[0].URL.Hostname()) {
				return errors.New("a redirect from outside into this network")
			}
			return nil
		},
	}
}

// inside is whether a host is this machine or one of its own network. A server out
// there must not have this one call what only the household reaches.
func inside(ctx context.Context, host string) bool {
	addrs := []netip.Addr{}
	if addr, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, addr)
	} else if addrs, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil {
		return false // what has no address is not reached either
	}
	return slices.ContainsFunc(addrs, func(a netip.Addr) bool {
		a = a.Unmap()
		return !a.IsGlobalUnicast() || a.IsPrivate()
	})
}

// Every implements Source.
func (*URL) Every() time.Duration { return webEvery }

// Fetch implements Source.
func (u *URL) Fetch(ctx context.Context, prev *Snapshot) (*Snapshot, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.address, nil)
	if err != nil {
		return nil, errUnreachable
	}
	req.Header.Set("Accept", "text/calendar, */*;q=0.1")
	if prev != nil && prev.ETag != "" {
		req.Header.Set("If-None-Match", prev.ETag)
	}
	if prev != nil && prev.Modified != "" {
		req.Header.Set("If-Modified-Since", prev.Modified)
	}
	resp, err := do(u.client, req, u.user, u.password)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified && prev != nil {
		return prev, nil
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errBusy
	}
	body, err := readAll(resp.Body)
	if err != nil {
		return nil, err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
	if prev != nil && prev.Sum == sum {
		return prev, nil
	}
	return &Snapshot{ETag: resp.Header.Get("ETag"), Modified: resp.Header.Get("Last-Modified"), Sum: sum, Texts: []Text{{Body: body}}}, nil
}

// do sends one request and turns whatever can go wrong into an error that a person
// can act on and that holds nothing of what the server said.
func do(client *http.Client, req *http.Request, user, password string) (*http.Response, error) {
	req.Header.Set("User-Agent", userAgent)
	if user != "" || password != "" {
		req.SetBasicAuth(user, password)
	}
	resp, err := client.Do(req)
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			return nil, errSlow
		}
		var redirect *url.Error
		if errors.As(err, &redirect) && strings.Contains(redirect.Err.Error(), "redirect") {
			return nil, errors.New("the server sends on in a way that is not followed: use the address it leads to")
		}
		return nil, errUnreachable
	}
	var bad error
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusProxyAuthRequired:
		bad = errLogin
	case code == http.StatusNotFound, code == http.StatusGone:
		bad = errGone
	case code >= 500, code == http.StatusTooManyRequests:
		bad = errBusy
	case code >= 400, code >= 300 && code != http.StatusNotModified:
		bad = fmt.Errorf("the server answers %d and no calendar", code)
	}
	if bad != nil {
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be used again
		_ = resp.Body.Close()
		return nil, bad
	}
	resp.Body = &bounded{resp.Body, 4 * calendar.MaxSize}
	return resp, nil
}

// bounded is a body that breaks off with an error at its limit.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, calendar.ErrTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
