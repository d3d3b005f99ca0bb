package target

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/notify"
)

// timeout is the longest that a server may take.
const timeout = 8 * time.Second

// client follows no redirect: what is meant for one server is not for another.
var client = &http.Client{
	Timeout:       timeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// said is what a server said to a message.
type said struct {
	status int
	// after is how long the server wants to be left alone; zero where it does not say.
	after time.Duration
	// body is what it said, as far as anybody would read it.
	body []byte
}

// maxReply is the most that is read of a reply, in bytes.
const maxReply = 64 << 10

// post sends v as JSON to u. Its error is a fault: then nobody said anything.
func post(ctx context.Context, u *url.URL, authorize func(*http.Request), v any) (said, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return said{}, notify.Hopeless("the message cannot be written")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return said{}, notify.Hopeless("its address cannot be called")
	}
	req.Header.Set("Content-Type", "application/json")
	authorize(req)
	resp, err := client.Do(req)
	if err != nil {
		return said{}, unreachable(err)
	}
	defer resp.Body.Close()
	// A connection is used again only when all was read.
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil && resp.StatusCode < http.StatusBadRequest {
		return said{}, notify.Retry("its answer broke off, so nobody knows whether it took the message")
	}
	return said{resp.StatusCode, wait(resp), reply}, nil
}

// unreachable says what kept a server from answering, and not its address.
func unreachable(err error) *notify.Fault {
	var dns *net.DNSError
	var timed interface{ Timeout() bool }
	switch {
	case errors.As(err, &dns):
		return notify.Retry("no such host is known")
	case errors.As(err, &timed) && timed.Timeout():
		return notify.Retry("it does not answer in time")
	}
	return notify.Retry("it cannot be reached")
}

// wait is how long the server wants to be left alone; zero where it does not say.
func wait(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 24*60*60)) * time.Second
}

// later says whether a server that gives this status may give another one later.
func later(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status == http.StatusTooEarly
}
