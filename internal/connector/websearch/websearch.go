// Package websearch is the destination that looks things up outside the house: by the
// household's own SearXNG, and the weather by the house itself or by Open-Meteo. What it
// finds is strangers' text, so each answer quotes one sentence with its source, and nothing
// in it is followed.
package websearch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// OpenMeteo is the weather service that is asked where no other is named.
const OpenMeteo = "https://api.open-meteo.com"

// Config is what a Connector is made from. URL, Home, House or several are set.
type Config struct {
	// URL is the SearXNG server's address with no slash at its end; empty where there is none.
	URL string
	// Language is the language of the results as SearXNG names it; empty leaves it to the server.
	Language string
	// Home is where the weather is asked for; nil where nobody said.
	Home *Home
	// House is the weather at home as the house itself knows it, false where it does not
	// just now; nil where nothing there could. It is asked before Open-Meteo.
	House func() (Forecast, bool)
	// LivesHere is whether that is somebody of the household; nil where nobody says.
	LivesHere func(name string) bool
	// WeatherURL is the Open-Meteo server's address; empty is OpenMeteo.
	WeatherURL string
}

// Home is where the household lives.
type Home struct {
	Latitude, Longitude float64
	// Place is what people call it; it may be empty.
	Place string
}

// Connector looks things up. It is safe for concurrent use.
type Connector struct {
	cfg    Config
	client *http.Client
}

var (
	_ dispatch.Connector = (*Connector)(nil)
	_ dispatch.Reader    = (*Connector)(nil)
)

// New is a connector to the servers of cfg. It calls nobody yet.
func New(cfg Config) *Connector {
	if cfg.WeatherURL == "" {
		cfg.WeatherURL = OpenMeteo
	}
	return &Connector{cfg: cfg, client: &http.Client{
		// A question goes to the address that the household named, and no further.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
		},
	}}
}

// Close gives idle connections back.
func (c *Connector) Close() { c.client.CloseIdleConnections() }

// Do looks up what q asks. Nothing is changed by it.
func (c *Connector) Do(ctx context.Context, q ask.Question) (ask.Answer, error) {
	return c.Read(ctx, q)
}

// Read looks up what q asks.
func (c *Connector) Read(ctx context.Context, q ask.Question) (ask.Answer, error) {
	when, weather := asksWeather(q.Question)
	if weather {
		if a, known, err := c.weather(ctx, when); known {
			return a, err
		}
	}
	words := query(q.Question)
	if c.whereabouts(words) {
		return ask.NoAnswer("Where people of this household are is not told, and not searched for"), nil
	}
	switch {
	case words == "":
		return ask.NoAnswer("Please say what to look up"), nil
	case c.cfg.URL == "" && weather:
		return ask.NoAnswer("The weather at home is not known just now"), nil
	case c.cfg.URL == "" && c.cfg.Home == nil:
		return ask.Answer{}, dispatch.ErrNotConfigured
	case c.cfg.URL == "":
		return ask.NoAnswer("Only the weather at home is looked up here; there is no search yet"), nil
	}
	return c.search(ctx, words)
}

// OnlyAsks is always so: a look-up changes nothing.
func (*Connector) OnlyAsks(ask.Question) bool { return true }

// maxReply is the largest reply that is read, in bytes.
const maxReply = 2 << 20

// What a server may have against a request. None quotes the server.
var (
	// ErrNoJSON is a SearXNG server whose settings do not allow JSON.
	ErrNoJSON = errors.New("the search server does not allow JSON: add json to formats under search in its settings.yml")
	// ErrBusy is a server that wants fewer requests.
	ErrBusy = errors.New("the server wants fewer requests: switch its limiter off for this machine, or wait")
)

// get reads the JSON document at address into reply.
func (c *Connector) get(ctx context.Context, address string, reply any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return fmt.Errorf("the server's address: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "askhub")
	resp, err := c.client.Do(req)
	if err != nil {
		return withoutAddress(err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusForbidden:
		return ErrNoJSON
	case resp.StatusCode == http.StatusTooManyRequests:
		return ErrBusy
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return fmt.Errorf("%w: it leads elsewhere (HTTP %d); name the address that it leads to", askclient.ErrNonsense, resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("it answers with HTTP %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return withoutAddress(err)
	case len(body) > maxReply:
		return fmt.Errorf("%w: its reply is larger than 2 MB", askclient.ErrNonsense)
	}
	if err := unmarshal(body, reply); err != nil {
		return fmt.Errorf("%w: its reply is not the JSON that was expected", askclient.ErrNonsense)
	}
	return nil
}

// unmarshal reads one document; a member that is not known is passed over.
func unmarshal(body []byte, reply any) error { return json.Unmarshal(body, reply) }

// withoutAddress is the cause alone: the address holds what somebody asked.
func withoutAddress(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
