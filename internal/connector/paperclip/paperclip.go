// Package paperclip files jobs in Paperclip, a work bench on which people and programs
// work through issues, and finds out what became of them. It is the destination of "file
// a job: …". It files only what a person has said yes to, one issue for each yes, and
// reads nothing but the issues that it filed.
package paperclip

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
)

// Name is the destination's name in routing.md.
const Name = "paperclip"

// How long one request may take, and how long is waited before the first and the last
// of those that repeat it.
const (
	oneRequest = 8 * time.Second
	firstPause = 500 * time.Millisecond
	lastPause  = 4 * time.Second
	// attempts is how often a job is tried of which it is certain that it is not filed: a
	// person waits for the answer.
	attempts = 3
	// margin is what is left of an execution's time to say what came of it.
	margin = time.Second
)

// maxBody is the largest reply that is read, in bytes: an issue with all that hangs on it.
const maxBody = 4 << 20

// Config says where jobs are filed, and as what. All ids are Paperclip's own.
type Config struct {
	// URL is Paperclip's address, with no slash at its end.
	URL string
	// Key is an agent's key, of the scope task_bridge. It is asked for on each request.
	Key func() ask.BearerToken
	// Company is whose issues they are.
	Company string
	// Project and Parent say where in it a job belongs; a key of that scope is bound to
	// one of them, so one is set.
	Project string
	Parent  string
	// Assignee is the agent that gets each job; empty leaves it to a person to assign.
	Assignee string
	// Transport is how requests go out; nil is the usual one.
	Transport http.RoundTripper
}

// Client is one Paperclip. It is safe for concurrent use.
type Client struct {
	cfg   Config
	http  *http.Client
	pause time.Duration // before the first repetition
}

// New is the client of that Paperclip. It asks nothing yet.
func New(cfg Config) *Client {
	transport := cfg.Transport
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.Proxy = nil // its key goes to the configured address and nowhere else
		transport = own
	}
	return &Client{cfg: cfg, pause: firstPause, http: &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a key is not carried on
		},
	}}
}

// Close gives the idle connections back.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Issue is one filed job as Paperclip has it.
type Issue struct {
	// ID is Paperclip's own, Identifier what people call it, such as HOU-1.
	ID         string `json:"id"`
	Identifier string `json:"identifier"`
	Status     string `json:"status"`
}

// The statuses in which nothing more becomes of an issue.
const (
	StatusDone      = "done"
	StatusCancelled = "cancelled"
)

// creation is the body that files an issue.
type creation struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Project     string `json:"projectId,omitzero"`
	Parent      string `json:"parentId,omitzero"`
	Assignee    string `json:"assigneeAgentId,omitzero"`
	Key         string `json:"idempotencyKey"`
	// AllowDuplicate lets two jobs have one title: the key alone says which are the same.
	AllowDuplicate bool `json:"allowDuplicate"`
}

// File files the job as one issue, however often it is called with that key: Paperclip
// keeps a key for seven days, and this is called within one approval's time. What got
// no clear answer is sent again with the same key until ctx is nearly over. Its error is
// a *Fault, which knows whether an issue may be there all the same.
func (c *Client) File(ctx context.Context, key string, job Job) (Issue, error) {
	if err := c.fits(job); err != nil {
		return Issue{}, err
	}
	if end, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-margin))
		defer cancel()
	}
	uncertain := false
	for pause, left := c.pause, attempts; ; pause, left = min(2*pause, lastPause), left-1 {
		issue, fault := c.fileOnce(ctx, key, job)
		if fault == nil {
			return issue, nil
		}
		uncertain = uncertain || fault.Lost
		fault.Lost = uncertain // what one request left open, a later refusal does not settle
		if !fault.again(left) || !rest(ctx, pause) {
			return Issue{}, fault
		}
	}
}

// fileOnce asks who the key is, since one that may do more than this is not used, and
// then sends the issue.
func (c *Client) fileOnce(ctx context.Context, key string, job Job) (Issue, *Fault) {
	if _, fault := c.bridge(ctx); fault != nil {
		return Issue{}, fault
	}
	var issue Issue
	fault := c.call(ctx, http.MethodPost, "/companies/"+url.PathEscape(job.Company)+"/issues", creation{
		Title: job.Title, Description: job.Description, Project: job.Project, Parent: job.Parent, Assignee: job.Assignee,
		Key: key, AllowDuplicate: true,
	}, &issue)
	if fault != nil {
		return Issue{}, fault
	}
	if issue.ID == "" || !speakable(issue.Identifier) {
		return Issue{}, &Fault{Kind: Nonsense, Lost: true}
	}
	return issue, nil
}

