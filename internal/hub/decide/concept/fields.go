package concept

import (
	_ "embed"
	"math/bits"
	"strings"
	"sync"
)

//go:embed fields.txt
var fieldsText string

//go:embed general.txt
var generalText string

// Fields is a set of the fields of household life that words may speak of.
type Fields [2]uint64

// None is whether no field is in the set.
func (f Fields) None() bool { return f == Fields{} }

// Len is how many fields are in the set.
func (f Fields) Len() int { return bits.OnesCount64(f[0]) + bits.OnesCount64(f[1]) }

// And is what two sets share, Or what is in either.
func (f Fields) And(o Fields) Fields { return Fields{f[0] & o[0], f[1] & o[1]} }

// Or is what is in either set.
func (f Fields) Or(o Fields) Fields { return Fields{f[0] | o[0], f[1] | o[1]} }

// fields holds the fields of each word of the list, by its hash.
var fields = sync.OnceValue(func() map[uint32]Fields {
	all := make(map[uint32]Fields, 2500)
	n := 0
	for line := range strings.Lines(fieldsText) {
		_, words, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || line[0] == '#' {
			continue
		}
		for entry := range strings.SplitSeq(words, ",") {
			entry = strings.TrimSpace(entry)
			if strings.ContainsAny(entry, " -") {
				continue // a question is looked at word by word
			}
			h := hashWord([]byte(entry))
			f := all[h]
			f[n/64] |= 1 << (n % 64)
			all[h] = f
		}
		n++
	}
	if n > firstFamily {
		panic("concept: fields.txt has more fields than there is room for")
	}
	return all
})

// firstFamily is the first of the fields that are categories of the lexicon.
const firstFamily = 96

// families are the categories whose words speak of one thing in a household's life,
// unlike numbers, days or people. Those from broad on are wide: sprinklers and plugs are
// both appliances, and a topic of the one is none of the other.
var families = [...]string{
	"app", "screen", "subject", "school", "health", "weather", "news", "media", "pet", "list", "mail", "visitor", "talker", "sayer", "notice", "work", "tapper",
	"light", "appliance", "cover", "measure", "food", "money", "travel", "dining", "shopping", "event",
}

const broad = 17

var familyCategories = sync.OnceValue(func() (list [len(families)]Category) {
	for i, name := range families {
		list[i] = categoryOf(name)
	}
	return list
})

// FamiliesOf are, as fields, the categories of a word whose words speak of one thing.
func FamiliesOf(c Category) (f Fields) {
	for i, family := range familyCategories() {
		if c&family != 0 {
			f[1] |= 1 << (firstFamily - 64 + i)
		}
	}
	return f
}

// TopicFields are the fields that a word of a topic stands for: a wide one only where
// no other is known.
func TopicFields(word string) Fields {
	f, family := FieldsOf([]byte(word)), FamiliesOf(lexicon()[hashWord([]byte(word))])
	if !f.None() {
		family[1] &= 1<<(firstFamily-64+broad) - 1
	}
	return f.Or(family)
}

// Narrow is how many of the fields are none of the lexicon's.
func (f Fields) Narrow() int {
	return bits.OnesCount64(f[0]) + bits.OnesCount64(f[1]&(1<<(firstFamily-64)-1))
}

// FieldsOf are the fields that a word, as Words gives it, speaks of, its ending aside.
func FieldsOf(word []byte) Fields {
	all := fields()
	if f, ok := all[hashWord(word)]; ok {
		return f
	}
	var buf [maxWord + 1]byte
	n := len(word)
	if n < 4 || n > maxWord {
		return Fields{}
	}
	for _, e := range endings {
		if n < len(e.cut)+3 || string(word[n-len(e.cut):]) != e.cut {
			continue
		}
		w := append(append(buf[:0], word[:n-len(e.cut)]...), e.put...)
		if f, ok := all[hashWord(w)]; ok {
			return f
		}
		if m := len(w); e.double && m > 3 && w[m-1] == w[m-2] {
			if f, ok := all[hashWord(w[:m-1])]; ok {
				return f
			}
		}
	}
	return Fields{}
}

// endings are those that leave a word in its field.
var endings = [...]struct {
	cut, put string
	double   bool // a doubled letter before it may be one: running, run
}{
	{"s", "", false},
	{"es", "", false},
	{"ies", "y", false},
	{"ing", "", true},
	{"ing", "e", false},
	{"ed", "", true},
	{"ed", "e", false},
	{"er", "", true},
	{"y", "", false},
}

var general = sync.OnceValue(func() map[uint32]bool {
	all := map[uint32]bool{}
	for line := range strings.Lines(generalText) {
		if line[0] == '#' {
			continue
		}
		for _, w := range strings.Fields(line) {
			all[hashWord([]byte(w))] = true
		}
	}
	return all
})

// IsGeneral is whether a word, as Words gives it, tells no topic from another.
func IsGeneral(word string) bool { return IsStopword(word) || general()[hashWord([]byte(word))] }
