// Package hass is one call to Home Assistant, as every destination that is behind it makes
// it: the token with each, no redirects, a reply of bounded size that is JSON. What a
// status other than 200 means is for the caller to say.
package hass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
)

// maxReply is the largest reply that is read, in bytes.
const maxReply = 4 << 20

// StatusError is an answer with an HTTP status other than 200.
type StatusError int

// Error never has what stood in the answer.
func (s StatusError) Error() string {
	return fmt.Sprintf("home assistant answers with HTTP %d", int(s))
}

// Client calls one Home Assistant. It is safe for concurrent use.
type Client struct {
	url   string
	token func() ask.BearerToken
	http  *http.Client
}

// New is a client of the Home Assistant at url, which has no slash at its end. The token is
// asked for before each call.
func New(url string, token func() ask.BearerToken) *Client {
	return &Client{url: url, token: token, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute},
	}}
}

// Close gives idle connections back.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// HTTP is what makes the calls, for those that are not one request and one reply.
func (c *Client) HTTP() *http.Client { return c.http }

// Call is one request, with body where it is not nil, and its reply read into to where that
// is not nil.
func (c *Client) Call(ctx context.Context, method, path string, body []byte, to any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("home assistant's address: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+string(c.token()))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("home assistant: %w", err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode != http.StatusOK:
		return StatusError(resp.StatusCode)
	case to == nil:
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return fmt.Errorf("home assistant: %w", err)
	case len(raw) > maxReply:
		return fmt.Errorf("%w: home assistant's reply is larger than 4 MB", askclient.ErrNonsense)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%w: home assistant's reply is not the expected one", askclient.ErrNonsense)
	}
	return nil
}
