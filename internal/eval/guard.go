package eval

import (
	"fmt"
	"io"
	"strings"

	"github.com/askhub/askhub/internal/hub/routing"
)

// GuardLine is one line of a guard file.
type GuardLine struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	// Label is "refuse" or "allow".
	Label string `json:"label"`
	// Why is the kind of action, or what else the sentence is.
	Why   string `json:"why"`
	Style string `json:"style"`
}

// GuardReport is how well the guard did: both errors, together and by style.
type GuardReport struct {
	N       int                   `json:"n"`
	Refuse  GuardRefuse           `json:"refuse"`
	Allow   GuardAllow            `json:"allow"`
	ByStyle map[string]GuardStyle `json:"by_style"`
	Wrong   []GuardWrong          `json:"wrong"`
}

// GuardRefuse is how many control actions there were, and the share that was refused.
type GuardRefuse struct {
	N      int   `json:"n"`
	Recall Share `json:"recall"`
}

// GuardAllow is how many innocent sentences there were, and the share that was refused
// for nothing.
type GuardAllow struct {
	N            int   `json:"n"`
	FalseRefusal Share `json:"false_refusal"`
}

// GuardStyle is both errors for one way of speaking.
type GuardStyle struct {
	Refuse GuardRefuse `json:"refuse"`
	Allow  GuardAllow  `json:"allow"`
}

// GuardWrong is one sentence that was judged wrongly.
type GuardWrong struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Want string `json:"want"`
	Got  string `json:"got"`
	// Why is the line's own, and for a needless refusal the row and words that it rests on.
	Why string `json:"why"`
}

// The labels of a guard file.
const (
	labelRefuse = "refuse"
	labelAllow  = "allow"
)

// Guard scores a never-route check on a file of GuardLines. A bad line is an error that
// names it.
func Guard(r io.Reader, check func(question string) routing.Refusal) (GuardReport, error) {
	report := GuardReport{ByStyle: map[string]GuardStyle{}, Wrong: []GuardWrong{}}
	all := map[string]*guardTally{}
	total := &guardTally{}
	err := eachLine(r, func(n int, line GuardLine) error {
		if line.Text == "" {
			return fmt.Errorf("line %d: text is required", n)
		}
		if line.Label != labelRefuse && line.Label != labelAllow {
			return fmt.Errorf("line %d: label is %q; write refuse or allow", n, line.Label)
		}
		got := check(line.Text)
		style := all[line.Style]
		if style == nil {
			style = &guardTally{}
			all[line.Style] = style
		}
		total.add(line.Label, got.Refused)
		style.add(line.Label, got.Refused)
		if got.Refused != (line.Label == labelRefuse) {
			report.Wrong = append(report.Wrong, wrongGuard(line, got))
		}
		return nil
	})
	if err != nil {
		return GuardReport{}, err
	}
	sum := total.style()
	report.N, report.Refuse, report.Allow = sum.Refuse.N+sum.Allow.N, sum.Refuse, sum.Allow
	for name, t := range all {
		report.ByStyle[name] = t.style()
	}
	return report, nil
}

func wrongGuard(line GuardLine, got routing.Refusal) GuardWrong {
	w := GuardWrong{ID: line.ID, Text: line.Text, Want: line.Label, Got: labelAllow, Why: line.Why}
	if got.Refused {
		w.Got = labelRefuse
		w.Why = fmt.Sprintf("%s; refused as %q for %q", line.Why, got.Row, strings.Join(got.Words, " "))
	}
	return w
}

// guardTally counts the refused of each label.
type guardTally struct{ refuse, refused, allow, needless int }

func (t *guardTally) add(label string, refused bool) {
	switch {
	case label == labelRefuse:
		t.refuse++
		if refused {
			t.refused++
		}
	default:
		t.allow++
		if refused {
			t.needless++
		}
	}
}

func (t *guardTally) style() GuardStyle {
	return GuardStyle{
		Refuse: GuardRefuse{N: t.refuse, Recall: share(t.refused, t.refuse)},
		Allow:  GuardAllow{N: t.allow, FalseRefusal: share(t.needless, t.allow)},
	}
}
