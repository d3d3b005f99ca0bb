package email

import (
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/email/mailbox"
	"github.com/askhub/askhub/internal/project/email/message"
)

// viewOf is a view of these messages alone, of somebody called sam.
func viewOf(own []string, all ...*message.Message) *view {
	for i, m := range all {
		m.UID = uint32(len(all) - i)
		if m.Arrived.IsZero() {
			m.Arrived = noon.Add(-time.Duration(i+1) * time.Hour)
		}
		m.Prepare()
	}
	v := &view{
		holder: &holder{person: "sam", boxes: []*box{{key: "k", own: own}}, zone: time.UTC, now: func() time.Time { return noon }},
		from:   []*mailbox.Snapshot{{Validity: 1, Messages: all, Total: len(all), Complete: true, Confirmed: noon}},
	}
	v.merge()
	v.refs = v.index
	return v
}

func TestWhatWaits(t *testing.T) {
	gran := message.Address{Name: "Gran", Addr: "gran@x.example"}
	letter := func(subject, text string, change func(*message.Message)) *message.Message {
		m := &message.Message{From: gran, To: []string{"sam@home.example"}, Subject: subject, Text: text, Detailed: true}
		if change != nil {
			change(m)
		}
		return m
	}
	own := message.Address{Addr: "sam@home.example"}
	for name, c := range map[string]struct {
		mail []*message.Message
		rule string // of the one that waits; "" for none
	}{
		"a question":                       {[]*message.Message{letter("Lunch", "Will you come on Sunday?", nil)}, RuleQuestion},
		"a question in the subject":        {[]*message.Message{letter("Are you coming?", "Gran", nil)}, RuleQuestion},
		"a request":                        {[]*message.Message{letter("Lunch", "Please let me know if you come.", nil)}, RuleRequest},
		"a request for consent":            {[]*message.Message{letter("Trip", "The trip needs your approval.", nil)}, RuleRequest},
		"a deadline":                       {[]*message.Message{letter("Form", "Please return it by Friday, will you?", nil)}, RuleDeadline},
		"a deadline with a date":           {[]*message.Message{letter("Form", "Kindly reply no later than 4 December.", nil)}, RuleDeadline},
		"news":                             {[]*message.Message{letter("Roses", "The roses came out. See you by and by.", nil)}, ""},
		"a link with a question mark":      {[]*message.Message{letter("Roses", "See (link) for more", nil)}, ""},
		"a mere courtesy":                  {[]*message.Message{letter("Roses", "All is well. Any questions? Call me.", nil)}, ""},
		"answered":                         {[]*message.Message{letter("Lunch", "Will you come?", func(m *message.Message) { m.Answered = true })}, ""},
		"from a list":                      {[]*message.Message{letter("Lunch", "Will you come?", func(m *message.Message) { m.Bulk = true })}, ""},
		"from a robot":                     {[]*message.Message{letter("Lunch", "Will you come?", func(m *message.Message) { m.From.Addr = "no-reply@x.example" })}, ""},
		"to somebody else":                 {[]*message.Message{letter("Lunch", "Will you come?", func(m *message.Message) { m.To = []string{"tom@home.example"} })}, ""},
		"one's own":                        {[]*message.Message{letter("Lunch", "Will you come?", func(m *message.Message) { m.From = own })}, ""},
		"too long ago":                     {[]*message.Message{letter("Lunch", "Will you come?", func(m *message.Message) { m.Arrived = noon.AddDate(0, 0, -31) })}, ""},
		"answered by the person since":     {[]*message.Message{letter("Re: Lunch", "Yes.", func(m *message.Message) { m.From, m.To, m.References = own, []string{gran.Addr}, []string{"1"} }), letter("Lunch", "Will you come?", func(m *message.Message) { m.ID = "1" })}, ""},
		"answered since, without any id":   {[]*message.Message{letter("AW: Lunch", "Yes.", func(m *message.Message) { m.From, m.To = own, []string{gran.Addr} }), letter("Lunch", "Will you come?", nil)}, ""},
		"only the newest of the two waits": {[]*message.Message{letter("Re: Lunch", "Well, will you?", func(m *message.Message) { m.References = []string{"1"} }), letter("Lunch", "Please confirm.", func(m *message.Message) { m.ID = "1" })}, RuleQuestion},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := viewOf([]string{"sam@home.example"}, c.mail...).waiting(WaitingArgs{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(r.Rows) == 1 {
				got, _ = r.Rows[0].Fields["rule"].(string)
			}
			if got != c.rule || len(r.Rows) > 1 {
				t.Errorf("%q by %+v, want %q", got, r.Rows, c.rule)
			}
		})
	}
}

func TestWordsMatchInTheirForms(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"Invoices for May", "invoice", true},
		{"Your invoice", "invoices", true},
		{"Parking at school", "park", true},
		{"The school", "school", true},
		{"Preschool news", "school", false},
		{"The spark", "park", false},
		{"An apple", "a", false},
		{"Anna", "ann", false},
		{"Réunion d'été", "reunion", true},
		{"Bus", "buses", false},
	} {
		if got := has(message.Fold(c.text), words(c.word)[0]); got != c.want {
			t.Errorf("%q in %q: %t", c.word, c.text, got)
		}
	}
}

func TestWhatIsNotKnownIsSaid(t *testing.T) {
	v := viewOf(nil, &message.Message{From: message.Address{Name: "Gran"}, Subject: "Roses", Detailed: true})
	v.from[0].Total, v.from[0].Unread = 5, 3 // older mail is beyond what is kept
	r, err := v.bySender(FromArgs{Sender: "vicar"})
	if err != nil || r.Facts["known_since"] != v.items[0].Arrived {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := v.unread(UnreadArgs{}); err != nil || r.Facts["count"] != 3 {
		t.Errorf("unread counts the whole mailbox: %+v, %v", r, err)
	}
	v.from[0].Complete = false
	if _, err := v.bySender(FromArgs{Sender: "vicar"}); err == nil || err.Error() != "the mail is still being read" {
		t.Errorf("absence while it is still being read: %v", err)
	}
	if r, err := v.bySender(FromArgs{Sender: "gran"}); err != nil || r.Facts["mailboxes_still_loading"] != 1 || r.Facts["count"] != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	v.from[0].Complete, v.from[0].Confirmed = true, noon.Add(-time.Hour)
	if r, err := v.bySender(FromArgs{Sender: "gran"}); err != nil || !r.At.Equal(noon.Add(-time.Hour)) {
		t.Errorf("as of %v, %v", r.At, err)
	}
	v.from[0].Live = true
	if r, err := v.bySender(FromArgs{Sender: "gran"}); err != nil || !r.At.IsZero() {
		t.Errorf("live, and as of %v, %v", r.At, err)
	}
}
