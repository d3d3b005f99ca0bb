package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
)

// maxSkew is how far two clocks may be apart; the Date header is exact to a second.
const maxSkew = time.Minute

// project is what was found out about one.
type project struct {
	name   string
	checks []Check
	// live is whether caps are what it declared just now, under its own name.
	live bool
	caps ask.Capabilities
}

// project asks one project what the Hub would ask it.
func (e *exam) project(ctx context.Context, name string) project {
	p := project{name: name}
	check := "projects." + name
	say := func(state State, down bool, what, mend string) {
		p.checks = append(p.checks, Check{check, state, what, mend, down})
	}
	cfg := e.cfg.Projects[name]
	variable := secrets.ProjectVar(name)
	found, err := secrets.Lookup(e.cfg.Secrets, e.Environ, variable)
	token := ask.BearerToken(found[variable])
	client := askclient.New(askclient.Config{URL: cfg.URL, Token: token})
	defer client.Close()

	if u, err := url.Parse(cfg.URL); err == nil && u.Scheme == "http" && !config.Loopback(u.Hostname()) {
		say(Warn, false, "its token and every question go to "+u.Hostname()+" unencrypted", "Put TLS before it and write https:// in its url, or run it on this machine.")
	}
	switch err := client.Health(ctx); {
	case errors.Is(err, askclient.ErrNonsense) && fieldOf(err) == "ok":
		say(Fault, true, "it says that it is not well", "Look at what it logs.")
		return p
	case errors.Is(err, askclient.ErrNonsense):
		say(Fault, false, "what answers at "+cfg.URL+" is not a project ("+err.Error()+")", "Stop what listens there or mend its url in askhub.toml; askhub check tells what a project has to answer.")
		return p
	case errors.Is(err, askclient.ErrSlow):
		say(Fault, true, "it does not answer in time at "+cfg.URL, "Look at what it logs, and start it again.")
		return p
	case statusOf(err) != 0:
		say(Fault, true, fmt.Sprintf("it says that it is broken (status %d)", statusOf(err)), "Look at what it logs.")
		return p
	case err != nil:
		say(Fault, true, "nothing answers at "+cfg.URL, start(cfg.Run))
		return p
	}
	p.checks = append(p.checks, e.skew(ctx, check, cfg.URL)...)
	if token == "" {
		what := "it is well, and was not asked more for want of " + variable
		if err != nil {
			what += ", which the secrets cannot give"
		}
		say(Warn, false, what, "Mend the secrets, as said above.")
		return p
	}
	begun := time.Now()
	caps, err := client.Capabilities(ctx)
	took := time.Since(begun)
	switch {
	case errors.Is(err, askclient.ErrRefused):
		say(Fault, false, "it does not take the Hub's token", "Start it with the same "+variable+" as the Hub has, or put the project's own into "+e.cfg.Secrets+".")
	case errors.Is(err, askclient.ErrNonsense):
		say(Fault, false, "its capabilities are not the ask contract's"+detail(err), fmt.Sprintf(`Mend the project; "askhub check %s --token-env %s" tells what is missing.`, cfg.URL, variable))
	case err != nil:
		say(Fault, true, "it does not say what it knows ("+err.Error()+")", "Look at what it logs, and start it again.")
	case caps.Project != name:
		say(Fault, false, fmt.Sprintf("askhub.toml calls it %s, and it calls itself %s", name, caps.Project), "Use the project's own name in askhub.toml and in routing.md, or mend its url.")
	default:
		p.live, p.caps = true, caps
		say(OK, false, fmt.Sprintf("it answers in %.1f ms: %s, %s", took.Seconds()*1000, count(len(caps.Topics), "topic", "topics"), count(len(caps.People), "person", "people")), "")
		p.checks = append(p.checks, e.strangers(check, caps.People)...)
	}
	return p
}

// start is how to start a project.
func start(run string) string {
	if run != "" {
		return `Run "askhub serve", which starts it; where that runs already, its log says why this one does not.`
	}
	return "Start the project, or mend its url in askhub.toml."
}

// strangers are people that a project has data about and the household does not name:
// nobody may ask about them.
func (e *exam) strangers(check string, listed []ask.Person) []Check {
	if e.house == nil {
		return nil
	}
	var unknown []string
	for _, p := range listed {
		if _, ok := e.house.Find(string(p)); !ok {
			unknown = append(unknown, string(p))
		}
	}
	if unknown == nil {
		return nil
	}
	return []Check{{check, Warn, "it knows about " + strings.Join(unknown, ", ") + ", whom people.toml does not name, so nobody may ask about them", "Name them in people.toml, spelt as the project does.", false}}
}

// fieldOf is the field that a reply is wrong in.
func fieldOf(err error) string {
	var e *askclient.Error
	if errors.As(err, &e) && e.Problem != nil {
		return e.Problem.Field
	}
	return ""
}

// statusOf is the status of a reply that is no answer; 0 where there was no reply.
func statusOf(err error) int {
	var e *askclient.Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// detail names the field and what is wrong with it, in the contract's own words.
func detail(err error) string {
	var e *askclient.Error
	if errors.As(err, &e) && errors.Is(err, askclient.ErrNonsense) && e.Status == http.StatusOK && e.Problem != nil {
		return ": " + strings.TrimSuffix(e.Problem.Detail, ".")
	}
	return ""
}

// skew compares the project's clock with this one.
func (e *exam) skew(ctx context.Context, check, base string) []Check {
	ctx, cancel := context.WithTimeout(ctx, hubTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/health", http.NoBody)
	if err != nil {
		return nil
	}
	resp, err := direct(nil).Do(req)
	if err != nil {
		return nil // that it is down was found out already
	}
	_ = resp.Body.Close()
	theirs, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return nil // it need not say the time
	}
	off := theirs.Sub(e.Now()).Round(time.Second)
	if off.Abs() <= maxSkew {
		return nil
	}
	word := "ahead of"
	if off < 0 {
		word = "behind"
	}
	return []Check{{check, Warn, fmt.Sprintf("its clock is %s %s this machine's", off.Abs(), word), "Let both machines set their clocks from the network.", false}}
}
