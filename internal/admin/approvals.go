package admin

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
)

// executionWait is how long a yes may take: the owner's longest execution, and some.
const executionWait = 40 * time.Second

// lookWait is how long a page waits for an owner.
const lookWait = 3 * time.Second

func changedMeanwhile() *ask.Problem {
	return ownCodes.Problem(CodeChanged, "digest", "This is not what was shown any more. Look at it again.")
}

// gathered is what all owners have, and who did not answer.
type gathered struct {
	approvals []approve.Approval
	away      []string
}

// gather asks all owners at once.
func (a *App) gather(ctx context.Context) gathered {
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	remotes := a.remotes()
	found, faults := make([][]approve.Approval, len(remotes)), make([]error, len(remotes))
	var all sync.WaitGroup
	for i, r := range remotes {
		all.Go(func() { found[i], faults[i] = r.approvals(ctx) })
	}
	all.Wait()
	var out gathered
	for i, r := range remotes {
		if faults[i] != nil {
			_ = a.told(r, faults[i]) // logs it
			out.away = append(out.away, upperFirst(r.Title))
		}
		out.approvals = append(out.approvals, found[i]...)
	}
	slices.SortStableFunc(out.approvals, func(x, y approve.Approval) int { return y.Created.Compare(x.Created) })
	return out
}

// waiting are those of them that wait for somebody at that time.
func (g gathered) waiting(now time.Time) []approve.Approval {
	return slices.DeleteFunc(slices.Clone(g.approvals), func(x approve.Approval) bool { return !waits(&x, now) })
}

func waits(x *approve.Approval, now time.Time) bool {
	return x.State == approve.Pending && now.Before(x.Expires)
}

// waitingPage serves GET /: what waits for a yes.
func (a *App) waitingPage(v *visit) error {
	g := a.gather(v.r.Context())
	shown := waitingShown{Away: g.away}
	for _, x := range g.waiting(a.cfg.Now()) {
		shown.Approvals = append(shown.Approvals, a.show(&x))
	}
	a.pages.render(v.w, http.StatusOK, "waiting", v.page("Waiting for you", "/", &shown))
	return nil
}

// waitingShown is the content of the first page.
type waitingShown struct {
	Approvals []approvalShown
	Away      []string
}

// waitingReply is the reply of GET /api/waiting, by which an open page learns that
// something new waits.
type waitingReply struct {
	Waiting []string `json:"waiting"`
}

func (a *App) waiting(v *visit) error {
	out := waitingReply{Waiting: []string{}}
	for _, x := range a.gather(v.r.Context()).waiting(a.cfg.Now()) {
		out.Waiting = append(out.Waiting, x.Owner+"/"+x.ID)
	}
	return ask.WriteJSON(v.w, &out)
}

// lookAt is the approval that a request's path names, fresh from its owner.
func (a *App) lookAt(v *visit) (*Remote, approve.Approval, error) {
	r, ok := a.remote(v.r.PathValue("owner"))
	id := v.r.PathValue("id")
	if !ok || !goodID(id) {
		return nil, approve.Approval{}, ownCodes.Problem(CodeUnknownApproval, "", "There is no such approval.")
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), lookWait)
	defer cancel()
	x, err := r.approval(ctx, id)
	if err != nil {
		return nil, x, a.told(r, err)
	}
	return r, x, nil
}

// approvalPage serves GET /approvals/{owner}/{id}.
func (a *App) approvalPage(v *visit) error {
	_, x, err := a.lookAt(v)
	if err != nil {
		return err
	}
	shown := a.show(&x)
	a.pages.render(v.w, http.StatusOK, "one", v.page("One request", "", &shown))
	return nil
}

// answer is the body of begin and of no: what the person saw.
type answer struct {
	// Digest is that of what the page showed.
	Digest string `json:"digest"`
	// Mute goes with a no: the person did not ask for this.
	Mute bool `json:"mute"`
}

// seen is the approval that the path names, if it is still what the person saw.
func (a *App) seen(v *visit, body *answer) (*Remote, approve.Approval, error) {
	if p := ask.ReadJSON(v.w, v.r, body); p != nil {
		return nil, approve.Approval{}, p
	}
	r, x, err := a.lookAt(v)
	if err != nil {
		return nil, x, err
	}
	if body.Digest != x.Digest || digestFault(&x) {
		return nil, x, changedMeanwhile()
	}
	return r, x, nil
}

// beginYes serves POST /api/approvals/{owner}/{id}/begin: a challenge that stands for a yes
// to this approval, as it was shown, in this session.
func (a *App) beginYes(v *visit) error {
	var body answer
	r, x, err := a.seen(v, &body)
	if err != nil {
		return err
	}
	if !waits(&x, a.cfg.Now()) {
		return ownCodes.Problem(CodeChanged, "", "This does not wait any more: "+standing(&x))
	}
	o, err := a.ownerOf(v.r.Context(), v.session.Person)
	if err != nil {
		return err
	}
	if len(o.keys) == 0 {
		return passkeyRefused()
	}
	options, data, err := a.keys.BeginLogin(o,
		webauthn.WithChallenge(challengeFor(v.session.Digest, r.Name, x.ID, x.Digest)),
		webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return err
	}
	a.adults.begin(&ceremony{
		kind: sayingYes, data: data, person: v.session.Person, session: v.session.Digest, owner: r.Name, id: x.ID, digest: x.Digest,
	}, a.cfg.Now())
	return ask.WriteJSON(v.w, &useOptions{options.Response})
}

