package merge

import (
	"testing"
	"time"

	"github.com/askhub/askhub/internal/hub/routing"
)

func topic(project string) string {
	return map[string]string{"compass_nhs": "school", "email_agent": "email", "home_assistant": "lights", "dsh": "chat"}[project]
}

func answered(project, words string) routing.Part {
	return routing.Part{Project: project, Status: routing.StatusAnswered, Answer: words}
}

func gone(project, reason string) routing.Part {
	return routing.Part{Project: project, Status: routing.StatusUnavailable, Reason: reason}
}

func silent(project, reason string) routing.Part {
	return routing.Part{Project: project, Status: routing.StatusNoAnswer, Reason: reason}
}

func TestPartsMakeOneSentence(t *testing.T) {
	for name, c := range map[string]struct {
		parts  []routing.Part
		status routing.Status
		want   string
	}{
		"one part is said unchanged": {
			[]routing.Part{answered("compass_nhs", "Harry has maths. Bring a pen.")},
			routing.StatusAnswered, "Harry has maths. Bring a pen.",
		},
		"parts are joined in the file's order": {
			[]routing.Part{answered("compass_nhs", "Harry has maths."), answered("email_agent", "There is one new mail.")},
			routing.StatusAnswered, "Harry has maths; There is one new mail.",
		},
		"equal words are said once": {
			[]routing.Part{answered("compass_nhs", "Nothing today."), answered("home_assistant", "Nothing today.")},
			routing.StatusAnswered, "Nothing today.",
		},
		"what is down is named after what was answered": {
			[]routing.Part{gone("compass_nhs", routing.ReasonDown), answered("email_agent", "No new mail.")},
			routing.StatusAnswered, "No new mail; school is not answering.",
		},
		"what is late is not answering": {
			[]routing.Part{answered("email_agent", "No new mail."), gone("compass_nhs", routing.ReasonSlow)},
			routing.StatusAnswered, "No new mail; school is not answering.",
		},
		"what is not built or not configured is not mentioned": {
			[]routing.Part{answered("email_agent", "No new mail."), gone("compass_nhs", routing.ReasonNotBuilt), gone("home_assistant", routing.ReasonNotConfigured)},
			routing.StatusAnswered, "No new mail.",
		},
		"a reason is left out where somebody answered": {
			[]routing.Part{silent("compass_nhs", "no data for that person"), answered("email_agent", "No new mail.")},
			routing.StatusAnswered, "No new mail.",
		},
		"what needs a yes of its own is said to be left out": {
			[]routing.Part{answered("email_agent", "No new mail."), silent("dsh", routing.ReasonAlone)},
			routing.StatusAnswered, `No new mail; "chat" has to be asked for by itself.`,
		},
		"what needs a yes of its own is said beside a reason": {
			[]routing.Part{silent("compass_nhs", "no data for that person"), silent("dsh", routing.ReasonAlone)},
			routing.StatusNoAnswer, `No data for that person; "chat" has to be asked for by itself.`,
		},
		"several orders are each said to be left out": {
			[]routing.Part{silent("home_assistant", routing.ReasonAlone), silent("dsh", routing.ReasonAlone)},
			routing.StatusNoAnswer, `"lights" has to be asked for by itself; "chat" has to be asked for by itself.`,
		},
		"nobody knows": {
			[]routing.Part{silent("compass_nhs", "no data for that person"), silent("email_agent", "no data for that person"), gone("home_assistant", routing.ReasonDown)},
			routing.StatusNoAnswer, "No data for that person; lights is not answering.",
		},
		"nobody answers": {
			[]routing.Part{gone("compass_nhs", routing.ReasonDown), gone("email_agent", routing.ReasonSlow)},
			routing.StatusUnavailable, "School is not answering; email is not answering.",
		},
		"nothing is built": {
			[]routing.Part{gone("compass_nhs", routing.ReasonNotBuilt), gone("email_agent", routing.ReasonNotBuilt)},
			routing.StatusUnavailable, "That is planned, but it is not built yet.",
		},
		"a single project that is down":            {[]routing.Part{gone("email_agent", routing.ReasonDown)}, routing.StatusUnavailable, "That service is not answering."},
		"a single project that talks nonsense":     {[]routing.Part{gone("email_agent", routing.ReasonNonsense)}, routing.StatusUnavailable, "That service is not answering."},
		"a single project that is late":            {[]routing.Part{gone("email_agent", routing.ReasonSlow)}, routing.StatusUnavailable, "That service is too slow to answer."},
		"a single project that does not know":      {[]routing.Part{silent("compass_nhs", "no data for that person")}, routing.StatusNoAnswer, "No data for that person."},
		"a single project that gives no reason":    {[]routing.Part{silent("compass_nhs", "")}, routing.StatusNoAnswer, "I don't know."},
		"a peer is pointed to":                     {[]routing.Part{{Project: "dsh", Status: routing.StatusElsewhere}}, routing.StatusElsewhere, "Chat is answered in its own place, so please ask there."},
		"a destination that is not configured yet": {[]routing.Part{gone("home_assistant", routing.ReasonNotConfigured)}, routing.StatusUnavailable, "That is not set up here yet."},
	} {
		t.Run(name, func(t *testing.T) {
			got := Parts(c.parts, topic)
			if got.Status != c.status || got.Sentence != c.want {
				t.Errorf("got %s %q, want %s %q", got.Status, got.Sentence, c.status, c.want)
			}
		})
	}
}

func TestTheFirstExpiryCounts(t *testing.T) {
	early, late := time.Unix(100, 0), time.Unix(200, 0)
	a, b, c := answered("compass_nhs", "A."), answered("email_agent", "B."), silent("home_assistant", "none")
	a.Expires, b.Expires, c.Expires = late, early, time.Unix(50, 0)
	if got := Parts([]routing.Part{a, b, c}, topic).Expires; !got.Equal(early) {
		t.Errorf("got %v, want the earliest of what was answered, %v", got, early)
	}
}

func TestARefusalIsToTheLetter(t *testing.T) {
	got := Decided(routing.Decision{Outcome: routing.OutcomeRefused}, "")
	if got.Sentence != "Use the admin app to change internet limits." || got.Status != routing.StatusRefused {
		t.Errorf("got %+v", got)
	}
}
