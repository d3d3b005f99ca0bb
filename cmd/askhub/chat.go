package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/askhub/askhub/chat"
)

// chatCmd is the chat on the host, straight on the store, and the chat's client.
type chatCmd struct {
	List   chatListCmd   `cmd:"" help:"List the threads."`
	Show   chatShowCmd   `cmd:"" help:"Show a thread."`
	Reply  chatReplyCmd  `cmd:"" help:"Write into a thread, from the host."`
	Pair   chatPairCmd   `cmd:"" help:"Say whom a thread speaks for, and who answers in it."`
	Import chatImportCmd `cmd:"" help:"Take over a folder of threads."`
	Export chatExportCmd `cmd:"" help:"Write every thread into a folder."`
	Send   chatSendCmd   `cmd:"" default:"withargs" help:"Send a message, as the chat page does. \"askhub chat TEXT\" is the same."`
	Poll   chatPollCmd   `cmd:"" help:"Print what is new in this user's own thread."`
}

// Help is the command's example.
func (chatCmd) Help() string {
	return "Examples:\n  askhub chat \"what is on today?\" --wait\n  askhub chat list --awaiting\n  askhub chat reply a1b2 \"Dinner is at six.\""
}

// chatHost are the flags of each command that works on the store.
type chatHost struct {
	JSON   bool   `help:"Print as JSON."`
	Config string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
}

// chatStore is what these commands need of a store.
type chatStore interface {
	chat.Store
	chat.Pairing
	chat.Archive
}

// onWire are messages as the wire and every --json have them.
func onWire(messages []chat.Message) []chat.WireMessage {
	out := make([]chat.WireMessage, len(messages))
	for i := range messages {
		out[i] = messages[i].Wire()
	}
	return out
}

// wireSettings are a thread's settings in every --json.
type wireSettings struct {
	Thread chat.Thread `json:"thread"`
	Person string      `json:"person,omitzero"`
	// Answers is who answers; AnswersSet whether the thread has a setting of its own for it.
	Answers    chat.Answers `json:"answers"`
	AnswersSet bool         `json:"answers_set"`
}

func settingsOf(t chat.Thread, s chat.Settings, rules chat.Rules) wireSettings {
	return wireSettings{Thread: t, Person: s.Person, Answers: rules.By(s), AnswersSet: s.Answers != ""}
}

// awaits is spec 3's awaiting: the newest message was not written by hermes.
func awaits(newest chat.Message) bool { return newest.ID != "" && newest.Author != chat.Hermes }

var threadStart = regexp.MustCompile(`^[0-9a-f]{4,16}$`)

// maxNamed is how many candidates an error names.
const maxNamed = 10

// findThread is the one thread that a person means by its name or the start of it.
func findThread(ctx context.Context, archive chat.Archive, name string) (chat.Summary, error) {
	start := strings.ToLower(strings.TrimSpace(name))
	if !threadStart.MatchString(start) {
		return chat.Summary{}, exitError{exitUsage, fmt.Errorf("%q is no thread: write its 16 digits from 0 to 9 and a to f, or at least the first 4", name)}
	}
	all, err := archive.Threads(ctx)
	if err != nil {
		return chat.Summary{}, storeFault(err)
	}
	var found []chat.Summary
	for _, s := range all {
		if strings.HasPrefix(string(s.Thread), start) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return chat.Summary{}, exitError{exitNot, fmt.Errorf("no thread begins with %s; `askhub chat list` shows those there are", start)}
	case 1:
		return found[0], nil
	}
	var names []string
	for _, s := range found[:min(len(found), maxNamed)] {
		names = append(names, string(s.Thread))
	}
	if more := len(found) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return chat.Summary{}, exitError{exitNot, fmt.Errorf("several threads begin with %s, so write more of it: %s", start, strings.Join(names, ", "))}
}

// storeFault gives a store's error its exit code.
func storeFault(err error) error {
	var coded exitError
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case errors.Is(err, context.Canceled):
		return exitError{exitNot, errors.New("interrupted")}
	case errors.Is(err, chat.ErrFull):
		return exitError{exitNeedDown, errors.New("there is no room left on the store's disk: make some, and try again")}
	case errors.Is(err, chat.ErrThreadLimit):
		return exitError{exitNot, errors.New("the host holds as many threads as it may, so no new one can begin")}
	default:
		return exitError{exitNeedDown, fmt.Errorf("the store: %w", err)}
	}
}

// maxTyped is the largest text that is read from standard input, in bytes.
const maxTyped = 1 << 20

// textFrom is what is to be said: the words of the command line, or standard input
// where there are none, or only a dash.
func textFrom(e *env, words []string) (string, error) {
	text := strings.Join(words, " ")
	if len(words) == 0 || slices.Equal(words, []string{"-"}) {
		if _, ok := terminal(e.stdin); ok {
			fmt.Fprintln(e.stderr, "Write the text, and end it with Ctrl-D on a line of its own.")
		}
		raw, err := io.ReadAll(io.LimitReader(e.stdin, maxTyped+1))
		switch {
		case err != nil:
			return "", exitError{exitNot, errors.New("standard input cannot be read: give the text as an argument")}
		case len(raw) > maxTyped:
			return "", exitError{exitUsage, fmt.Errorf("the text is over %d MB, and a message has at most %d characters: send it in parts", maxTyped>>20, chat.MaxText)}
		}
		// The line break that ends a file is not part of what is said.
		text = strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	}
	return text, checkText(text)
}

// checkText is chat.CheckText with the mend for whoever types.
func checkText(text string) error {
	err := chat.CheckText(text)
	if errors.Is(err, chat.ErrLongText) {
		err = fmt.Errorf("the text has %d characters, and a message at most %d: send it in parts", len([]rune(text)), chat.MaxText)
	}
	if err != nil {
		return exitError{exitUsage, err}
	}
	return nil
}

// counted is a number with its word, such as "1 thread".
func counted(n int, word string) string {
	return fmt.Sprintf("%d %s", n, english.PluralWord(n, word, ""))
}

// whenUTC is an epoch as these commands print it.
func whenUTC(c chat.Cursor) string { return c.Time().Format("2006-01-02 15:04 UTC") }

// transcript prints messages: a heading for each day, and each text wrapped.
type transcript struct {
	w     io.Writer
	width int
	day   string
}

// add prints one message.
func (t *transcript) add(m chat.WireMessage) error {
	var b strings.Builder
	at := m.Epoch.Time()
	if day := at.Format("Monday 2 January 2006"); day != t.day {
		if t.day != "" {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s (UTC)\n", day)
		t.day = day
	}
	fmt.Fprintf(&b, "\n%s  %s\n", at.Format(time.TimeOnly), oneLine(string(m.Author)))
	const indent = "    "
	for _, line := range wrap(visible(m.Text), max(t.width-len(indent), 20)) {
		b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// newestLine is a thread's newest message on one line.
func newestLine(m chat.Message) string {
	if m.ID == "" {
		return "no messages yet"
	}
	return string(m.Author) + ": " + oneLine(m.Text)
}
