package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/reach"
	"github.com/askhub/askhub/internal/secrets"
)

// hubTimeout is how long a Hub on this machine may take for its own health.
const hubTimeout = 2 * time.Second

// hubHealth is what is read of the Hub's GET /health (spec 5).
type hubHealth struct {
	OK    bool      `json:"ok"`
	Parts []hubPart `json:"parts"`

	// instance is which Hub answered, and reached how the request came to it.
	instance, reached string
}

// hubPart is the state of one part of it.
type hubPart struct {
	Part  string `json:"part"`
	OK    bool   `json:"ok"`
	Fault string `json:"fault"`
}

// hub looks at who has the Hub's port: the Hub, nobody, or somebody else.
func (e *exam) hub(ctx context.Context) []Check {
	address := e.cfg.Listen
	if _, port, err := net.SplitHostPort(address); err == nil && port == "0" {
		return []Check{{"hub", Warn, "port 0 in listen takes another port at each start", `Set listen to a fixed one, like "` + config.DefaultListen + `".`, false}}
	}
	trust, err := reach.ClientTLS(e.cfg)
	if err != nil {
		return []Check{{"hub", Warn, "the Hub was not asked, for want of its certificate", "Mend the certificate, as said under tls.", false}}
	}
	base := reach.URL(e.cfg, address)
	// What does not look like a Hub without a token is shown none.
	seen, err := askHealth(ctx, direct(trust), base, "")
	if err != nil {
		return []Check{e.stranger(ctx, address, err)}
	}
	e.instance, e.runs = seen.instance, true
	admin := secrets.CallerVar(config.AdminName)
	// A token that cannot be used is reported with the secrets.
	found, _ := secrets.Lookup(e.cfg.Secrets, e.Environ, admin)
	if found[admin] == "" {
		return []Check{{Check: "hub", State: OK, What: "a Hub answers at " + address + "; its parts show with the token of the admin app only"}}
	}
	health, err := askHealth(ctx, direct(trust), base, found[admin])
	if err != nil || len(health.Parts) == 0 {
		return []Check{{"hub", Fault, "what answers at " + address + " does not know " + admin + ": it is another program, or a Hub on other secrets", `Stop what listens there and run "askhub serve" with this config.`, false}}
	}
	return append(health.checks(address), e.unread(health)...)
}

// unread names the projects of askhub.toml that the running Hub does not have: it
// reads that file at its start alone.
func (e *exam) unread(h *hubHealth) []Check {
	var missing []string
	for _, name := range e.cfg.ProjectNames() {
		if !slices.ContainsFunc(h.Parts, func(p hubPart) bool { return p.Part == "project:"+name }) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []Check{{"hub", Warn, "the running Hub has not read of " + strings.Join(missing, ", ") + " in askhub.toml", `Stop "askhub serve" and start it again.`, false}}
}

func (h *hubHealth) checks(address string) []Check {
	checks := []Check{{Check: "hub", State: OK, What: "the Hub answers at " + address}}
	for _, p := range h.Parts {
		name := "hub." + p.Part
		switch {
		case p.OK:
			checks = append(checks, Check{Check: name, State: OK, What: "the Hub says that it is well"})
		case strings.HasPrefix(p.Part, "project:"):
			// The project is looked at by itself too, which weighs the fault.
			checks = append(checks, Check{name, Warn, "the Hub says: " + strings.TrimSuffix(p.Fault, "."), "Look at the project below.", false})
		default:
			checks = append(checks, Check{name, Fault, "the Hub says: " + strings.TrimSuffix(p.Fault, "."), `Look at what "askhub serve" logs.`, false})
		}
	}
	return checks
}

// stranger is what answers at the Hub's address and is not believed, or nothing.
func (e *exam) stranger(ctx context.Context, address string, err error) Check {
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return Check{"hub", Fault, "what answers at " + address + " shows a certificate that is not to be trusted (" + bad.Err.Error() + ")", "Mend what stands under tls; where nothing does, stop what listens there.", false}
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return Check{"hub", Fault, "what answers at " + address + " does not speak TLS, and tls is set in askhub.toml", `Stop what listens there, and start "askhub serve" again.`, false}
	}
	return e.port(ctx, address)
}

// port tries whether the Hub could have its port.
func (e *exam) port(ctx context.Context, address string) Check {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		_ = ln.Close()
		return Check{"hub", Warn, "the Hub is not running; " + address + " is free for it", `Start it with "askhub serve".`, false}
	case errors.Is(err, syscall.EADDRINUSE):
		return Check{"hub", Fault, address + " is held by something that does not answer as a Hub does", "Stop what listens there, or set listen in askhub.toml to another port.", false}
	case errors.Is(err, syscall.EACCES):
		return Check{"hub", Fault, "this account may not listen on " + address, "Set listen in askhub.toml to a port above 1023.", false}
	}
	return Check{"hub", Fault, "the Hub cannot listen on " + address, "Set listen in askhub.toml to an address of this machine.", false}
}

// direct is for what is asked beside the contract: no redirect and no proxy, so that
// a token goes nowhere else. It believes what trust says, or what the machine does.
func direct(trust *tls.Config) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: trust},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// errNoHub is an answer that no Hub gives.
var errNoHub = errors.New("what answers there is not a Hub")

func askHealth(ctx context.Context, client *http.Client, base, token string) (*hubHealth, error) {
	ctx, cancel := context.WithTimeout(ctx, hubTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/health", http.NoBody)
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	var h hubHealth
	if err := json.Unmarshal(body, &h); err != nil || resp.StatusCode != http.StatusOK || !h.OK {
		return nil, fmt.Errorf("%w (status %d)", errNoHub, resp.StatusCode)
	}
	h.instance, h.reached = resp.Header.Get(reach.InstanceHeader), resp.Header.Get(reach.ReachedHeader)
	return &h, nil
}
