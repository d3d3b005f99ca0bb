package words

import (
	"strconv"
	"strings"
	"time"
)

// numbers are those that people say as words.
var numbers = map[string]int{
	"zero": 0, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var units = map[string]time.Duration{
	"second": time.Second, "seconds": time.Second, "sec": time.Second, "secs": time.Second, "s": time.Second,
	"minute": time.Minute, "minutes": time.Minute, "min": time.Minute, "mins": time.Minute, "m": time.Minute,
	"hour": time.Hour, "hours": time.Hour, "hr": time.Hour, "hrs": time.Hour, "h": time.Hour,
	"day": 24 * time.Hour, "days": 24 * time.Hour, "week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour,
}

// maxNumber is the largest number of units that is read.
const maxNumber = 10_000

// number reads a number at the start of w and says how many words it took; 0 where
// there is none.
func number(w []string) (n, took int) {
	if len(w) == 0 {
		return 0, 0
	}
	if v, err := strconv.Atoi(w[0]); err == nil && v >= 0 && v <= maxNumber {
		return v, 1
	}
	v, ok := numbers[w[0]]
	switch {
	case !ok:
		tens, ones, found := strings.Cut(w[0], "-")
		t, o := numbers[tens], numbers[ones]
		if found && t >= 20 && o >= 1 && o <= 9 {
			return t + o, 1
		}
		return 0, 0
	case v >= 20 && len(w) > 1:
		if o, ok := numbers[w[1]]; ok && o >= 1 && o <= 9 && w[1] != "a" && w[1] != "an" {
			return v + o, 2
		}
	}
	return v, 1
}

// duration reads a length of time at the start of w, such as "ten minutes", "an hour and
// a half", "1h 20m", and says how many words it took; 0 where there is none.
func duration(w []string) (d time.Duration, took int) {
	for {
		rest := w[took:]
		skip := 0
		if took > 0 && len(rest) > 0 && rest[0] == "and" {
			skip = 1
		}
		if took > 0 && last(w[:took]) > 0 && hasWords(rest[skip:], "a", "half") && !isUnit(rest[skip:], 2) {
			d += last(w[:took]) / 2
			took += skip + 2
			continue
		}
		one, n := oneDuration(rest[skip:])
		if n == 0 && took > 0 {
			one, n = smaller(last(w[:took]), rest[skip:])
		}
		if n == 0 || d+one < d {
			return d, took
		}
		d, took = d+one, took+skip+n
	}
}

// smaller reads a last number without a unit, of the unit below: "an hour twenty".
func smaller(unit time.Duration, w []string) (time.Duration, int) {
	n, took := number(w)
	if took == 0 || took < len(w) || n >= 60 || w[0] == "a" || w[0] == "an" || unit != time.Hour && unit != time.Minute {
		return 0, 0
	}
	return time.Duration(n) * unit / 60, took
}

// decimal reads "1.5 hours".
func decimal(w []string) (time.Duration, int) {
	if len(w) < 2 || !strings.ContainsAny(w[0], ".,") || units[w[1]] == 0 {
		return 0, 0
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(w[0], ",", "."), 64)
	if err != nil || v <= 0 || v > maxNumber {
		return 0, 0
	}
	return time.Duration(v * float64(units[w[1]])), 2
}

// oneDuration reads one number with its unit.
func oneDuration(w []string) (time.Duration, int) {
	for _, form := range []struct {
		words []string
		d     time.Duration
	}{
		{[]string{"half", "an", "hour"}, 30 * time.Minute},
		{[]string{"half", "a", "minute"}, 30 * time.Second},
		{[]string{"half", "a", "second"}, time.Second / 2},
		{[]string{"half", "hour"}, 30 * time.Minute},
		{[]string{"a", "half", "hour"}, 30 * time.Minute},
		{[]string{"three", "quarters", "of", "an", "hour"}, 45 * time.Minute},
		{[]string{"a", "quarter", "of", "an", "hour"}, 15 * time.Minute},
		{[]string{"quarter", "of", "an", "hour"}, 15 * time.Minute},
		{[]string{"a", "couple", "of", "minutes"}, 2 * time.Minute},
	} {
		if hasWords(w, form.words...) {
			return form.d, len(form.words)
		}
	}
	if len(w) > 0 {
		if d, ok := compact(w[0]); ok {
			return d, 1
		}
	}
	if d, n := decimal(w); n > 0 {
		return d, n
	}
	n, took := number(w)
	if took == 0 {
		return 0, 0
	}
	half := hasWords(w[took:], "and", "a", "half") && isUnit(w[took:], 3)
	if half {
		took += 3
	}
	if len(w) == took {
		return 0, 0
	}
	unit, ok := units[w[took]]
	if !ok {
		return 0, 0
	}
	d := time.Duration(n) * unit
	if half {
		d += unit / 2
	}
	return d, took + 1
}

// compact reads "10m", "1h30m", "45s" and "10-minute".
func compact(word string) (time.Duration, bool) {
	if n, unit, found := strings.Cut(word, "-"); found {
		v, took := number([]string{n})
		if u, ok := units[unit]; ok && took == 1 {
			return time.Duration(v) * u, true
		}
		return 0, false
	}
	if word == "" || word[0] < '0' || word[0] > '9' || len(word) > 12 {
		return 0, false
	}
	for _, long := range []string{"minutes", "minute", "mins", "min", "hours", "hour", "seconds", "second", "secs", "sec"} {
		word = strings.ReplaceAll(word, long, long[:1])
	}
	d, err := time.ParseDuration(word)
	return d, err == nil && d > 0 && strings.ContainsAny(word, "hms")
}

// last is the unit that the words end with, 0 where they end with none.
func last(w []string) time.Duration { return units[w[len(w)-1]] }

func isUnit(w []string, at int) bool { return len(w) > at && units[w[at]] > 0 }

func hasWords(w []string, want ...string) bool {
	if len(w) < len(want) {
		return false
	}
	for i := range want {
		if w[i] != want[i] {
			return false
		}
	}
	return true
}
