package read

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// words splits a question into lower-case words: "What's Harry got at 9.30?" is
// what, is, harry's, got, at, 9:30, and "?" for the end of a clause.
func words(question string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, expandWord(strings.Trim(b.String(), "'-:"))...)
			b.Reset()
		}
	}
	rs := []rune(strings.ToLower(norm.NFKC.String(question)))
	digit := func(i int) bool { return i >= 0 && i < len(rs) && unicode.IsDigit(rs[i]) }
	letter := func(i int) bool { return i >= 0 && i < len(rs) && unicode.IsLetter(rs[i]) }
	for i, r := range rs {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		case (r == '\'' || r == '’' || r == 'ʼ' || r == '‘') && letter(i-1):
			b.WriteByte('\'')
		case (r == ':' || r == '.') && digit(i-1) && digit(i+1):
			b.WriteByte(':')
		case r == '.' && letter(i-1) && (i < 2 || !letter(i-2)) && b.Len() > 0:
			// p.e. is pe
		case (r == '-' || r == '/') && i > 0 && i+1 < len(rs) && (digit(i-1) && digit(i+1) || r == '-' && letter(i-1) && letter(i+1)):
			b.WriteRune(r)
		case r == ',' || r == ';' || r == '?' || r == '!' || r == '.' || r == '\n':
			flush()
			out = append(out, clauseEnd)
		default:
			flush()
		}
	}
	flush()
	return out
}

// clauseEnd stands between clauses in a list of words.
const clauseEnd = ","

var contracted = map[string]string{
	"what's": "what is", "whats": "what is", "when's": "when is", "whens": "when is", "where's": "where is",
	"wheres": "where is", "how's": "how is", "that's": "that is", "there's": "there is", "theres": "there is", "it's": "it is",
	"who's": "who is", "whos": "who is", "he's": "he is", "she's": "she is", "let's": "let us", "today's": "today", "tomorrow's": "tomorrow",
	"tonight's": "tonight", "week's": "week", "i've": "i have", "ive": "i have", "we've": "we have", "you've": "you have",
	"they've": "they have", "i'm": "i am", "im": "i am", "don't": "do not", "doesn't": "does not", "haven't": "have not",
	"hasn't": "has not", "isn't": "is not", "didn't": "did not", "aren't": "are not", "i'd": "i would", "i'll": "i will",
	"i'ts": "it is", "can't": "can not", "gonna": "going to", "gotta": "got to", "hav": "have", "hafta": "have to", "dya": "do you",
	"2day": "today", "2moro": "tomorrow", "2morrow": "tomorrow", "tmrw": "tomorrow", "tmr": "tomorrow", "tmw": "tomorrow",
	"tomoz": "tomorrow", "tommorow": "tomorrow", "tommorrow": "tomorrow", "tomorow": "tomorrow", "tomorro": "tomorrow", "2nite": "tonight",
	"tonite": "tonight", "2night": "tonight", "mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday",
	"weds": "wednesday", "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday", "sat": "saturday",
	"wensday": "wednesday", "wednsday": "wednesday", "wendsday": "wednesday", "thrusday": "thursday", "tuseday": "tuesday", "firday": "friday",
	"jan": "january", "feb": "february", "apr": "april", "jun": "june", "jul": "july", "aug": "august", "sep": "september",
	"sept": "september", "oct": "october", "nov": "november", "dec": "december", "pls": "please", "plz": "please", "wot": "what",
	"wat": "what", "hw": "homework", "home-work": "homework", "appt": "appointment", "appts": "appointments", "appointmnt": "appointment",
	"time-table": "timetable", "weekend's": "weekend", "til": "until", "till": "until", "hrs": "hours", "mins": "minutes",
	"mondays": "monday", "tuesdays": "tuesday", "wednesdays": "wednesday", "thursdays": "thursday", "fridays": "friday", "o'clock": "oclock",
	"a.m": "am", "p.m": "pm", "maths": "maths", "math": "maths", "mathematics": "maths", "noon": "12:00", "midday": "12:00",
	"check-up": "checkup", "checkups": "checkup", "check-ups": "checkup", "x-ray": "xray",
}

func expandWord(w string) []string {
	if w == "" {
		return nil
	}
	if full, ok := contracted[w]; ok {
		return strings.Fields(full)
	}
	if base, ok := strings.CutSuffix(w, "'s"); ok && weekdayOf(base) >= 0 {
		return []string{base}
	}
	return []string{w}
}

// Stem is the form under which two words count as the same.
func Stem(w string) string {
	w = strings.TrimSuffix(strings.ToLower(w), "'s")
	w = strings.ReplaceAll(w, "'", "")
	if s, ok := sameWord[w]; ok {
		w = s
	}
	return english.Stem(w, false)
}

// sameWord maps names of one thing to one of them.
var sameWord = map[string]string{
	"math": "maths", "mathematics": "maths", "doctors": "doctor", "gp": "doctor", "dr": "doctor", "dental": "dentist", "dentists": "dentist",
	"opticians": "optician", "orthodontics": "orthodontist", "vaccine": "vaccination", "vaccines": "vaccination", "jab": "vaccination",
	"jabs": "vaccination", "immunisation": "vaccination", "immunization": "vaccination", "physiotherapy": "physio", "physiotherapist": "physio",
	"exams": "exam", "examination": "exam", "footie": "football", "check-up": "checkup", "x-ray": "xray", "docs": "doctor", "doc": "doctor",
	"swim": "swimming", "holidays": "holiday", "hols": "holiday", "rehersal": "rehearsal",
}

