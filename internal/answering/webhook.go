package answering

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
)

// Webhook tells an assistant by HTTP: a POST of the Waiting as JSON. Whatever begins
// with 2 is heard; anything else, a redirect too, is told again.
type Webhook struct {
	// URL is where to.
	URL string
	// Token gives the bearer token; nil or an empty one sends none.
	Token func() string
}

// hooks follow no redirect: the token must not go on to somewhere else.
var hooks = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Tell implements Teller.
func (h Webhook) Tell(ctx context.Context, w Waiting) error {
	body, err := json.Marshal(&w)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	// A telling whose answer was lost comes again; by this its receiver knows it.
	req.Header.Set("Idempotency-Key", w.Message.ID)
	if h.Token != nil {
		if token := h.Token(); token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
	}
	resp, err := hooks.Do(req)
	var failed *url.Error
	if errors.As(err, &failed) { // it repeats the address, whose path may be a secret
		err = failed.Err
	}
	if err != nil {
		return fmt.Errorf("the webhook cannot be reached: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection serves again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the webhook answers with status %d", resp.StatusCode)
	}
	return nil
}
