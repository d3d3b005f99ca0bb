package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuoted is how much of another person's text is said, in code points.
const maxQuoted = 80

// Quotable is other people's text as it may stand inside quotation marks: on one
// line, without marks that close a quotation, without control, invisible or turning
// characters; a link, a path, or what looks like a token becomes "…", and so does
// what is too long. It is empty where nothing is left to say.
func Quotable(s string) string {
	// What is taken out can bring together what may not stand, so it is read again
	// until nothing changes.
	for range 4 {
		if plainText(s) {
			return s
		}
		said := quotable(s)
		if said == s {
			return s
		}
		s = said
	}
	return ""
}

func quotable(s string) string {
	var out strings.Builder
	size := 0
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		w, keep := quotableWord(w)
		if !keep {
			w = "…"
		}
		if w == "" {
			continue
		}
		n := utf8.RuneCountInString(strings.TrimSuffix(w, "…"))
		if size+n+2 > maxQuoted {
			if !strings.HasSuffix(out.String(), "…") {
				out.WriteString("…")
			}
			break
		}
		if w == "…" && strings.HasSuffix(out.String(), "…") {
			continue
		}
		if size > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(w)
		size += n + 1
	}
	said := out.String()
	if !strings.ContainsFunc(said, func(r rune) bool { return unicode.IsLetter(r) || r >= '0' && r <= '9' }) {
		return ""
	}
	return said
}

// plainText says that nothing in s needs care: letters, digits, single spaces and
// the commonest marks.
func plainText(s string) bool {
	if s == "" || len(s) > maxQuoted-2 || s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	letters, run := false, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9':
			letters = true
			if run++; run > 15 || run == 6 && strings.EqualFold(s[i-5:i+1], "bearer") {
				return false
			}
		case c == ' ' || c == ',':
			if c == ' ' && s[i-1] == ' ' {
				return false
			}
			run = 0
		default:
			return false
		}
	}
	return letters
}

// quotableWord is one word with what may not be said taken out; keep is false for a
// word that may not be said at all.
func quotableWord(w string) (said string, keep bool) {
	var b strings.Builder
	digits, letters, marks := 0, 0, 0
	for i, r := range w {
		before, _ := utf8.DecodeLastRuneInString(b.String())
		switch {
		case strings.ContainsRune(".!?…", before) && (strings.ContainsRune("'’)", r) || isDoubleQuote(r)):
			// It would look like the end of the quotation.
		case isDoubleQuote(r):
			b.WriteRune('’')
		case unicode.IsLetter(r):
			letters++
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
			if marks++; marks <= 6 {
				b.WriteRune(r)
			}
		case r >= '0' && r <= '9':
			digits++
			b.WriteRune(r)
		case unicode.IsNumber(r):
			return "", false // a digit that only looks like one
		case strings.ContainsRune(",'’-–—()%£€?!…", r), r == '&' && strings.TrimSuffix(w, "…") == "&", r == '.', r == ':', r == ';' && !strings.HasPrefix(w, "&"):
			b.WriteRune(r)
		case r == '/' || r == '\\' || r == '@' || r == '=' || r == '~':
			if r == '/' && between(w, i) {
				b.WriteRune('-')
				continue
			}
			return "", false
		}
	}
	said = b.String()
	low := lower(said)
	long := utf8.RuneCountInString(strings.TrimSuffix(said, "…"))
	switch {
	case strings.HasPrefix(low, "www.") || strings.HasPrefix(low, "mailto:") || strings.HasPrefix(low, "tel:") || strings.HasPrefix(low, "file:"):
		return "", false
	case digits+letters > 20, digits >= 4 && letters >= 4, digits > 10, long > 22, digits >= 2 && letters >= 4 && long > 16:
		return "", false // a number of a parcel, or a secret: nobody says it aloud
	case strings.Contains(said, ":") && letters > 0 && digits > 0, strings.Contains(low, "bearer"):
		return "", false
	case letters+digits == 0 && strings.TrimSuffix(said, "…") != "&" && said != "-" && said != "–" && said != "—" && said != "…":
		return "", true
	}
	// A key begins after any mark, as in (sk-…).
	for part := range strings.FieldsFuncSeq(low, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }) {
		for _, p := range []string{"sk-", "ghp_", "gho_", "ghs_", "glpat-", "xox", "akia", "aiza", "eyj"} {
			if strings.HasPrefix(part, p) && len(part) > 12 {
				return "", false
			}
		}
	}
	return said, true
}

