package apprise

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

// family is Sam (Mum), Tom (Dad), Harry, Emma and Mary Jane.
type family struct{}

func (family) Find(name string) (string, bool) {
	person, ok := map[string]string{
		"sam": "sam", "mum": "sam", "tom": "tom", "dad": "tom", "harry": "harry", "emma": "emma", "mary jane": "mary jane", "mary": "mary",
	}[strings.ToLower(name)]
	return person, ok
}
func (family) Everybody() []string { return []string{"sam", "tom", "harry", "emma"} }
func (family) Adults() []string    { return []string{"sam", "tom"} }
func (family) Children() []string  { return []string{"harry", "emma"} }
func (family) Spoken(person string) string {
	return strings.ToUpper(person[:1]) + person[1:]
}

func TestWhatIsSentToWhom(t *testing.T) {
	for words, want := range map[string]struct {
		to      string
		message string
	}{
		"remind my phone to take the bins out":           {"sam", "Take the bins out."},
		"alert me: the oven is still on":                 {"sam", "The oven is still on."},
		"Notify Tom that dinner is ready":                {"tom", "Dinner is ready."},
		"notify Dad dinner is ready":                     {"tom", "Dinner is ready."},
		"please notify Harry's phone that tea is ready.": {"harry", "Tea is ready."},
		"could you alert Tom and Emma: come down!":       {"tom emma", "Come down!"},
		"notify Mary Jane that her book is here":         {"mary jane", "Her book is here."},
		"notify everyone that dinner is ready":           {"sam tom harry emma", "Dinner is ready."},
		"notify the kids: bed":                           {"harry emma", "Bed."},
		"alert the adults that the alarm went off":       {"sam tom", "The alarm went off."},
		"send a notification to Tom: the car is here":    {"tom", "The car is here."},
		"send Tom a notification that the car is here":   {"tom", "The car is here."},
		"send a notification saying the car is here":     {"sam", "The car is here."},
		"send me an alert to buy milk":                   {"sam", "Buy milk."},
		"let Harry know that the bus is late":            {"harry", "The bus is late."},
		"notify me about the parcel please":              {"sam", "The parcel."},
		"notify Tom, Harry and Emma that we leave":       {"tom harry emma", "We leave."},
		"notify Tom that Harry and Emma wait at six":     {"tom", "Harry and Emma wait at six."},
		"ping Tom’s phone: call me":                      {"tom", "Call me."},
		"notify Tom: \"the shop shuts at 5\"":            {"tom", "The shop shuts at 5."},
		"send a push notification to my phone: stand up": {"sam", "Stand up."},
		"notify me and Tom that the guests are here":     {"sam tom", "The guests are here."},
	} {
		got, reason := parse(words, "sam", family{})
		if to := strings.Join(got.to, " "); to != want.to || got.message != want.message {
			t.Errorf("%q is %q to %q (%s), want %q to %q", words, got.message, to, reason, want.message, want.to)
		}
	}
}

func TestWordsThatAreNoOrderSayWhy(t *testing.T) {
	for words, want := range map[string]string{
		"notify Bob that dinner is ready":             nobody,
		"notify":                                      whatToo,
		"notify Tom":                                  whatToo,
		"notification":                                whatToo,
		"notify me when the washing is done":          noTimer,
		"alert me if it rains":                        noTimer,
		"remind my phone to call Bob at 5":            noTimer,
		"remind my phone tomorrow to call Bob":        noTimer,
		"remind my phone to stand up in ten minutes":  noTimer,
		"notify Tom that " + strings.Repeat("x", 300): tooLong,
		"notify Tom: come \u202ehome":                 unsafe,
		"send a notification to Bob: hello":           nobody,
		"":                                            whatToo,
	} {
		if o, reason := parse(words, "sam", family{}); reason != want {
			t.Errorf("%q is %+v, %q; want %q", words, o, reason, want)
		}
	}
}

