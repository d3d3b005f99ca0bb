package main

import (
	"fmt"
	"io"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// listApprovals shows what a person has asked a yes for, or decided.
func listApprovals(w io.Writer, who ask.Person, list []approve.Kept) error {
	if len(list) == 0 {
		return nil
	}
	for _, a := range list {
		by := ""
		if a.Result != nil && a.Result.By != "" {
			by = ", decided by " + a.Result.By
		}
		fmt.Fprintf(w, "%s  %s  asked for by %s: %s (%s%s)\n", a.ID, a.Created.Local().Format("2006-01-02 15:04"), a.Who, a.What, a.State, by)
	}
	_, err := fmt.Fprintf(w, "%s about %s.\n", counted(len(list), "approval"), who)
	return err
}

// tellForgotten says what was removed. Approvals are those that are over: what still waits
// needs its words.
func tellForgotten(w io.Writer, who ask.Person, records, approvals int) error {
	text := counted(records, "record")
	if approvals > 0 {
		text += " and " + counted(approvals, "approval")
	}
	_, err := fmt.Fprintf(w, "Removed: %s about %s.\n", text, who)
	return err
}
