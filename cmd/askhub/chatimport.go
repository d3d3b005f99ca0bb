package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/people"
)

type chatImportCmd struct {
	Dir      string `arg:"" help:"The folder, with a file a1b2c3d4e5f60718.json for each thread." type:"path"`
	DryRun   bool   `help:"Say what would be taken over, and take nothing."`
	Settings bool   `help:"Take over too whom each thread speaks for and who answers in it."`
	chatHost
}

// Help is the command's example.
func (chatImportCmd) Help() string {
	return "Each thread is taken over whole or not at all. What is there already is not added again, so a second run is safe.\n\n" +
		"Examples:\n  askhub chat import ./data/chat --dry-run\n  askhub chat import ./askhub-chat --settings"
}

// threadImported is one thread of an import's report.
type threadImported struct {
	Thread chat.Thread `json:"thread"`
	// Added are new, There were there already, Old are what retention no longer holds.
	Added   int `json:"added"`
	There   int `json:"there"`
	Old     int `json:"old"`
	Skipped int `json:"skipped"`
	// Person and Answers are the settings that were taken over.
	Person  string       `json:"person,omitzero"`
	Answers chat.Answers `json:"answers,omitzero"`
}

// importReport is import --json.
type importReport struct {
	DryRun  bool             `json:"dry_run"`
	Threads []threadImported `json:"threads"`
	Remarks []remark         `json:"remarks"`
	Added   int              `json:"added"`
	There   int              `json:"there"`
	Old     int              `json:"old"`
	// Faults are the remarks about what should not have been skipped.
	Faults int `json:"faults"`
}

// Run takes over the folder.
func (c *chatImportCmd) Run(e *env) error {
	root, err := os.OpenRoot(c.Dir)
	if err != nil {
		return exitError{exitNot, fmt.Errorf("the folder cannot be read: %w", err)}
	}
	defer root.Close()
	var house *people.Household
	if c.Settings {
		cfg, err := loadConfig(e, c.Config)
		if err != nil {
			return err
		}
		if house, err = loadPeople(cfg); err != nil {
			return err
		}
	}
	work := func(store chatStore, rules chat.Rules) error {
		return c.take(e, root.FS(), store, rules, house, time.Now())
	}
	if c.DryRun {
		return c.reading(e, work)
	}
	return c.creating(e, work)
}

func (c *chatImportCmd) take(e *env, dir fs.FS, store chatStore, rules chat.Rules, house *people.Household, now time.Time) error {
	report := importReport{DryRun: c.DryRun, Threads: []threadImported{}, Remarks: []remark{}}
	files, err := report.files(dir)
	if err != nil {
		return exitError{exitNot, fmt.Errorf("the folder cannot be read: %w", err)}
	}
	if c.DryRun {
		if store, err = rehearsal(e.ctx, store, rules, files, now); err != nil {
			return storeFault(err)
		}
	}
	stopped := report.all(e, dir, files, store, house, now)
	if err := report.print(e, c.JSON); err != nil {
		return err
	}
	if stopped != nil {
		return storeFault(stopped)
	}
	return report.verdict()
}

