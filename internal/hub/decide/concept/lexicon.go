package concept

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"
)

//go:embed lexicon.txt
var lexiconText string

//go:embed stopwords.txt
var stopwordText string

// Category is a set of the lexicon's categories.
type Category uint64

// stopword marks words that say nothing by themselves.
const stopword Category = 1 << 63

// lexicon holds the categories of each word, by its hash.
var lexicon = sync.OnceValue(func() map[uint32]Category {
	lex := make(map[uint32]Category, 3000)
	for i, entries := range LexiconEntries() {
		for _, entry := range entries.Words {
			if words := Words(entry); len(words) == 1 {
				lex[hashWord([]byte(words[0]))] |= 1 << i
			}
		}
	}
	for _, w := range strings.Fields(stopwordText) {
		lex[hashWord([]byte(w))] |= stopword
	}
	return lex
})

// Entries are one category of the lexicon.
type Entries struct {
	Category string
	Words    []string
}

// LexiconEntries are the categories in the file's order.
func LexiconEntries() []Entries {
	var all []Entries
	for line := range strings.Lines(lexiconText) {
		name, words, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		e := Entries{Category: name}
		for w := range strings.SplitSeq(words, ",") {
			e.Words = append(e.Words, strings.TrimSpace(w))
		}
		all = append(all, e)
	}
	return all
}

// qualifiers are the categories whose words say where, when or for whom a thing is, and
// not which.
var qualifiers = sync.OnceValue(func() (all Category) {
	for _, name := range []string{"room", "family", "child", "day", "month", "time", "number", "duration", "colour", "name", "screen"} {
		all |= categoryOf(name)
	}
	return all
})

// Qualifies is whether a word leaves another beside it what it is, as kitchen does in
// kitchen lights. The word may be a stem.
func Qualifies(word string) bool {
	return IsGeneral(word) || lexicon()[hashWord([]byte(word))]&qualifiers() != 0
}

// IsRoom is whether a word is a place of the house.
func IsRoom(word string) bool {
	return lexicon()[hashWord([]byte(word))]&roomCategory() != 0
}

// Akin is whether two words are of one category, as unread and mail are. They may be stems.
func Akin(a, b string) bool {
	return stemCategories()[a]&stemCategories()[b]&^stopword != 0
}

// stemCategories are the categories by word, and by word without a plural's ending.
var stemCategories = sync.OnceValue(func() map[string]Category {
	all := map[string]Category{}
	for i, entries := range LexiconEntries() {
		for _, entry := range entries.Words {
			if words := Words(entry); len(words) == 1 {
				all[words[0]] |= 1 << i
				all[english.Stem(words[0], true)] |= 1 << i
			}
		}
	}
	return all
})

// IsStopword is whether a word, as Words gives it, says nothing by itself.
func IsStopword(word string) bool { return lexicon()[hashWord([]byte(word))]&stopword != 0 }

// The categories of words that have a shape of their own.
var (
	roomCategory   = sync.OnceValue(func() Category { return categoryOf("room") })
	personCategory = sync.OnceValue(func() Category { return categoryOf("name") })
	numberCategory = sync.OnceValue(func() Category { return categoryOf("number") })
	timeCategory   = sync.OnceValue(func() Category { return categoryOf("time") })
)

func categoryOf(name string) Category {
	for i, e := range LexiconEntries() {
		if e.Category == name {
			return 1 << i
		}
	}
	return 0
}

// Stopwords is the list of words that say nothing by themselves, as the file has it.
func Stopwords() string { return stopwordText }
