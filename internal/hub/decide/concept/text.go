// Package concept reads a question into words, and knows which concept of
// household life it speaks of: mail, school, lights, the weather.
package concept

import (
	"bytes"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text is a question in the form in which it is judged: lower case, without
// accents and apostrophes, cut into words. It is scratch space: see Read.
type Text struct {
	buf    []byte
	clean  []byte // the question, decomposed where it is not plain ASCII
	words  []Word
	tokens []token
}

// Shape is what a word looks like.
type Shape uint8

// The shapes. All numbers count as one word, and so do all times of day.
const (
	Plain Shape = iota
	Number
	Ordinal
	TimeOfDay
	// Name is a word by which the household calls a person.
	Name
)

// Word is one word of a Text.
type Word struct {
	start, end int32
	// Mark is the last punctuation mark before the word, 0 if there is none.
	Mark  byte
	Shape Shape
}

var texts = sync.Pool{New: func() any { return new(Text) }}

// Read cuts a question into words. Give the Text back with Done.
func Read(question string) *Text {
	t := texts.Get().(*Text)
	t.buf, t.words = t.buf[:0], t.words[:0]
	t.clean = t.clean[:0]
	if isASCII(question) {
		t.clean = append(t.clean, question...)
	} else {
		t.clean = norm.NFKD.AppendString(t.clean, question)
	}
	t.scan()
	return t
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Done gives the Text back; neither it nor its words may be used afterwards.
func (t *Text) Done() { texts.Put(t) }

// Len is the number of words.
func (t *Text) Len() int { return len(t.words) }

// Word is word i.
func (t *Text) Word(i int) *Word { return &t.words[i] }

// Bytes is the text of word i.
func (t *Text) Bytes(i int) []byte { return t.buf[t.words[i].start:t.words[i].end] }

// Cut leaves the words from from to to out of the text. Call it before Prepare.
func (t *Text) Cut(from, to int) { t.words = slices.Delete(t.words, from, to) }

// Words are the words of s, for what is read rarely, such as a topic.
func Words(s string) []string {
	t := Read(s)
	defer t.Done()
	out := make([]string, t.Len())
	for i := range out {
		out[i] = string(t.Bytes(i))
	}
	return out
}

// scan fills buf and words from clean.
func (t *Text) scan() {
	src := t.clean
	var mark byte
	open := false
	for i := 0; i < len(src); {
		r, size := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(src[i:])
		}
		inWord := false
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			inWord = true
		case 'A' <= r && r <= 'Z':
			r, inWord = r+'a'-'A', true
		case r == '\'' || r == '’' || r == 'ʼ':
			r, inWord = '\'', open
		case r == '.' && open && initials(src, i):
			i++ // M.O.T. is one word
			continue
		case r == '.' || r == ':' || r == ',':
			inWord = open && digit(src, i-1) && digit(src, i+1)
		case r < utf8.RuneSelf:
		case unicode.IsMark(r) || unicode.Is(unicode.Cf, r):
			i += size
			continue
		case unicode.IsLetter(r):
			r, inWord = unicode.ToLower(r), true
		}
		i += size
		switch {
		case inWord && !open:
			open = true
			t.words = append(t.words, Word{start: int32(len(t.buf)), Mark: mark})
			t.buf = utf8.AppendRune(t.buf, r)
			mark = 0
		case inWord:
			t.buf = utf8.AppendRune(t.buf, r)
		default:
			if open {
				open = false
				t.close()
			}
			mark = t.symbol(r, mark)
		}
	}
	if open {
		t.close()
	}
}

// initials is whether the full stop at i stands between two letters that are alone.
func initials(src []byte, i int) bool {
	return letter(src, i-1) && !letter(src, i-2) && letter(src, i+1) && !letter(src, i+2)
}

func letter(src []byte, i int) bool {
	return i >= 0 && i < len(src) && ('a' <= src[i]|0x20 && src[i]|0x20 <= 'z' || src[i] >= utf8.RuneSelf)
}

