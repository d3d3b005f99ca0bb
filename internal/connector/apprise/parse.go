package apprise

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
)

// order is what is sent to whom.
type order struct {
	to      []string
	message string
}

// Why words are no order, as a person hears it.
const (
	whatToo = `say whom to notify and of what, such as "notify Sam that dinner is ready"`
	tooLong = "that is too long for a notification"
	noTimer = "a notification can only go out now; for a time, ask for a reminder"
	unsafe  = "that cannot be sent as a notification"
	nobody  = "nobody of that name is known here"
)

var (
	polite = lazy(`(?i)^(?:(?:please|hey|ok|okay|hi)[\s,]+|(?:can|could|would|will) you(?: please)?\s+|i(?:'d| would) like (?:you )?to\s+|i want (?:you )?to\s+)+`)
	thanks = lazy(`(?i)[\s,]+(?:please|thanks|thank you)\s*[.!]*$`)
	// to is who comes first: "notify Sam that …".
	to = lazy(`(?i)^(?:notify|alert|remind|warn|ping|tell|inform|message|let)\s+`)
	// send names the thing that is sent: "send Sam a notification …".
	send = lazy(`(?i)^(?:send|give|push|put)\s+(?:out\s+)?(?:(.{1,80}?)\s+)??(?:a |an |the )?(?:push )?(?:notification|notice|alert|reminder|message|push)s?\b`)
	// towards is what leads to whom it is sent, and stranger a name there that nobody has.
	towards  = lazy(`(?i)^\s+(?:to|on|for)\s+`)
	stranger = lazy(`(?i)^\S+(?: \S+){0,2}?(?:\s*:|\s+(?:that|saying)\s)`)
	// begins are words between whom and what.
	begins = lazy(`(?i)^(?:\s*[:,]\s*(?:that\s+)?|\s+(?:know\s+)?(?:that|to|about|of|saying that|saying|which says|with)\s+)`)
	// later are words that put it off.
	later = lazy(`(?i)^\s+(?:know\s+)?(?:when|if|once|before|after|as soon as|whenever|every|at|in|tomorrow|tonight|later)\b`)
	// timed is a time within what a reminder is of.
	timed    = lazy(`(?i)\b(?:at|by|around) (?:\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|o'clock)?\b|noon|midnight|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)|\bin (?:a|an|half an|\d+|one|two|three|four|five|ten|fifteen|twenty|thirty) (?:second|minute|hour|day|week)s?\b|\b(?:tomorrow|tonight|later|every (?:day|morning|evening|week|\w+day)|next \w+|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`)
	reminder = lazy(`(?i)\bremind(?:er)?\b`)
	blanks   = lazy(`\s+`)
)

// lazy compiles an expression when it is first used: most households notify seldom.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// parse reads an order off the words, or says why they are none.
func parse(words, asker string, house People) (o order, reason string) {
	s := blanks().ReplaceAllString(strings.TrimSpace(words), " ")
	s = strings.ReplaceAll(s, "’", "'")
	s = thanks().ReplaceAllString(polite().ReplaceAllString(s, ""), "")
	var what string
	switch {
	case to().MatchString(s):
		o.to, what, reason = whomFirst(s[len(to().FindString(s)):], asker, house)
	case send().MatchString(s):
		m := send().FindStringSubmatch(s)
		o.to, what, reason = whomBeside(m[1], s[len(m[0]):], asker, house)
	default:
		reason = whatToo
	}
	if reason != "" {
		return order{}, reason
	}
	what = strings.Trim(strings.TrimSpace(what), `"'`)
	switch {
	case what == "":
		return order{}, whatToo
	case reminder().MatchString(s) && timed().MatchString(what):
		return order{}, noTimer
	case utf8.RuneCountInString(what) > maxWords:
		return order{}, tooLong
	}
	o.message = sentence(what)
	if ask.CheckSafe(o.message) != nil {
		return order{}, unsafe
	}
	return o, ""
}

