package meaning

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed lexicon.txt
var lexiconText string

// concept is the number of a line of the lexicon, from 1; 0 is a word without one.
type concept uint8

// lexicon is what words mean. It is built once and only read after that.
type lexicon struct {
	names  []string // by concept
	class  []byte   // by concept
	hide   []bool   // by concept
	words  map[string]concept
	phrase map[string]concept // several words, joined by spaces
	starts map[uint32]uint8   // hash of a phrase's first word: how many words the longest has
	single []string           // the words, for the two below
	near   map[uint32]uint16  // hash of a word with one letter left out: the word's place in single
	sound  map[string]uint16  // sound of a word: its place in single
	hash   []uint32           // by concept
	gist   []byte             // by concept: the family that it is one of, or 0
	bears  []bool             // by concept: a control action may rest on it
	byName map[string]concept
	given  map[string]bool // first names

	num, unit, clock, sw, verb, console concept
}

// families are the concepts whose difference rarely matters.
var families = map[string]byte{
	"KIDS": 'P', "FAM": 'P', "YOUNGP": 'P', "THEM": 'P', "EVERYONE": 'P',
	"DEV": 'G', "CONSOLE": 'G', "TABLETS": 'G', // tablets are also what a chemist sells
	"DAY": 'D', "CLOCK": 'D', "UNTIL": 'D', "UNIT": 'Q', "NUM": 'Q',
	"LIGHT": 'H', "HEAT": 'H', "HOME": 'H',
	"APP": 'A', "APPGEN": 'A',
	"PAST": 'W', "STATE": 'W',
}

// bearing are the concepts besides controls and acts on them that a control action may rest on.
var bearing = map[string]bool{
	"MORE": true, "LESS": true, "BACK": true, "UNIT": true, "NUM": true, "CLOCK": true, "OFF": true, "ON": true, "PUNISH": true,
	"REMOVE": true, "GIVE": true, "SETV": true, "TAKEV": true, "CREATE": true, "STOPV": true, "OPEN": true,
}

var lex = sync.OnceValue(buildLexicon)

func buildLexicon() *lexicon {
	l := &lexicon{
		names: []string{""}, class: []byte{0}, hide: []bool{false}, hash: []uint32{0}, gist: []byte{0}, bears: []bool{false},
		words: make(map[string]concept, 4096), phrase: make(map[string]concept, 1024),
		starts: make(map[uint32]uint8, 512), near: make(map[uint32]uint16, 16384),
		sound: make(map[string]uint16, 2048), byName: make(map[string]concept, 96),
		given: make(map[string]bool, 1024),
	}
	var f folded
	for line := range strings.Lines(lexiconText) {
		line = strings.TrimSpace(line)
		head, list, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		name, class, _ := strings.Cut(head, " ")
		c := concept(len(l.names))
		l.names = append(l.names, name)
		l.class = append(l.class, class[0])
		l.hide = append(l.hide, strings.HasSuffix(class, "="))
		l.hash = append(l.hash, hashString(name)*31+7)
		l.byName[name] = c
		l.gist = append(l.gist, families[name])
		l.bears = append(l.bears, class[0] == 'T' || class[0] == 'A' || bearing[name])
		for entry := range strings.SplitSeq(list, ", ") {
			f.fold(entry)
			w := strings.ReplaceAll(string(f.text), "-", " ")
			w = strings.ReplaceAll(w, "'", "")
			l.add(w, c)
		}
	}
	l.num, l.unit, l.clock = l.byName["NUM"], l.byName["UNIT"], l.byName["CLOCK"]
	l.sw, l.verb, l.console = l.byName["SWITCH"], l.byName["SWITCHV"], l.byName["CONSOLE"]
	for name := range strings.FieldsSeq(givenNames) {
		l.given[name] = true
	}
	for w, c := range l.words {
		l.addNear(w, c)
	}
	return l
}

func (l *lexicon) add(w string, c concept) {
	if n := strings.Count(w, " "); n > 0 {
		if _, ok := l.phrase[w]; ok {
			return
		}
		l.phrase[w] = c
		first, _, _ := strings.Cut(w, " ")
		h := hashString(first)
		l.starts[h] = max(l.starts[h], uint8(n+1))
		return
	}
	if _, ok := l.words[w]; !ok {
		l.words[w] = c
	}
}

// addNear lets a misspelt word be found. Of two words with the same key the smaller
// one wins, so that the order of a map never shows.
func (l *lexicon) addNear(w string, c concept) {
	if len(w) < 4 || l.class[c] == 'D' && len(w) < 5 {
		return
	}
	place := uint16(len(l.single))
	l.single = append(l.single, w)
	put := func(h uint32) {
		if old, ok := l.near[h]; !ok || w < l.single[old] {
			l.near[h] = place
		}
	}
	put(hashString(w))
	for i := range len(w) {
		put(hashTwo(w[:i], w[i+1:]))
	}
	if k := soundKey(w); len(k) >= 3 {
		if old, ok := l.sound[k]; !ok || w < l.single[old] {
			l.sound[k] = place
		}
	}
}

