package answer

import "strings"

// clock is a time of day: 9:30, 09:30, 9.30am, "half past nine", "ten to four",
// "nine o'clock", noon, midnight; and after "at" a bare 9.
func (c *calendar) clock(ts []token, i int) (when, int) {
	first := wordAt(ts, i)
	switch first {
	case "noon", "midday":
		return when{clock: true, minute: 12 * 60}, 1
	case "midnight":
		return when{clock: true, minute: 0}, 1
	}
	if m, ok := digital(first, afterAt(ts, i)); ok {
		return suffixed(ts, i+1, i, m, false)
	}
	if h, m, n := spoken(ts, i); n > 0 {
		return suffixed(ts, i+n, i, (h%24)*60+m, true)
	}
	n := numberAt(ts, i)
	if n.size == 0 || n.ordinal || n.value < 0 || n.value > 23 || n.value != float64(int(n.value)) {
		return when{}, 0
	}
	next := wordAt(ts, i+n.size)
	minute := int(n.value) * 60
	if next == "o'clock" || next == "o" {
		return suffixed(ts, i+n.size+1, i, minute, n.value <= 12)
	}
	if next == "am" || next == "pm" {
		return suffixed(ts, i+n.size, i, minute, true)
	}
	if afterAt(ts, i) && endsThere(ts, i+n.size) {
		return when{clock: true, minute: minute, either: n.value >= 1 && n.value <= 12}, n.size
	}
	return when{}, 0
}

func afterAt(ts []token, i int) bool {
	switch wordAt(ts, i-1) {
	case "at", "by", "until", "till":
		return true
	}
	return false
}

// endsThere keeps "at 3 schools" from being a time.
func endsThere(ts []token, i int) bool {
	if i >= len(ts) || ts[i].kind != tokWord {
		return true
	}
	switch ts[i].low {
	case "on", "and", "in", "with", "today", "tomorrow", "or", "for", "to", "until", "till", "from", "this", "next":
		return true
	}
	return weekdays[ts[i].low] != 0 || ts[i].low == "sunday"
}

// suffixed reads what makes a time of the morning or of the evening.
func suffixed(ts []token, j, i, minute int, either bool) (when, int) {
	w := when{clock: true, minute: minute, either: either && minute < 13*60}
	half := ""
	switch wordAt(ts, j) {
	case "am", "pm":
		half = wordAt(ts, j)
		j++
	case "a", "p":
		if wordAt(ts, j+1) == "." && wordAt(ts, j+2) == "m" {
			half = wordAt(ts, j) + "m"
			j += 3
		}
	case "in":
		switch wordAt(ts, j+2) {
		case "morning":
			half = "am"
		case "afternoon", "evening":
			half = "pm"
		}
		if half != "" && wordAt(ts, j+1) == "the" {
			j += 3
		} else {
			half = ""
		}
	case "at":
		if wordAt(ts, j+1) == "night" {
			half = "pm"
			j += 2
		}
	}
	if half != "" {
		w = withHalf(w, half)
	}
	return w, j - i
}

func withHalf(w when, half string) when {
	w.either = false
	if w.minute >= 13*60 {
		if half == "am" {
			w.minute = -1 // 15:30 am is no time
		}
		return w
	}
	w.minute %= 12 * 60
	if half == "pm" {
		w.minute += 12 * 60
	}
	return w
}

// digital reads 9:30, 09:30, 9am, 9.30pm, and 9.30 where a time is due.
func digital(s string, due bool) (minute int, ok bool) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	half := ""
	for _, e := range []string{"am", "pm"} {
		if base, found := strings.CutSuffix(s, e); found {
			s, half = base, e
		}
	}
	h, m, found := strings.Cut(s, ":")
	if !found && (due || half != "") {
		h, m, found = strings.Cut(s, ".")
	}
	switch {
	case !found && half == "":
		return 0, false
	case !found:
		m = "00"
	}
	if len(h) < 1 || len(h) > 2 || len(m) != 2 || !digitsOnly(h) || !digitsOnly(m) {
		return 0, false
	}
	hh, mm := atoi(h), atoi(m)
	if hh > 23 || mm > 59 || half != "" && (hh > 12 || hh == 0) {
		return 0, false
	}
	w := when{minute: hh*60 + mm}
	if half != "" {
		w = withHalf(w, half)
	}
	return w.minute, true
}

func atoi(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// spoken reads "half past nine", "quarter to ten", "twenty past three", "nine thirty".
func spoken(ts []token, i int) (hour, minute, size int) {
	j := i
	if wordAt(ts, j) == "a" && wordAt(ts, j+1) == "quarter" {
		j++
	}
	var part int
	switch wordAt(ts, j) {
	case "half":
		part = 30
		j++
	case "quarter":
		part = 15
		j++
	default:
		n := numberAt(ts, j)
		if n.size == 0 || n.ordinal || n.value < 1 || n.value > 59 || n.value != float64(int(n.value)) {
			return 0, 0, 0
		}
		if afterAt(ts, i) && n.value <= 12 && ts[i].kind == tokWord {
			if m := numberAt(ts, j+n.size); m.size > 0 && !m.ordinal && m.value >= 10 && m.value < 60 && endsThere(ts, j+n.size+m.size) {
				return int(n.value), int(m.value), n.size + m.size
			}
		}
		part = int(n.value)
		j += n.size
		if stem(wordAt(ts, j)) == "minute" {
			j++
		}
	}
	to := false
	switch wordAt(ts, j) {
	case "past":
	case "to":
		to = true
		if part == 30 && wordAt(ts, i) == "half" {
			return 0, 0, 0
		}
	default:
		return 0, 0, 0
	}
	h := numberAt(ts, j+1)
	if h.size == 0 || h.ordinal || h.value < 1 || h.value > 12 || h.value != float64(int(h.value)) {
		return 0, 0, 0
	}
	hour = int(h.value)
	if to {
		return (hour + 11) % 12, 60 - part, j + 1 + h.size - i
	}
	return hour % 12, part, j + 1 + h.size - i
}
