package admin

import (
	"errors"
	"net/http"
	"strings"

	"github.com/askhub/askhub/ask"
)

// The app's own codes, beside those of the ask contract.
const (
	// CodeSignIn is a call that needs a session, and there is none that holds.
	CodeSignIn ask.Code = "sign_in"
	// CodeCode is an enrolment code that does not hold.
	CodeCode ask.Code = "code_refused"
	// CodePasskey is a passkey's word that is not taken.
	CodePasskey ask.Code = "passkey_refused"
	// CodeChanged is an approval that is not what the person saw, or not waiting any more.
	CodeChanged ask.Code = "approval_changed"
	// CodeUnknownApproval is no approval that anybody knows.
	CodeUnknownApproval ask.Code = "unknown_approval"
	// CodeCrossSite is a call that another site's page made.
	CodeCrossSite ask.Code = "cross_site"
	// CodeWrongHost is a call by a name that is not the app's.
	CodeWrongHost ask.Code = "wrong_host"
	// CodeRefused is what a project or the Hub refused, in its own words.
	CodeRefused ask.Code = "refused"
)

// ownCodes has the status of each of the app's own codes.
var ownCodes = ask.CodeTable{
	CodeSignIn: http.StatusUnauthorized, CodeCode: http.StatusForbidden, CodePasskey: http.StatusForbidden,
	CodeChanged: http.StatusConflict, CodeUnknownApproval: http.StatusNotFound,
	CodeCrossSite: http.StatusForbidden, CodeWrongHost: http.StatusMisdirectedRequest, CodeRefused: http.StatusBadRequest,
}

func notFound() *ask.Problem {
	return ask.NewProblem(ask.CodeNotFound, "", "There is nothing at this address.")
}

func wrongHost() *ask.Problem {
	return ownCodes.Problem(CodeWrongHost, "Host", "The admin app is not called by this name; use the address that \"askhub admin enrol\" prints.")
}

func crossSite() *ask.Problem {
	return ownCodes.Problem(CodeCrossSite, "Origin", "Only the admin app's own pages may do this.")
}

func signInFirst() *ask.Problem { return ownCodes.Problem(CodeSignIn, "", "Sign in first.") }

func codeRefused() *ask.Problem {
	return ownCodes.Problem(CodeCode, "code", "This code does not hold: it is mistyped, spent or too old. Make a new one on the host with: askhub admin enrol --person NAME")
}

func passkeyRefused() *ask.Problem {
	return ownCodes.Problem(CodePasskey, "credential", "The passkey was not taken. Try again; if it stays so, enrol this device anew with a code from the host.")
}

func away(who string) *ask.Problem {
	return ask.NewProblem(ask.CodeUnavailable, "", upperFirst(who)+" is not answering just now; try again.")
}

func storeDown() *ask.Problem {
	return ask.NewProblem(ask.CodeUnavailable, "", "The store cannot be read or written just now; try again.")
}

// fail is the one writer of errors: a problem for the pages' own calls, a page for people.
// What is no problem is internal: it goes to the log, and nothing of it over the wire.
func (a *App) fail(w http.ResponseWriter, r *http.Request, err error) {
	p, ok := errors.AsType[*ask.Problem](err)
	if !ok {
		a.cfg.Log.Error("a request failed", "path", r.URL.Path, "cause", err)
		p = ask.NewProblem(ask.CodeInternal, "", "Something went wrong here; the log says what.")
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		if p.Status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Passkey")
		}
		ask.WriteProblem(w, p)
		return
	}
	if p.Code == CodeSignIn && r.Method == http.MethodGet {
		http.Redirect(w, r, signInAt(r.URL), http.StatusSeeOther)
		return
	}
	a.pages.render(w, p.Status, "fault", &page{Title: p.Title, Body: p.Detail})
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
