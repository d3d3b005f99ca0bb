package compass

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/askhub/askhub/ask"
)

// A title is other people's text: it is cleaned before it may stand in a sentence.
// What comes out has no markup, link, path, control or bidi character, no end of a
// sentence, and is short.

const (
	maxTitle = 60
	maxPlace = 40
	// untitled stands for an entry whose title is empty once it is clean.
	untitled = "something without a title"
)

func cleanText(s string, most int) string {
	if line, _, more := strings.Cut(strings.TrimSpace(s), "\n"); more {
		s = line
	}
	// What a letter stands for is settled first, so that a wide slash is a slash.
	s = norm.NFKC.String(stripTags(s))
	var words []string
	size := 0
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		w = cleanWord(w)
		if w == "" || ask.CheckSentence(w, false) != nil {
			continue
		}
		n := utf8.RuneCountInString(w)
		if size+n > most {
			break
		}
		size += n + 1
		words = append(words, w)
	}
	out := strings.Join(words, " ")
	out = strings.ReplaceAll(out, "__", "")
	for out != "" {
		trimmed := strings.Trim(out, " ,;:-–—.!?'\"&+=#*_~")
		trimmed = strings.TrimSuffix(strings.TrimSuffix(trimmed, " and"), " or")
		if trimmed == out {
			break
		}
		out = trimmed
	}
	if out != "" && ask.CheckSentence(out, false) != nil {
		return "" // no word of it is bad, and all of it is
	}
	return out
}

// stripTags takes out <…> of markup.
func stripTags(s string) string {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return s
		}
		j := strings.IndexByte(s[i:], '>')
		if j < 0 {
			return s[:i] + " " + s[i+1:]
		}
		s = s[:i] + " " + s[i+j+1:]
	}
}

// dropped are characters that are markup, or that a voice would spell out.
const dropped = "*_`~|{}[]\\^<>#=\"“”„«»@$"

func cleanWord(w string) string {
	low := strings.ToLower(w)
	if strings.Contains(low, "://") || strings.HasPrefix(low, "www.") || strings.Contains(w, "@") && strings.Contains(w, ".") ||
		strings.HasPrefix(low, "mailto:") || strings.HasPrefix(low, "tel:") || strings.HasPrefix(low, "file:") || strings.ContainsRune(w, '\\') || isEntityWord(low) {
		return ""
	}
	if slash := strings.IndexByte(w, '/'); slash >= 0 {
		if slash == 0 || strings.HasPrefix(w, "~/") || strings.HasPrefix(w, ".") || strings.Count(w, "/") > 2 || strings.Contains(w[:slash], ".") || strings.Contains(w[:slash], ":") {
			return "" // a path, or an address without its scheme
		}
	}
	var b strings.Builder
	rs := []rune(w)
	for i, r := range rs {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Cs, r), unicode.IsControl(r),
			unicode.Is(unicode.So, r), unicode.Is(unicode.Sk, r), r == utf8.RuneError, unicode.Is(unicode.Me, r), strings.ContainsRune(dropped, r),
			r >= 0xFE00 && r <= 0xFE0F:
		case r == '/':
			if i > 0 && i < len(rs)-1 {
				if unicode.IsDigit(rs[i-1]) && unicode.IsDigit(rs[i+1]) {
					b.WriteRune('/')
				} else {
					b.WriteRune('-')
				}
			}
		case r == '.' || r == '!' || r == '?' || r == '…' || r == '。' || r == '！' || r == '？' || r == ';':
			inNumber := r == '.' && i > 0 && i < len(rs)-1 && unicode.IsDigit(rs[i-1]) && unicode.IsDigit(rs[i+1])
			switch {
			case inNumber:
				b.WriteRune(':') // 9.30 is said as 9:30
			case i == len(rs)-1 && len(rs) > 4:
				b.WriteRune(',')
			}
		default:
			b.WriteRune(r)
		}
	}
	out := b.String()
	if !strings.ContainsFunc(out, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) && out != "&" && out != "-" && out != "+" && out != "–" {
		return ""
	}
	if looksSecret(out) {
		return ""
	}
	return out
}

// isEntityWord is &nbsp; and the like.
func isEntityWord(w string) bool {
	return strings.HasPrefix(w, "&") && strings.HasSuffix(w, ";")
}

// looksSecret is a long run that nobody would say aloud.
func looksSecret(w string) bool {
	letters, digits, marks := 0, 0, 0
	for _, r := range w {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		case unicode.Is(unicode.M, r):
			if marks++; marks > 10 {
				return true
			}
		}
	}
	n := letters + digits
	return n > 30 || n >= 14 && letters > 2 && digits > 2 || digits > 8
}

