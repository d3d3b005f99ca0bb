package main

import (
	"errors"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/project/email"
	"github.com/askhub/askhub/internal/project/email/mailbox"
	"github.com/askhub/askhub/internal/project/internet"
	"github.com/askhub/askhub/internal/project/internet/linux"
)

// checkShipped says what the shipped projects would not take of askhub.toml, which package
// config leaves to them. Without it their processes would end as soon as they start, again
// and again. Its error joins one *config.Error for each fault.
func checkShipped(cfg *config.Config) error {
	var faults []error
	add := func(table string, err error) {
		for _, one := range eachOf(err) {
			field, problem, ok := strings.Cut(one.Error(), " ")
			if !ok || !strings.Contains(field, "[") {
				field, problem = "", one.Error()
			}
			faults = append(faults, cfg.Fault(strings.TrimSuffix(table+"."+field, "."), problem))
		}
	}
	if len(cfg.Email.Accounts) > 0 {
		// Which password it is shows only at the server.
		add("email", email.CheckAccounts(mailAccounts(cfg, func(string) string { return "unknown" })))
	}
	if cfg.Internet.Backend != "" {
		devices, err := internet.CheckDevices(internetDevices(cfg))
		add("internet", err)
		if err == nil && cfg.Internet.Backend == config.BackendLinux {
			add("internet", linux.CheckDevices(devices))
		}
	}
	return errors.Join(faults...)
}

// eachOf are the errors that err joins.
func eachOf(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// mailAccounts are those of the config, as the project knows them.
func mailAccounts(cfg *config.Config, password func(name string) string) []email.Account {
	accounts := make([]email.Account, len(cfg.Email.Accounts))
	for i, a := range cfg.Email.Accounts {
		accounts[i] = email.Account{
			Person: ask.Person(a.Person), Addresses: a.Addresses, Mailboxes: a.Mailboxes,
			Account: mailbox.Account{
				Server: a.Server, Security: mailbox.Security(a.Security), PinnedSHA256: a.PinnedSHA256,
				Username: a.Username, Password: password(a.PasswordEnv),
			},
		}
	}
	return accounts
}
