package doctor

import (
	"fmt"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
)

// mailAccounts looks at what the shipped email project reads. No mail server is
// asked: a wrong password tried too often locks an account.
func (e *exam) mailAccounts() []Check {
	var checks []Check
	good := 0
	for i, a := range e.cfg.Email.Accounts {
		faults := e.mailAccount(fmt.Sprintf("email.accounts[%d]", i), a)
		if len(faults) == 0 {
			good++
		}
		checks = append(checks, faults...)
	}
	if good > 0 {
		checks = append([]Check{{Check: "email", State: OK, What: count(good, "mail account is set up well", "mail accounts are set up well")}}, checks...)
	}
	return checks
}

func (e *exam) mailAccount(check string, a config.MailAccount) []Check {
	var checks []Check
	if e.house != nil {
		if _, ok := e.house.Find(a.Person); !ok {
			checks = append(checks, Check{check, Warn, "it is " + a.Person + "'s, whom people.toml does not name, so nobody may ask about it", "Name " + a.Person + " in people.toml, or mend person in askhub.toml.", false})
		}
	}
	found, err := secrets.Lookup(e.cfg.Secrets, e.Environ, a.PasswordEnv)
	if err == nil && found[a.PasswordEnv] == "" {
		checks = append(checks, Check{check, Fault, "its password " + a.PasswordEnv + " is missing", "Put the line " + a.PasswordEnv + "=… into " + e.cfg.Secrets + ".", false})
	}
	return checks
}
