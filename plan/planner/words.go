package planner

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// maxWords is the longest question that is read: a longer one is no plain question,
// and none of it is guessed at.
const maxWords = 60

// token is a word of a question, or a text in quotation marks.
type token struct {
	text      string // as it stands there, the possessive ending left out
	low, stem string
	from, to  int  // bytes of the question
	broken    bool // a mark that ends a clause stands before it
	capital   bool
	quoted    bool
	owner     bool // it has a possessive ending
	digits    bool // it begins with a digit
}

func stem(low string) string {
	for i := range len(low) {
		if low[i] >= utf8.RuneSelf {
			return low
		}
	}
	return english.Stem(low, true)
}

var contractions = map[string][2]string{
	"what's": {"what", "is"}, "whats": {"what", "is"}, "when's": {"when", "is"}, "whens": {"when", "is"}, "where's": {"where", "is"},
	"who's": {"who", "is"}, "how's": {"how", "is"}, "that's": {"that", "is"}, "there's": {"there", "is"}, "theres": {"there", "is"},
	"it's": {"it", "is"}, "he's": {"he", "is"}, "she's": {"she", "is"}, "let's": {"let", "us"}, "i've": {"i", "have"}, "we've": {"we", "have"},
	"you've": {"you", "have"}, "i'm": {"i", "am"}, "i'd": {"i", "would"}, "i'll": {"i", "will"}, "don't": {"do", "not"}, "doesn't": {"does", "not"},
	"didn't": {"did", "not"}, "isn't": {"is", "not"}, "aren't": {"are", "not"}, "haven't": {"have", "not"}, "hasn't": {"has", "not"},
	"can't": {"can", "not"}, "won't": {"will", "not"}, "we're": {"we", "are"}, "they're": {"they", "are"}, "today's": {"today", ""},
	"tomorrow's": {"tomorrow", ""}, "tonight's": {"tonight", ""}, "yesterday's": {"yesterday", ""}, "week's": {"week", ""},
	"weekend's": {"weekend", ""}, "month's": {"month", ""},
	"tmrw": {"tomorrow", ""}, "tmw": {"tomorrow", ""}, "2moro": {"tomorrow", ""}, "tommorow": {"tomorrow", ""}, "tommorrow": {"tomorrow", ""},
	"tomorow": {"tomorrow", ""}, "tomorro": {"tomorrow", ""}, "todays": {"today", ""}, "e-mail": {"email", ""}, "e-mails": {"emails", ""},
}

// quotes are the marks that open a quotation, with those that close it.
var quotes = map[rune]string{'“': "”“\"", '"': "\"”", '«': "»", '„': "“”", '‘': "’", '\'': "'"}

// readWords takes a question apart. ok is false for one that is longer than maxWords.
func readWords(q string) (out []token, ok bool) {
	out = make([]token, 0, 16)
	broken := false
	for i := 0; i < len(q); {
		r, n := utf8.DecodeRuneInString(q[i:])
		if closing, is := quotes[r]; is && (i == 0 || !isWordBefore(q, i)) {
			if end := strings.IndexAny(q[i+n:], closing); end > 0 && (r != '\'' && r != '‘' || closesWord(q, i+n+end)) {
				_, w := utf8.DecodeRuneInString(q[i+n+end:])
				text := strings.Join(strings.Fields(q[i+n:i+n+end]), " ")
				if text != "" {
					out = append(out, token{text: text, low: strings.ToLower(text), from: i, to: i + n + end + w, broken: broken, quoted: true})
					broken = false
				}
				i += n + end + w
				continue
			}
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			broken = broken || strings.ContainsRune(",;:?!.\n()", r)
			i += n
			continue
		}
		end := wordEnd(q, i)
		out = appendWord(out, q[i:end], i, end, broken)
		broken = false
		i = end
		if len(out) > maxWords {
			return nil, false
		}
	}
	return out, true
}

func isWordBefore(q string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(q[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// closesWord says that the single mark at i closes a quotation and is no apostrophe.
func closesWord(q string, i int) bool {
	_, n := utf8.DecodeRuneInString(q[i:])
	r, _ := utf8.DecodeRuneInString(q[i+n:])
	return !unicode.IsLetter(r)
}

// wordEnd is where the word ends that begins at i. Single marks between letters or
// digits belong to it.
func wordEnd(q string, i int) int {
	for i < len(q) {
		r, n := utf8.DecodeRuneInString(q[i:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			i += n
			continue
		case strings.ContainsRune("'’-.:/_@&+", r):
			next, _ := utf8.DecodeRuneInString(q[i+n:])
			if unicode.IsLetter(next) || unicode.IsDigit(next) {
				i += n
				continue
			}
		}
		return i
	}
	return i
}

func appendWord(out []token, text string, from, to int, broken bool) []token {
	first, _ := utf8.DecodeRuneInString(text)
	t := token{text: text, from: from, to: to, broken: broken, capital: unicode.IsUpper(first), digits: unicode.IsDigit(first)}
	t.low = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	if two, is := contractions[t.low]; is {
		t.low, t.stem = two[0], stem(two[0])
		out = append(out, t)
		if two[1] != "" {
			out = append(out, token{text: two[1], low: two[1], stem: two[1], from: to, to: to})
		}
		return out
	}
	if cut, is := strings.CutSuffix(t.low, "'s"); is {
		t.owner, t.low = true, cut
	} else if cut, is := strings.CutSuffix(t.low, "'"); is {
		t.owner, t.low = true, cut
	}
	if t.owner {
		t.text = text[:strings.LastIndexAny(text, "'’")]
	}
	t.stem = stem(t.low)
	return append(out, t)
}

// content says that a word says what is wanted.
func (t *token) content() bool { return !hard[t.low] && !soft[t.low] }

// isTypo says that a is b with one letter too many, too few, changed or swapped. The
// first letter stands, and short words are never corrected.
func isTypo(a, b string) bool {
	if len(a) < 5 || len(b) < 5 || a[0] != b[0] || a == b {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