// between is a slash between digits or letters of one word, as in "and/or" and 4/12.
func between(w string, i int) bool {
	if i == 0 || i+1 >= len(w) || strings.Count(w, "/") > 1 || strings.ContainsAny(w, ".:") {
		return false
	}
	a, b := w[i-1], w[i+1]
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	return digit(a) && digit(b) || letter(a) && letter(b)
}

// quotation is what stands inside quotation marks: a whole value, or the beginning of
// one with "…" after it. Where it is another person's text it must be said whose.
func (r *reader) quotation(i int) (mention, *Fault) {
	said := r.ts[i].text
	m := mention{kind: mText, to: i + 1, ents: newSet(len(r.ents)), quoted: true}
	stranger, own := false, false
	for at := range r.values {
		v := &r.values[at]
		if v.kind != isText || v.text == "" || !quotes(said, v.text) {
			continue
		}
		m.ents.add(v.ent)
		m.keys = addKey(m.keys, v.key)
		own = own || !v.attacker
		stranger = stranger || v.attacker
		if v.name {
			m.kind = mName
		}
	}
	if askedAfter[wordAt(r.ts, i-1)] {
		m.askedBy = r.askedFor(said)
	}
	if m.ents.empty() && m.askedBy != 0 {
		m.kind, m.use.asked = mVocab, m.askedBy
		return m, nil
	}
	if m.ents.empty() {
		return m, fault(CodeQuotation, said)
	}
	if stranger && !own && !r.attributed(i) {
		return m, fault(CodeUnattributed, said)
	}
	return m, nil
}

// askedAfter are the words after which a quotation may be what was asked for, in the
// asker's own words: messages from “the school”. After “titled” it would be a row's.
var askedAfter = list("from about with for named")

// askedFor are the look-ups that have the words as an argument of their own.
func (r *reader) askedFor(said string) uint32 {
	var mask uint32
	for l := range r.looks {
		for _, a := range r.looks[l].found.Call.Args {
			if !a.Null && !strings.HasPrefix(a.Value, "@") && a.Value != "" && Quotable(a.Value) == said {
				mask |= 1 << l
			}
		}
	}
	return mask
}

func quotes(said, value string) bool {
	if !keepsOrder(said, value) {
		return false
	}
	whole := Quotable(value)
	if said == whole {
		return whole != ""
	}
	// A shortened text ends in "…" after a whole word, and says more than a word or two.
	begin, cut := strings.CutSuffix(said, "…")
	begin = strings.TrimRight(begin, " ,")
	return cut && len(begin) >= 12 && len(whole) > len(begin) && strings.HasPrefix(whole, begin) && !inWordAt(whole[len(begin):])
}

// keepsOrder says that the letters and digits of said stand in value in that order.
// Quotable takes out and never adds, so this rules most values out at little cost.
func keepsOrder(said, value string) bool {
	k := 0
	for i := range len(said) {
		c := said[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9') {
			continue
		}
		n := strings.IndexByte(value[k:], c)
		if n < 0 {
			return false
		}
		k += n + 1
	}
	return true
}

func inWordAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return inWord(r)
}

// attributed says that the words before a quotation, or those before the list that
// it stands in, tell that it is somebody's own words.
func (r *reader) attributed(i int) bool {
	if next := wordAt(r.ts, i+1); posted[next] && next != "received" || next == "says" {
		return true // “Bob” wrote
	}
	seen := 0
	for j := i - 1; j >= 0 && seen < 4; j-- {
		t := r.ts[j]
		switch {
		case t.kind == tokQuote:
			return r.attributed(j)
		case t.kind == tokWord && attributes[t.low]:
			return true
		case t.kind == tokWord && t.low != "and" && t.low != "or":
			seen++
		case t.low == ";":
			return false
		}
	}
	return false
}
