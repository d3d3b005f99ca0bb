package main

import (
	"math/rand/v2"
	"strings"

	"github.com/askhub/askhub/internal/hub/guard/corpus"
)

var (
	before = []string{"please", "hey jervis,", "um", "right,", "ok so", "hi,", "quick one:", "jervis", "so", "oh and", "erm", "sorry,", "listen,", "hello,", "now then,", "hey", "evening,", "good morning,", "one more thing,", "by the way,", "when you can,", "quickly"}
	after  = []string{"please", "thanks", "ta", "pls", "for me", "cheers", "would you", "thank you", "if you can", "love", "mate", "ok", "now", "tonight", "today", "will you"}
	names  = []string{"Harry", "Emma", "Mia", "Tom", "Sam", "Freya", "Oscar", "Noah", "Lily", "Callum", "Zoe", "Ben", "Priya", "Kasia", "Dylan", "Aisha", "Leo"}
	sounds = []string{"ka", "mo", "ri", "ze", "lu", "ta", "ny", "vi", "so", "del", "bra", "qui", "sha", "en", "jo", "tri"}
)

// vary writes a sentence as another household, another keyboard or a microphone might.
func vary(l corpus.Line, rng *rand.Rand) string {
	text := corpus.Pick(l.Text, rng.IntN)
	words := strings.Fields(text)
	for i, w := range words {
		core := strings.TrimRight(w, ".,?!:;'\"")
		core = strings.TrimSuffix(core, "'s")
		for _, n := range names {
			if core == n && rng.IntN(3) == 0 {
				to := names[rng.IntN(len(names))]
				if rng.IntN(3) == 0 {
					to = strings.ToUpper(sounds[rng.IntN(len(sounds))][:1]) + sounds[rng.IntN(len(sounds))][1:] + sounds[rng.IntN(len(sounds))] + sounds[rng.IntN(len(sounds))][:1]
				}
				words[i] = to + w[len(core):]
			}
		}
	}
	if l.Style != "typo" && rng.IntN(7) == 0 {
		for range 1 + rng.IntN(2) {
			i := rng.IntN(len(words))
			words[i] = slip(words[i], rng)
		}
	}
	if l.Style != "quoted" && l.Style != "long" {
		if rng.IntN(12) == 0 {
			words = append([]string{before[rng.IntN(len(before))]}, words...)
		}
		if rng.IntN(12) == 0 {
			last := words[len(words)-1]
			words[len(words)-1] = strings.TrimRight(last, ".?!")
			words = append(words, after[rng.IntN(len(after))])
		}
	}
	text = strings.Join(words, " ")
	switch rng.IntN(6) {
	case 0, 1:
		text = strings.ToLower(strip.Replace(text))
	case 2:
		text = strings.ToLower(text)
	case 3:
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

var strip = strings.NewReplacer(",", "", ".", "", "?", "", "!", "", ":", "", ";", "", "\"", "", "'", "", "-", " ")

// slip makes one typing error in a word of four letters or more.
func slip(w string, rng *rand.Rand) string {
	if len(w) < 4 || strings.ContainsFunc(w, func(r rune) bool { return r > 126 }) {
		return w
	}
	i := 1 + rng.IntN(len(w)-2)
	switch rng.IntN(4) {
	case 0:
		return w[:i] + w[i+1:]
	case 1:
		return w[:i] + w[i+1:i+2] + w[i:i+1] + w[i+2:]
	case 2:
		return w[:i] + w[i:i+1] + w[i:]
	default:
		return w[:i] + string(rune('a'+rng.IntN(26))) + w[i+1:]
	}
}
