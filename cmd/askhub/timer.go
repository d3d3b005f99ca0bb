package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/timers"
)

type timerCmd struct {
	List   timerListCmd   `cmd:"" help:"List the timers and reminders that wait."`
	Cancel timerCancelCmd `cmd:"" help:"Cancel a timer or a reminder."`
}

type timerListCmd struct {
	JSON   bool   `help:"Print them as JSON."`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (timerListCmd) Help() string {
	return "Works beside a running Hub.\n\nExamples:\n  askhub timer list\n  askhub timer list --json"
}

// timerListed is one timer of list --json.
type timerListed struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Name   string    `json:"name,omitzero"`
	Words  string    `json:"words,omitzero"`
	Asker  string    `json:"asker"`
	Person string    `json:"person"`
	Room   string    `json:"room,omitzero"`
	Set    time.Time `json:"set"`
	Due    time.Time `json:"due"`
}

// Run lists what waits.
func (c *timerListCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	listed := []timerListed{}
	if storeThere(cfg) {
		err = onTimers(e, cfg, func(store timers.Store) error {
			live, err := store.Live(e.ctx)
			for _, t := range live {
				l := timerListed{
					ID: t.ID, Kind: "timer", Name: t.Name, Words: t.Words, Asker: string(t.Asker), Person: string(t.Person), Room: t.Room, Set: t.Made.UTC(), Due: t.Due.UTC(),
				}
				if t.Reminder {
					l.Kind = "reminder"
				}
				listed = append(listed, l)
			}
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printDocument(e.stdout, map[string]any{"timers": listed})
	case len(listed) == 0:
		_, err := fmt.Fprintln(e.stdout, "No timer and no reminder waits.")
		return err
	}
	return printTimers(e, listed)
}

func printTimers(e *env, listed []timerListed) error {
	var table bytes.Buffer
	rows := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "ID\tKIND\tDUE\tFOR\tROOM\tWHAT")
	for _, l := range listed {
		fmt.Fprintf(rows, "%s\t%s\t%s\t%s\t%s\t%s\n", l.ID, l.Kind, l.Due.Local().Format("2006-01-02 15:04:05"), oneLine(l.Person), oneLine(l.Room), oneLine(l.Name+l.Words))
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	width, ok := widthOf(e.stdout)
	if !ok {
		width = math.MaxInt
	}
	for row := range strings.Lines(table.String()) {
		if _, err := fmt.Fprintln(e.stdout, cut(strings.TrimRight(row, " \n"), width)); err != nil {
			return err
		}
	}
	return nil
}

type timerCancelCmd struct {
	ID     string `arg:"" help:"Its id, as list shows it." placeholder:"ID"`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// Help is the command's example.
func (timerCancelCmd) Help() string {
	return "Works beside a running Hub.\n\nExample:\n  askhub timer cancel tgezdgnbv"
}

// Run cancels one that waits.
func (c *timerCancelCmd) Run(e *env) error {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	done := false
	if storeThere(cfg) {
		err = onTimers(e, cfg, func(store timers.Store) error {
			done, err = store.Move(e.ctx, timers.Move{ID: c.ID, To: timers.Cancelled, Now: time.Now()})
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case !done:
		return exitError{exitNot, fmt.Errorf("nothing of the id %q waits: \"askhub timer list\" shows what does", c.ID)}
	}
	_, err = fmt.Fprintln(e.stdout, "cancelled")
	return err
}

// onTimers works on the timers of this household's store, beside whatever else has it open.
func onTimers(e *env, cfg *config.Config, work func(timers.Store) error) (err error) {
	db, err := openStore(e, cfg)
	if err != nil {
		return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
	defer func() { err = errors.Join(err, db.close()) }()
	return work(db.timers)
}