// decided is the reply of yes and of no.
type decided struct {
	State approve.State `json:"state"`
	// Says is what came of it, in words for the person.
	Says string `json:"says"`
}

// counted says whether it is this decision that x was decided by, given that x waited when
// it was made.
func counted(x *approve.Approval, d *approve.Decision) bool {
	switch x.State {
	case approve.Pending, approve.Expired:
		return false
	}
	return x.Result != nil && x.Result.By == d.By && (x.State == approve.Denied) == (d.Decision == approve.No)
}

// yes serves POST /api/approvals/{owner}/{id}/yes: the passkey's word, and then the owner's.
func (a *App) yes(v *visit) error {
	raw, err := readShown(v)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(raw)
	if err != nil {
		return a.refused(v, err)
	}
	now, ctx := a.cfg.Now(), v.r.Context()
	c, ok := a.adults.take(parsed.Response.CollectedClientData.Challenge, sayingYes, now)
	if !ok || c.session != v.session.Digest || c.owner != v.r.PathValue("owner") || c.id != v.r.PathValue("id") {
		return passkeyRefused()
	}
	o, err := a.ownerOf(ctx, c.person)
	if err != nil {
		return err
	}
	used, err := a.keys.ValidateLogin(o, *c.data, parsed)
	if err != nil {
		return a.refused(v, err)
	}
	if _, err := a.used(ctx, used); err != nil {
		return err
	}
	r, ok := a.remote(c.owner)
	if !ok {
		return passkeyRefused()
	}
	// The tap may have taken two minutes: whether it still waits is looked at anew.
	_, before, err := a.lookAt(v)
	if err != nil {
		return err
	}
	return a.decide(v, r, &before, approve.Decision{ID: c.id, Decision: approve.Yes, Digest: c.digest, By: c.person}, DidYes)
}

// no serves POST /api/approvals/{owner}/{id}/no. It needs no passkey: whoever has a session
// and says no does no harm.
func (a *App) no(v *visit) error {
	var body answer
	r, x, err := a.seen(v, &body)
	if err != nil {
		return err
	}
	did := DidNo
	if body.Mute {
		did = DidDisown
	}
	return a.decide(v, r, &x, approve.Decision{ID: x.ID, Decision: approve.No, Digest: x.Digest, By: v.session.Person, Mute: body.Mute}, did)
}

// decide tells the owner, notes it where it counted, and says what came of it. Before is
// how it stood just before. Once the owner was told, it is told to the end: a phone that
// goes away takes nothing back.
func (a *App) decide(v *visit, r *Remote, before *approve.Approval, d approve.Decision, did Did) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), executionWait)
	defer cancel()
	x, err := r.decide(ctx, d)
	if err != nil {
		if errors.Is(err, errAway) {
			a.note(ctx, v, did, "(no answer came)", r.Name, d.ID)
			a.cfg.Log.Warn("a decision got no answer", "to", r.Name, "approval", d.ID, "cause", err)
			return ask.NewProblem(ask.CodeUnavailable, "", upperFirst(r.Title)+" gave no answer. Nobody knows yet whether it was done: look at this page again.")
		}
		return a.told(r, err)
	}
	says := standing(&x)
	switch {
	case before.State == approve.Pending && counted(&x, &d):
		a.note(ctx, v, did, x.What, r.Name, x.ID)
		if d.Mute {
			says += " Who asked for it is not heard for an hour."
		}
	case x.State != approve.Pending && x.State != approve.Expired:
		says = "It was decided already. " + says
	}
	return ask.WriteJSON(v.w, &decided{x.State, says})
}

// standing says how an approval stands, in one sentence.
func standing(x *approve.Approval) string {
	message := ""
	if x.Result != nil {
		message = " " + x.Result.Message
	}
	switch x.State {
	case approve.Pending:
		return "It waits for a yes."
	case approve.Denied:
		return "Denied. Nothing was done."
	case approve.Expired:
		return "Too late: it has expired, and nothing was done."
	case approve.Approved, approve.Executing:
		return "It is being done just now."
	case approve.Done:
		return "Done." + message
	case approve.Failed:
		return "It failed." + message
	case approve.Unknown:
		return "Nobody knows whether it was done: it broke off in between. Look for yourself; it is not run again." + message
	}
	return "Its state is " + string(x.State) + "."
}

// approvalShown is one approval as a page has it.
type approvalShown struct {
	approve.Approval
	// OwnerTitle is how people call who executes it.
	OwnerTitle string
	// Action is the action in indented JSON.
	Action string
	Waits  bool
	// Odd is whether some character in it is not what it looks like.
	Odd bool
	// Broken is whether the digest is not that of what is shown; then there is no yes.
	Broken bool
	Says   string
}

func (a *App) show(x *approve.Approval) approvalShown {
	s := approvalShown{Approval: *x, OwnerTitle: x.Owner, Action: indented(x.Action), Waits: waits(x, a.cfg.Now()), Broken: digestFault(x), Says: standing(x)}
	if r, ok := a.remote(x.Owner); ok {
		s.OwnerTitle = r.Title
	}
	if s.State == approve.Pending && !s.Waits {
		s.State, s.Says = approve.Expired, "Too late: it has expired, and nothing was done."
	}
	for _, text := range []string{x.What, x.Who, x.Why, s.Action} {
		for _, run := range mark(text) {
			s.Odd = s.Odd || run.Odd
		}
	}
	return s
}

// indented is the action whole, a member a line; nothing in it is left out or changed.
func indented(action jsontext.Value) string {
	v := action.Clone()
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return string(action)
	}
	return string(v)
}
