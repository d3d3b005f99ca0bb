package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/go-json-experiment/json"
	"github.com/tmaxmax/go-sse"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/reach"
)

// chatCaller are the flags of each command that is the chat's client.
type chatCaller struct {
	URL    string `help:"The host's address. By default the Hub of this config folder." placeholder:"URL"`
	JSON   bool   `help:"Print as JSON."`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// How patient the client is.
const (
	callTimeout = 30 * time.Second
	// tries are those of one call in all, with waits of about 0.5, 1, 2 and 4 s between them.
	tries      = 5
	firstRetry = 500 * time.Millisecond
	lastRetry  = 30 * time.Second
	// shortWait is the longest that a call waits because the host says so.
	shortWait = time.Minute
	// silence ends a stream: the host says something every 15 s.
	silence = 45 * time.Second
	// pollEvery is how often a host that has no stream is asked.
	pollEvery = 3 * time.Second
	// maxReply is above what a thread's 200 longest messages take, in bytes.
	maxReply = 16 << 20
)

// chatClient speaks the chat's wire with one token.
type chatClient struct {
	url   string
	token chat.Token
	// suffix is .php for a host that serves only the old paths.
	suffix string
	noWait bool
	http   *http.Client
	stderr io.Writer
}

// client is the client that the flags, the config and this user's token make.
func (c *chatCaller) client(e *env, noWait bool) (*chatClient, error) {
	base, trust, err := c.host(e)
	if err != nil {
		return nil, err
	}
	token, err := chatToken(e)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trust
	return newChatClient(e, base, token, noWait, transport), nil
}

func newChatClient(e *env, base string, token chat.Token, noWait bool, transport http.RoundTripper) *chatClient {
	return &chatClient{url: base, token: token, noWait: noWait, stderr: e.stderr, http: &http.Client{
		Transport: transport,
		// The token must not follow a redirect to somewhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// host is the address of the host, and whom to believe there: for the config's own Hub
// the certificate of the config folder, and elsewhere whom this machine believes.
func (c *chatCaller) host(e *env) (base string, trust *tls.Config, err error) {
	if c.URL != "" {
		if base, err = hostURL(c.URL); err != nil {
			return "", nil, exitError{exitUsage, err}
		}
		return base, nil, nil
	}
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return "", nil, fmt.Errorf("no --url says where the host is, and the config does not either: %w", err)
	}
	trust, err = reach.ClientTLS(cfg)
	return reach.URL(cfg, cfg.Listen), trust, err
}

// hostURL checks a host's address, and takes that of its chat page for it too.
func hostURL(s string) (string, error) {
	const example = "such as https://hub.example:8420"
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", errors.New("--url is an address with http:// or https://, " + example)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("--url is an address alone, with no name, ? or # part, " + example)
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat")
	u.RawPath = ""
	return strings.TrimRight(u.String(), "/"), nil
}

// refusal is what a host says instead of doing what it was asked.
type refusal struct {
	status     int
	code, text string
	// after is how long to wait, where the host says that.
	after time.Duration
}

func (r *refusal) Error() string {
	said := strings.TrimSuffix(cut(oneLine(r.text), 200), ".")
	if said == "" {
		said = fmt.Sprintf("the host answers with status %d", r.status)
	}
	if r.limited() && r.after > 0 {
		said += fmt.Sprintf("; try again in %s", r.after.Round(time.Second))
	}
	if r.code != "" {
		said += " (" + cut(oneLine(r.code), 40) + ")"
	}
	return said
}

func (r *refusal) limited() bool { return r.status == http.StatusTooManyRequests }

// passing says whether the same call may go better soon.
func (r *refusal) passing() bool {
	switch r.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// exit is the refusal with its exit code.
func (r *refusal) exit() error {
	switch {
	case r.status == http.StatusUnauthorized:
		return exitError{exitNot, errors.New("the host does not take this chat token: it is 64 digits from 0 to 9 and a to f")}
	case r.status >= 300 && r.status < 400:
		return exitError{exitNot, errors.New("the host sends elsewhere, where the token must not go: name that address with --url")}
	case r.status == http.StatusNotFound:
		return exitError{exitNeedDown, errors.New("what answers there serves no chat: name the host with --url")}
	case r.passing() && !r.limited(), r.code == "storage_full":
		return exitError{exitNeedDown, r}
	default:
		return exitError{exitNot, r}
	}
}

// later makes a refusal wait as long as it says.
type later struct{ *refusal }

// As gives the library that retries the wait that it asks for.
func (l later) As(target any) bool {
	wait, ok := target.(**backoff.RetryAfterError)
	if ok {
		*wait = &backoff.RetryAfterError{Duration: l.after}
	}
	return ok
}

func (l later) Unwrap() error { return l.refusal }

// call makes one call, again where that may help, and decodes its body into out.
func (c *chatClient) call(ctx context.Context, method, name string, query url.Values, header http.Header, body []byte, out any) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.Multiplier, pause.MaxInterval = firstRetry, 2, lastRetry
	most := uint(tries)
	if c.noWait {
		most = 1
	}
	said := false
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		return struct{}{}, c.sorted(ctx, c.once(ctx, method, name, query, header, body, out))
	}, backoff.WithBackOff(pause), backoff.WithMaxTries(most), backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, wait time.Duration) {
		var r *refusal
		switch {
		case errors.As(err, &r) && r.limited():
			fmt.Fprintf(c.stderr, "The host takes no more just now; trying again in %s.\n", wait.Round(time.Second))
		case !said:
			fmt.Fprintln(c.stderr, "The host does not answer as it should; trying again.")
			said = true
		}
	}))
	return c.fault(ctx, err)
}

