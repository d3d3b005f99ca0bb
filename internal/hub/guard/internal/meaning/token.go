package meaning

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// token is one word of a question, or several that mean one thing.
type token struct {
	from, to int32 // in the folded text
	src, end int32 // in the question
	word     uint32
	concept  concept
	soft     concept // what it may have been before a slip of the ear
	infl     byte    // 's', 'd' or 'g' for -s, -ed and -ing; 'p' for 's
	brk      byte    // what stands before it: ',' or '.' or nothing
	known    bool
	vocable
	name    bool
	capital bool
	quoted  bool
	ask     bool // its sentence ends in a question mark
}

// vocable is what is known of a word of everyday speech.
type vocable struct {
	met  bool  // the model met it often enough to know it by itself
	kin  uint8 // words that are used alike share it; 0 is none
	wide uint8 // the same, in fewer groups
}

// Reader turns questions into tokens. It is not for use by several goroutines at once.
type Reader struct {
	l        *lexicon
	known    func(uint32) (vocable, bool) // the words of everyday speech, by hash
	house    map[string]bool              // the household's names; false for one that is a word too
	f        folded
	tokens   []token
	tmp      []byte
	dp       []cell
	feats    []feature
	cons     []int32
	spansBuf []span
	partsBuf [][]token
}

func (r *Reader) text(t token) []byte { return r.f.text[t.from:t.to] }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || c >= utf8.RuneSelf }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

// read splits a question into tokens and finds what each of them means.
func (r *Reader) read(q string) {
	r.f.fold(q)
	r.tokens = r.tokens[:0]
	r.split(q)
	r.joinSpelt()
	r.partJoined()
	for i := range r.tokens {
		r.means(i)
	}
	r.merge()
	r.settle()
}

// split cuts the folded text into words and notes the marks between them.
func (r *Reader) split(q string) {
	text := r.f.text
	brk, quoted, sentence := byte(0), false, 0
	for i := 0; i < len(text); {
		c := text[i]
		start := i
		switch {
		case letter(c) || digit(c) || (c == '@' || c == '$') && i+1 < len(text) && letter(text[i+1]):
			i = r.word(i)
			t := token{from: int32(start), to: int32(i), brk: brk, quoted: quoted}
			brk = 0
			r.push(t, q)
			continue
		case c == '"':
			quoted = !quoted // no break: what is quoted belongs to who says it
		case c == '?':
			for j := sentence; j < len(r.tokens); j++ {
				r.tokens[j].ask = true
			}
			sentence, brk = len(r.tokens), '.'
		case c == '.' || c == '!' || c == ';' || c == '\n':
			sentence, brk = len(r.tokens), '.'
		case c == ',' || c == ':' || c == '(' || c == ')' || c == '-' && i > 0 && text[i-1] == ' ':
			brk = max(brk, ',')
		}
		i++
	}
}

// word is where the word that starts at i ends. Letters and the digits and signs that
// stand for letters belong to it; 9pm and 2h are two words.
func (r *Reader) word(i int) int {
	text, start, mixed := r.f.text, i, false
	i++
	for i < len(text) {
		c, prev := text[i], text[i-1]
		switch {
		case letter(c):
			if digit(prev) && !mixed && !r.gluedDigits(start, i) {
				return i
			}
			mixed = mixed || digit(prev)
		case digit(c):
			mixed = mixed || letter(prev)
		case c == '\'' && i+1 < len(text) && letter(text[i+1]):
		case (c == '.' || c == ':') && digit(prev) && i+1 < len(text) && digit(text[i+1]):
		case (c == '@' || c == '$' || c == '!' || c == '|') && letter(prev) && i+1 < len(text) && (letter(text[i+1]) || digit(text[i+1])):
		default:
			return i
		}
		i++
	}
	return i
}

// gluedDigits is whether digits before letters are disguised letters (0ff), not a number
// with its unit (9pm).
func (r *Reader) gluedDigits(start, i int) bool {
	text := r.f.text
	end := i
	for end < len(text) && (letter(text[end]) || digit(text[end])) {
		end++
	}
	switch string(text[i:end]) {
	case "h", "hr", "hrs", "m", "min", "mins", "am", "pm", "s", "d", "st", "nd", "rd", "th", "hour", "hours", "minutes", "p", "k", "gb", "mb", "x", "ish", "days", "c", "f", "uhr", "minute", "weeks", "moro", "nite", "day":
		return false
	}
	return i-start <= 2
}

