// Package unreachable proves that no control action of the internet-control service can
// be reached from the Hub: it walks every token over every route to every destination, and
// says what each walk could call in the end. The guard may err; this net does not hang on
// it. Tests prove it of the code, and `askhub doctor` of a household's own set-up. Nothing
// in the way of a question uses it.
package unreachable

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/hub/routing"
)

// Service is the internet-control service's own name, as its project and its row have it.
const Service = "internet_control"

// Holder is a kind of token.
type Holder string

// The kinds of token. Nobody is a call without one.
const (
	Nobody  Holder = "nobody"
	WayIn   Holder = "a way in"
	Admin   Holder = "the admin app"
	Browser Holder = "a chat's browser"
	Project Holder = "a project"
)

// Token is one caller that the Hub knows.
type Token struct {
	Name   string
	Holder Holder
}

// Route is one row of the Hub's own API.
type Route struct {
	Method, Path string
	// By are the tokens that it takes. One that takes Nobody takes all.
	By []Holder
}

// Wyoming is the way in of voice assistants, which has no token and no row in the API.
var Wyoming = Route{Method: "WYOMING", Path: "transcript", By: []Holder{Nobody}}

// Target is one configured project.
type Target struct {
	Name, URL string
	// Run is the shipped project that runs there; empty where it runs by itself.
	Run string
}

// Connector is what reaches one destination that does not speak the ask contract.
type Connector struct {
	Destination string
	// Addresses are the URLs that it may call.
	Addresses []string
}

// Secret is a token's variable and a print of its value: equal prints are equal values.
type Secret struct{ Var, Print string }

// Surface is all by which something could leave the Hub.
type Surface struct {
	Routes       []Route
	Tokens       []Token
	Destinations []routing.Destination
	Projects     []Target
	Connectors   []Connector
	// Secrets are those that the Hub reads, and Environ the names of all that stands in its
	// environment.
	Secrets []Secret
	Environ []string
}

// Fault is a way to a control action, or what keeps the proof from holding.
type Fault struct {
	// Where is what it lies in: a route, a field of askhub.toml, a line of routing.md.
	Where string
	What  string
	Mend  string
}

// String is the fault in one line.
func (f Fault) String() string { return f.Where + ": " + f.What + ". " + f.Mend }

// Proof is what walking came to: it holds where there are no faults.
type Proof struct {
	// Walks is how many ways were gone, from a token over a route to a call.
	Walks  int
	Faults []Fault
}

// effect is what a route can bring about.
type effect int

const (
	// reads changes nothing anywhere.
	reads effect = iota
	// keeps changes only what the Hub itself keeps: a chat, a pairing, a notice.
	keeps
	// asks lets a question go its way, to whatever routing.md names.
	asks
	// approves carries out what the Hub itself had waiting for a yes: a job.
	approves
)

// effects says of each route that is no mere reading what it can bring about. A route that
// is not here is a fault: whoever adds one says here how far it reaches.
var effects = map[string]effect{
	"POST /ask":                         asks,
	"POST /v1/chat/completions":         asks,
	"POST /mcp":                         asks, // its other tools read
	"WYOMING transcript":                asks,
	"POST /notify":                      keeps,
	"POST /approve":                     approves,
	"POST /chat/pair":                   keeps,
	"POST /api/chat/post":               asks, // the Hub answers in the thread
	"POST /api/chat/pair":               keeps,
	"POST /api/debug/agent-replies.php": keeps, // says that it is gone
}

// projectCalls are all that the contract's caller can send to a project.
var projectCalls = []call{{http.MethodGet, "/health"}, {http.MethodGet, "/capabilities"}, {http.MethodPost, "/ask"}}

type call struct{ method, path string }

// controls are the words of an address that changes what a child may do (spec 2, section 3).
var controls = regexp.MustCompile(`(?i)/(limits?|allowances?|schedules?|bedtimes?|curfews?|blocklists?|allowlists?|filters?|parental[\w-]*|profiles?|rules?|devices?|pause|resume|unlock|lock|block|unblock|cut|restore|internet|controls?)(/|\?|#|$)`)

// keys are names of secrets that open the internet-control service to writing.
var keys = regexp.MustCompile(`(?i)^(?:.*_)?(INTERNET|PARENTAL|FAMILY_?LINK|ROUTER|PI_?HOLE|NEXTDNS|ADGUARD)(_.*)?_(WRITE|ADMIN|CONTROL|KEY|TOKEN|PASSWORD|SECRET|PIN)(_.*)?$`)

// Prove walks the whole surface.
func Prove(s Surface) Proof {
	w := walk{s: s, hosts: map[string]bool{}}
	for _, p := range s.Projects {
		if p.Name == Service || p.Run == "internet" {
			w.hosts[host(p.URL)] = true
		}
	}
	if len(s.Routes) == 0 {
		w.fault("routes", "the proof was not given the Hub's routes", "Give them: a proof over nothing proves nothing.")
	}
	w.projects()
	w.rows()
	w.connectors()
	w.secrets()
	for _, t := range append([]Token{{"no token", Nobody}}, s.Tokens...) {
		for _, r := range s.Routes {
			if r.takes(t.Holder) {
				w.over(r)
			}
		}
	}
	for _, r := range s.Routes {
		w.route(r)
	}
	return Proof{Walks: w.walks, Faults: w.faults}
}

func (r Route) takes(h Holder) bool { return slices.Contains(r.By, h) || slices.Contains(r.By, Nobody) }

func (r Route) effect() (effect, bool) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return reads, true
	}
	e, ok := effects[r.Method+" "+r.Path]
	return e, ok
}

