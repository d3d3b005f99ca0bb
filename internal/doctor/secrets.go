package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
)

// secrets looks at every token, and for whom it is.
func (e *exam) secrets() []Check {
	opened, bad := secrets.Open(e.cfg.Secrets, e.Environ)
	var checks []Check
	if bad != nil {
		for _, err := range each(bad) {
			checks = append(checks, e.secretsFault(Fault, err))
		}
	} else if err := opened.Problem(); err != nil {
		for _, err := range each(err) {
			checks = append(checks, e.secretsFault(Warn, err))
		}
	}
	// A list is there even where single tokens are not good.
	tokens, err := secrets.List(e.cfg.Secrets, e.Environ)
	if err != nil {
		return checks
	}
	missing, others := e.tokens(tokens)
	if bad == nil && missing == nil {
		checks = append(checks, Check{Check: "secrets", State: OK, What: "the admin app, each way in and each project has a token of its own"})
	}
	return slices.Concat(checks, missing, others)
}

func (e *exam) secretsFault(state State, err error) Check {
	what, mend := halves(err.Error(), "; ", "Mend "+e.cfg.Secrets+".")
	return Check{"secrets", state, what, mend, false}
}

// want is a token that the config needs, and the command that makes it.
type want struct{ whose, variable, command string }

// tokens compares what there is with what the config needs: missing are the tokens
// that are not there at all, others those that nobody needs or that hide another.
func (e *exam) tokens(tokens []secrets.Info) (missing, others []Check) {
	wants := []want{{"the admin app", secrets.CallerVar(config.AdminName), "askhub token new " + config.AdminName}}
	for _, name := range e.cfg.WayInNames() {
		wants = append(wants, want{"the way in " + name, secrets.CallerVar(name), "askhub token new " + name})
	}
	used := map[string]bool{}
	for _, name := range e.cfg.ProjectNames() {
		wants = append(wants, want{"the project " + name, secrets.ProjectVar(name), "askhub token new --project " + name})
		// A project that notifies, or carries out what was approved, has these, and need not.
		used[secrets.CallerVar(name)], used[ask.ApprovalTokenVariable(name)] = true, true
	}
	there := map[string]bool{}
	for _, t := range tokens {
		there[t.Var] = true
	}
	for _, w := range wants {
		used[w.variable] = true
		if !there[w.variable] {
			missing = append(missing, Check{"secrets", Fault, w.variable + " is missing, the token of " + w.whose, fmt.Sprintf("Run %q.", w.command), false})
		}
	}
	var unused []string
	for _, t := range tokens {
		if !used[t.Var] {
			unused = append(unused, t.Var)
		}
		if t.HidesFile {
			others = append(others, Check{"secrets", Warn, fmt.Sprintf("%s comes from the %s and hides another value in %s", t.Var, t.From, e.cfg.Secrets), "Take one of the two away.", false})
		}
	}
	if len(unused) > 0 {
		others = append(others, Check{"secrets", Warn, "nobody in askhub.toml uses " + strings.Join(unused, ", "), `Take away what is not needed with "askhub token revoke NAME", with --project for a PROJECT_TOKEN and --approval for an APPROVAL_TOKEN.`, false})
	}
	return missing, others
}