// ordinary are words that stand in small letters within a sentence although a
// title begins with a capital one. A word that is not here keeps its case, for it
// may be a name.
var ordinary = wordSet(`maths math mathematics science art music drama history geography biology chemistry physics computing assembly
 registration tutor lunch break lesson class club test exam trip library swimming football netball rugby hockey cricket tennis gymnastics
 athletics dance ballet choir orchestra band piano guitar violin cello flute drums trumpet clarinet games cooking food technology textiles citizenship economics business
 psychology sociology spelling spellings reading phonics forest school detention rehearsal concert play match fixture sports photo day uniform
 non-uniform chess coding karate judo training practice session meeting parents' parents evening open appointment check-up checkup
 hearing eye blood speech therapy review scan vaccination jab booster flu visit homework worksheet essay project revision quiz poster report
 presentation mock assessment interview half term holiday staff bank breakfast after-school homework after before design and with for of the a an in at on to double
 form time end start private study free period school's lessons clubs drawing painting sewing baking gardening sleepover party playdate
 residential induction taster harvest festival fair fete disco workshop performance show recital grade theory annual family group
 follow-up routine new nurse physio x-ray cinema picnic page pages questions chapter exercise map poem story diary log model timeline paragraph letter write read learn finish
 dentist doctor optician orthodontist hospital clinic surgery physiotherapist counsellor hygienist`)

// counted are nouns that want "a" before them.
var counted = wordSet(`lesson appointment test exam trip visit match rehearsal party meeting session check-up checkup concert interview assessment
 review scan jab vaccination fixture sleepover playdate tournament workshop evening worksheet essay project quiz poster report presentation
 mock fair disco performance recital booster taster x-ray picnic paragraph poem story letter play timeline model map diary log detention`)

// practitioners are people one sees, who want "the".
var practitioners = wordSet(`dentist doctor gp optician orthodontist nurse physio physiotherapist hygienist paediatrician dermatologist podiatrist
 counsellor therapist consultant`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// spoken is a clean title as it stands within a sentence: "Music lesson" is "a
// music lesson", "Dentist" is "the dentist", "PE" is "PE".
func spoken(title string) string {
	if title == "" {
		return untitled
	}
	words := strings.Fields(title)
	for i, w := range words {
		if low := strings.ToLower(w); ordinary[strings.Trim(low, ",:()")] && capitalised(w) {
			words[i] = low
		}
	}
	out := strings.Join(words, " ")
	last := strings.ToLower(words[headOf(words)])
	switch first := strings.ToLower(words[0]); {
	case len(words) == 1 && practitioners[first]:
		if first == "gp" {
			return "the GP"
		}
		return "the " + first
	case slices.ContainsFunc(words[:headOf(words)], func(w string) bool { return strings.HasSuffix(w, "'s") && w != strings.ToLower(w) }):
		// "Ben's party" is whose it is already.
	case first == "a" || first == "an" || first == "the" || first == "my":
	case counted[last] && !strings.ContainsAny(strings.ReplaceAll(out, last, ""), ":(),-–") && len(words) <= 6:
		return article(words[0]) + " " + out
	}
	return out
}

// headOf is the noun that a title is about: the last word, or the one before the
// first "to", "with" and the like: "School trip to York" is about a trip.
func headOf(words []string) int {
	for i, w := range words {
		switch strings.ToLower(w) {
		case "to", "with", "at", "for", "in", "about", "on", "of":
			if i > 0 {
				return i - 1
			}
		}
	}
	return len(words) - 1
}

// capitalised is Maths and not MATHS or mATHS.
func capitalised(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r) && strings.ToLower(w[n:]) == w[n:]
}

// article is "an" before a vowel as it is said.
func article(next string) string {
	low := strings.ToLower(next)
	if next != low && next == strings.ToUpper(next) { // spelled out: an MRI scan
		if strings.ContainsRune("AEFHILMNORSX", rune(next[0])) {
			return "an"
		}
		return "a"
	}
	switch {
	case strings.HasPrefix(low, "uni"), strings.HasPrefix(low, "use"), strings.HasPrefix(low, "eu"), strings.HasPrefix(low, "one"):
		return "a"
	case strings.HasPrefix(low, "hour"), strings.HasPrefix(low, "x-ray"), strings.ContainsRune("aeiou", rune(low[0])):
		return "an"
	}
	return "a"
}

// displayName is a person's name as it is said.
func displayName(p string) string {
	words := strings.Fields(cleanText(strings.ReplaceAll(p, "_", " "), maxPlace))
	for i, w := range words {
		r, n := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(r)) + w[n:]
	}
	return strings.Join(words, " ")
}
