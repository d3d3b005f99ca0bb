package email

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/project/email/mailbox"
	"github.com/askhub/askhub/internal/project/email/message"
	"github.com/askhub/askhub/plan"
)

// holder is one person with an account. Its catalogue reads its mailboxes and no
// other's, so that no plan can reach another person's mail.
type holder struct {
	person    ask.Person
	boxes     []*box
	zone      *time.Location
	now       func() time.Time
	catalogue *plan.Catalogue
	latest    atomic.Pointer[view]
}

// item is a message and the mailbox that it is in.
type item struct {
	*message.Message
	box int
	own bool // the person wrote it
}

// view is all of one person's mail as it is known at one instant.
type view struct {
	holder *holder
	from   []*mailbox.Snapshot // of each mailbox
	items  []item              // the newest first
	refs   func() map[string]int
}

// view is the person's mail of now.
func (h *holder) view() *view {
	from := make([]*mailbox.Snapshot, len(h.boxes))
	for i, b := range h.boxes {
		from[i] = b.Snapshot()
	}
	before := h.latest.Load()
	if before != nil && slices.Equal(before.from, from) {
		return before
	}
	v := &view{holder: h, from: from}
	if before != nil && slices.EqualFunc(before.from, from, sameMessages) {
		v.items, v.refs = before.items, before.refs
	} else {
		v.merge()
		v.refs = sync.OnceValue(v.index)
	}
	h.latest.Store(v)
	return v
}

func sameMessages(a, b *mailbox.Snapshot) bool {
	return a.Validity == b.Validity && len(a.Messages) == len(b.Messages) && (len(a.Messages) == 0 || &a.Messages[0] == &b.Messages[0])
}

func (v *view) merge() {
	n := 0
	for _, s := range v.from {
		n += len(s.Messages)
	}
	v.items = make([]item, 0, n)
	for i, s := range v.from {
		own := v.holder.boxes[i].own
		for _, m := range s.Messages {
			v.items = append(v.items, item{m, i, slices.Contains(own, m.From.Addr)})
		}
	}
	if len(v.from) > 1 {
		slices.SortStableFunc(v.items, func(a, b item) int { return b.Arrived.Compare(a.Arrived) })
	}
}

func (v *view) index() map[string]int {
	refs := make(map[string]int, len(v.items))
	for i, it := range v.items {
		refs[v.ref(it)] = i
	}
	return refs
}

func (v *view) ref(it item) string {
	return v.holder.boxes[it.box].ref(v.from[it.box].Validity, it.UID)
}

// lag is how old what is known may be and still count as of now.
const lag = 2 * time.Minute

// standing is how far what is known can be relied on.
type standing struct {
	// at is when the oldest part of it was true; zero is now.
	at time.Time
	// missing counts mailboxes of which nothing is known, reading those that are still
	// being read for the first time.
	missing, reading int
	// reach is the oldest message that is known where there are older ones; else zero.
	reach time.Time
	why   string
}

func (v *view) standing() standing {
	var st standing
	now := v.holder.now()
	for _, s := range v.from {
		switch {
		case s.Confirmed.IsZero():
			st.missing++
			if why := s.Why(); why == mailbox.ErrNotTried.Error() {
				st.why = "the mail has not been read yet"
			} else {
				st.why = "the mail server cannot be read, and it has never been"
			}
			continue
		case !s.Complete:
			st.reading++
		}
		if !s.Live && now.Sub(s.Confirmed) > lag && (st.at.IsZero() || s.Confirmed.Before(st.at)) {
			st.at = s.Confirmed
		}
		if n := len(s.Messages); n > 0 && n < s.Total && s.Complete && s.Messages[n-1].Arrived.After(st.reach) {
			st.reach = s.Messages[n-1].Arrived
		}
	}
	return st
}

// maxRows is how many rows a look-up shows; its count counts all.
const maxRows = 5

// The length of what is quoted, in code points.
const (
	maxTitle   = 70
	maxSender  = 40
	maxSnippet = 160
)

// hits are the messages that fit: the first of them, and the count of all.
type hits struct {
	first         []item
	count, unread int
}

func (h *hits) add(it item) {
	h.count++
	if it.Unread {
		h.unread++
	}
	if len(h.first) < maxRows {
		h.first = append(h.first, it)
	}
}

// answer is a result of these messages, the newest first. Where nothing is found and
// something could not be looked at, that is no absence but a failure.
func (v *view) answer(found hits, more func(item) map[string]any) (plan.Result, error) {
	st := v.standing()
	r := plan.Result{Outcome: plan.OutcomeOK, At: st.at}
	if found.count == 0 {
		r.Outcome = plan.OutcomeNone
		if st.missing > 0 || st.reading > 0 {
			return v.failed(st)
		}
	}
	for _, it := range found.first {
		r.Rows = append(r.Rows, v.row(it, more))
	}
	r.Facts = st.facts(map[string]any{"count": found.count, "unread": found.unread})
	return r, nil
}

// facts adds what the answer must own up to.
func (st standing) facts(facts map[string]any) map[string]any {
	if st.missing > 0 {
		facts["mailboxes_missing"] = st.missing
	}
	if st.reading > 0 {
		facts["mailboxes_still_loading"] = st.reading
	}
	if !st.reach.IsZero() {
		facts["known_since"] = st.reach
	}
	return facts
}

// failed says why nothing can be said.
func (v *view) failed(st standing) (plan.Result, error) {
	if st.why == "" {
		return wrong("the mail is still being read")
	}
	return wrong(st.why)
}

// row shows one message. What strangers wrote in it is fit to be quoted.
func (v *view) row(it item, more func(item) map[string]any) plan.Row {
	fields := map[string]any{
		"sender":      message.Quote(it.From.Shown(), maxSender),
		"address":     message.Quote(it.From.Addr, message.MaxAddress),
		"unread":      it.Unread,
		"attachments": len(it.Attachments),
	}
	if !it.Arrived.IsZero() {
		fields["date"] = it.Arrived.In(v.holder.zone)
	}
	if it.own {
		fields["own"] = true
	}
	if more != nil {
		for k, x := range more(it) {
			fields[k] = x
		}
	}
	return plan.Row{Ref: v.ref(it), Title: message.Quote(it.Subject, maxTitle), Fields: fields, Snippet: message.Quote(it.Text, maxSnippet)}
}

// received are the messages that others wrote and that fit.
func (v *view) received(fits func(item) bool) hits {
	var out hits
	for _, it := range v.items {
		if !it.own && fits(it) {
			out.add(it)
		}
	}
	return out
}

// words splits text into folded words.
func words(s string) []string { return strings.Fields(message.Fold(s)) }
