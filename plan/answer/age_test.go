package answer

import (
	"testing"
	"time"

	"github.com/askhub/askhub/plan"
)

func TestOldResultsSayTheirAge(t *testing.T) {
	f := mails()
	f.Result.At = now.Add(-50 * time.Minute)
	runCases(t, plan.IntentLookup, []plan.Found{f}, anna(), []sentence{
		{"You have 2 unread mails, as of today at 9:10.", "", "the result's own time"},
		{"You have 2 unread mails as of 9:10.", "", "without its day"},
		{"The mail from “Bob” is read, as of 50 minutes ago.", "", "beside a row"},
		{"You have 2 unread mails as of 9:50.", CodeDate, "a wrong time"},
		{"You have 2 unread mails as of 8:15.", CodeDate, "a mail's time"},
		{"You have 2 unread mails at 9:10.", CodeDate, "no mail's time"},
		{"As of 9:10.", CodeEmpty, "nothing is said"},
	})
	runCases(t, plan.IntentLookup, []plan.Found{mails()}, anna(), []sentence{
		{"You have 2 unread mails as of 9:10.", CodeDate, "the result does not say when"},
	})
	spec := mailSpec()
	spec.Few += "[, {as_of}]"
	tpl := must(t, spec)
	for age, want := range map[time.Duration]string{
		time.Minute:      "You have 2 unread mails, the newest from “School Office” titled “Trip to York: money due” came today at 8:15.",
		50 * time.Minute: "You have 2 unread mails, the newest from “School Office” titled “Trip to York: money due” came today at 8:15, as of today at 9:10.",
		24 * time.Hour:   "You have 2 unread mails, the newest from “School Office” titled “Trip to York: money due” came today at 8:15, as of yesterday at 10:00.",
	} {
		f.Result.At = now.Add(-age)
		got, ok := tpl.Sentence(&f, anna())
		if !ok || got != want {
			t.Errorf("%v: %q", age, got)
		}
		if _, err := Check(got, plan.IntentLookup, []plan.Found{f}, anna()); err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
}
