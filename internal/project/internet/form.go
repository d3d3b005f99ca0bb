package internet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
)

// The types of a form's fields.
const (
	typeChoice = "choice"
	typeNumber = "number"
	typeTime   = "time"
	typeDays   = "days"
	typeText   = "text"
)

// Field is one field of a form.
type Field struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	// Type is choice, number, time ("21:00"), days (of "mon" to "sun") or text.
	Type     string   `json:"type"`
	Choices  []Choice `json:"choices,omitempty"`
	Unit     string   `json:"unit,omitempty"`
	Required bool     `json:"required"`
	// Min and Max bound a number, themselves included.
	Min *int `json:"min,omitempty"`
	Max *int `json:"max,omitempty"`
}

// Choice is one value of a field and how it is shown.
type Choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// Form is one change that can be asked for just now.
type Form struct {
	Change string  `json:"change"`
	Title  string  `json:"title"`
	Fields []Field `json:"fields"`
}

// Unable is a change that this household's network cannot make.
type Unable struct {
	Change string `json:"change"`
	Title  string `json:"title"`
	Why    string `json:"why"`
}

// Missing is a device that cannot be changed just now.
type Missing struct {
	Device string `json:"device"`
	Why    string `json:"why"`
}

// forms are those whose every choice has something to choose, and what cannot be done at all.
func (s *scene) forms() (forms []Form, not []Unable) {
	for _, c := range changes {
		if a := c.need(s.can); !a.Can {
			if !strings.HasSuffix(c.name, "_off") && !strings.HasPrefix(c.name, "un") {
				not = append(not, Unable{c.name, c.title, a.Why})
			}
			continue
		}
		fields := c.fields(s)
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Type == typeChoice && len(f.Choices) == 0 }) {
			forms = append(forms, Form{c.name, c.title, fields})
		}
	}
	return forms, not
}

// input is what a form came back with.
type input struct{ values map[string]string }

// read takes each field as a text, a number, or a list of texts for days, and refuses a
// field that the form does not have: what is not understood whole is not asked for by halves.
func (c *change) read(s *scene, raw map[string]jsontext.Value) (*input, *ask.Problem) {
	in, fields := &input{map[string]string{}}, c.fields(s)
	for name, v := range raw {
		has := slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
		if !has && (c.name != "cut" || name != "minutes") { // where a cut cannot end by itself, makeCut says why
			return nil, unknownField(name)
		}
		text, ok := inputText(v)
		if !ok {
			return nil, ask.NewProblem(ask.CodeWrongType, "fields."+name, "Send it as a text, a number or a list of texts.")
		}
		in.values[name] = text
	}
	for _, f := range fields {
		if f.Required && in.values[f.Name] == "" {
			return nil, ask.NewProblem(ask.CodeMissingField, "fields."+f.Name, fmt.Sprintf("Fill in “%s”.", f.Label))
		}
	}
	return in, nil
}

// unknownField names the field where its name can be shown.
func unknownField(name string) *ask.Problem {
	if !ask.ValidProject(name) { // small letters and digits, as all names of fields are
		return ask.NewProblem(ask.CodeInvalidField, "fields", "One of the fields is not in this form: take it out.")
	}
	return ask.NewProblem(ask.CodeInvalidField, "fields."+name, "This change has no such field: take it out.")
}

func inputText(v jsontext.Value) (string, bool) {
	switch v.Kind() {
	case '"':
		var s string
		err := json.Unmarshal(v, &s)
		return s, err == nil
	case '0':
		return string(v), true
	case '[':
		var list []string
		err := json.Unmarshal(v, &list)
		return strings.Join(list, ","), err == nil
	case 'n':
		return "", true
	}
	return "", false
}

// device is the chosen device as it stands, with the same state to change.
func (in *input) device(s *scene) (made, *ask.Problem) {
	for _, d := range s.devices {
		if d.Name == in.values["device"] {
			return made{device: d, after: d.State}, nil
		}
	}
	return made{}, ask.NewProblem(ask.CodeInvalidField, "fields.device", "Choose one of the devices that are listed.")
}

// blocked is the device and the thing that is blocked on it, chosen as one.
func (in *input) blocked(s *scene, of func(State) []string) (m made, what string, p *ask.Problem) {
	for _, d := range s.devices {
		for _, b := range of(d.State) {
			if blockedValue(d.Name, b) == in.values["blocked"] {
				return made{device: d, after: d.State}, b, nil
			}
		}
	}
	return m, "", conflict("blocked", "That is not blocked any more.")
}

func (in *input) number(name string, least, most int) (int, *ask.Problem) {
	n, err := strconv.Atoi(in.values[name])
	if err != nil || n < least || n > most {
		return 0, ask.NewProblem(ask.CodeInvalidField, "fields."+name, fmt.Sprintf("Give a whole number from %d to %d.", least, most))
	}
	return n, nil
}

func (in *input) clock(name string) (Clock, *ask.Problem) {
	c, ok := ParseClock(in.values[name])
	if !ok {
		return 0, ask.NewProblem(ask.CodeInvalidField, "fields."+name, "Give a time of day to the minute, such as 21:00.")
	}
	return c, nil
}

func (in *input) days(name string) ([]string, *ask.Problem) {
	days, ok := sortDays(strings.Split(strings.ReplaceAll(in.values[name], " ", ""), ","))
	if !ok {
		return nil, ask.NewProblem(ask.CodeInvalidField, "fields."+name, "Give the days as mon, tue, wed, thu, fri, sat or sun.")
	}
	return days, nil
}

// The codes of this project's own problems.
const (
	codeConflict   ask.Code = "no_such_change_now"
	codeImpossible ask.Code = "impossible"
)

// conflict is a change that makes no sense as things stand.
func conflict(field, detail string) *ask.Problem {
	p := ask.NewProblem(ask.CodeInvalidField, "fields."+field, detail)
	p.Code, p.Status, p.Title = codeConflict, 409, "Conflict"
	return p
}

// impossible is a change that the household's network can never make.
func impossible(e *ImpossibleError) *ask.Problem {
	field := e.Field
	if field != "change" {
		field = "fields." + field
	}
	p := ask.NewProblem(ask.CodeInvalidField, field, e.Why)
	p.Code = codeImpossible
	return p
}