func TestAGuestHasNoPhoneHere(t *testing.T) {
	for _, words := range []string{"notify me that dinner is ready", "send a notification saying dinner is ready"} {
		if o, reason := parse(words, "guest", family{}); reason != nobody {
			t.Errorf("%q is %+v, %q", words, o, reason)
		}
	}
}

// phones note what they send, and answer as they are told.
type phones struct {
	mu   sync.Mutex
	sent []string
	out  map[string]Outcome
	err  error
}

func (p *phones) Send(_ context.Context, person, message string, own bool) (Outcome, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	mark := ""
	if own {
		mark = " (own)"
	}
	p.sent = append(p.sent, person+": "+message+mark)
	out, ok := p.out[person]
	if !ok {
		out.Sent = true
	}
	return out, p.err
}

func do(t *testing.T, p *phones, asker ask.Asker, words string) ask.Answer {
	t.Helper()
	c := &Connector{House: func() People { return family{} }, Phones: p}
	a, err := c.Do(t.Context(), ask.Question{Question: words, Asker: asker})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestItSaysWhatItSentToWhom(t *testing.T) {
	p := &phones{}
	a := do(t, p, "tom", "notify Mum and me that dinner is ready")
	slices.Sort(p.sent)
	if a.Answer == nil || *a.Answer != "Sent to Sam's phone and Tom's phone: Dinner is ready." {
		t.Errorf("it says %v (%s)", a.Answer, a.Reason)
	}
	if want := []string{"sam: Tom says: Dinner is ready.", "tom: Dinner is ready. (own)"}; !slices.Equal(p.sent, want) {
		t.Errorf("it sent %q", p.sent)
	}
}

func TestItNeverSaysSentWhereNothingWas(t *testing.T) {
	seven := time.Date(2026, 10, 10, 7, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		out  Outcome
		want string
	}{
		"quiet hours": {Outcome{Held: seven}, "Tom's phone is quiet until 07:00, and gets it then"},
		"down":        {Outcome{Reason: "it is down", Later: true}, "it is not through to Tom's phone yet, and is tried again"},
		"no phone":    {Outcome{Reason: "people.toml names no phone for tom"}, "Tom's phone did not get it: people.toml names no phone for tom"},
	} {
		a := do(t, &phones{out: map[string]Outcome{"tom": c.out}}, "sam", "notify Tom that dinner is ready")
		if a.Answer != nil || a.Reason != c.want {
			t.Errorf("%s: it says %v, %q", name, a.Answer, a.Reason)
		}
	}
	a := do(t, &phones{out: map[string]Outcome{"tom": {}}}, "sam", "notify Tom and Harry that dinner is ready")
	if a.Answer == nil || *a.Answer != "Sent to Harry's phone: Dinner is ready; Tom's phone did not get it." {
		t.Errorf("of two: %v", a)
	}
}

func TestAFaultIsNoAnswer(t *testing.T) {
	c := &Connector{House: func() People { return family{} }, Phones: &phones{err: errors.New("the disk is full")}}
	if a, err := c.Do(t.Context(), ask.Question{Question: "notify Tom: hello", Asker: "sam"}); err == nil {
		t.Errorf("it says %+v", a)
	}
}

func TestReadingSendsNothing(t *testing.T) {
	p := &phones{}
	c := &Connector{House: func() People { return family{} }, Phones: p}
	a, err := c.Read(t.Context(), ask.Question{Question: "notify Tom: hello", Asker: "sam"})
	if !errors.Is(err, dispatch.ErrAlone) || a.Answer != nil || len(p.sent) > 0 {
		t.Errorf("%+v, %v, sent %v", a, err, p.sent)
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"notify Tom that dinner is ready", "send a notification to Tom: x", "remind my phone to İ and ß", "notify , and"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words string) {
		o, reason := parse(words, "sam", family{})
		if (reason == "") != (len(o.to) > 0 && o.message != "") {
			t.Errorf("%q is %+v, %q", words, o, reason)
		}
		if utf8.RuneCountInString(o.message) > maxWords+1 {
			t.Errorf("%d letters are sent", utf8.RuneCountInString(o.message))
		}
	})
}
