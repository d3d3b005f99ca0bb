package email

import (
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/project/email/message"
)

// stop are words that name nobody and nothing.
var stop = wordSet(`a an the my our your his her their its this that any some of to in on at for from by with and or is was
	mail mails email emails message messages letter letters inbox please me us you i`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		set[w] = true
	}
	return set
}

// telling are the words of s that tell something; all of them where none does.
func telling(s string) []string {
	all := words(s)
	if kept := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return stop[w] }); len(kept) > 0 {
		return kept
	}
	return all
}

// endings are what one form of a word may have that another has not.
var endings = wordSet("e s es ed ing d n er ers")

// has says whether a folded text holds the word in one of its forms.
func has(key, word string) bool {
	stem := word
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if cut, found := strings.CutSuffix(word, end); found && len(cut) >= 4 {
			stem = cut
			break
		}
	}
	for rest := key; ; {
		i := strings.Index(rest, " "+stem)
		if i < 0 {
			return false
		}
		rest = rest[i+1+len(stem):]
		end := strings.IndexByte(rest, ' ')
		if end < 0 {
			end = len(rest)
		}
		if tail := rest[:end]; tail == "" || len(stem) >= 4 && endings[tail] || stem+tail == word {
			return true
		}
	}
}

func hasAll(key string, all []string) bool {
	for _, w := range all {
		if !has(key, w) {
			return false
		}
	}
	return true
}

// sender finds who is meant by what a person calls a sender.
type sender struct {
	address string // a whole address, or @ and a domain; "" where none was given
	words   []string
	joined  string
}

func newSender(s string) sender {
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		if w = strings.Trim(w, `<>()"',;`); strings.Contains(w, "@") && len(w) > 1 {
			return sender{address: w}
		}
	}
	all := telling(s)
	return sender{words: all, joined: strings.Join(all, "")}
}

// exact is a match of whole words of the name or the address.
func (s sender) exact(m *message.Message) bool {
	if s.address != "" {
		return m.From.Addr == s.address || s.address[0] == '@' && strings.HasSuffix(m.From.Addr, s.address)
	}
	return len(s.words) > 0 && hasAll(m.FromKey, s.words)
}

// loose is a match of letters within the words, such as "British Gas" in
// news@britishgas.example.
func (s sender) loose(m *message.Message) bool {
	return len(s.joined) >= 4 && strings.Contains(strings.ReplaceAll(m.FromKey, " ", ""), s.joined)
}

// fromSender are the messages of the sender that fit: by whole words, and only where
// nobody is called that, by letters.
func (v *view) fromSender(who string, fits func(item) bool) hits {
	s := newSender(who)
	var exact, loose hits
	called := false // somebody is, whether or not the message fits
	for _, it := range v.items {
		switch {
		case it.own:
		case s.exact(it.Message):
			called = true
			if fits(it) {
				exact.add(it)
			}
		case !called && fits(it) && s.loose(it.Message):
			loose.add(it)
		}
	}
	if called {
		return exact
	}
	return loose
}