func digit(src []byte, i int) bool { return i >= 0 && i < len(src) && '0' <= src[i] && src[i] <= '9' }

// symbol is a sign between words: some are said as a word, others part clauses.
func (t *Text) symbol(r rune, mark byte) byte {
	said := ""
	switch r {
	case '&', '+':
		said = "and"
	case '%':
		said = "percent"
	case '°':
		said = "degrees"
	case '£', '$', '€':
		said = "pounds"
	case ',', ';', ':', '?', '!', '.':
		return byte(r)
	case '\n':
		return '.'
	case '–', '—':
		return ','
	}
	if said == "" {
		return mark
	}
	t.words = append(t.words, Word{start: int32(len(t.buf)), Mark: mark})
	t.buf = append(t.buf, said...)
	t.close()
	return 0
}

// joins are words that are written in two, and are one.
var joins = [...][2]string{
	{"e", "mail"}, {"e", "mails"}, {"e", "mailed"}, {"t", "v"}, {"wi", "fi"}, {"p", "e"}, {"p", "m"}, {"a", "m"},
}

// close ends the last word: it drops a possessive or contracted "s" and the
// apostrophes, sees what shape the word has, and joins it to the one before.
func (t *Text) close() {
	n := len(t.words)
	w := &t.words[n-1]
	w.end = int32(len(t.buf))
	text := t.buf[w.start:w.end]
	if bytes.IndexByte(text, '\'') >= 0 {
		text = bytes.TrimRight(text, "'")
		text = bytes.TrimSuffix(text, []byte("'s"))
		kept := text[:0]
		for _, c := range text {
			if c != '\'' {
				kept = append(kept, c)
			}
		}
		text = kept
	}
	switch string(text) {
	case "whats", "wheres", "hows", "whos", "whens", "theres", "thats", "its", "todays":
		text = text[:len(text)-1]
	}
	w.end = w.start + int32(len(text))
	t.buf = t.buf[:w.end]
	w.Shape = shape(text)
	if n < 2 {
		return
	}
	before := &t.words[n-2]
	if before.end != w.start || w.Mark != 0 && w.Mark != '.' || before.end-before.start > 2 {
		return
	}
	first := t.buf[before.start:before.end]
	for _, join := range joins {
		if string(first) == join[0] && string(text) == join[1] {
			before.end = w.end
			before.Shape = Plain
			t.words = t.words[:n-1]
			return
		}
	}
}

func shape(text []byte) Shape {
	if len(text) == 0 || text[0] < '0' || text[0] > '9' {
		return Plain
	}
	i, colon := 0, false
	for i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == ':' || text[i] == '.' || text[i] == ',') {
		colon = colon || text[i] == ':'
		i++
	}
	switch string(text[i:]) {
	case "am", "pm", "oclock":
		return TimeOfDay
	case "st", "nd", "rd", "th":
		return Ordinal
	case "":
		if colon {
			return TimeOfDay
		}
		return Number
	case "s", "m", "h", "mins", "min", "hrs", "hr", "k", "c", "f":
		return Number
	}
	return Plain
}

// Names are words by which a household knows its people.
type Names map[uint32]struct{}

// NewNames are the words of those names. A word that means something else too,
// such as will or may, is left out: it is judged as what it says.
func NewNames(names []string) Names {
	set := Names{}
	person := personCategory()
	for _, name := range names {
		for _, w := range Words(name) {
			h := hashWord([]byte(w))
			if lexicon()[h]&^person == 0 {
				set[h] = struct{}{}
				set[hashWord([]byte(w+"s"))] = struct{}{} // harrys homework
			}
		}
	}
	return set
}

// Mark gives the words that are names their shape. Call it before Prepare.
func (t *Text) Mark(names Names) {
	if len(names) == 0 {
		return
	}
	for i := range t.words {
		if _, ok := names[hashWord(t.Bytes(i))]; ok {
			t.words[i].Shape = Name
		}
	}
}
