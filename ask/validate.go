package ask

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of names and lists. They are far above what a household has, and
// keep a wrong reply from growing without end.
const (
	maxName   = 100
	maxTopic  = 60
	maxTopics = 200
	maxPeople = 200
	maxSource = 60
)

// Validate says what is wrong with a question, as a 400 or 413 that names the
// field; nil means that it may be asked.
func (q Question) Validate() *Problem {
	if p := checkQuestion(q.Question); p != nil {
		return p
	}
	if q.Asker == "" {
		return NewProblem(CodeMissingField, "asker", `Send who asks in "asker".`)
	}
	if p := checkName("asker", string(q.Asker), maxName); p != nil {
		return p
	}
	if q.Person != "" {
		if p := checkName("person", string(q.Person), maxName); p != nil {
			return p
		}
	}
	if q.Source != "" {
		return checkName("source", q.Source, maxSource)
	}
	return nil
}

func checkQuestion(s string) *Problem {
	if utf8.RuneCountInString(s) > MaxQuestion {
		return NewProblem(CodeQuestionTooLong, "question", "Ask in at most 4,000 characters.")
	}
	blank := true
	for _, r := range s {
		switch {
		case r == utf8.RuneError && !utf8.ValidString(s):
			return NewProblem(CodeInvalidJSON, "question", `Send "question" in valid UTF-8.`)
		case unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t':
			return NewProblem(CodeInvalidField, "question", `Send "question" as plain text without control characters.`)
		case blank && !unicode.IsSpace(r) && !invisible(r):
			blank = false
		}
	}
	if blank {
		return NewProblem(CodeMissingField, "question", `Send what the person said in "question".`)
	}
	return nil
}

// CheckName says what is wrong with a person's name in that field: blank, too
// long, control or invisible characters, or a space at an end.
func CheckName(field, name string) *Problem { return checkName(field, name, maxName) }

func checkName(field, name string, most int) *Problem {
	if strings.TrimSpace(name) == "" {
		return NewProblem(CodeMissingField, field, "Send a name in "+quoted(field)+".")
	}
	if !utf8.ValidString(name) {
		return NewProblem(CodeInvalidJSON, field, "Send "+quoted(field)+" in valid UTF-8.")
	}
	if utf8.RuneCountInString(name) > most {
		return NewProblem(CodeInvalidField, field, fmt.Sprintf("Send %s in at most %d characters.", quoted(field), most))
	}
	for _, r := range name {
		if unicode.IsControl(r) || invisible(r) || r == '\u2028' || r == '\u2029' {
			return NewProblem(CodeInvalidField, field, "Send "+quoted(field)+" without control or invisible characters.")
		}
	}
	if strings.TrimSpace(name) != name {
		return NewProblem(CodeInvalidField, field, "Send "+quoted(field)+" without a space at its ends.")
	}
	return nil
}

// invisible is a character that shows nothing and can make two names look the
// same. The two joiners are not meant: Persian and Indian scripts need them.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}

// Validate says what is wrong with a project's capabilities; nil means that the
// Hub may route on them.
func (c Capabilities) Validate() *Problem {
	if !ValidProject(c.Project) {
		return NewProblem(CodeInvalidField, "project", `Send a name of lower-case letters, digits, "_" and "-" in "project".`)
	}
	if c.Topics == nil {
		return NewProblem(CodeMissingField, "topics", `Send a list in "topics".`)
	}
	if len(c.Topics) > maxTopics {
		return NewProblem(CodeInvalidField, "topics", fmt.Sprintf("Send at most %d topics.", maxTopics))
	}
	for i, t := range c.Topics {
		field := fmt.Sprintf("topics.%d", i)
		if p := checkName(field, t, maxTopic); p != nil {
			return p
		}
		if strings.ContainsAny(t, "<>`*[]|\\{}") {
			return NewProblem(CodeInvalidField, field, "Send each topic in plain words without markup.")
		}
	}
	if c.People == nil {
		return NewProblem(CodeMissingField, "people", `Send a list in "people"; it may be empty.`)
	}
	if len(c.People) > maxPeople {
		return NewProblem(CodeInvalidField, "people", fmt.Sprintf("Send at most %d people.", maxPeople))
	}
	for i, person := range c.People {
		if p := CheckName(fmt.Sprintf("people.%d", i), string(person)); p != nil {
			return p
		}
	}
	return nil
}

// ValidProject says whether name can name a project: it stands in routing.md, in
// addresses and in the names of environment variables.
func ValidProject(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i, r := range name {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || (r < '0' || r > '9') && r != '_' && r != '-') {
			return false
		}
	}
	return true
}

// TokenVariable is the environment variable that holds the token which the Hub
// presents to that project: PROJECT_TOKEN_ and the name in capitals.
func TokenVariable(project string) string { return "PROJECT_TOKEN_" + inVariable(project) }

// ApprovalTokenVariable is the environment variable that holds the token which the admin app
// presents to that project for its approvals: APPROVAL_TOKEN_ and the name in capitals. The
// Hub has no use for it.
func ApprovalTokenVariable(project string) string { return "APPROVAL_TOKEN_" + inVariable(project) }

func inVariable(project string) string {
	return strings.ToUpper(strings.ReplaceAll(project, "-", "_"))
}

// Validate says what makes a reply unfit to be passed on: neither an answer nor
// a reason, or words that are unsafe to show or speak (CheckSafe). It is what
// the Hub insists on. Style is not: an answer of two sentences is a project's
// fault that CheckSentence names, and the Hub can still shorten it.
func (a Answer) Validate() *Problem {
	if y := a.Expires.UTC().Year(); y < 1 || y > 9999 {
		return NewProblem(CodeInvalidField, "expires", `Send "expires" as an RFC 3339 instant; in UTC it is in no year that has four digits.`)
	}
	if a.Answer == nil {
		if strings.TrimSpace(a.Reason) == "" {
			return NewProblem(CodeMissingField, "reason", `Send why there is no answer in "reason".`)
		}
		return unsafeProblem("reason", a.Reason)
	}
	return unsafeProblem("answer", *a.Answer)
}

func unsafeProblem(field, s string) *Problem {
	if err := CheckSafe(s); err != nil {
		return NewProblem(CodeInvalidField, field, quoted(field)+" "+err.Error()+".")
	}
	return nil
}

// DecodeAnswer reads the reply of POST /ask strictly: DecodeJSON, "answer" is
// there even where it is null, and Validate.
func DecodeAnswer(data []byte) (Answer, *Problem) {
	var a Answer
	if p := DecodeJSON(data, &a); p != nil {
		return Answer{}, p
	}
	if a.Answer == nil && !hasMember(data, "answer") {
		return Answer{}, NewProblem(CodeMissingField, "answer", `Send "answer"; it may be null.`)
	}
	if p := a.Validate(); p != nil {
		return Answer{}, p
	}
	return a, nil
}

func hasMember(data []byte, name string) bool {
	found := false
	eachMember(data, func(key, _ []byte) bool {
		found = string(key) == name
		return !found
	})
	return found
}

// DecodeCapabilities reads the reply of GET /capabilities strictly.
func DecodeCapabilities(data []byte) (Capabilities, *Problem) {
	var c Capabilities
	if p := DecodeJSON(data, &c); p != nil {
		return Capabilities{}, p
	}
	if p := c.Validate(); p != nil {
		return Capabilities{}, p
	}
	return c, nil
}
