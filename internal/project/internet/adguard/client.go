package adguard

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/project/internet"
)

// callTime is how long one call may take, maxReply the most that is read of a reply.
const (
	callTime = 5 * time.Second
	maxReply = 32 << 20
)

// silence is how long no call is made after the first refused password: AdGuard Home locks
// a caller out after five of them, for a quarter of an hour.
const silence = 20 * time.Minute

// client speaks AdGuard Home's HTTP API, below /control.
type client struct {
	base               *url.URL
	username, password string
	http               *http.Client
	now                func() time.Time

	// slots has a value for each call under way, and first for one that does not know yet
	// whether the password is taken.
	slots, first chan struct{}

	mu sync.Mutex
	// refused is when the password was last refused; zero where it was not. Taken is whether
	// the last answer has taken it.
	refused time.Time
	taken   bool
}

// atOnce is how many calls are under way at most. Where the password is changed meanwhile,
// that many show the old one, which is fewer than lock this machine out.
const atOnce = 4

// What keeps AdGuard Home from being asked, for a person.
const (
	whyDown       = "AdGuard Home is not answering"
	whySlow       = "AdGuard Home is too slow"
	whyNoPassword = "the password for AdGuard Home is missing"
	whyRefused    = "AdGuard Home does not take the password that is set for it"
	whyOdd        = "AdGuard Home answered something that cannot be understood"
	whyFull       = "AdGuard Home could not do it"
)

func unable(why string, err error) error { return &internet.UnableError{Why: why, Err: err} }

func newClient(o Options) (*client, error) {
	base, err := url.Parse(strings.TrimRight(o.URL, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil || base.RawQuery != "" {
		return nil, errors.New(`url must be the address of AdGuard Home's page, like "http://192.168.1.2", without a user name`)
	}
	transport := &http.Transport{
		MaxConnsPerHost: atOnce, ResponseHeaderTimeout: callTime, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		DialContext: (&net.Dialer{Timeout: callTime}).DialContext, TLSHandshakeTimeout: callTime,
	}
	return &client{
		base: base, username: o.Username, password: o.Password, now: o.Now,
		slots: make(chan struct{}, atOnce), first: make(chan struct{}, 1),
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// get reads one call's reply into v.
func (c *client) get(ctx context.Context, path string, v any) error {
	raw, err := c.call(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	// Fields that are not known here are kept where they matter, as raw values.
	if err := json.Unmarshal(raw, v); err != nil {
		return unable(whyOdd, fmt.Errorf("%w: %s: %w", ErrNone, path, err))
	}
	return nil
}

// post sends v. Where it is not known whether it arrived, the error is internet.ErrUncertain.
func (c *client) post(ctx context.Context, path string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.call(ctx, http.MethodPost, path, body)
	return err
}

func (c *client) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	leave, err := c.enter(ctx)
	if err != nil {
		return nil, unable(whySlow, err)
	}
	defer leave()
	if c.silent() {
		return nil, unable(whyRefused, fmt.Errorf("%w: no call is made for a while, so that it does not lock this machine out", ErrRefused))
	}
	if c.username != "" && c.password == "" { // it would count as a wrong one
		return nil, unable(whyNoPassword, errors.New("the secrets file has none"))
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+"/control"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(c.username, c.password)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.lost(method, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusTooManyRequests:
		c.refuse()
		refused := ErrRefused
		if resp.StatusCode == http.StatusTooManyRequests {
			refused = ErrLockedOut
		}
		return nil, unable(whyRefused, fmt.Errorf("%w: %s %s: status %d", refused, method, path, resp.StatusCode))
	case resp.StatusCode >= 500 && method != http.MethodGet:
		return nil, fmt.Errorf("%w: %s: status %d", internet.ErrUncertain, path, resp.StatusCode)
	case resp.StatusCode >= 500:
		return nil, unable(whyFull, fmt.Errorf("%s %s: status %d", method, path, resp.StatusCode))
	case method == http.MethodGet && (resp.StatusCode == http.StatusNotFound || resp.StatusCode >= 300 && resp.StatusCode < 400):
		return nil, unable(whyOdd, fmt.Errorf("%w: %s: status %d", ErrNone, path, resp.StatusCode))
	case resp.StatusCode != http.StatusOK:
		return nil, unable(whyFull, fmt.Errorf("%s %s: status %d: %.200s", method, path, resp.StatusCode, raw))
	case err != nil:
		return nil, c.lost(method, err)
	case len(raw) > maxReply:
		return nil, unable(whyOdd, errors.New(path+": the reply is too large"))
	}
	c.take()
	return raw, nil
}

// enter waits for a call's turn. Until the password was taken once, calls are made one at a
// time: five that show a wrong one at once would lock this machine out.
func (c *client) enter(ctx context.Context) (leave func(), err error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.known() {
		return func() { <-c.slots }, nil
	}
	select {
	case c.first <- struct{}{}:
		return func() { <-c.first; <-c.slots }, nil
	case <-ctx.Done():
		<-c.slots
		return nil, ctx.Err()
	}
}

// lost is a call without an end. A dial that failed has changed nothing; of what was sent
// nobody knows.
func (c *client) lost(method string, err error) error {
	var dial *net.OpError
	if method != http.MethodGet && (!errors.As(err, &dial) || dial.Op != "dial") {
		return fmt.Errorf("%w: %w", internet.ErrUncertain, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return unable(whySlow, err)
	}
	return unable(whyDown, err)
}

func (c *client) silent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.refused.IsZero() && c.now().Sub(c.refused) < silence
}

func (c *client) refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused, c.taken = c.now(), false
}

func (c *client) take() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = true
}

func (c *client) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken
}
