package email

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/leaktest"
	"github.com/askhub/askhub/internal/project/email/mailbox"
	"github.com/askhub/askhub/internal/project/email/sample"
	"github.com/askhub/askhub/plan"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// noon is a Monday.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// household is the sample's mail, read once.
func household(t testing.TB) (*Email, *sample.Server) {
	t.Helper()
	s, err := sample.Start(noon, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := Config{Zone: time.UTC, Now: func() time.Time { return noon }}
	for _, p := range s.People() {
		cfg.Accounts = append(cfg.Accounts, Account{
			Person:    ask.Person(p.Name),
			Account:   mailbox.Account{Server: s.Address(), Security: mailbox.Plain, Username: p.Username, Password: p.Password},
			Mailboxes: []string{"INBOX", sample.SentMailbox},
		})
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e, s
}

// run runs one planned look-up of a person as the validator and the runner have it.
func run(t testing.TB, e *Email, person ask.Person, doc string) plan.Found {
	t.Helper()
	offer := e.Catalogue(person).Offer(plan.Access{})
	p, err := offer.Validate([]byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	ran, err := offer.Run(context.Background(), p, plan.Asking{Given: plan.Given{IDs: e.IDs(person)}})
	if err != nil {
		t.Fatal(err)
	}
	last := len(ran.Found) - 1
	record, unable := ran.Record.Lookups[last], (*UnableError)(nil)
	if record.Why != "" && !errors.As(record.Err, &unable) {
		t.Fatalf("%s: %s: %v", doc, record.Why, record.Err)
	}
	return ran.Found[last]
}

func call(tool, args string) string {
	return `{"intent":"lookup","reason":null,"calls":[{"tool":"` + tool + `","args":{` + args + `}}]}`
}

// titles are what the rows are called, in their order.
func titles(r plan.Result) string {
	var out []string
	for _, row := range r.Rows {
		out = append(out, row.Title)
	}
	return strings.Join(out, " | ")
}

func TestLookups(t *testing.T) {
	e, _ := household(t)
	for name, c := range map[string]struct {
		tool, args string
		outcome    plan.Outcome
		count      int
		rows       string
	}{
		"unread":                       {ToolUnread, ``, plan.OutcomeOK, 5, "Your parcel is on its way | Museum trip: consent form | Ten bulbs to plant now | Sunday lunch | A book is due"},
		"newest":                       {ToolNewest, `"state":null`, plan.OutcomeOK, 1, "Your parcel is on its way"},
		"newest that was read":         {ToolNewest, `"state":"read"`, plan.OutcomeOK, 1, "Photos of the garden"},
		"a sender by what it is":       {ToolFrom, `"sender":"the school","about":null,"state":null,"since":null`, plan.OutcomeOK, 2, "Museum trip: consent form | Lost property"},
		"unread from a sender":         {ToolFrom, `"sender":"school","about":null,"state":"unread","since":null`, plan.OutcomeOK, 1, "Museum trip: consent form"},
		"a sender by name":             {ToolFrom, `"sender":"gran","about":null,"state":null,"since":null`, plan.OutcomeOK, 2, "Sunday lunch | Photos of the garden"},
		"a sender by address":          {ToolFrom, `"sender":"coach@parkside-fc.example","about":null,"state":null,"since":null`, plan.OutcomeOK, 2, "Re: Saturday's match | Saturday's match"},
		"a sender by domain":           {ToolFrom, `"sender":"@dentist.example","about":null,"state":null,"since":null`, plan.OutcomeOK, 1, "Harry's check-up"},
		"a sender by letters of it":    {ToolFrom, `"sender":"energy coop","about":null,"state":null,"since":null`, plan.OutcomeOK, 1, "Your bill for last month"},
		"a sender since a day":         {ToolFrom, `"sender":"school","about":null,"state":null,"since":"2026-11-30"`, plan.OutcomeOK, 1, "Museum trip: consent form"},
		"a sender about something":     {ToolFrom, `"sender":"school","about":"the museum trip","state":null,"since":null`, plan.OutcomeOK, 1, "Museum trip: consent form"},
		"nobody of that name":          {ToolFrom, `"sender":"the vicar","about":null,"state":null,"since":null`, plan.OutcomeNone, 0, ""},
		"no part of a word":            {ToolFrom, `"sender":"an","about":null,"state":null,"since":null`, plan.OutcomeNone, 0, ""},
		"about a word of the subject":  {ToolAbout, `"words":"the museum trips","state":null,"since":null`, plan.OutcomeOK, 1, "Museum trip: consent form"},
		"about a word of the text":     {ToolAbout, `"words":"jumpers","state":null,"since":null`, plan.OutcomeOK, 1, "Lost property"},
		"about nothing there":          {ToolAbout, `"words":"volcano","state":null,"since":null`, plan.OutcomeNone, 0, ""},
		"since today":                  {ToolSince, `"date":"today","until":null,"state":null`, plan.OutcomeOK, 3, "Your parcel is on its way | Museum trip: consent form | Ten bulbs to plant now"},
		"on one day":                   {ToolSince, `"date":"2026-11-28","until":"2026-11-28","state":null`, plan.OutcomeOK, 1, "Photos of the garden"},
		"since a weekday":              {ToolSince, `"date":"sunday","until":"yesterday","state":null`, plan.OutcomeOK, 2, "Sunday lunch | A book is due"},
		"waiting":                      {ToolWaiting, ``, plan.OutcomeOK, 2, "Museum trip: consent form | Sunday lunch"},
		"attachments":                  {ToolAttachments, `"name":null,"sender":null`, plan.OutcomeOK, 3, "Museum trip: consent form | Photos of the garden | Your bill for last month"},
		"attachments by kind":          {ToolAttachments, `"name":"pdf","sender":null`, plan.OutcomeOK, 2, "Museum trip: consent form | Your bill for last month"},
		"attachments by name":          {ToolAttachments, `"name":"the consent form","sender":"school"`, plan.OutcomeOK, 1, "Museum trip: consent form"},
		"a day that has not come":      {ToolSince, `"date":"2027-01-01","until":null,"state":null`, plan.OutcomeFailed, 0, ""},
		"what is no day":               {ToolSince, `"date":"soon","until":null,"state":null`, plan.OutcomeFailed, 0, ""},
		"a conversation that is known": {ToolThread, `"message":"nobody"`, plan.OutcomeNone, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, e, "sam", call(c.tool, c.args)).Result
			count, _ := r.Facts["count"].(int)
			if r.Outcome != c.outcome || count != c.count || titles(r) != c.rows {
				t.Errorf("%s, %d: %s", r.Outcome, count, titles(r))
			}
			if !r.At.IsZero() {
				t.Errorf("what was read a moment ago is as of %v", r.At)
			}
			for _, row := range r.Rows {
				if row.Ref == "" || row.Fields["sender"] == "" || row.Fields["date"] == nil {
					t.Errorf("row %+v", row)
				}
			}
		})
	}
}

func TestAConversationIsFoundByReference(t *testing.T) {
	e, _ := household(t)
	r := run(t, e, "sam", `{"intent":"lookup","reason":null,"calls":[{"tool":"mail.about","args":{"words":"club house","state":null,"since":null}},{"tool":"mail.thread","args":{"message":"@r1.message"}}]}`).Result
	if titles(r) != "Re: Saturday's match | Re: Saturday's match | Saturday's match" || r.Rows[1].Fields["own"] != true {
		t.Errorf("%+v", r)
	}
}

func TestWaitingSaysByWhichRule(t *testing.T) {
	e, _ := household(t)
	found := run(t, e, "sam", call(ToolWaiting, ""))
	if r := found.Result; r.Rows[0].Fields["rule"] != RuleDeadline || r.Rows[1].Fields["rule"] != RuleQuestion || len(r.Breakdown) != 2 || r.Facts["days"] != 30 {
		t.Errorf("%+v", r)
	}
	if r := run(t, e, "tom", call(ToolWaiting, "")).Result; titles(r) != "Friday's numbers" || r.Rows[0].Fields["rule"] != RuleRequest {
		t.Errorf("%+v", r)
	}
}

// TestALookupReachesNobodyElsesMail tries each of tom's look-ups for sam's mail.
func TestALookupReachesNobodyElsesMail(t *testing.T) {
	e, _ := household(t)
	ref := run(t, e, "sam", call(ToolNewest, `"state":null`)).Result.Rows[0].Ref
	if r := run(t, e, "tom", call(ToolThread, `"message":"`+ref+`"`)).Result; r.Outcome != plan.OutcomeNone || len(r.Rows) != 0 {
		t.Errorf("tom reads sam's conversation: %+v", r)
	}
	if e.IDs("tom")(t.Context(), KindMessage, ref) || !e.IDs("sam")(t.Context(), KindMessage, ref) || e.IDs("sam")(t.Context(), "customer", ref) {
		t.Error("an id counts for its own person and kind alone")
	}
	if r := run(t, e, "tom", call(ToolFrom, `"sender":"school","about":null,"state":null,"since":null`)).Result; r.Outcome != plan.OutcomeNone {
		t.Errorf("tom reads sam's mail: %+v", r)
	}
	if e.Catalogue("harry") != nil {
		t.Error("somebody without an account has look-ups")
	}
	if e.Catalogue("sam").Hash() != e.Catalogue("tom").Hash() {
		t.Error("two people have different catalogues")
	}
}