// sorted marks an error that no retry mends, and one that says how long to wait.
func (c *chatClient) sorted(ctx context.Context, err error) error {
	var r *refusal
	var untrusted *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, errors.As(err, &untrusted), errors.As(err, &plain), errors.Is(err, errNotChat):
		return backoff.Permanent(err)
	case !errors.As(err, &r):
		return err
	case !r.passing(), r.after > shortWait:
		return backoff.Permanent(err)
	case r.after > 0:
		return later{r}
	default:
		return err
	}
}

// fault is a call's error as a person gets it.
func (c *chatClient) fault(ctx context.Context, err error) error {
	var r *refusal
	var untrusted *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r):
		return r.exit()
	case errors.Is(ctx.Err(), context.Canceled):
		return exitError{exitNot, errors.New("interrupted")}
	case errors.As(err, &plain):
		return exitError{exitNeedDown, fmt.Errorf("what answers at %s does not speak TLS: write http:// with --url, or start \"askhub serve\" again if tls is new in askhub.toml", c.url)}
	case errors.As(err, &untrusted):
		return exitError{exitNeedDown, fmt.Errorf("the certificate of %s is not trusted here: name the host as its certificate does, or let SSL_CERT_FILE name the file of its CA", c.url)}
	case errors.Is(err, errNotChat):
		return exitError{exitNeedDown, fmt.Errorf("what answers at %s is no chat: name the host with --url", c.url)}
	default:
		return exitError{exitNeedDown, fmt.Errorf("no Hub answers at %s: start it with \"askhub serve\", or name the host with --url", c.url)}
	}
}

// errNotChat is a reply that no chat gives.
var errNotChat = errors.New("no chat")

// once makes the call one time. A host without the path is asked at its old one.
func (c *chatClient) once(ctx context.Context, method, name string, query url.Values, header http.Header, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := c.send(ctx, method, name, query, header, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusNotFound && c.suffix == "" {
		c.suffix = ".php"
		err := c.once(ctx, method, name, query, header, body, out)
		var r *refusal
		if errors.As(err, &r) && r.status == http.StatusNotFound {
			c.suffix = ""
		}
		return err
	}
	if resp.StatusCode/100 != 2 {
		r := refused(resp, raw)
		if r.text == "" && r.status == http.StatusBadRequest {
			return errNotChat // such as a TLS port that was called without TLS
		}
		return r
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return errNotChat
	}
	return nil
}

func (c *chatClient) send(ctx context.Context, method, name string, query url.Values, header http.Header, body []byte) (*http.Response, error) {
	address := c.url + "/api/chat/" + name + c.suffix
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for key, values := range header {
		req.Header[key] = values
	}
	req.Header.Set(chat.TokenHeader, string(c.token))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.http.Do(req)
}

// refused reads what a host says with its refusal.
func refused(resp *http.Response, raw []byte) *refusal {
	r := &refusal{status: resp.StatusCode}
	var body struct {
		Error      string  `json:"error"`
		Code       string  `json:"code"`
		RetryAfter float64 `json:"retry_after_ms"`
	}
	if json.Unmarshal(raw, &body) == nil {
		r.text, r.code = body.Error, body.Code
	}
	seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 31)
	switch {
	case body.RetryAfter > 0 && body.RetryAfter < math.MaxInt32:
		r.after = time.Duration(body.RetryAfter * float64(time.Millisecond))
	case err == nil:
		r.after = time.Duration(seconds) * time.Second
	}
	return r
}

