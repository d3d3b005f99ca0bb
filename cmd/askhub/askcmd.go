package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/api"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/reach"
)

type askCmd struct {
	Question []string `arg:"" help:"The question, in plain words."`
	As       string   `placeholder:"NAME" help:"Who asks. By default the one person of people.toml, where there is just one."`
	About    string   `placeholder:"NAME" help:"Whom it is about. By default the person that the question names."`
	Want     string   `help:"The shape of the reply: text, speech or notification." enum:",text,speech,notification" default:"" placeholder:"SHAPE"`
	InReply  string   `name:"in-reply-to" placeholder:"ID" help:"The id of the reply that this continues: a clarify, or what waits for a yes."`
	JSON     bool     `help:"Print the Hub's reply as JSON."`
	Config   string   `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (askCmd) Help() string {
	return "Examples:\n  askhub ask \"what does Harry have on today?\" --as sam\n  askhub ask \"any mail from the school?\" --as sam --json"
}

// Run asks the Hub that this config folder is about.
func (c *askCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	if c.As == "" {
		if c.As, err = onlyPerson(cfg); err != nil {
			return err
		}
	}
	// The Hub judges who may ask; a slip is told here, with the names that there are.
	if house, err := loadPeople(cfg); err == nil && !strings.EqualFold(c.As, string(people.Guest)) {
		if _, err := findPerson(house, c.As); err != nil {
			return err
		}
	}
	hub, err := adminClient(e, cfg)
	if err != nil {
		return err
	}
	reply, err := hub.ask(e.ctx, question{
		Question: strings.Join(c.Question, " "), Asker: c.As, Person: c.About, Want: c.Want, InReplyTo: c.InReply, Source: "admin",
	})
	if err != nil {
		return err
	}
	return reply.print(e.stdout, c.JSON)
}

// onlyPerson is the one person of people.toml, for whom --as need not be said.
func onlyPerson(cfg *config.Config) (string, error) {
	house, err := loadPeople(cfg)
	if err != nil {
		return "", err
	}
	var names []string
	for _, p := range house.People() {
		names = append(names, string(p.Name))
	}
	switch len(names) {
	case 1:
		return names[0], nil
	case 0:
		return "", exitError{exitUsage, errors.New("say who asks with --as NAME, after naming yourself in " + cfg.PeoplePath() + "; or ask as a guest with --as guest")}
	default:
		return "", exitError{exitUsage, errors.New("say who asks with --as NAME: one of " + strings.Join(names, ", "))}
	}
}

// hubClient speaks the Hub's own API with one token.
type hubClient struct {
	url   string
	token ask.BearerToken
	http  *http.Client
}

// newHubClient calls the Hub of cfg that listens at address. It believes the certificate
// of the config folder and no other, since it shows its token.
func newHubClient(cfg *config.Config, address string, token ask.BearerToken) (*hubClient, error) {
	trust, err := reach.ClientTLS(cfg)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trust
	return &hubClient{url: reach.URL(cfg, address), token: token, http: &http.Client{
		Transport: transport,
		Timeout:   30 * time.Second,
		// The token must not follow a redirect to somewhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// adminClient is a client of the config's Hub with the admin app's token.
func adminClient(e *env, cfg *config.Config) (*hubClient, error) {
	token, err := lookupToken(e, cfg, "HUB_TOKEN_ADMIN")
	if err != nil {
		return nil, err
	}
	return newHubClient(cfg, cfg.Listen, token)
}

// question is the body of the Hub's POST /ask.
type question struct {
	Question  string `json:"question"`
	Asker     string `json:"asker,omitempty"`
	Person    string `json:"person,omitempty"`
	Source    string `json:"source,omitempty"`
	Want      string `json:"want,omitempty"`
	InReplyTo string `json:"in_reply_to,omitempty"`
}

// hubReply is what this program reads of the Hub's reply, beside its own bytes.
type hubReply struct {
	ID      string   `json:"id"`
	Status  string   `json:"status"`
	Reply   string   `json:"reply"`
	Choices []string `json:"choices"`

	raw jsontext.Value
}

func (r *hubReply) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, r.raw)
	}
	_, err := fmt.Fprintln(w, r.Reply)
	return err
}

// printJSON prints v indented.
func printJSON(w io.Writer, v jsontext.Value) error {
	v = v.Clone()
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n", v)
	return err
}

func (c *hubClient) ask(ctx context.Context, q question) (*hubReply, error) {
	body, err := json.Marshal(&q)
	if err != nil {
		return nil, err
	}
	raw, err := c.call(ctx, http.MethodPost, "/ask", body)
	if err != nil {
		return nil, err
	}
	reply := &hubReply{raw: raw}
	return reply, json.Unmarshal(raw, reply)
}

// call sends one request and gives back a good reply's body. A Hub that is down
// is exit code 3; a request that it refuses is exit code 1, in its own words.
func (c *hubClient) call(ctx context.Context, method, path string, body []byte) (jsontext.Value, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+string(c.token))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return nil, exitError{exitNot, fmt.Errorf("what answers at %s is not trusted (%w): \"askhub doctor\" says how its certificate stands", c.url, certificate.Err)}
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return nil, exitError{exitNeedDown, fmt.Errorf("what answers at %s does not speak TLS: stop \"askhub serve\" and start it again if tls is new in askhub.toml", c.url)}
	}
	if err != nil {
		return nil, exitError{exitNeedDown, fmt.Errorf("no Hub answers at %s: start it with \"askhub serve\"", c.url)}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err != nil {
		return nil, exitError{exitNeedDown, fmt.Errorf("the Hub at %s broke off", c.url)}
	}
	if resp.StatusCode == http.StatusOK {
		return raw, nil
	}
	var p ask.Problem
	if err := json.Unmarshal(raw, &p); err != nil || p.Code == "" {
		return nil, exitError{exitNeedDown, fmt.Errorf("what answers at %s is not a Hub (status %d)", c.url, resp.StatusCode)}
	}
	if p.Code == ask.CodeUnauthorized {
		p.Detail = "the Hub does not know this token; was it started with another secrets file?"
	}
	if p.Code == api.CodeAskerNotAllowed {
		p.Detail = "nobody of that name is in people.toml"
	}
	return nil, exitError{exitNot, fmt.Errorf("%s (%s)", strings.TrimSuffix(p.Detail, "."), p.Code)}
}

// loadPeople reads the config's people.toml.
func loadPeople(cfg *config.Config) (*people.Household, error) {
	src, err := readFile(cfg.PeoplePath())
	if err != nil {
		return nil, err
	}
	return people.Parse(cfg.PeoplePath(), src)
}
