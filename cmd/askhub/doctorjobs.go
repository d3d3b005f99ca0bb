package main

import (
	"context"
	"errors"
	"net/url"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/connector/paperclip"
	"github.com/askhub/askhub/internal/doctor"
)

// checkedPaperclip asks Paperclip whether it is there and whose key this is. It files nothing.
func checkedPaperclip() doctor.Connector {
	return doctor.Connector{
		Name:       paperclip.Name,
		Configured: func(cfg *config.Config) bool { return cfg.Paperclip.Configured() },
		Check: func(ctx context.Context, cfg *config.Config, secret func(string) string) []doctor.Check {
			client := paperclipClient(cfg, func() string { return secret(config.PaperclipKey) })
			defer client.Close()
			report, err := client.Check(ctx)
			var fault *paperclip.Fault
			if errors.As(err, &fault) {
				return []doctor.Check{benchFault(cfg, fault)}
			}
			return []doctor.Check{benchTakesJobs(cfg.Paperclip, report)}
		},
	}
}

func benchTakesJobs(p config.Paperclip, report paperclip.Report) doctor.Check {
	what := "Paperclip"
	if report.Version != "" {
		what += " " + report.Version
	}
	what += " at " + benchHost(p.URL) + " takes jobs from the agent " + report.Agent + ", whose key may do no more than that"
	if p.Assignee == "" {
		what += "; they wait there for somebody to assign them"
	}
	return doctor.Check{Check: paperclip.Name, State: doctor.OK, What: what}
}

// newKey is how a key is made that may file jobs and no more.
const newKey = "Make an agent's key of the scope task_bridge in Paperclip (docs/paperclip.md), and put the line " + config.PaperclipKey + "=… into "

// benchFault is the fault with its mend.
func benchFault(cfg *config.Config, f *paperclip.Fault) doctor.Check {
	check := doctor.Check{Check: paperclip.Name, State: doctor.Fault, What: benchHost(cfg.Paperclip.URL) + ": " + string(f.Kind)}
	if f.Detail != "" && f.Kind != paperclip.Nonsense {
		check.What += " (" + f.Detail + ")"
	}
	switch f.Kind {
	case paperclip.Down:
		check.Down, check.Mend = true, "Start Paperclip, or mend paperclip.url in askhub.toml."
	case paperclip.Starting, paperclip.Slow, paperclip.Busy, paperclip.Broken:
		check.Down, check.Mend = true, "Wait a minute, and look at Paperclip's log."
	case paperclip.Nonsense, paperclip.Moved:
		check.Check, check.Mend = "paperclip.url", "Mend paperclip.url in askhub.toml: it is the address of the board's first page, such as http://127.0.0.1:3100."
	case paperclip.OtherCompany:
		check.Check, check.Mend = "paperclip.company", "Mend paperclip.company in askhub.toml, or take a key of that company."
	case paperclip.Board, paperclip.Wide:
		check.Mend = newKey + cfg.Secrets + "; revoke this one."
	case paperclip.NoKey:
		check.What = "its key " + config.PaperclipKey + " is missing, so no job can be filed"
		check.Mend = newKey + cfg.Secrets + "."
	default:
		check.Mend = newKey + cfg.Secrets + "."
	}
	return check
}

// benchHost is the address's host alone.
func benchHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its address"
	}
	return u.Host
}