// whomFirst cuts the longest name or names off the start of s, and what follows them.
func whomFirst(s, asker string, house People) (who []string, what, reason string) {
	for end := len(s); end > 0; end = strings.LastIndexAny(s[:end], " :,") {
		found := whom(s[:end], asker, house)
		if found == nil {
			continue
		}
		rest := s[end:]
		switch {
		case later().MatchString(rest):
			return nil, "", noTimer
		case begins().MatchString(rest):
			return found, rest[len(begins().FindString(rest)):], ""
		case strings.TrimSpace(rest) == "":
			return nil, "", whatToo
		}
		return found, rest, ""
	}
	return nil, "", nobody
}

// whomBeside takes whom from before the thing that is sent or from behind it; where neither
// names anybody, it is for the asker.
func whomBeside(before, behind, asker string, house People) (who []string, what, reason string) {
	who = whom("me", asker, house)
	switch lead := towards().FindString(behind); {
	case strings.TrimSpace(before) != "":
		if who = whom(before, asker, house); who == nil {
			return nil, "", nobody
		}
	case lead != "":
		found, what, reason := whomFirst(behind[len(lead):], asker, house)
		if reason != nobody {
			return found, what, reason
		}
		if stranger().MatchString(behind[len(lead):]) {
			return nil, "", nobody
		}
	}
	if who == nil {
		return nil, "", nobody
	}
	if later().MatchString(behind) {
		return nil, "", noTimer
	}
	begun := begins().FindString(behind)
	if begun == "" {
		return nil, "", whatToo
	}
	return who, behind[len(begun):], ""
}

var (
	own = []string{"me", "my phone", "myself", "my mobile", "my cell", "my cell phone", "me on my phone", "my phone please"}
	all = []string{
		"everyone", "everybody", "all", "all of us", "us", "us all", "the family", "the whole family", "the household", "everyone's phone",
		"everybody's phone", "everyone's phones", "everybody's phones", "our phones", "all phones", "all our phones", "all the phones",
	}
	adults = []string{"the adults", "the parents", "the grown-ups", "both parents", "all adults", "adults", "parents"}
	kids   = []string{"the kids", "the children", "kids", "children", "all the kids", "both kids", "the kids' phones", "the children's phones"}
)

// phoneOf is what may follow a name: "Sam's phone", "Sam on her phone".
var phoneOf = lazy(`(?i)(?:'s (?:phone|mobile|cell)|' phone| on (?:his|her|their|the) (?:phone|mobile))$`)

// whom are the people whom all of the words name, each once; nil where they name somebody
// else or nobody.
func whom(words, asker string, house People) []string {
	words = strings.TrimSpace(words)
	lower := strings.ToLower(words)
	switch {
	case words == "":
		return nil
	case slices.Contains(own, lower):
		if person, ok := house.Find(asker); ok { // a guest has no phone here
			return []string{person}
		}
		return nil
	case slices.Contains(all, lower):
		return house.Everybody()
	case slices.Contains(adults, lower):
		return house.Adults()
	case slices.Contains(kids, lower):
		return house.Children()
	}
	if person, ok := house.Find(phoneOf().ReplaceAllString(words, "")); ok {
		return []string{person}
	}
	for _, joint := range []string{" and ", ", ", " & "} {
		first, rest, ok := cutFold(words, joint)
		if !ok {
			continue
		}
		a, b := whom(first, asker, house), whom(strings.TrimPrefix(strings.TrimSpace(rest), "and "), asker, house)
		if a == nil || b == nil {
			return nil
		}
		for _, person := range b {
			if !slices.Contains(a, person) {
				a = append(a, person)
			}
		}
		return a
	}
	return nil
}

// cutFold is strings.Cut at a joint in any case.
func cutFold(s, joint string) (before, after string, found bool) {
	i := strings.Index(strings.ToLower(s), joint)
	if i < 0 || len(strings.ToLower(s)) != len(s) {
		return s, "", false
	}
	return s[:i], s[i+len(joint):], true
}
