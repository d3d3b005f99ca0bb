package askplan

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/plan"
)

// quoteAsked puts what a look-up was asked for into quotation marks where the sentence
// says it again: it came with the question or out of a model, and is no word of the
// household's own. ok is false for a sentence in which that cannot be told apart.
func quoteAsked(sentence string, found []plan.Found, offered []plan.Offered) (out string, ok bool) {
	for i := range found {
		for _, a := range found[i].Call.Args {
			if a.Null || !isText(offered, found[i].Call.Tool, a.Name) || isTime(a.Value) {
				continue
			}
			value := strings.ReplaceAll(a.Value, "_", " ")
			if ownWords(value, found) {
				continue
			}
			if strings.ContainsAny(value, "“”\"") && strings.Contains(sentence, value) {
				return "", false
			}
			sentence = quoteOutside(sentence, value)
		}
	}
	return sentence, true
}

// ownWords says that a text stands in what was found, and was not written by a stranger.
func ownWords(value string, found []plan.Found) bool {
	in := func(v any) bool {
		text, ok := v.(string)
		return ok && strings.Contains(strings.ToLower(text), strings.ToLower(value))
	}
	for i := range found {
		strange := found[i].Says.AttackerFields
		for key, v := range found[i].Result.Facts {
			if in(v) && !slices.Contains(strange, "facts."+key) {
				return true
			}
		}
		for _, row := range found[i].Result.Rows {
			if in(row.Title) && !slices.Contains(strange, "rows[].title") {
				return true
			}
			for key, v := range row.Fields {
				if in(v) && !slices.Contains(strange, "rows[].fields."+key) {
					return true
				}
			}
		}
	}
	return false
}

// isText says that an argument is free text, and none of a closed list.
func isText(offered []plan.Offered, tool, arg string) bool {
	for _, t := range offered {
		for _, a := range t.Args {
			if t.ID == tool && a.Name == arg {
				return a.Values == nil
			}
		}
	}
	return true
}

// isTime says that a value is a day, in digits or in one of the words for days.
func isTime(value string) bool {
	if _, err := time.Parse(time.DateOnly, value); err == nil {
		return true
	}
	for w := range strings.FieldsSeq(strings.ToLower(strings.ReplaceAll(value, "_", " "))) {
		switch w {
		case "today", "tomorrow", "yesterday", "this", "next", "last", "week", "weekend", "month", "year",
			"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		default:
			return false
		}
	}
	return true
}

// quoteOutside marks each place of value in s that stands by itself and in no
// quotation yet.
func quoteOutside(s, value string) string {
	var b strings.Builder
	for {
		at := strings.Index(s, value)
		if at < 0 || value == "" {
			b.WriteString(s)
			return b.String()
		}
		end := at + len(value)
		inside := strings.Count(b.String()+s[:at], "“") > strings.Count(b.String()+s[:at], "”")
		b.WriteString(s[:at])
		if inside || joined(s[:at], s[end:]) {
			b.WriteString(value)
		} else {
			b.WriteString("“" + value + "”")
		}
		s = s[end:]
	}
}

// joined says that what stands between is only a part of a word.
func joined(before, after string) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return letter(last) || letter(first)
}

// longestAsked is how many words the longest text has that a look-up was asked for.
func longestAsked(found []plan.Found, offered []plan.Offered) int {
	most := 0
	for i := range found {
		for _, a := range found[i].Call.Args {
			if !a.Null && isText(offered, found[i].Call.Tool, a.Name) && !isTime(a.Value) {
				most = max(most, len(strings.Fields(strings.ReplaceAll(a.Value, "_", " "))))
			}
		}
	}
	return most
}
