package concept

import (
	_ "embed"
	"strings"
	"sync"
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

// families are the categories whose words speak of one thing in a household's life,
// unlike numbers, days or people.
var families = sync.OnceValue(func() (all Category) {
	for _, name := range []string{
		"light", "appliance", "cover", "measure", "app", "screen", "subject", "school", "health", "food", "weather", "news",
		"money", "travel", "dining", "shopping", "media", "pet", "event", "list", "mail", "visitor", "talker",
	} {
		all |= categoryOf(name)
	}
	return all
})

// FamilyOf are the categories of a word, as Words gives it, whose words speak of one thing.
func FamilyOf(word string) Category { return lexicon()[hashWord([]byte(word))] & families() }

// IsStopword is whether a word, as Words gives it, says nothing by itself.
func IsStopword(word string) bool { return lexicon()[hashWord([]byte(word))]&stopword != 0 }

// The categories of words that have a shape of their own.
var (
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
