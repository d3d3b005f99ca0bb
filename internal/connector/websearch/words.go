package websearch

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// leads are ways of asking for a search; the longer ones stand first.
var leads = []string{
	"can you", "could you", "would you", "please", "hey", "ok", "okay", "go and",
	"search the internet for", "search the web for", "search online for", "search for", "search the web", "search",
	"look up on the internet", "look on the internet for", "look up online", "look up", "google", "find out",
}

// asksToSearch are those after which the rest is a search whatever it holds.
var asksToSearch = []string{"search", "look", "google", "find"}

// query is what is searched for: the question's words without the way of asking. A word
// that SearXNG would take for an order (another engine, a language, a redirect) loses
// the sign that makes it one.
func query(question string) string {
	words, _ := withoutLead(strings.Fields(question))
	kept := words[:0:0]
	for _, w := range words {
		w = strings.TrimLeftFunc(w, func(r rune) bool { return strings.ContainsRune("!:<?", r) })
		w = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, w)
		if w != "" {
			kept = append(kept, w)
		}
	}
	return strings.TrimRight(strings.Join(kept, " "), ".?! ")
}

// withoutLead takes the ways of asking off the front, and says whether one of them
// asks for a search by its name.
func withoutLead(words []string) (rest []string, search bool) {
next:
	for {
		for _, lead := range leads {
			parts := strings.Fields(lead)
			if len(words) <= len(parts) || !slices.EqualFunc(words[:len(parts)], parts, sameWord) {
				continue
			}
			search = search || slices.Contains(asksToSearch, parts[0])
			words = words[len(parts):]
			continue next
		}
		return words, search
	}
}

// sameWord compares a spoken word with one of ours.
func sameWord(said, ours string) bool { return bare(said) == ours }

// bare is the word in small letters without punctuation at its ends.
func bare(word string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "’", "'")
	word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.TrimSuffix(word, "'s")
}

// days is which days the weather is asked for, counted from the first.
type days struct {
	// word is how they are called: "today", "on Friday", "at the weekend".
	word string
	// weekdays are the days; nil is offset days from today.
	weekdays []time.Weekday
	offset   int
}

// today is whether they are today alone.
func (d days) today() bool { return d.weekdays == nil && d.offset == 0 }

var weatherWords = map[string]bool{
	"weather": true, "forecast": true, "rain": true, "raining": true, "rainy": true, "snow": true, "snowing": true, "umbrella": true,
	"sunny": true, "windy": true, "freezing": true, "outside": true,
}

// feels are said of the weather where they follow "how", or of nothing else.
var feels = map[string]bool{"cold": true, "warm": true, "hot": true, "temperature": true}

// here are words after "in", "at" and "for" that name no other place.
var here = map[string]bool{
	"the": true, "a": true, "an": true, "my": true, "our": true, "this": true, "next": true, "home": true, "today": true, "tomorrow": true, "tonight": true,
	"morning": true, "afternoon": true, "evening": true, "night": true, "weekend": true, "noon": true, "lunchtime": true, "school": true,
	"monday": true, "tuesday": true, "wednesday": true, "thursday": true, "friday": true, "saturday": true, "sunday": true,
}

// asksWeather says whether the question is about the weather at home, and of which days.
func asksWeather(question string) (days, bool) {
	words := strings.Fields(question)
	if _, search := withoutLead(words); search {
		return days{}, false
	}
	when := days{word: "today"}
	about := false
	for i, w := range words {
		w = bare(w)
		about = about || weatherWords[w] || feels[w] && i > 0 && bare(words[0]) != "what" || w == "temperature"
		if (w == "in" || w == "at" || w == "for" || w == "near") && i+1 < len(words) && !here[bare(words[i+1])] && !isNumber(words[i+1]) {
			return days{}, false // elsewhere, or something else
		}
		if w == "inside" || w == "kitchen" || w == "room" || w == "bedroom" || w == "house" {
			return days{}, false
		}
		when = when.named(w)
	}
	return when, about
}

// named is d where w names no day, and else the day that it names.
func (d days) named(w string) days {
	switch w {
	case "tomorrow":
		return days{word: "tomorrow", offset: 1}
	case "weekend":
		return days{word: "at the weekend", weekdays: []time.Weekday{time.Saturday, time.Sunday}}
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if w == strings.ToLower(day.String()) {
			return days{word: "on " + day.String(), weekdays: []time.Weekday{day}}
		}
	}
	return d
}

func isNumber(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

// whereabouts is whether the words ask where somebody of the household is, and for nothing else:
// "where is Dad", and not "where is Dad's Army filmed". That is no stranger's to hear.
func (c *Connector) whereabouts(words string) bool {
	said := strings.Fields(words)
	for i := range said {
		said[i] = bare(said[i])
	}
	if c.cfg.LivesHere == nil || len(said) < 2 || said[0] != "where" {
		return false
	}
	said = slices.DeleteFunc(said[1:], func(w string) bool {
		return slices.Contains([]string{"is", "are", "was", "were", "has", "have", "did", "go", "gone", "been", "now", "right", "just", "at", "the", "moment", "today", "and", "my", "our"}, w)
	})
	return len(said) > 0 && !slices.ContainsFunc(said, func(w string) bool { return !c.cfg.LivesHere(w) })
}
