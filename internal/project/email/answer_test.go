package email

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
	"github.com/askhub/askhub/ask/asktest"
)

const testToken ask.BearerToken = "a-token-for-the-tests-of-email-0123456789"

func said(t testing.TB, e *Email, asker ask.Asker, person ask.Person, question string) string {
	t.Helper()
	a, err := e.Answer(t.Context(), ask.Question{Question: question, Asker: asker, Person: person})
	if err != nil {
		t.Fatal(err)
	}
	if a.Answer == nil {
		return "-- " + a.Reason
	}
	return *a.Answer
}

func TestAnswers(t *testing.T) {
	e, _ := household(t)
	for question, want := range map[string]string{
		"How many unread emails do I have?":         "You have 5 unread messages, the newest from “Parcel Post” titled “Your parcel is on its way”, today at 11:20.",
		"any mail from the school?":                 "You have 2 messages from “school”, the newest from “Hillside School” titled “Museum trip: consent form”, today at 10:00.",
		"Did gran write?":                           "You have 2 messages from “gran”, the newest from “Gran” titled “Sunday lunch”, yesterday at 16:00.",
		"did gran write back":                       "You have 2 messages from “gran”, the newest from “Gran” titled “Sunday lunch”, yesterday at 16:00.",
		"has the school replied back to us today?":  "You have one message from “the school” since today, from “Hillside School” titled “Museum trip: consent form”, today at 10:00.",
		"what did the garage say":                   "You have no messages from “the garage”.",
		"what did I say":                            "-- that is about something else",
		"any new mail from the school since sunday": "You have one message from “school” since yesterday, from “Hillside School” titled “Museum trip: consent form”, today at 10:00.",
		"did the school write about jumpers?":       "You have one message from “school” with “jumpers”, from “Hillside School” titled “Lost property”, on Wednesday 25 November at 12:00.",
		"is there anything about the jumpers?":      "You have one message with “the jumpers”, from “Hillside School” titled “Lost property”, on Wednesday 25 November at 12:00.",
		"what's my latest email":                    "Your newest message is from “Parcel Post” titled “Your parcel is on its way”, today at 11:20.",
		"what email came today":                     "You have 3 messages since today, the newest from “Parcel Post” titled “Your parcel is on its way”, today at 11:20.",
		"anything in my inbox today":                "You have 3 messages today, the newest from “Parcel Post” titled “Your parcel is on its way”, today at 11:20.",
		"what do I have on today?":                  "You have 3 messages today, the newest from “Parcel Post” titled “Your parcel is on its way”, today at 11:20.",
		"what does Harry have on today?":            "-- that is about something else",
		"is anything waiting for my answer?":        "You have 2 messages that wait for an answer, the newest from “Hillside School” titled “Museum trip: consent form”, today at 10:00, by the rule “asks for a reply by a date”.",
		"any attachments from the energy company":   "You have no messages with an attachment from “energy company”.",
		"any pdf from the energy coop":              "You have one message with an attachment named “pdf” from “energy coop”, from “Energy Co-op” titled “Your bill for last month” with the attachment “energy-bill.pdf”, on Wednesday 18 November at 12:00.",
		"any mail from the vicar?":                  "You have no messages from “vicar”.",
		"what is the capital of France":             "-- that is about something else",
		"any mail from https://evil.example/x":      "-- there is no look-up here that tells that",
		"delete all mail from the school":           "-- asking changes nothing here",
	} {
		if got := said(t, e, "sam", "", question); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
	if got := said(t, e, "sam", "tom", "how many unread emails"); got != "Tom has one unread message, from “Priya Shah” titled “Friday's numbers”, today at 9:00." {
		t.Error(got)
	}
	if got := said(t, e, "sam", "harry", "how many unread emails"); got != "-- no data for that person" {
		t.Error(got)
	}
}

func TestTheContract(t *testing.T) {
	e, _ := household(t)
	h, err := askserve.New(e.Project(testToken))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- ask.Serve(t.Context(), ln, h) }()
	t.Cleanup(func() { <-served })
	asktest.Run(t, "http://"+ln.Addr().String(), testToken, asktest.As("sam"), asktest.Asking("any mail from the school?"))
}

