package main

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/asktest"
)

type checkCmd struct {
	URL      string `arg:"" help:"The project's address, such as http://127.0.0.1:8421."`
	TokenEnv string `required:"" placeholder:"NAME" help:"The environment variable that holds the project's token."`
	Question string `placeholder:"TEXT" help:"A question that the project can answer; without it one is made from its first topic."`
	As       string `placeholder:"NAME" help:"Who asks; without it the first of the project's people."`
	Strict   bool   `help:"Fail on a broken [ours] clause too, not on a [fixed] one alone."`
	JSON     bool   `help:"Print the report as JSON."`
}

// Help is the command's example.
func (checkCmd) Help() string {
	return "Examples:\n  askhub check http://127.0.0.1:8421 --token-env PROJECT_TOKEN_HELLO\n" +
		"  askhub check http://127.0.0.1:8421 --token-env PROJECT_TOKEN_HELLO --question \"say hello\" --strict"
}

// checked is what --json prints.
type checked struct {
	// OK is whether the project keeps the contract, by --strict or without.
	OK     bool `json:"ok"`
	Strict bool `json:"strict"`
	asktest.Report
}

// Run tries every clause on the project and prints what was tried and what came.
func (c *checkCmd) Run(e *env) error {
	token := ask.BearerToken(e.getenv(c.TokenEnv))
	if err := token.Check(); err != nil {
		return exitError{exitUsage, fmt.Errorf("set %s to the project's token: %w", c.TokenEnv, err)}
	}
	var options []asktest.Option
	if c.Question != "" {
		options = append(options, asktest.Asking(c.Question))
	}
	if c.As != "" {
		options = append(options, asktest.As(ask.Asker(c.As)))
	}
	report := asktest.Check(e.ctx, c.URL, token, options...)
	if err := c.print(e, report); err != nil {
		return exitError{exitNot, err}
	}
	switch {
	case report.Faulty:
		return exitError{exitUsage, errors.New(report.Unreachable)}
	case report.Unreachable != "":
		return exitError{exitNeedDown, fmt.Errorf("%s cannot be checked: %s", c.URL, report.Unreachable)}
	case !report.OK(c.Strict):
		return exitError{exitNot, fmt.Errorf("%s does not keep the ask contract", c.URL)}
	}
	return nil
}

func (c *checkCmd) print(e *env, report asktest.Report) error {
	if !c.JSON {
		if report.Unreachable != "" {
			return nil // the error says it
		}
		return report.WriteText(e.stdout, c.Strict)
	}
	b, err := json.Marshal(checked{OK: report.OK(c.Strict), Strict: c.Strict, Report: report}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", b)
	return err
}