func (r *Reader) push(t token, q string) {
	text := r.f.text
	t.src = r.f.at[t.from]
	last := r.f.at[t.to-1]
	_, n := utf8.DecodeRuneInString(q[last:])
	t.end = last + int32(n)
	first, _ := utf8.DecodeRuneInString(q[t.src:])
	t.capital = unicode.IsUpper(first)
	w := text[t.from:t.to]
	if n := len(w); n > 2 && w[n-1] == 's' && w[n-2] == '\'' {
		t.infl = 'p'
		t.to -= 2
	} else if int(t.to) < len(text) && text[t.to] == '\'' && w[n-1] == 's' {
		t.infl = 'p'
	}
	r.tokens = append(r.tokens, t)
}

// rewrite gives a token another spelling, at the end of the folded text.
func (r *Reader) rewrite(t *token, w []byte) {
	t.from = int32(len(r.f.text))
	r.f.text = append(r.f.text, w...)
	t.to = int32(len(r.f.text))
}

// means finds what one token means.
func (r *Reader) means(i int) {
	t := &r.tokens[i]
	w := r.text(*t)
	if slices.Contains(w, '\'') { // don't, it's
		r.tmp = r.tmp[:0]
		for _, c := range w {
			if c != '\'' {
				r.tmp = append(r.tmp, c)
			}
		}
		r.rewrite(t, r.tmp)
		w = r.text(*t)
	}
	if digit(w[0]) && !slices.ContainsFunc(w, letter) {
		t.concept, t.known = r.l.num, true
		t.word = hashString("0")
		return
	}
	if r.named(i, w) {
		t.name, t.known = true, true
		return
	}
	if t.concept, t.infl = r.bent(*t, w); t.concept != 0 {
		t.word, t.known = hashBytes(w), true
		return
	}
	if slices.ContainsFunc(w, func(c byte) bool { return !letter(c) }) && r.unleet(t) {
		return
	}
	t.word = hashBytes(w)
	if v, ok := r.known(t.word); ok {
		t.known, t.vocable = true, v
		if s, ok := r.l.sounds(w); ok {
			t.soft = r.l.words[s]
		}
		return
	}
	if t.capital && i > 0 && t.brk != '.' {
		return // a proper noun that nobody knows is not a slip
	}
	if t.infl == 'p' && len(w) < 8 {
		t.name = true // an unknown word that owns something is somebody
		return
	}
	if s, ok := r.l.closest(w); ok {
		t.concept, t.known = r.l.words[s], true
		t.word = hashString(s)
		return
	}
	if n := len(w); n > 3 && w[n-1] == 's' {
		if s, ok := r.l.closest(w[:n-1]); ok {
			t.concept, t.known = r.l.words[s], true
			t.word = hashString(s)
		}
	}
}

func (r *Reader) bent(t token, w []byte) (concept, byte) {
	c, infl := r.l.find(w)
	if infl == 0 {
		infl = t.infl
	}
	return c, infl
}

// named is whether a token is a first name.
func (r *Reader) named(i int, w []byte) bool {
	t := &r.tokens[i]
	stem, bent := w, false
	if n := len(w); n > 3 && w[n-1] == 's' && t.infl != 'p' {
		stem, bent = w[:n-1], true
	}
	is := func(w []byte) bool {
		certain, ours := r.house[string(w)]
		switch {
		case certain:
			return true
		case !ours && !r.l.given[string(w)]:
			return false
		case !ours && !wordNames[string(w)]:
			return true
		}
		if t.infl == 'p' {
			return true
		}
		if t.capital && (i > 0 && t.brk != '.') {
			return true
		}
		if i > 0 {
			switch string(r.text(r.tokens[i-1])) {
			case "let", "give", "for", "gives", "get", "stop", "allow", "ban", "to":
				return string(w) != "may" && string(w) != "mark" && (i+1 >= len(r.tokens) || string(w) == "will")
			}
		}
		return false
	}
	if is(w) {
		return true
	}
	if bent && is(stem) && r.l.words[string(w)] == 0 {
		t.infl = 'p'
		return true
	}
	return false
}

// merge makes one token of words that mean one thing together: phrases, words that were
// pulled apart, and lengths of time.
func (r *Reader) merge() {
	toks := r.tokens
	out := 0
	for i := 0; i < len(toks); {
		t, n := r.phraseAt(toks, i)
		if n == 0 {
			t, n = r.pulledApart(toks, i)
		}
		if n == 0 {
			t, n = toks[i], 1
		}
		toks[out] = t
		out++
		i += n
	}
	r.tokens = toks[:out]
	r.lengths()
}

