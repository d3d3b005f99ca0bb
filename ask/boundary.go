package ask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// moreThanOne says whether s holds more than one sentence. It would rather take
// two for one than refuse a good one: an abbreviation, an initial, a decimal, a
// time or a quotation does not end a sentence.
func moreThanOne(s string) bool {
	quoted := false // inside double quotes: what somebody wrote is one thing
	for i, r := range s {
		switch r {
		case '"':
			quoted = !quoted && strings.IndexByte(s[i+1:], '"') >= 0
		case '“':
			quoted = strings.ContainsRune(s[i:], '”')
		case '”':
			quoted = false
		case '.', '!', '?', '…', '؟', '।', '۔':
			if boundary(s, i, r, quoted) {
				return true
			}
		case '。', '！', '？', '｡':
			if !quoted && nextLetter(s[i+utf8.RuneLen(r):]) != "" {
				return true
			}
		}
	}
	return false
}

// boundary says whether the mark r at i ends a sentence that another follows.
func boundary(s string, i int, r rune, quoted bool) bool {
	rest := s[i+utf8.RuneLen(r):]
	closed := strings.TrimLeft(rest, `.!?…"')”’»]`)
	if quoted && len(closed) == len(strings.TrimLeft(rest, ".!?…")) {
		return false // the quotation goes on
	}
	next := nextLetter(closed)
	if next == "" {
		return false // nothing follows
	}
	word := wordBefore(s[:i])
	spaced := strings.TrimLeft(closed, " \u00a0") != closed
	if !spaced { // "3.30", "p.m", "school.org"; but "maths.He has" lacks only the space
		return r != '.' && r != '…' && utf8.RuneCountInString(word) > 2 && startsUpper(next) ||
			r == '.' && utf8.RuneCountInString(word) > 2 && starters[next]
	}
	first, _ := utf8.DecodeRuneInString(next)
	switch {
	case unicode.IsLower(first):
		return false
	case r == '!' || r == '?':
		return true
	case r == '…' || strings.HasPrefix(rest, ".") || strings.HasSuffix(s[:i], "."):
		return starters[next] // a pause, more often than an end
	case r == '.' && titles[strings.ToLower(word)]:
		return false
	case r == '.' && abbreviation(word):
		return starters[next]
	}
	return true
}

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// nextLetter is the word at the start of s, past spaces, quotes and symbols.
func nextLetter(s string) string {
	start := strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if start < 0 {
		return ""
	}
	s = s[start:]
	if end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }); end >= 0 {
		return s[:end]
	}
	return s
}

// wordBefore is the word at the end of s, with the full stops inside it: "p.m".
func wordBefore(s string) string {
	start := strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' })
	if start < 0 {
		return s
	}
	_, size := utf8.DecodeRuneInString(s[start:])
	return s[start+size:]
}

// abbreviation is a word whose full stop need not end the sentence: an initial,
// letters with stops between them, a day of the month, or a known short form.
func abbreviation(word string) bool {
	n := utf8.RuneCountInString(word)
	if n <= 1 || shortForms[strings.ToLower(word)] {
		return true
	}
	digits := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
	if digits {
		return n <= 2 // "am 4. Dezember", "Lesson 3. Maths"
	}
	if strings.Contains(word, ".") {
		for part := range strings.SplitSeq(word, ".") {
			if utf8.RuneCountInString(part) > 1 {
				return false // "at 3.30. He" and "school.org. He" are no "p.m."
			}
		}
		return true
	}
	return false
}

func words(s string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

var (
	// titles are short forms that always belong to what follows them.
	titles = words("dr mr mrs ms mx prof st rev hon sr jr fr no nr vs messrs gen col capt lt sgt mt ft hr herr fam bldg")
	// shortForms may stand at the end of a sentence or within one.
	shortForms = words(`a.m p.m am pm e.g i.e etc approx dept est ext inc ltd co corp misc min max tel vol ave rd blvd apt rm yr yrs
		jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
		mrd mio bzw ca inkl evtl usw uhr str hrs mins secs cont incl fig p pp ed`)
	// starters begin a new sentence where a short form leaves it open.
	starters = words(`He She It They We You I The This That These Those There Here His Her Its Their Our Your My Then Next After Also
		And But So Or Yes No Please Note If When What Who Where Why How Today Tomorrow Er Sie Es Wir Ich Der Die Das Dann Il Elle Ils Je`)
)
