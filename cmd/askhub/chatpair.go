package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/pairing"
	"github.com/askhub/askhub/internal/people"
)

type chatPairCmd struct {
	Which   []string `arg:"" name:"code-or-thread" help:"The eight digits that the chat page shows, or the thread; and then the person, by a name or alias of people.toml."`
	Answers string   `help:"Who answers in this thread: hub, host or off; usual goes back to what holds for all." enum:",hub,host,off,usual" default:"" placeholder:"WHO"`
	Unpair  bool     `help:"It speaks for nobody any more."`
	chatHost
}

// Help is the command's example.
func (chatPairCmd) Help() string {
	return "With nothing but the code or the thread, it shows what is set. The thread is 16 digits, or its first ones, 4 at least; eight digits are always a code.\n\n" +
		"Examples:\n  askhub chat pair 48392017 sam\n  askhub chat pair a1b2c3d4e5f60718 sam --answers host\n  askhub chat pair a1b2 --unpair"
}

// Run shows or changes a thread's settings.
func (c *chatPairCmd) Run(e *env) error {
	which := readPairing(c.Which)
	if which.person != "" && c.Unpair {
		return exitError{exitUsage, errors.New("name a person, or say --unpair, not both")}
	}
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	house, err := loadPeople(cfg)
	if err != nil {
		return err
	}
	return c.changing(e, func(store chatStore, rules chat.Rules) error {
		return c.pair(e, store, rules, house, time.Now())
	})
}

// pairWords is what the words of the command line mean.
type pairWords struct {
	// One of code and thread is set.
	code, thread string
	person       string
}

// codeDigits is how long a pairing code is.
const codeDigits = 8

// readPairing takes the words apart. A code may be read out in groups, and typed so.
func readPairing(words []string) pairWords {
	code := ""
	for i, word := range words {
		word = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) {
				return -1
			}
			return r
		}, word)
		if strings.Trim(word, "0123456789") != "" || len(code)+len(word) > codeDigits {
			break
		}
		if code += word; len(code) == codeDigits {
			return pairWords{code: code, person: strings.Join(words[i+1:], " ")}
		}
	}
	return pairWords{thread: words[0], person: strings.Join(words[1:], " ")}
}

// threadPaired is pair --json.
type threadPaired struct {
	wireSettings
	// Changed is whether anything was.
	Changed bool              `json:"changed"`
	Newest  *chat.WireMessage `json:"newest,omitzero"`
}

func (c *chatPairCmd) pair(e *env, store chatStore, rules chat.Rules, house *people.Household, now time.Time) error {
	which := readPairing(c.Which)
	person, err := personNamed(house, which.person)
	if err != nil {
		return err
	}
	thread, err := c.find(e.ctx, store, which, now)
	if err != nil {
		return err
	}
	page, err := store.Read(e.ctx, thread, 0)
	if err != nil {
		return storeFault(err)
	}
	was, err := store.Settings(e.ctx, thread)
	if err != nil {
		return storeFault(err)
	}
	is := was
	var untold error
	if person != "" || c.Unpair || c.Answers != "" {
		was, is, err = pairing.Set(e.ctx, store, thread, now, func(s *chat.Settings) { c.change(s, person) })
		switch {
		case errors.Is(err, pairing.ErrUntold):
			untold = err
		case err != nil:
			return storeFault(err)
		}
	}
	out := threadPaired{wireSettings: settingsOf(thread, is, rules), Changed: was.Person != is.Person || was.Answers != is.Answers}
	var newest chat.Message
	if n := len(page.Messages); n > 0 {
		newest = page.Messages[n-1]
		shown := newest.Wire()
		out.Newest = &shown
	}
	if err := c.tell(e, &out, newest, was.Person != is.Person); err != nil {
		return err
	}
	if untold != nil {
		return exitError{exitNot, untold}
	}
	return nil
}

// personNamed is the person of people.toml that a name or alias means; nobody where
// there is no name.
func personNamed(house *people.Household, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	p, err := findPerson(house, name)
	return string(p.Name), err
}

// findPerson is whom a name or alias means. The error says who there is.
func findPerson(house *people.Household, name string) (people.Person, error) {
	p, ok := house.Find(name)
	all := names(house)
	switch {
	case ok:
		return p, nil
	case len(all) == 0:
		return people.Person{}, exitError{exitNot, fmt.Errorf("nobody is called %q: people.toml names nobody yet, so write who lives here into it", name)}
	}
	return people.Person{}, exitError{exitNot, fmt.Errorf("nobody is called %q: people.toml has %s", name, strings.Join(all, ", "))}
}

// find is the thread that is meant. A whole name is taken also where the thread has no
// messages yet: its page may just have been opened.
func (c *chatPairCmd) find(ctx context.Context, store chatStore, which pairWords, now time.Time) (chat.Thread, error) {
	if which.code != "" {
		code, err := store.Code(ctx, which.code, "", now)
		if errors.Is(err, chat.ErrUnknownCode) {
			return "", exitError{exitNot, fmt.Errorf("no thread waits with the code %s: it lives %d minutes, so ask for a new one on the chat page (a thread is named by 4 to 16 digits, but not by eight from 0 to 9)", which.code, int(chat.CodeLives.Minutes()))}
		}
		return code.Thread, storeFault(err)
	}
	if thread, err := chat.ParseThread(strings.ToLower(which.thread)); err == nil {
		return thread, nil
	}
	found, err := findThread(ctx, store, which.thread)
	return found.Thread, err
}

// change is what the flags and the person say.
func (c *chatPairCmd) change(s *chat.Settings, person string) {
	if person != "" || c.Unpair {
		s.Person = person
	}
	switch c.Answers {
	case "":
	case "usual":
		s.Answers = ""
	default:
		s.Answers = chat.Answers(c.Answers)
	}
}

func (c *chatPairCmd) tell(e *env, out *threadPaired, newest chat.Message, person bool) error {
	if c.JSON {
		return printDocument(e.stdout, out)
	}
	did := "Nothing was changed."
	switch {
	case person && out.Person == "":
		did = "It speaks for nobody now, and was told so."
	case person:
		did = "It now speaks for " + people.Spoken(oneLine(out.Person)) + ", and was told so."
	case out.Changed:
		did = "Who answers was changed."
	case c.Answers == "" && !c.Unpair && readPairing(c.Which).person == "":
		did = ""
	}
	line := newestLine(newest)
	if newest.ID != "" {
		line = whenUTC(newest.Epoch) + ", " + line
	}
	line = "Its newest message: " + line
	if width, ok := widthOf(e.stdout); ok {
		line = cut(line, width)
	}
	fmt.Fprintln(e.stdout, strings.TrimSpace("Thread "+string(out.Thread)+". "+did))
	fmt.Fprintln(e.stdout, out.sentence())
	_, err := fmt.Fprintln(e.stdout, line)
	return err
}
