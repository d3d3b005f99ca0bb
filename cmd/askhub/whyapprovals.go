package main

import (
	"fmt"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/store"
)

// listApprovals shows what a person has asked a yes for, or decided.
func listApprovals(e *env, all *store.Approvals, who ask.Person) error {
	list, err := all.About(e.ctx, string(who))
	if err != nil || len(list) == 0 {
		return err
	}
	for _, a := range list {
		by := ""
		if a.Result != nil && a.Result.By != "" {
			by = ", decided by " + a.Result.By
		}
		fmt.Fprintf(e.stdout, "%s  %s  asked for by %s: %s (%s%s)\n", a.ID, a.Created.Local().Format("2006-01-02 15:04"), a.Who, a.What, a.State, by)
	}
	_, err = fmt.Fprintf(e.stdout, "%d approvals concern %s.\n", len(list), who)
	return err
}

// forgetApprovals removes those that are over: what still waits needs its words.
func forgetApprovals(e *env, all *store.Approvals, who ask.Person) error {
	n, err := all.Forget(e.ctx, string(who))
	if err != nil || n == 0 {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%d approvals that concern %s are removed.\n", n, who)
	return err
}
