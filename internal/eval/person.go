package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/people"
	"github.com/go-json-experiment/json/jsontext"
)

// Ambiguous is what a line wants where the question names two people.
const Ambiguous = "ambiguous"

// PersonLine is one line of a person file.
type PersonLine struct {
	ID       string    `json:"id"`
	Question string    `json:"question"`
	Asker    ask.Asker `json:"asker"`
	// CallerPerson is whom the caller named; it may be empty.
	CallerPerson ask.Person `json:"caller_person,omitzero"`
	// RoutedPeople is the list of the project that is asked; OtherPeople are those of
	// other projects, who must not leak in.
	RoutedPeople []ask.Person `json:"routed_people"`
	OtherPeople  []ask.Person `json:"other_people,omitzero"`
	Want         string       `json:"want"`
	// Accept are further right answers. A line that has some is one of doubt.
	Accept []string `json:"accept,omitzero"`
	// Doubt and Tags may mark a line of doubt too.
	Doubt jsontext.Value `json:"doubt,omitzero"`
	Tags  []string       `json:"tags,omitzero"`
}

func (l PersonLine) doubtful() bool {
	marked := len(l.Doubt) > 0 && !slices.Contains([]string{"null", "false", `""`}, string(l.Doubt))
	return marked || len(l.Accept) > 0 || slices.ContainsFunc(l.Tags, func(t string) bool { return strings.Contains(t, "doubt") })
}

// PersonReport is how well the person rule did. Firm lines have one right answer;
// of the others people may think differently.
type PersonReport struct {
	Firm  Sum           `json:"firm"`
	Doubt Sum           `json:"doubt"`
	Wrong []PersonWrong `json:"wrong"`
}

// PersonWrong is one line that went wrong.
type PersonWrong struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Want     string `json:"want"`
	Got      string `json:"got"`
}

// Person scores the person rule (spec 2, step 5, and spec 5): whom the caller named,
// else the one person of the routed project's list whom the question names, else
// the asker; two people are ambiguous. listed gives a project's list its aliases.
func Person(r io.Reader, listed func([]ask.Person) []people.Listed) (PersonReport, error) {
	var firm, doubt tally
	report := PersonReport{Wrong: []PersonWrong{}}
	err := eachLine(r, func(n int, line PersonLine) error {
		if line.Question == "" || line.Asker == "" || line.Want == "" {
			return fmt.Errorf("line %d: question, asker and want are required", n)
		}
		got := line.person(listed)
		right := slices.ContainsFunc(append([]string{line.Want}, line.Accept...), func(want string) bool {
			return people.Fold(want) == people.Fold(got)
		})
		if line.doubtful() {
			doubt.add(right)
		} else {
			firm.add(right)
		}
		if !right {
			report.Wrong = append(report.Wrong, PersonWrong{line.ID, line.Question, line.Want, got})
		}
		return nil
	})
	if err != nil {
		return PersonReport{}, err
	}
	report.Firm, report.Doubt = firm.sum(), doubt.sum()
	return report, nil
}

func (l PersonLine) person(listed func([]ask.Person) []people.Listed) string {
	if l.CallerPerson != "" {
		return string(l.CallerPerson)
	}
	named := people.Match(l.Question, listed(l.RoutedPeople))
	switch {
	case len(named.Ambiguous) > 0:
		return Ambiguous
	case named.Person != "":
		return string(named.Person)
	}
	return string(l.Asker)
}