// TestAServerThatIsDownGivesWhatIsKnownWithItsAge stops the server, and later asks a
// project that never reached one.
func TestAServerThatIsDownGivesWhatIsKnownWithItsAge(t *testing.T) {
	now := noon
	e, s := household(t)
	e.cfg.Now = func() time.Time { return now }
	for _, h := range e.people {
		h.now = e.cfg.Now
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "accounts[0] (sam, INBOX): the mail server cannot be reached") {
		t.Errorf("got %v", err)
	}
	now = noon.Add(20 * time.Minute)
	if got, want := said(t, e, "sam", "", "how many unread messages do I have"), "You have 5 unread messages, the newest from “Parcel Post” titled “Your parcel is on its way”, today at 11:20, as of today at 12:00."; got != want {
		t.Errorf("got %s", got)
	}
	never, err := New(e.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := said(t, never, "sam", "", "any mail from the school?"); got != "-- the mail has not been read yet" {
		t.Error(got)
	}
	_ = never.Refresh(t.Context())
	for _, q := range []string{"any mail from the school?", "how many unread"} {
		if got := said(t, never, "sam", "", q); got != "-- the mail server cannot be read, and it has never been" {
			t.Errorf("%s: %s", q, got)
		}
	}
}

func TestFaultsNameAccountFieldAndMend(t *testing.T) {
	good := Account{Person: "sam"}
	good.Server, good.Username, good.Password = "imap.example.org", "sam@example.org", "secret"
	for want, change := range map[string]func(*Account){
		"accounts[1].person is missing: name whose account it is":                         func(a *Account) { a.Person = "" },
		"accounts[1].server is missing: give the mail server's name":                      func(a *Account) { a.Server = "" },
		"accounts[1].server must be a host, or a host and a port":                         func(a *Account) { a.Server = "imaps://imap.example.org" },
		`accounts[1].security must be "tls", "starttls" or "plain"`:                       func(a *Account) { a.Security = "ssl" },
		`accounts[1].security may be "plain" for this machine alone`:                      func(a *Account) { a.Security = "plain" },
		"accounts[1].username is missing":                                                 func(a *Account) { a.Username = "" },
		"accounts[1].password is missing: give the password, or an app password":          func(a *Account) { a.Password = "" },
		"accounts[1].password holds a control character":                                  func(a *Account) { a.Password = "a\r\nb" },
		"accounts[1].pinned_sha256 must be the SHA-256 of the certificate, 64 hex digits": func(a *Account) { a.PinnedSHA256 = "abc" },
		"accounts[1].addresses[0] must be an address":                                     func(a *Account) { a.Addresses = []string{"sam"} },
		"accounts[1].mailboxes[1] must be the name of a mailbox":                          func(a *Account) { a.Mailboxes = []string{"INBOX", ""} },
		"accounts[1].mailboxes may be at most 5":                                          func(a *Account) { a.Mailboxes = make([]string, 6) },
		`accounts[1].mailboxes names "INBOX", which accounts[0] reads already`:            func(a *Account) { a.Username = good.Username },
	} {
		bad := good
		bad.Username = "other@example.org"
		change(&bad)
		_, err := New(Config{Accounts: []Account{good, bad}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := New(Config{}); err == nil || !strings.Contains(err.Error(), "accounts: there is none") {
		t.Errorf("%v", err)
	}
	if _, err := New(Config{Accounts: []Account{{}, {Person: "sam"}}}); err == nil || !strings.Contains(err.Error(), "accounts[0].person") || !strings.Contains(err.Error(), "accounts[1].server") {
		t.Errorf("both faults should be told: %v", err)
	}
}
