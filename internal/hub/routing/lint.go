package routing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
)

// Lint compares the file with what the projects declare now, and warns where the two
// say different things. The problems come in the order of their lines.
func Lint(f *File, caps []ask.Capabilities) []Problem {
	var problems []Problem
	warnf := func(line int, format string, args ...any) {
		problems = append(problems, Problem{line, Warning, fmt.Sprintf(format, args...)})
	}
	for _, c := range caps {
		d, ok := f.Find(c.Project)
		if !ok {
			warnf(1, "the project %s answers and has no row: add one for its topics (%s)", c.Project, strings.Join(c.Topics, ", "))
			continue
		}
		if d.Placeholder {
			warnf(d.Line, "%s is marked as a placeholder and answers already: write active service", d.Project)
		}
		undeclared, unlisted := without(d.Topics, c.Topics), without(c.Topics, d.Topics)
		if len(undeclared) > 0 {
			warnf(d.Line, "%s does not declare %s: take %[3]s out of the row, or let the project declare %[3]s", d.Project, list(undeclared), it(undeclared))
		}
		if len(unlisted) > 0 {
			warnf(d.Line, "%s declares %s as well: add %s to the row", d.Project, list(unlisted), it(unlisted))
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return problems
}

// it is what those topics are called once they were named.
func it(topics []string) string {
	if len(topics) > 1 {
		return "them"
	}
	return "it"
}

// without is what of a is not in b, whatever the case and the white space.
func without(a, b []string) []string {
	same := func(x string) func(string) bool {
		return func(y string) bool { return strings.EqualFold(tidy(x), tidy(y)) }
	}
	var out []string
	for _, x := range a {
		if !slices.ContainsFunc(b, same(x)) {
			out = append(out, x)
		}
	}
	return out
}

func list(topics []string) string {
	quoted := make([]string, len(topics))
	for i, t := range topics {
		quoted[i] = fmt.Sprintf("%q", t)
	}
	return strings.Join(quoted, ", ")
}