func (r *Reader) phraseAt(toks []token, i int) (token, int) {
	w := r.text(toks[i])
	longest, ok := r.l.starts[hashBytes(w)]
	if !ok {
		return token{}, 0
	}
	for n := min(int(longest), len(toks)-i); n >= 2; n-- {
		r.tmp = append(r.tmp[:0], w...)
		broken := false
		for _, t := range toks[i+1 : i+n] {
			broken = broken || t.brk != 0
			r.tmp = append(r.tmp, ' ')
			r.tmp = append(r.tmp, r.text(t)...)
		}
		if broken {
			continue
		}
		c, ok := r.l.phrase[string(r.tmp)]
		infl := toks[i+n-1].infl
		if !ok && r.tmp[len(r.tmp)-1] == 's' {
			c, ok = r.l.phrase[string(r.tmp[:len(r.tmp)-1])]
		}
		if !ok {
			continue
		}
		t := toks[i]
		t.end, t.concept, t.infl, t.known, t.name, t.soft = toks[i+n-1].end, c, infl, true, false, 0
		t.word = hashBytes(r.tmp)
		return t, n
	}
	return token{}, 0
}

// pulledApart joins two words that are one of the lexicon's, such as "inter net".
func (r *Reader) pulledApart(toks []token, i int) (token, int) {
	if i+1 >= len(toks) || toks[i+1].brk != 0 || toks[i].name || toks[i+1].name {
		return token{}, 0
	}
	a, b := r.text(toks[i]), r.text(toks[i+1])
	if len(a)+len(b) < 5 || len(b) < 2 || toks[i].concept != 0 && toks[i+1].concept != 0 {
		return token{}, 0
	}
	r.tmp = append(append(r.tmp[:0], a...), b...)
	c, infl := r.l.find(r.tmp)
	if c == 0 {
		return token{}, 0
	}
	t := toks[i]
	t.end, t.concept, t.infl, t.known, t.soft = toks[i+1].end, c, infl, true, 0
	t.word = hashBytes(r.tmp)
	return t, 2
}

// lengths merges numbers with what they count: half an hour, 20 minutes, half seven, 9 pm.
func (r *Reader) lengths() {
	num, unit, clock := r.l.num, r.l.unit, r.l.clock
	toks := r.tokens
	out := 0
	for i := 0; i < len(toks); {
		t := toks[i]
		if t.concept != num {
			toks[out] = t
			out++
			i++
			continue
		}
		j, kind := i+1, concept(0)
		for j < len(toks) && j-i < 6 && kind == 0 && toks[j].brk == 0 {
			switch c := toks[j].concept; {
			case c == num:
				j++
			case c == unit:
				kind = unit
				j++
			case c == clock:
				kind = clock
				j++
			case j+1 < len(toks) && r.glue(toks[j]) && (toks[j+1].concept == num || toks[j+1].concept == unit):
				j++
			default:
				kind = num
			}
		}
		if kind == unit && j+2 < len(toks) && string(r.text(toks[j])) == "and" && toks[j+2].concept == num {
			j += 3
		} else if kind == unit && j+1 < len(toks) && string(r.text(toks[j])) == "and" && toks[j+1].concept == num {
			j += 2
		}
		if kind == 0 {
			kind = num
		}
		j = min(j, len(toks))
		t.end, t.concept, t.known = toks[j-1].end, kind, true
		t.word = r.l.hash[kind]
		toks[out] = t
		out++
		i = j
	}
	r.tokens = toks[:out]
}

func (r *Reader) glue(t token) bool {
	switch string(r.text(t)) {
	case "a", "an", "and", "of", "past", "to", "more", "extra", "whole":
		return true
	}
	return false
}

// settle decides words that mean one thing or another by their place.
func (r *Reader) settle() {
	sw, verb, console := r.l.sw, r.l.verb, r.l.console
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.concept == sw {
			t.concept = verb
			if i > 0 && t.brk == 0 && r.ownedBy(r.tokens[i-1]) {
				t.concept = console
			}
		}
	}
}

// ownedBy is whether a word makes the next one a thing: the, his, Mia's.
func (r *Reader) ownedBy(t token) bool {
	if t.name || t.infl == 'p' {
		return true
	}
	switch string(r.text(t)) {
	case "the", "a", "his", "her", "my", "our", "their", "on", "off", "nintendo", "new", "that", "this", "of", "from", "family", "with", "play", "mum", "dad":
		return true
	}
	return false
}
