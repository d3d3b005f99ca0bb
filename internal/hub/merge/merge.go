// Package merge makes one answer of the parts that the destinations gave. It
// joins their words and changes none of them.
package merge

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/internal/hub/routing"
)

// Answer is what a person gets to hear, before it is shaped for a way in.
type Answer struct {
	Status   routing.Status
	Sentence string
	// Expires is when the first of the joined answers stops being true; zero where none says.
	Expires time.Time
}

// The sentences that are the Hub's own (spec 2).
const (
	// Refused is said of every control action, to the letter.
	Refused       = "Use the admin app to change internet limits."
	noMatch       = "I don't know who could answer that."
	notAnswering  = "That service is not answering."
	tooSlow       = "That service is too slow to answer."
	notBuilt      = "That is planned, but it is not built yet."
	notConfigured = "That is not set up here yet."
)

// Parts merges the parts of a route or a fanout. Topic names a destination as a
// person would say it; it is asked only for what is not answering.
func Parts(parts []routing.Part, topic func(project string) string) Answer {
	if len(parts) == 1 {
		return single(parts[0], topic)
	}
	answer := Answer{Status: status(parts), Expires: expires(parts)}
	var words []string
	add := func(s string) {
		if s = strings.TrimSuffix(s, "."); s != "" && !slices.Contains(words, s) {
			words = append(words, s)
		}
	}
	for _, p := range parts {
		switch {
		case p.Answer != "":
			add(p.Answer)
		case p.Status == routing.StatusNoAnswer && answer.Status == routing.StatusNoAnswer && p.Reason != routing.ReasonAlone:
			add(reason(p.Reason))
		}
	}
	for _, p := range parts {
		switch {
		case p.Reason == routing.ReasonAlone:
			add(alone(topic(p.Project)))
		case p.Status == routing.StatusUnavailable && !absent(p):
			add(topic(p.Project) + " is not answering")
		}
	}
	if len(words) == 0 { // nothing but what is not there at all
		return single(parts[0], topic)
	}
	answer.Sentence = sentence(strings.Join(words, "; "))
	return answer
}

// Decided is the answer to a question that reached no destination.
func Decided(d routing.Decision, clarify string) Answer {
	switch d.Outcome {
	case routing.OutcomeRefused:
		return Answer{Status: routing.StatusRefused, Sentence: Refused}
	case routing.OutcomeClarify:
		return Answer{Status: routing.StatusClarify, Sentence: clarify}
	default:
		return Answer{Status: routing.StatusNoMatch, Sentence: noMatch}
	}
}

func single(p routing.Part, topic func(string) string) Answer {
	answer := Answer{Status: p.Status, Expires: p.Expires}
	switch {
	case p.Answer != "":
		answer.Sentence = p.Answer
	case p.Reason == routing.ReasonAlone:
		answer.Sentence = sentence(alone(topic(p.Project)))
	case p.Status == routing.StatusNoAnswer:
		answer.Sentence = sentence(reason(p.Reason))
	case p.Status == routing.StatusElsewhere:
		answer.Sentence = sentence(topic(p.Project) + " is answered in its own place, so please ask there")
	case p.Reason == routing.ReasonSlow:
		answer.Sentence = tooSlow
	case p.Reason == routing.ReasonNotBuilt:
		answer.Sentence = notBuilt
	case p.Reason == routing.ReasonNotConfigured:
		answer.Sentence = notConfigured
	default:
		answer.Sentence = notAnswering
	}
	return answer
}

// alone says that a part of several was not done: it changes something, or needs a yes.
func alone(topic string) string { return `"` + topic + `" has to be asked for by itself` }

// absent is a part that is not there to answer: it stands in the parts only.
func absent(p routing.Part) bool {
	return p.Reason == routing.ReasonNotBuilt || p.Reason == routing.ReasonNotConfigured
}

// status is answered if any part is, else no_answer, else unavailable.
func status(parts []routing.Part) routing.Status {
	has := func(statuses ...routing.Status) bool {
		return slices.ContainsFunc(parts, func(p routing.Part) bool { return slices.Contains(statuses, p.Status) })
	}
	switch {
	case has(routing.StatusAnswered, routing.StatusDone):
		return routing.StatusAnswered
	case has(routing.StatusNoAnswer):
		return routing.StatusNoAnswer
	case has(routing.StatusUnavailable):
		return routing.StatusUnavailable
	default:
		return routing.StatusElsewhere
	}
}

// expires is the earliest instant at which one of the answers stops being true.
func expires(parts []routing.Part) time.Time {
	var first time.Time
	for _, p := range parts {
		if p.Answer != "" && !p.Expires.IsZero() && (first.IsZero() || p.Expires.Before(first)) {
			first = p.Expires
		}
	}
	return first
}

// reason is why there is no answer, in the words of who gave none.
func reason(words string) string {
	if words == "" {
		return "I don't know"
	}
	return words
}

// sentence begins with a capital letter and ends with a stop.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