// irregular are the past forms that no ending gives away.
var irregular = map[string]string{
	"gave": "give", "given": "give", "took": "take", "taken": "take", "made": "make", "kept": "keep", "froze": "freeze", "frozen": "freeze",
	"forbade": "forbid", "forbidden": "forbid", "held": "hold", "lent": "lend", "chose": "set", "undid": "undo", "undone": "undo", "shook": "kick",
	"overrode": "override", "overridden": "override", "threw": "chuck", "thrown": "chuck", "slung": "sling",
}

// find is the concept of a word as it stands or bent; infl says how it was bent.
func (l *lexicon) find(w []byte) (c concept, infl byte) {
	if c, ok := l.words[string(w)]; ok {
		return c, 0
	}
	if base, ok := irregular[string(w)]; ok {
		return l.words[base], 'd'
	}
	n := len(w)
	try := func(stem []byte) bool {
		v, ok := l.words[string(stem)]
		if ok {
			c = v
		}
		return ok
	}
	switch {
	case n > 4 && w[n-1] == 's' && w[n-2] != 's':
		if try(w[:n-1]) || w[n-2] == 'e' && try(w[:n-2]) {
			return c, 's'
		}
	case n > 4 && w[n-1] == 'd' && w[n-2] == 'e':
		if try(w[:n-1]) || try(w[:n-2]) || w[n-3] == w[n-4] && try(w[:n-3]) {
			return c, 'd'
		}
	case n > 5 && string(w[n-3:]) == "ing":
		if try(w[:n-3]) || w[n-4] == w[n-5] && try(w[:n-4]) {
			return c, 'g'
		}
		var b [32]byte
		if n-2 <= len(b) {
			e := append(b[:0], w[:n-3]...)
			if try(append(e, 'e')) {
				return c, 'g'
			}
		}
	}
	return 0, 0
}

// closest is the lexicon's word that a misspelt one stands for.
func (l *lexicon) closest(w []byte) (string, bool) {
	if len(w) < 4 || len(w) > 24 {
		return "", false
	}
	best := ""
	better := func(cand string) bool {
		if cand[0] != w[0] && len(w) < 6 {
			return false
		}
		return best == "" || (cand[0] == w[0]) && best[0] != w[0] || len(cand) == len(w) && len(best) != len(w)
	}
	look := func(h uint32) {
		if at, ok := l.near[h]; ok && better(l.single[at]) {
			best = l.single[at]
		}
	}
	look(hashBytes(w))
	for i := range w {
		h := hashInit
		for j, c := range w {
			if j != i {
				h = (h ^ uint32(c)) * hashPrime
			}
		}
		look(h)
	}
	if best == "" {
		return l.sounds(w)
	}
	return best, true
}

// sounds is the lexicon's word that sounds like this one.
func (l *lexicon) sounds(w []byte) (string, bool) {
	if len(w) < 4 || len(w) > 24 {
		return "", false
	}
	var b [32]byte
	k := appendSound(b[:0], w)
	if len(k) < 3 {
		return "", false
	}
	at, ok := l.sound[string(k)]
	if !ok {
		return "", false
	}
	return l.single[at], true
}

func soundKey(w string) string { return string(appendSound(nil, []byte(w))) }

// appendSound writes the consonants of a word as they sound, after its first letter.
func appendSound(b, w []byte) []byte {
	for i := 0; i < len(w); i++ {
		c := w[i]
		next := byte(0)
		if i+1 < len(w) {
			next = w[i+1]
		}
		switch c {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			if i == 0 {
				b = append(b, 'a')
			}
			continue
		case 'h', 'w', '\'':
			if i > 0 {
				continue
			}
		case 'p':
			if next == 'h' {
				c = 'f'
			}
		case 'c':
			if next == 'e' || next == 'i' {
				c = 's'
			} else {
				c = 'k'
			}
		case 'q':
			c = 'k'
		case 'z':
			c = 's'
		case 'x':
			b = append(b, 'k')
			c = 's'
		}
		if n := len(b); n > 0 && b[n-1] == c {
			continue
		}
		b = append(b, c)
	}
	return b
}

const (
	hashInit  = uint32(2166136261)
	hashPrime = uint32(16777619)
)

func hashString(s string) uint32 {
	h := hashInit
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * hashPrime
	}
	return h
}

func hashBytes(s []byte) uint32 {
	h := hashInit
	for _, c := range s {
		h = (h ^ uint32(c)) * hashPrime
	}
	return h
}

func hashTwo(a, b string) uint32 {
	h := hashString(a)
	for i := range len(b) {
		h = (h ^ uint32(b[i])) * hashPrime
	}
	return h
}

// mix joins two hashes under a tag.
func mix(tag, a, b uint32) uint32 {
	h := (a ^ tag*0x9E3779B1) * 0x85EBCA6B
	h ^= h >> 15
	h = (h ^ b) * 0xC2B2AE35
	h ^= h >> 13
	return h * 0x27D4EB2F
}
