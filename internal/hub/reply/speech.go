package reply

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// patterns are what a voice would spell out. The order in speak matters: markup
// goes before the link in it, a link before the symbols in it, an instant before
// the date in it. They are compiled when something is first spoken, since that
// takes a tenth of the whole start.
type patterns struct {
	link, instant, isoDate, clock, clockSpan, pounds, celsius, minus, tag, named, markdown *regexp.Regexp
}

var spelt = sync.OnceValue(func() *patterns {
	return &patterns{
		link:      regexp.MustCompile(`(?i)\b(?:https?://|www\.)\S+[^\s.,;:!?)]`),
		instant:   regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?`),
		isoDate:   regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})\b`),
		clock:     regexp.MustCompile(`\b([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?\b(\s*(?i:a\.?m\b\.?|p\.?m\b\.?))?`),
		clockSpan: regexp.MustCompile(`(\d:[0-5]\d)\s?[-–—]\s?(\d{1,2}:[0-5]\d)`),
		pounds:    regexp.MustCompile(`([£$€])\s?(\d+(?:[.,]\d+)?)`),
		celsius:   regexp.MustCompile(`(-?\d+(?:[.,]\d+)?)\s?°\s?([CF])?`),
		minus:     regexp.MustCompile(`(^|\s)[-−](\d)`),
		tag:       regexp.MustCompile(`</?[A-Za-z!][^<>]*>`),
		named:     regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()\s]*\)`),
		markdown:  regexp.MustCompile("[*_`~#|>]+"),
	}
})

var money = map[string]string{"£": "pounds", "$": "dollars", "€": "euros"}

var symbols = strings.NewReplacer("&", " and ", "%", " percent", "+", " plus ", "=", " equals ", "@", " at ", "–", ", ", "—", ", ", "…", "")

// speak is s as one would read it out.
func speak(s string, now time.Time) string {
	s = oneLine(s)
	if !needsSpeaking(s) {
		return s
	}
	p := spelt()
	s = p.tag.ReplaceAllString(html.UnescapeString(p.tag.ReplaceAllString(s, " ")), " ")
	s = p.named.ReplaceAllString(s, "$1")
	s = p.link.ReplaceAllString(s, "a link")
	s = p.instant.ReplaceAllStringFunc(s, func(m string) string { return sayInstant(m, now) })
	s = p.isoDate.ReplaceAllStringFunc(s, func(m string) string { return sayDate(m, now) })
	s = p.clockSpan.ReplaceAllString(s, "$1 to $2")
	s = p.clock.ReplaceAllStringFunc(s, sayClock)
	s = p.pounds.ReplaceAllStringFunc(s, func(m string) string {
		g := p.pounds.FindStringSubmatch(m)
		return g[2] + " " + money[g[1]]
	})
	s = p.minus.ReplaceAllString(s, "${1}minus $2")
	s = p.celsius.ReplaceAllString(s, "$1 degrees")
	s = p.markdown.ReplaceAllString(s, " ")
	s = symbols.Replace(s)
	s = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.So, unicode.Sk, unicode.Cf, unicode.Variation_Selector) || r == '\u200d' {
			return -1
		}
		return r
	}, s)
	return tidy(oneLine(s))
}

// needsSpeaking is false for plain words, which most answers are.
func needsSpeaking(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 0x2000 && r != '’' || strings.ContainsRune("*_`~#|<>[&%+=@/£$°", r)
	}) || strings.Contains(s, "www.")
}

// tidy takes back the spaces that a replacement left before punctuation.
func tidy(s string) string {
	for _, p := range []string{",", ".", ";", ":", "!", "?"} {
		s = strings.ReplaceAll(s, " "+p, p)
	}
	return strings.ReplaceAll(s, ",,", ",")
}

func sayInstant(m string, now time.Time) string {
	g := spelt().instant.FindStringSubmatch(m)
	return sayDate(g[1]+"-"+g[2]+"-"+g[3], now) + " at " + sayClock(g[4]+":"+g[5])
}

func sayDate(m string, now time.Time) string {
	d, err := time.Parse("2006-01-02", m)
	if err != nil {
		return m
	}
	said := "the " + ordinal(d.Day()) + " of " + d.Month().String()
	if d.Year() != now.Year() {
		said += " " + strconv.Itoa(d.Year())
	}
	return said
}

func ordinal(n int) string {
	suffix := "th"
	if n < 11 || n > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// sayClock says a time of day: "15:30" is "half past 3 in the afternoon".
func sayClock(m string) string {
	g := spelt().clock.FindStringSubmatch(m)
	hour, _ := strconv.Atoi(g[1])
	minute, _ := strconv.Atoi(g[2])
	half := strings.ToLower(strings.Map(letters, g[3]))
	switch {
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	switch {
	case minute == 0 && hour == 0:
		return "midnight"
	case minute == 0 && hour == 12:
		return "midday"
	}
	part := partOfDay(hour)
	switch {
	case minute == 0:
		return fmt.Sprintf("%d %s", twelve(hour), part)
	case minute == 15:
		return fmt.Sprintf("quarter past %d %s", twelve(hour), part)
	case minute == 30:
		return fmt.Sprintf("half past %d %s", twelve(hour), part)
	case minute == 45:
		return fmt.Sprintf("quarter to %d %s", twelve(hour+1), part)
	case minute < 10:
		return fmt.Sprintf("%d minutes past %d %s", minute, twelve(hour), part)
	default:
		return fmt.Sprintf("%d %d %s", twelve(hour), minute, part)
	}
}

func letters(r rune) rune {
	if unicode.IsLetter(r) {
		return r
	}
	return -1
}

func twelve(hour int) int {
	if hour %= 12; hour == 0 {
		return 12
	}
	return hour
}

func partOfDay(hour int) string {
	switch {
	case hour < 12:
		return "in the morning"
	case hour < 18:
		return "in the afternoon"
	case hour < 22:
		return "in the evening"
	default:
		return "at night"
	}
}
