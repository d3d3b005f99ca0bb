package approve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// The limits of a request, in code points. All of it is shown whole to the person who
// decides, so what is longer is refused and never cut.
const (
	MaxWhat = 500
	// MaxWhy is as long as a question may be.
	MaxWhy = ask.MaxQuestion
	// MaxAction is of the action's RFC 8785 form.
	MaxAction = 8000
)

// maxDigits is how many digits a number of the action may have: a double holds no more of
// them exactly, and RFC 8785 writes a number as the double that it is read as.
const maxDigits = 15

// checked is the request with its action in RFC 8785 form, or a problem that names the
// field. The result shares nothing with r.
func (r Request) checked() (Request, *ask.Problem) {
	if p := checkText("what", r.What, MaxWhat, ""); p != nil {
		return r, p
	}
	if strings.TrimSpace(r.What) == "" {
		return r, ask.NewProblem(ask.CodeMissingField, "what", `Say in "what" in one sentence what will happen.`)
	}
	if p := ask.CheckName("who", r.Who); p != nil {
		return r, p
	}
	if p := checkText("why", r.Why, MaxWhy, "\n\r\t"); p != nil {
		return r, p
	}
	action, p := canonicalAction(r.Action)
	r.Action = action
	return r, p
}

// checkText refuses what cannot be shown as it is. Control characters other than those
// allowed could hide or reorder what stands beside them.
func checkText(field, s string, most int, allowed string) *ask.Problem {
	if !utf8.ValidString(s) {
		return ask.NewProblem(ask.CodeInvalidJSON, field, fmt.Sprintf("Send %q in valid UTF-8.", field))
	}
	if n := utf8.RuneCountInString(s); n > most {
		return ask.NewProblem(ask.CodeInvalidField, field, fmt.Sprintf("Send %q in at most %d characters; it has %d, and it is shown whole or not at all.", field, most, n))
	}
	if controls(s, allowed) {
		return ask.NewProblem(ask.CodeInvalidField, field, fmt.Sprintf("Send %q as plain text without control characters.", field))
	}
	return nil
}

func controls(s, allowed string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return (unicode.IsControl(r) || r == '\u2028' || r == '\u2029') && !strings.ContainsRune(allowed, r)
	})
}

// canonicalAction is the action in RFC 8785 form. It must be one object with something in
// it: a list would be several things under one yes.
func canonicalAction(v jsontext.Value) (jsontext.Value, *ask.Problem) {
	invalid := func(detail string) (jsontext.Value, *ask.Problem) {
		return nil, ask.NewProblem(ask.CodeInvalidField, "action", detail)
	}
	v = slices.Clone(v)
	switch {
	case len(v) == 0:
		return nil, ask.NewProblem(ask.CodeMissingField, "action", `Send the one thing that will run in "action", as a JSON object.`)
	case len(v) > 8*MaxAction:
		return invalid(fmt.Sprintf(`Send "action" in at most %d characters; it is shown whole or not at all.`, MaxAction))
	case v.Kind() != '{' || !v.IsValid():
		return invalid(`Send exactly one thing in "action", as one valid JSON object without a repeated key; ask for each of two things by itself.`)
	}
	if detail := checkTokens(v); detail != "" {
		return invalid(detail)
	}
	if err := v.Canonicalize(); err != nil {
		return invalid(`Send "action" as one valid JSON object.`)
	}
	switch {
	case string(v) == "{}":
		return invalid(`Say in "action" what will run; an empty object is nothing.`)
	case utf8.RuneCount(v) > MaxAction:
		return invalid(fmt.Sprintf(`Send "action" in at most %d characters; it is shown whole or not at all.`, MaxAction))
	}
	return v, nil
}

// checkTokens says what in a valid value would not be shown, or not kept, as it was sent.
func checkTokens(v jsontext.Value) (detail string) {
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	for {
		t, err := d.ReadToken()
		if err != nil { // the end
			return ""
		}
		switch t.Kind() {
		case '"':
			if controls(t.String(), "\n\r\t") {
				return `Send the texts of "action" without control characters.`
			}
		case '0':
			if !exactNumber(t.String()) {
				return fmt.Sprintf(`Write the numbers of "action" with at most %d digits and without an exponent, or as texts.`, maxDigits)
			}
		}
	}
}

func exactNumber(s string) bool {
	digits := 0
	for _, c := range strings.TrimPrefix(s, "-") {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c != '.':
			return false
		}
	}
	return digits <= maxDigits
}

// Digest is SHA-256 in hex over the RFC 8785 form of an object with what, who, why and
// action: what a person sees, and so what they say yes to. The error is an action that is
// no JSON.
func Digest(what, who, why string, action jsontext.Value) (string, error) {
	return hashed("action", action, "what", what, "who", who, "why", why)
}

// sameMark is equal for requests that want the same thing for the same person.
func sameMark(who string, action jsontext.Value) (string, error) {
	return hashed("action", action, "who", who)
}

// hashed is the digest of an object with these members, each a text or a raw value.
func hashed(members ...any) (string, error) {
	object := []byte{'{'}
	for i := 0; i < len(members); i += 2 {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(object, '"')
		object = append(append(object, members[i].(string)...), '"', ':')
		switch v := members[i+1].(type) {
		case string:
			quoted, err := jsontext.AppendQuote(nil, v)
			if err != nil {
				return "", err
			}
			object = append(object, quoted...)
		case jsontext.Value:
			object = append(object, v...)
		}
	}
	whole := jsontext.Value(append(object, '}'))
	if err := whole.Canonicalize(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:]), nil
}