func sinceQuery(since chat.Cursor) url.Values {
	if since <= 0 {
		return nil
	}
	return url.Values{"since": {strconv.FormatInt(int64(since), 10)}}
}

// poll gives what is newer than since.
func (c *chatClient) poll(ctx context.Context, since chat.Cursor) (*chat.Polled, error) {
	p := &chat.Polled{}
	return p, c.call(ctx, http.MethodGet, "poll", sinceQuery(since), nil, nil, p)
}

// post sends one message; the key makes each retry the same message.
func (c *chatClient) post(ctx context.Context, kind, text, key string) (*chat.Posted, error) {
	body, err := json.Marshal(map[string]string{"text": text, "kind": kind})
	if err != nil {
		return nil, err
	}
	p := &chat.Posted{}
	return p, c.call(ctx, http.MethodPost, "post", nil, http.Header{chat.KeyHeader: {key}}, body, p)
}

// errStop ends a following that has seen what it was for.
var errStop = errors.New("stop")

// follow gives each page of what is newer than since, as it comes, until show returns an
// error: errStop ends it well. It goes on over a stream that breaks and a host that is
// down for a while.
func (c *chatClient) follow(ctx context.Context, since chat.Cursor, show func(*chat.Polled) error) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = firstRetry, lastRetry
	said := false
	var shown error
	got := func(p *chat.Polled) error {
		pause.Reset()
		said = false
		if since = max(since, p.Cursor); len(p.Messages) > 0 {
			shown = show(p)
		}
		return shown
	}
	for {
		err := c.stream(ctx, since, got)
		if errors.Is(err, errNoStream) {
			return c.followByPolling(ctx, since, show)
		}
		if err = c.ended(ctx, err, shown); err != nil {
			return err
		}
		if !said {
			fmt.Fprintln(c.stderr, "The stream from the host ended; trying again.")
			said = true
		}
		wait := pause.NextBackOff()
		var r *refusal
		if errors.As(err, &r) {
			wait = max(wait, r.after)
		}
		if !sleep(ctx, wait) {
			return errStop
		}
	}
}

// ended is the error that ends a following, where this one does; a person's interrupt is
// an errStop.
func (c *chatClient) ended(ctx context.Context, err, shown error) error {
	var r *refusal
	switch {
	case shown != nil:
		return shown
	case ctx.Err() != nil:
		return errStop
	case errors.As(err, &r) && !r.passing():
		return r.exit()
	}
	return nil
}

// sleep waits, and says whether ctx still stands.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// errNoStream is a host that serves the frozen contract alone.
var errNoStream = errors.New("no stream")

// stream reads one stream until it ends.
func (c *chatClient) stream(ctx context.Context, since chat.Cursor, got func(*chat.Polled) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	resp, err := c.send(ctx, http.MethodGet, "stream", sinceQuery(since), http.Header{"Accept": {"text/event-stream"}}, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusMethodNotAllowed,
		resp.StatusCode == http.StatusOK && kind != "text/event-stream":
		return errNoStream
	case resp.StatusCode != http.StatusOK:
		raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxReply))
		return refused(resp, raw)
	}
	for event, err := range sse.Read(&heard{resp.Body, quiet}, &sse.ReadConfig{MaxEventSize: maxReply}) {
		if err != nil {
			return err
		}
		if event.Type != "messages" {
			continue // a kind of event that a later host may have
		}
		var p chat.Polled
		if err := json.Unmarshal([]byte(event.Data), &p); err != nil {
			return err
		}
		if err := got(&p); err != nil {
			return err
		}
	}
	return io.EOF
}

// heard puts the end of a stream off whenever something comes.
type heard struct {
	io.Reader
	quiet *time.Timer
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.quiet.Reset(silence)
	}
	return n, err
}

// followByPolling follows a host that has no stream.
func (c *chatClient) followByPolling(ctx context.Context, since chat.Cursor, show func(*chat.Polled) error) error {
	for {
		p, err := c.poll(ctx, since)
		if ctx.Err() != nil {
			return errStop
		}
		if err != nil {
			return err
		}
		if since = max(since, p.Cursor); len(p.Messages) > 0 {
			if err := show(p); err != nil {
				return err
			}
		}
		if !sleep(ctx, pollEvery) {
			return errStop
		}
	}
}
