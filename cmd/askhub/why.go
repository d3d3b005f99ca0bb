package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

type whyCmd struct {
	ID     string `arg:"" help:"The id of the reply, such as ask_01…"`
	JSON   bool   `help:"Print the record as JSON."`
	Config string `help:"The config folder." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (whyCmd) Help() string { return "Example:\n  askhub why ask_01KEXAMPLE00000000000000000" }

// whyRecord is what is shown of GET /ask/{id}.
type whyRecord struct {
	ID       string    `json:"id"`
	Time     time.Time `json:"time"`
	Asker    string    `json:"asker"`
	Person   string    `json:"person"`
	WayIn    string    `json:"way_in"`
	Question string    `json:"question"`
	Status   string    `json:"status"`
	Reply    string    `json:"reply"`
	Route    struct {
		Kind     string   `json:"kind"`
		Projects []string `json:"projects"`
		Reason   string   `json:"reason"`
		By       string   `json:"by"`
	} `json:"route"`
	Decision struct {
		Outcome    string   `json:"outcome"`
		Confidence float64  `json:"confidence"`
		Why        string   `json:"why"`
		Words      []string `json:"words"`
	} `json:"decision"`
	Parts []struct {
		Project    string `json:"project"`
		Status     string `json:"status"`
		Person     string `json:"person"`
		Answer     string `json:"answer"`
		Reason     string `json:"reason"`
		MS         int64  `json:"ms"`
		Remembered bool   `json:"remembered"`
	} `json:"parts"`
	Timings struct {
		Guard    float64 `json:"guard_ms"`
		Decide   float64 `json:"decide_ms"`
		Dispatch float64 `json:"dispatch_ms"`
		Total    float64 `json:"total_ms"`
	} `json:"timings"`
}

// Run shows one record of the Hub that this config folder is about.
func (c *whyCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	hub, err := adminClient(e, cfg)
	if err != nil {
		return err
	}
	raw, err := hub.call(e.ctx, http.MethodGet, "/ask/"+url.PathEscape(c.ID), nil)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(e.stdout, raw)
	}
	var r whyRecord
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	return r.print(e.stdout)
}

func (r *whyRecord) print(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("asked", "%s by %s through %s, about %s", r.Time.Local().Format("2006-01-02 15:04:05"), r.Asker, r.WayIn, r.Person)
	if r.Question != "" {
		line("question", "%s", r.Question)
	}
	line("status", "%s", r.Status)
	if r.Reply != "" {
		line("reply", "%s", r.Reply)
	}
	line("decided", "%s by %s (%s, confidence %.2f)", r.Decision.Outcome, r.Route.By, r.Route.Reason, r.Decision.Confidence)
	if r.Decision.Why != "" {
		line("because", "%s", r.Decision.Why)
	}
	if len(r.Decision.Words) > 0 {
		line("words", "%s", strings.Join(r.Decision.Words, ", "))
	}
	for _, p := range r.Parts {
		said := p.Answer
		if said == "" {
			said = p.Reason
		}
		how := fmt.Sprintf("%d ms", p.MS)
		if p.Remembered {
			how = "from memory"
		}
		line("part", "%s, about %s: %s (%s) %s", p.Project, p.Person, p.Status, how, said)
	}
	line("took", "%.2f ms: guard %.2f, decide %.2f, dispatch %.2f", r.Timings.Total, r.Timings.Guard, r.Timings.Decide, r.Timings.Dispatch)
	_, err := io.WriteString(w, b.String())
	return err
}