type walk struct {
	s Surface
	// hosts are where the internet-control service listens.
	hosts  map[string]bool
	walks  int
	faults []Fault
}

func (w *walk) fault(where, what, mend string) {
	f := Fault{where, what, mend}
	if !slices.Contains(w.faults, f) {
		w.faults = append(w.faults, f)
	}
}

// route looks at one row of the API by itself.
func (w *walk) route(r Route) {
	name := r.Method + " " + r.Path
	e, known := r.effect()
	switch {
	case known && e == reads:
	case controls.MatchString(r.Path):
		w.fault(name, "the Hub has a route that is named like a control action", "Take the route out: only the admin app changes limits, and it calls the internet-control service directly.")
	case !known:
		w.fault(name, "nothing says how far this route reaches", "Say in the effects of internal/unreachable what it can bring about, or take the route out.")
	}
}

// over goes on from one route to whatever it lets a caller reach.
func (w *walk) over(r Route) {
	e, known := r.effect()
	if !known || e == reads || e == keeps {
		w.walks++
		return
	}
	for _, d := range w.s.Destinations {
		for _, c := range w.calls(d, e) {
			w.walks++
			w.check(d, c)
		}
	}
}

// reached is a call, and where it arrives.
type reached struct {
	call
	address string
	acts    bool // a connector's, which is no reading
}

// calls are all that dispatch can send for one row.
func (w *walk) calls(d routing.Destination, e effect) []reached {
	var out []reached
	if d.Kind == routing.KindPeer || d.Kind == routing.KindWayIn {
		return nil
	}
	if (e == approves) != (d.Kind == routing.KindDecision) {
		return nil
	}
	for _, c := range w.s.Connectors {
		if c.Destination == d.Project {
			for _, a := range c.Addresses {
				out = append(out, reached{address: a, acts: true})
			}
		}
	}
	for _, p := range w.s.Projects {
		if p.Name == d.Project && d.Kind != routing.KindDecision {
			for _, c := range projectCalls {
				out = append(out, reached{call: c, address: strings.TrimRight(p.URL, "/") + c.path})
			}
		}
	}
	return out
}

// check holds one call against what may arrive at the service.
func (w *walk) check(d routing.Destination, c reached) {
	where := line(d)
	if c.acts && w.hosts[host(c.address)] {
		w.fault(where, d.Project+" is reached by a connector that acts where the internet-control service listens", "Give the connector the address of its own service.")
		return
	}
	if !c.acts && w.hosts[host(c.address)] && !slices.Contains(projectCalls, c.call) {
		w.fault(where, fmt.Sprintf("%s %s is no reading", c.method, c.path), "Only "+Service+"'s own /ask may be called.")
	}
}

// projects looks at the addresses: one with a path could make /ask mean something else.
func (w *walk) projects() {
	for _, p := range w.s.Projects {
		u, err := url.Parse(p.URL)
		if err != nil {
			continue // the config's own check names it
		}
		field := "projects." + p.Name + ".url"
		switch {
		case u.RawQuery != "" || u.Fragment != "":
			w.fault(field, "an address with a query could carry more than a question", "Write the project's base address alone.")
		case controls.MatchString(u.Path):
			w.fault(field, "its path is named like a control action", "Write the project's base address, under which /ask is.")
		case p.Name != Service && p.Run != "internet" && w.hosts[host(p.URL)]:
			w.fault(field, "it lies where the internet-control service listens", "Give each project its own port.")
		}
	}
}

// rows looks at the service's own row: it may be asked, and nothing else.
func (w *walk) rows() {
	for _, d := range w.s.Destinations {
		own := d.Project == Service
		for _, p := range w.s.Projects {
			own = own || p.Name == d.Project && w.hosts[host(p.URL)]
		}
		if own && d.Kind != routing.KindQuery {
			w.fault(line(d), fmt.Sprintf("%s is a %s there, and it may only be asked", d.Project, d.Kind), "Write query `/ask` in the kind column.")
		}
	}
}

func (w *walk) connectors() {
	for _, c := range w.s.Connectors {
		if c.Destination == Service {
			w.fault("the connector of "+c.Destination, "the internet-control service is reached by a connector, which can act", "Take it out: the Hub asks that project and does nothing there.")
		}
		for _, a := range c.Addresses {
			if u, err := url.Parse(a); err == nil && controls.MatchString(u.Path) && w.hosts[host(a)] {
				w.fault("the connector of "+c.Destination, "one of its addresses is a control action", "Take the address out.")
			}
		}
	}
}

// secrets looks for a key to the service where the Hub could use it.
func (w *walk) secrets() {
	admin := map[string]string{}
	for _, s := range w.s.Secrets {
		if strings.HasPrefix(s.Var, "HUB_TOKEN_") {
			admin[s.Print] = s.Var
		}
	}
	for _, s := range w.s.Secrets {
		if other := admin[s.Print]; strings.HasPrefix(s.Var, "PROJECT_TOKEN_") && other != "" {
			w.fault(s.Var, "it has the same value as "+other+", so one who calls the Hub could call the project too", `Make a new one with "askhub token rotate".`)
		}
	}
	for _, name := range w.s.Environ {
		if strings.HasPrefix(name, "PROJECT_TOKEN_") || strings.HasPrefix(name, "HUB_TOKEN_") {
			continue
		}
		if keys.MatchString(name) {
			w.fault(name, "the Hub's environment holds what looks like a key to the internet-control service", "Give it to the admin app alone.")
		}
	}
}

func line(d routing.Destination) string { return fmt.Sprintf("routing.md:%d", d.Line) }

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Host)
}
