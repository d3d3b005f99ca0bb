package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/askhub/askhub/chat"
)

type chatListCmd struct {
	Awaiting bool `help:"Only threads whose newest message has no answer."`
	chatHost
}

// Help is the command's example.
func (chatListCmd) Help() string {
	return "Examples:\n  askhub chat list\n  askhub chat list --awaiting --json"
}

// Run lists the threads of the store.
func (c *chatListCmd) Run(e *env) error {
	return c.reading(e, func(store chatStore, rules chat.Rules) error {
		return c.list(e, store, rules, time.Now())
	})
}

// threadListed is one thread of list --json.
type threadListed struct {
	wireSettings
	// Count is how many messages are kept.
	Count    int               `json:"count"`
	Awaiting bool              `json:"awaiting"`
	Cursor   chat.Cursor       `json:"cursor"`
	Newest   *chat.WireMessage `json:"newest,omitzero"`
}

func (c *chatListCmd) list(e *env, store chatStore, rules chat.Rules, now time.Time) error {
	all, err := store.Threads(e.ctx)
	if err != nil {
		return storeFault(err)
	}
	listed := []threadListed{}
	var shown []chat.Summary
	for _, s := range all {
		if c.Awaiting && !awaits(s.Newest) {
			continue
		}
		t := threadListed{
			wireSettings: settingsOf(s.Thread, s.Settings, rules),
			Count:        s.Messages, Awaiting: awaits(s.Newest), Cursor: s.Newest.Epoch,
		}
		if s.Newest.ID != "" {
			newest := s.Newest.Wire()
			t.Newest = &newest
		}
		listed, shown = append(listed, t), append(shown, s)
	}
	switch {
	case c.JSON:
		return printDocument(e.stdout, map[string]any{"threads": listed})
	case len(listed) == 0 && c.Awaiting:
		_, err := fmt.Fprintln(e.stdout, "No thread awaits an answer.")
		return err
	case len(listed) == 0:
		_, err := fmt.Fprintln(e.stdout, "There are no threads yet.")
		return err
	}
	width, ok := widthOf(e.stdout)
	if !ok {
		width = math.MaxInt
	}
	return printThreads(e.stdout, listed, shown, width, now)
}

// ages are how old a message is, in few cells.
var ages = []humanize.RelTimeMagnitude{
	{D: time.Minute, Format: "now", DivBy: 1},
	{D: time.Hour, Format: "%d min", DivBy: time.Minute},
	{D: 24 * time.Hour, Format: "%d h", DivBy: time.Hour},
	{D: math.MaxInt64, Format: "%d d", DivBy: 24 * time.Hour},
}

func age(at chat.Cursor, now time.Time) string {
	return humanize.CustomRelTime(at.Time(), now, "", "", ages)
}

// printThreads prints the table, and under each row the newest message: a line of its
// own, where no right-to-left text can turn the row round.
func printThreads(w io.Writer, listed []threadListed, shown []chat.Summary, width int, now time.Time) error {
	var table bytes.Buffer
	rows := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "THREAD\tPERSON\tANSWERS\tMSGS\tAWAITING\tNEWEST (UTC)\tAGE")
	for i, t := range listed {
		person, awaiting, newest, old := "not paired", "no", "-", "-"
		if t.Person != "" {
			person = oneLine(t.Person)
		}
		if t.Awaiting {
			awaiting = "yes"
		}
		if t.Newest != nil {
			newest, old = t.Cursor.Time().Format("2006-01-02 15:04"), age(shown[i].Newest.Epoch, now)
		}
		fmt.Fprintf(rows, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", t.Thread, person, t.Answers, t.Count, awaiting, newest, old)
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	var out strings.Builder
	for i, row := range strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n") {
		out.WriteString(cut(strings.TrimRight(row, " "), width) + "\n")
		if i > 0 {
			out.WriteString(cut("  "+newestLine(shown[i-1].Newest), width) + "\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