// Stems are the stems of all words of a text, and the short name of a subject that
// has one.
func Stems(text string) []string {
	var out []string
	for _, w := range words(text) {
		for _, part := range append([]string{w}, hyphenParts(w)...) {
			if part != clauseEnd {
				out = append(out, Stem(part))
			}
		}
	}
	for _, w := range shorten(words(text)) {
		if s := Stem(w); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// shorten puts the short name of a subject for its long one.
func shorten(ws []string) []string {
	var out []string
	for i := 0; i < len(ws); {
		n, short := 1, ws[i]
		for long, s := range shortNames {
			if took := starts(ws[i:], long); took > 0 {
				n, short = took, s
			}
		}
		out = append(out, short)
		i += n
	}
	return out
}

func hyphenParts(w string) []string {
	if !strings.Contains(w, "-") {
		return nil
	}
	return strings.Split(w, "-")
}

var shortNames = map[string]string{
	"physical education": "pe", "religious education": "re", "religious studies": "re", "design and technology": "dt",
	"design technology": "dt", "information technology": "ict",
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// fillers carry no meaning of their own in a question to a calendar.
var fillers = set(`a an the i me my mine we us our you your he she him his her they their them it its this that these those
 is are am was were be been being do does did have has had having got get gets getting to of for in on at by with from and or but so
 there here any some please thanks thank hi hello hey ok okay well just really actually can could would will shall should may might
 tell say show give let know want need wondering wonder whether hoping remind what which when where time day days week date how many much long if then now
 up out about s coming doing happening going planned scheduled down supposed look see check through run up not no yes like else as
 into set lined arranged booked everything anything something all whole full every each also only still already
 kid son daughter child more left remaining today's currently again exactly ever whats go goes does take takes place held
 also too yet straight looking anywhere somewhere one ones due hand handed given starts start starting begin begins finish finishes end ends ending over until before after times
 next first last list name names read`)

// Greetings are dropped as a whole before anything is read.
var greetings = []string{"good morning", "good afternoon", "good evening", "good night", "good day"}

// generic nouns say what kind of entry is meant and name none.
var genericNouns = map[string]Kind{
	"lesson": Lesson, "lessons": Lesson, "class": Lesson, "classes": Lesson, "period": Lesson, "periods": Lesson, "subject": Lesson,
	"subjects": Lesson, "timetable": Lesson, "appointment": Appointment, "appointments": Appointment, "event": AnyEntry, "events": AnyEntry,
	"thing": AnyEntry, "things": AnyEntry, "plan": AnyEntry, "plans": AnyEntry, "schedule": AnyEntry, "agenda": AnyEntry, "calendar": AnyEntry,
	"diary": AnyEntry, "entry": AnyEntry, "entries": AnyEntry, "commitments": AnyEntry, "activities": AnyEntry, "activity": AnyEntry, "stuff": AnyEntry,
}

// schoolWords and healthWords say which calendars are meant.
var (
	schoolWords = set(`school compass timetable lesson lessons class classes homework teacher period periods subject subjects college nursery academy`)
	healthWords = set(`appointment appointments dentist dental doctor doctors gp dr optician opticians orthodontist orthodontics hospital nurse physio physiotherapy
 vaccination jab jabs vaccine immunisation checkup clinic surgery xray scan therapist therapy blood nhs medical health eye hygienist
 consultant paediatrician dermatologist podiatrist audiology counsellor vaccinations`)
	schoolNames = set(`school compass college nursery academy nhs medical health`)
	// knownThings are what school and health calendars usually hold, so that a
	// calendar without one of them can honestly say so.
	knownThings = stemWords(`pe maths english science art music drama history geography french german spanish latin italian mandarin re rs dt ict it pshe
 computing biology chemistry physics swimming football netball rugby hockey cricket tennis gym gymnastics athletics dance ballet choir orchestra band
 piano guitar violin club test exam mock trip assembly registration tutor games cooking food technology textiles citizenship economics business
 psychology sociology spelling reading phonics forest detention rehearsal concert play match fixture lunch break inset holiday half term parents
 evening sports photo day uniform club chess coding karate judo scouts brownies cubs guides
 dentist doctor optician orthodontist hospital nurse physio vaccination checkup clinic surgery xray scan therapist therapy blood eye hygienist consultant
 paediatrician dermatologist podiatrist counsellor hearing speech christmas easter`)
)

// stemWords are words by their stem.
func stemWords(words string) map[string]string {
	m := map[string]string{}
	for _, w := range strings.Fields(words) {
		m[Stem(w)] = w
	}
	return m
}

// foreign are words of other projects: a clause with one of them is not for a calendar.
var foreign = set(`email emails inbox mail mails weather rain raining alarm alarms light lights lamp tiktok youtube ipad xbox online screen screentime
 internet wifi message messages unread text texts temperature heating thermostat news timer timers speaker speakers doorbell netflix instagram snapchat
 replied reply`)
