package answer

import (
	"math"
	"strconv"
	"strings"
)

// number is a number as a sentence says it.
type number struct {
	value   float64
	ordinal bool
	size    int // tokens
}

var (
	units = map[string]float64{
		"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
		"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	}
	tens = map[string]float64{
		"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	}
	ordinals = map[string]float64{
		"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
		"eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
		"eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60,
		"seventieth": 70, "eightieth": 80, "ninetieth": 90, "hundredth": 100, "thousandth": 1000,
	}
)

// numberAt reads the number that begins at ts[i]; size is 0 where none does.
func numberAt(ts []token, i int) number {
	if i >= len(ts) {
		return number{}
	}
	if ts[i].kind == tokNumber {
		return digitsAt(ts, i)
	}
	if ts[i].kind != tokWord {
		return number{}
	}
	switch ts[i].low {
	case "a":
		if i+1 < len(ts) && ts[i+1].low == "dozen" {
			return number{value: 12, size: 2}
		}
		if i+1 < len(ts) && (ts[i+1].low == "hundred" || ts[i+1].low == "thousand") {
			n := wordsAt(ts, i)
			return n
		}
		return number{}
	case "half":
		if i+2 < len(ts) && ts[i+1].low == "a" && ts[i+2].low == "dozen" {
			return number{value: 6, size: 3}
		}
		return number{}
	case "dozen":
		return number{value: 12, size: 1}
	}
	n := wordsAt(ts, i)
	if n.size > 0 && !n.ordinal && i+n.size < len(ts) && ts[i+n.size].low == "dozen" {
		n.value, n.size = n.value*12, n.size+1
	}
	return n
}

func digitsAt(ts []token, i int) number {
	v, ordinal, ok := parseDigits(ts[i].low)
	if !ok {
		return number{}
	}
	n := number{value: v, ordinal: ordinal, size: 1}
	if i+1 < len(ts) && !ordinal {
		switch ts[i+1].low {
		case "thousand":
			n.value, n.size = v*1000, 2
		case "million":
			n.value, n.size = v*1e6, 2
		case "hundred":
			n.value, n.size = v*100, 2
		case "dozen":
			n.value, n.size = v*12, 2
		}
	}
	return n
}

// parseDigits reads 3, 3.5, 12,345 and 4th. A comma is for thousands, and stands
// where thousands do.
func parseDigits(s string) (v float64, ordinal, ok bool) {
	for _, end := range []string{"st", "nd", "rd", "th"} {
		if base, found := strings.CutSuffix(s, end); found {
			s, ordinal = base, true
			break
		}
	}
	if len(s) > 15 {
		return 0, false, false
	}
	whole, fraction, decimal := strings.Cut(s, ".")
	if strings.Contains(whole, ",") {
		parts := strings.Split(whole, ",")
		for j, p := range parts {
			if j > 0 && len(p) != 3 || j == 0 && (p == "" || len(p) > 3) {
				return 0, false, false
			}
		}
		whole = strings.Join(parts, "")
	}
	if !digitsOnly(whole) || decimal && (!digitsOnly(fraction) || ordinal) {
		return 0, false, false
	}
	if decimal {
		whole += "." + fraction
	}
	v, err := strconv.ParseFloat(whole, 64)
	return v, ordinal, err == nil
}

func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// wordsAt reads a number in words up to millions: "nine hundred and ninety-nine
// thousand", "three point five", "twenty-first", "two and a half".
func wordsAt(ts []token, i int) number {
	r := wordNumber{ts: ts, i: i}
	return r.read()
}

type wordNumber struct {
	ts             []token
	i              int
	total, current float64
	// last is the size of the last part, so that "three four" is two numbers.
	last    float64
	any     bool
	ordinal bool
}

func (r *wordNumber) read() number {
	start := r.i
	if r.i < len(r.ts) && r.ts[r.i].low == "a" {
		r.current, r.any, r.last = 1, true, 1
		r.i++
	}
	for r.i < len(r.ts) && r.ts[r.i].kind == tokWord && !r.ordinal {
		w := r.ts[r.i].low
		if w == "and" {
			if !r.any || r.last < 100 || r.i+1 >= len(r.ts) || !r.small(r.ts[r.i+1].low) {
				break
			}
			r.i++
			continue
		}
		if !r.take(w) {
			break
		}
		r.i++
	}
	if !r.any {
		return number{}
	}
	v := r.total + r.current
	if !r.ordinal {
		v = r.tail(v)
	}
	return number{value: v, ordinal: r.ordinal, size: r.i - start}
}

func (r *wordNumber) small(w string) bool {
	first, _, _ := strings.Cut(w, "-")
	_, unit := units[first]
	_, ten := tens[first]
	_, ord := ordinals[first]
	return unit || ten || ord
}

// take adds one word, which may be hyphenated.
func (r *wordNumber) take(w string) bool {
	first, rest, hyphen := strings.Cut(w, "-")
	if hyphen {
		ten, ok := tens[first]
		if !ok || r.any && r.last < 100 {
			return false
		}
		if u, ok := units[rest]; ok && u > 0 && u < 10 {
			return r.add(ten+u, 1)
		}
		if o, ok := ordinals[rest]; ok && o < 10 {
			r.ordinal = true
			return r.add(ten+o, 1)
		}
		return false
	}
	switch w {
	case "hundred":
		if r.current == 0 || r.current >= 100 {
			return false
		}
		r.current *= 100
		r.last = 100
		return true
	case "thousand", "million":
		size := 1000.0
		if w == "million" {
			size = 1e6
		}
		if r.current == 0 || r.total != 0 && r.total < size*1000 {
			return false
		}
		r.total += r.current * size
		r.current, r.last = 0, size
		return true
	}
	if u, ok := units[w]; ok {
		if r.any && (r.last < 10 || r.last < 100 && (u == 0 || u > 9)) {
			return false
		}
		return r.add(u, 1)
	}
	if t, ok := tens[w]; ok {
		if r.any && r.last < 100 {
			return false
		}
		return r.add(t, 10)
	}
	if o, ok := ordinals[w]; ok {
		if r.any && (r.last < 10 || r.last < 100 && o > 9) {
			return false
		}
		r.ordinal = true
		return r.add(o, 1)
	}
	return false
}

func (r *wordNumber) add(v, size float64) bool {
	r.current += v
	r.any, r.last = true, size
	return true
}

// tail reads "point five" and "and a half".
func (r *wordNumber) tail(v float64) float64 {
	at := func(j int) string {
		if r.i+j < len(r.ts) {
			return r.ts[r.i+j].low
		}
		return ""
	}
	if at(0) == "and" && at(1) == "a" && at(2) == "half" {
		r.i += 3
		return v + 0.5
	}
	if at(0) != "point" {
		return v
	}
	j, scale := 1, 0.1
	for {
		u, ok := units[at(j)]
		if !ok || u > 9 || j > 9 {
			break
		}
		v += u * scale
		scale /= 10
		j++
	}
	if j > 1 {
		r.i += j
	}
	return v
}

func same(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}