// fits sees that the job is for the Paperclip that is configured now: a person said yes to
// one place.
func (c *Client) fits(job Job) error {
	if job.Destination != Name || job.Server != c.cfg.URL || job.Company != c.cfg.Company {
		return &Fault{Kind: Elsewhere}
	}
	return nil
}

// Look finds the issue by its id or its identifier. Its error is a *Fault; of an issue
// that is not there any more its kind is Gone.
func (c *Client) Look(ctx context.Context, issue string) (Issue, error) {
	if fault := c.refusesKey(); fault != nil {
		return Issue{}, fault
	}
	var found Issue
	if fault := c.call(ctx, http.MethodGet, "/issues/"+url.PathEscape(issue), nil, &found); fault != nil {
		if fault.Status == http.StatusNotFound && fault.said {
			fault.Kind = Gone
		}
		return Issue{}, fault
	}
	if found.ID == "" || found.Status == "" || !speakable(found.Identifier) {
		return Issue{}, &Fault{Kind: Nonsense}
	}
	return found, nil
}

// rest waits, and says whether there is time to go on.
func rest(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// speakable is an identifier as Paperclip makes them: a prefix of capitals, a number.
func speakable(identifier string) bool {
	prefix, number, ok := strings.Cut(identifier, "-")
	const most = 32
	return ok && len(identifier) <= most && prefix != "" && number != "" &&
		strings.Trim(prefix, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" && strings.Trim(number, "0123456789") == ""
}

// Key is what an agent's key may do.
type Key struct {
	Agent   string `json:"id"`
	Name    string `json:"name"`
	Company string `json:"companyId"`
	Scope   struct {
		Kind string `json:"kind"`
	} `json:"keyScope"`
}

// scopeBridge is the one scope that is used here: it creates issues in one place and sees
// only those.
const scopeBridge = "task_bridge"

// bridge is whom the key belongs to, where it may do no more than it needs.
func (c *Client) bridge(ctx context.Context) (Key, *Fault) {
	if fault := c.refusesKey(); fault != nil {
		return Key{}, fault
	}
	var key Key
	if fault := c.call(ctx, http.MethodGet, "/agents/me", nil, &key); fault != nil {
		fault.Lost = false // it only asked
		return Key{}, fault
	}
	switch {
	case key.Agent == "":
		return key, &Fault{Kind: Nonsense}
	case key.Scope.Kind != scopeBridge:
		return key, &Fault{Kind: Wide, Detail: "its scope is " + cmp.Or(word(key.Scope.Kind), "not limited")}
	case key.Company != c.cfg.Company:
		return key, &Fault{Kind: OtherCompany}
	}
	return key, nil
}

// The beginnings of keys that stand for a person, who may do everything.
var boards = []string{"pcp_board_", "pcp_cli_auth_"}

// refusesKey is the fault of a key that is not sent anywhere.
func (c *Client) refusesKey() *Fault {
	key := string(c.cfg.Key())
	if key == "" {
		return &Fault{Kind: NoKey}
	}
	for _, begin := range boards {
		if strings.HasPrefix(key, begin) {
			return &Fault{Kind: Board}
		}
	}
	return nil
}

// Report is what Check found.
type Report struct {
	// Version is Paperclip's, where it says so, and Agent the name of whose key it is.
	Version, Agent string
}

// Check asks whether Paperclip is there and whether the key is the right one. It changes
// nothing. Its error is a *Fault.
func (c *Client) Check(ctx context.Context) (Report, error) {
	var health struct {
		Status  string `json:"status"`
		Version string `json:"version"`
	}
	if fault := c.call(ctx, http.MethodGet, "/health", nil, &health); fault != nil {
		return Report{}, fault
	}
	switch health.Status {
	case "ok":
	case "":
		return Report{}, &Fault{Kind: Nonsense}
	default:
		return Report{}, &Fault{Kind: Starting, Detail: fmt.Sprintf("it says that it is %s", word(health.Status))}
	}
	key, fault := c.bridge(ctx)
	if fault != nil {
		return Report{}, fault
	}
	return Report{Version: word(health.Version), Agent: word(key.Name)}, nil
}