// all takes the files one by one. An error has ended that; what was done before it stays.
func (r *importReport) all(e *env, dir fs.FS, files []chat.Thread, store chatStore, house *people.Household, now time.Time) error {
	defer progress(e, len(files), len(files))
	for i, thread := range files {
		progress(e, i, len(files))
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if t, ok := r.read(dir, thread, now); ok {
			if err := r.keep(e.ctx, store, t, house, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// progress shows on a terminal how many threads are done, and wipes it at the end.
func progress(e *env, done, of int) {
	if _, ok := terminal(e.stderr); !ok {
		return
	}
	if done == of {
		fmt.Fprint(e.stderr, "\r\x1b[K")
		return
	}
	fmt.Fprintf(e.stderr, "\r%d of %d threads", done, of)
}

// files are the threads that the folder has files of. What else is there is remarked upon,
// but for what is hidden or half written.
func (r *importReport) files(dir fs.FS) ([]chat.Thread, error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, err
	}
	var out []chat.Thread
	for _, entry := range entries {
		name := entry.Name()
		base, isJSON := strings.CutSuffix(name, ".json")
		thread, err := chat.ParseThread(base)
		switch {
		case strings.HasPrefix(name, ".") || strings.Contains(name, ".tmp"):
		case isJSON && err != nil:
			r.about(name, "its name is not a thread's: 16 digits from 0 to 9 and a to f, and .json", true)
		case !isJSON:
			r.about(name, "it is no thread's file", false)
		case !entry.Type().IsRegular():
			r.about(name, "it is no file itself (a link is not followed)", true)
		default:
			out = append(out, thread)
		}
	}
	return out, nil
}

func (r *importReport) about(file, why string, fault bool) {
	r.Remarks = append(r.Remarks, remark{File: strings.ToValidUTF8(file, "�"), Why: why, Fault: fault})
}

// read reads one thread's file; the report says why one cannot be.
func (r *importReport) read(dir fs.FS, thread chat.Thread, now time.Time) (*readThread, bool) {
	name := string(thread) + ".json"
	data, err := readPlain(dir, name)
	if err != nil {
		r.about(name, err.Error(), true)
		return nil, false
	}
	t, err := readThreadFile(thread, data, now)
	if err != nil {
		r.about(name, err.Error(), true)
		return nil, false
	}
	r.Remarks = append(r.Remarks, t.remarks...)
	return t, true
}

// readPlain reads a file that is one itself: what was swapped for a link since the folder
// was read is not followed.
func readPlain(dir fs.FS, name string) ([]byte, error) {
	was, err := fs.Lstat(dir, name)
	if err != nil || !was.Mode().IsRegular() {
		return nil, errors.New("it is no file itself (a link is not followed)")
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, errors.New("it cannot be opened: let this user read it")
	}
	defer f.Close()
	is, err := f.Stat()
	if err != nil || !os.SameFile(was, is) {
		return nil, errors.New("it was replaced while it was read: try again")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxThreadFile+1))
	switch {
	case err != nil:
		return nil, errors.New("it cannot be read")
	case len(data) > maxThreadFile:
		return nil, fmt.Errorf("it is larger than %d MB, which no thread is", maxThreadFile>>20)
	}
	return data, nil
}

// keep puts one thread into the store. An error ends the whole import.
func (r *importReport) keep(ctx context.Context, store chatStore, t *readThread, house *people.Household, now time.Time) error {
	done := threadImported{Thread: t.thread, Skipped: t.skipped}
	file := string(t.thread) + ".json"
	if len(t.messages) > 0 {
		got, err := store.Import(ctx, t.thread, t.messages, now)
		if errors.Is(err, chat.ErrThreadLimit) {
			r.about(file, "the host holds as many threads as it may, so this one was left out", true)
			return nil
		}
		if err != nil {
			return err
		}
		done.Added, done.There, done.Old = got.Added, got.There, got.Old
	}
	if house != nil {
		if err := r.settings(ctx, store, t, house, &done); err != nil {
			return err
		}
	}
	r.Threads = append(r.Threads, done)
	r.Added, r.There, r.Old = r.Added+done.Added, r.There+done.There, r.Old+done.Old
	return nil
}

// settings takes over a thread's own settings, for people who live here.
func (r *importReport) settings(ctx context.Context, store chatStore, t *readThread, house *people.Household, done *threadImported) error {
	person, err := personNamed(house, t.person)
	if err != nil {
		r.about(string(t.thread)+".json", "its person was left out: "+err.Error(), true)
	}
	if person == "" && t.answers == "" {
		return nil
	}
	done.Person, done.Answers = person, t.answers
	_, err = store.SetUp(ctx, t.thread, func(s *chat.Settings) {
		if person != "" {
			s.Person = person
		}
		if t.answers != "" {
			s.Answers = t.answers
		}
	})
	return err
}

// rehearsal is a copy of what the store holds of these threads, and of how many others
// there are: an import into it does and says what one into the store would.
func rehearsal(ctx context.Context, store chatStore, rules chat.Rules, threads []chat.Thread, now time.Time) (chatStore, error) {
	all, err := store.Threads(ctx)
	if err != nil {
		return nil, err
	}
	held := map[chat.Thread]chat.Summary{}
	for _, s := range all {
		held[s.Thread] = s
	}
	// A host may hold more threads than its limit, where that was lowered.
	with := 0
	for _, s := range all {
		if s.Messages > 0 {
			with++
		}
	}
	rules.Threads = max(rules.Threads, with)
	double := chat.NewMemory(rules)
	for _, thread := range threads {
		messages, err := store.Whole(ctx, thread)
		if err != nil {
			return nil, err
		}
		if len(messages) > 0 {
			if _, err := double.Import(ctx, thread, messages, now); err != nil {
				return nil, err
			}
		}
		delete(held, thread)
	}
	for thread, s := range held {
		if s.Messages == 0 {
			continue
		}
		if _, err := double.Import(ctx, thread, []chat.Message{s.Newest}, s.Newest.Epoch.Time()); err != nil {
			return nil, err
		}
	}
	return double, nil
}

func (r *importReport) print(e *env, asJSON bool) error {
	for _, m := range r.Remarks {
		if m.Fault {
			r.Faults++
		}
	}
	if asJSON {
		return printDocument(e.stdout, r)
	}
	var b strings.Builder
	for _, m := range r.Remarks {
		b.WriteString(oneLine(m.File))
		if m.Message > 0 {
			fmt.Fprintf(&b, ", message %d", m.Message)
		}
		if m.ID != "" {
			fmt.Fprintf(&b, " (%s)", cut(oneLine(m.ID), 40))
		}
		if m.Fault {
			b.WriteString(", skipped")
		}
		b.WriteString(": " + oneLine(m.Why) + "\n")
	}
	for _, t := range r.Threads {
		fmt.Fprintf(&b, "%s: %d added, %d there already, %d too old to keep, %d skipped%s\n", t.Thread, t.Added, t.There, t.Old, t.Skipped, t.set())
	}
	if r.DryRun {
		b.WriteString("Nothing was changed. An import would do this: ")
	}
	fmt.Fprintf(&b, "%s: %s added, %d there already, %d too old to keep\n",
		counted(len(r.Threads), "thread"), counted(r.Added, "message"), r.There, r.Old)
	_, err := io.WriteString(e.stdout, b.String())
	return err
}

// set says which settings were taken over.
func (t *threadImported) set() string {
	var s string
	if t.Person != "" {
		s += ", speaks for " + oneLine(t.Person)
	}
	if t.Answers != "" {
		s += ", answers " + string(t.Answers)
	}
	return s
}

// verdict is the error for what should not have been skipped.
func (r *importReport) verdict() error {
	if r.Faults == 0 {
		return nil
	}
	return exitError{exitNot, fmt.Errorf("%d %s skipped that should not have been; the report says what and why", r.Faults, english.PluralWord(r.Faults, "thing was", "things were"))}
}
