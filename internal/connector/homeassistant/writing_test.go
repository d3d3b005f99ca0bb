package homeassistant

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/dispatch"
)

func TestWhatIsNotReadAgainIsNotDone(t *testing.T) {
	t.Parallel() // it waits for what does not come
	s := newStandIn(t, "calendar.family=Family", "todo.shopping=Shopping")
	s.lists["todo.shopping"] = []item{{"milk", "1", itemOpen}}
	h := connect(t, s.config())
	s.loses = true
	h.expect(
		[2]string{"add dentist on Friday at 3 pm", "- Home Assistant took that, but I do not see it on the Family calendar; please look there before you say it again"},
		[2]string{"add eggs to the shopping list", "- Home Assistant took that, but I do not see it on the Shopping list"},
		[2]string{"tick off milk on the shopping list", "- Home Assistant took that, but I do not see it done on the Shopping list"},
		[2]string{"remove milk from the shopping list", "- Home Assistant took that, but I do not see it done on the Shopping list"},
	)
	s.loses, s.status = false, http.StatusBadRequest
	h.expect(
		[2]string{"add dentist on Friday at 3 pm", "- Home Assistant does not take that for the Family calendar"},
		[2]string{"add eggs to the shopping list", "- Home Assistant does not take that for the Shopping list"},
	)
	s.status = http.StatusInternalServerError
	h.expect(
		[2]string{"add dentist on Friday at 3 pm", "! home assistant answers with HTTP 500"},
		[2]string{"remove milk from the shopping list", "! home assistant answers with HTTP 500"},
	)
	// A calendar elsewhere may take a moment to show it.
	s.status, s.after = 0, 2
	h.expect([2]string{"add dentist on Friday at 3 pm", "“dentist” is on the Family calendar now, on Friday 4 December at 15:00, for an hour."})
}

// What was done of several is said where the rest was not.
func TestAPartThatWasDoneIsSaid(t *testing.T) {
	s := newStandIn(t, "todo.shopping=Shopping")
	s.lists["todo.shopping"] = []item{{"milk", "1", itemOpen}, {"tea", "2", itemOpen}, {"jam", "3", itemDone}}
	h := connect(t, s.config())
	look := "; please look at the Shopping list"
	s.refuses = "2"
	h.expect([2]string{"tick off milk and tea on the shopping list", "- Home Assistant took “milk” and not “tea”" + look})
	s.refuses = "eggs"
	h.expect([2]string{"add bread, jam, eggs and rice to the shopping list", "- Home Assistant took “bread” and “jam” and not “eggs”" + look})
	s.refuses = "2"
	h.expect([2]string{"remove tea and bread from the shopping list", "- Home Assistant does not take that for the Shopping list"})
	if got := s.lists["todo.shopping"]; len(got) != 4 || got[0].Status != itemDone || got[1].Status != itemOpen || got[2].Status != itemOpen {
		t.Errorf("the list is %+v", got)
	}
}

func TestEverybodyAddsToTheirOwnCalendarsOnly(t *testing.T) {
	s := newStandIn(t, "calendar.sam=Sam", "calendar.family=Family", "calendar.emma=Emma", "calendar.bins!=Bins", "calendar.work=Work")
	cfg := s.config()
	cfg.Calendars = map[string][]string{"sam": {"calendar.sam", "calendar.family", "calendar.bins", "calendar.work", "calendar.gone"}}
	cfg.Deny = []string{"calendar.work"}
	h := connect(t, cfg)
	which := `? Which calendar: Family or Sam? [Family: add "x" on 4 December 2026 at 15:00 to the Family calendar] [Sam: add "x" on 4 December 2026 at 15:00 to the Sam calendar]`
	h.expect(
		[2]string{"add x on Friday at 3 pm to Emma's calendar", which},
		[2]string{"add x on Friday at 3 pm", which},
		[2]string{"add x on Friday at 3 pm to the work calendar", which},
		[2]string{"add x on Friday at 3 pm to the bins calendar", "- The Bins calendar can only be read"},
	)
	s.expectCalls(t)
	h.expect(
		[2]string{"add x on Friday at 3 pm to my calendar", "“x” is on the Sam calendar now, on Friday 4 December at 15:00, for an hour."},
		[2]string{`add "x" on 4 December 2026 at 15:00 to the Family calendar`, "“x” is on the Family calendar now, on Friday 4 December at 15:00, for an hour."},
	)
	s.expectCalls(t, "calendar/create_event", "calendar/create_event")

	cfg.Calendars = map[string][]string{"emma": {"calendar.emma"}}
	h = connect(t, cfg)
	h.expect([2]string{"add x on Friday at 3 pm", "- No calendar of yours is set up here"})
	cfg.Calendars, cfg.Allow = nil, []string{"light", "calendar.sam"}
	h = connect(t, cfg)
	h.expect(
		[2]string{"add y on Friday at 3 pm to the family calendar", "- I may not add to the Family calendar; that has to be allowed in askhub.toml first"},
		[2]string{"add y on Friday at 3 pm", "“y” is on the Sam calendar now, on Friday 4 December at 15:00, for an hour."},
	)
}

func TestAtMostThreeAreOffered(t *testing.T) {
	s := newStandIn(t, "calendar.a=Ann", "calendar.b=Ben", "calendar.c=Cat", "calendar.d=Dan", "todo.a=Chores", "todo.b=Garden", "todo.c=Shopping", "todo.d=To-do List")
	h := connect(t, s.config())
	for _, words := range []string{"add x on Friday at 3 pm to the zoo calendar", "add milk to the zoo list", "add laundry", "what is on my list?"} {
		if got := h.says(words); strings.Count(got, "[") != 3 || !strings.HasPrefix(got, "? Which ") {
			t.Errorf("%q: got %q", words, got)
		}
	}
	s.expectCalls(t)
	h.expect(
		[2]string{"please add laundry", "? Which list: Chores, Garden or Shopping? [Chores: add laundry to the Chores list] [Garden: add laundry to the Garden list] [Shopping: add laundry to the Shopping list]"},
		[2]string{"add call mum and dad to the to do list", "“call mum and dad” is on the To-do List now."},
		[2]string{"what lists are there?", "There is the Chores list, the Garden list, the Shopping list and the To-do List."},
	)
}

// A day that is missing, and a time that is over or not understood, is asked for, and
// nothing is guessed.
func TestWhatCannotBeUnderstoodIsNotWritten(t *testing.T) {
	s := newStandIn(t, "calendar.family=Family", "todo.shopping=Shopping", "light.bed=Bed light")
	cfg := s.config()
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Zone = func() *time.Location { return london }
	h := connect(t, cfg)
	for words, want := range map[string]string{
		"add dentist to my calendar":                                "- Please say on which day",
		"add dentist at 3 to my calendar":                           "- Please say on which day",
		"add dentist on Friday afternoon":                           "- Please say at what time",
		"add football tomorrow 5 to 6":                              "- Please say the day and the time one after the other, like \"on Friday from 5 to 6\"",
		"add lunch today at 7 am":                                   "- That is over already; please say a day and a time to come",
		"add lunch on 3 March 2020":                                 "- That is over already; please say a day and a time to come",
		"add dentist on 30 February":                                "- There is no such day",
		"add x on 28 March at 1:30 am":                              "- The clocks change at that hour; please say another time",
		"add swimming every Tuesday at 5 to my calendar":            "- I add single events only; please make one that repeats in Home Assistant",
		"add on Friday at 3 to my calendar":                         "- Please say what I shall add to the calendar",
		"add " + strings.Repeat("x", 200) + " on Friday":            "- That is too long for a calendar; please say it in fewer words",
		"add the bed light on Friday at 9":                          "",
		"clear the shopping list":                                   "- I take only from a list what was named",
		"add to the shopping list":                                  "- Please say what is meant on the list",
		"add " + strings.Repeat("x", 200) + " to the shopping list": "- That is too long for a list; please say it in fewer words",
	} {
		if got := h.says(words); want != "" && got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	s.expectCalls(t)
	// On a day on which clocks change, an event is as long as it was said.
	h.expect(
		[2]string{"add watch on 28 March from 00:30 to 3:00", "“watch” is on the Family calendar now, on Sunday 28 March 2027 from 0:30 to 3:00."},
		[2]string{"add clocks on 28 March", "“clocks” is on the Family calendar now, on Sunday 28 March 2027, all day."},
	)
	if e := s.events["calendar.family"]; len(e) != 2 || e[0].Start.DateTime != "2027-03-28T00:30:00Z" || e[0].End.DateTime != "2027-03-28T02:00:00Z" || e[1].End.Date != "2027-03-29" {
		t.Errorf("written was %+v", e)
	}
}

// TestNoQuestionWrites looks at every service call there is while questions are asked, and
// orders where they only may be read.
func TestNoQuestionWrites(t *testing.T) {
	s := newStandIn(t, "calendar.family=Family", "todo.shopping=Shopping")
	s.lists["todo.shopping"] = []item{{"milk", "1", itemOpen}, {"tea", "2", itemDone}, {"<b>eggs</b>\u202e", "3", itemOpen}}
	h := connect(t, s.config())
	for words, want := range map[string]string{
		"what is on the shopping list?":                      "On the Shopping list there is milk and eggs.",
		"can you tell me what is on the shopping list":       "On the Shopping list there is milk and eggs.",
		"show me the shopping list":                          "On the Shopping list there is milk and eggs.",
		"is tea on the shopping list":                        "No, “tea” is not on the Shopping list.",
		"is dentist on my calendar on Friday?":               "There is nothing on the calendar on Friday.",
		"do add dentist to my calendar on Friday at 3 pm":    "There is nothing on the calendar on Friday.",
		"don't add milk to the shopping list":                "- I know no such device or room",
		"should I add tea to the shopping list?":             "- I know no such device or room",
		"Nan said put dinner in the calendar on Friday at 6": "There is nothing on the calendar on Friday.",
		"what is on the work calendar?":                      "- I know no such calendar of yours",
		"what is on the calendar this month?":                "- Please ask for one day, this weekend, this week or next week",
	} {
		if got := h.says(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	for _, c := range written {
		if _, err := h.c.Read(t.Context(), ask.Question{Question: c[0], Asker: "sam"}); err != nil && !errors.Is(err, dispatch.ErrAlone) {
			t.Errorf("%q: %v", c[0], err)
		}
	}
	s.expectCalls(t)
}

func TestWhatIsSaidTwiceAtOnceIsAddedOnce(t *testing.T) {
	s := newStandIn(t, "calendar.family=Family", "todo.shopping=Shopping")
	h := connect(t, s.config())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			h.says("add dentist on Friday at 3 pm")
			h.says("add milk to the shopping list")
		})
	}
	group.Wait()
	if len(s.events["calendar.family"]) != 1 || len(s.lists["todo.shopping"]) != 1 {
		t.Errorf("written was %+v and %+v", s.events, s.lists)
	}
}

// Where nothing was written there is nothing to look for: it is one reading, whatever
// becomes of the next.
func TestWhatIsOnAListAlreadyIsReadOnce(t *testing.T) {
	s := newStandIn(t, "todo.shopping=Shopping")
	s.lists["todo.shopping"] = []item{{"milk", "1", itemOpen}, {"tea", "2", itemOpen}}
	h := connect(t, s.config())
	h.expect([2]string{"add tea and milk to the shopping list", "“tea” and “milk” are on the Shopping list already."})
	s.expectCalls(t)
	if s.listed != 1 {
		t.Errorf("the list was read %d times", s.listed)
	}
}

// A list that is denied is nobody's to hear of by askhub.
func TestAListThatIsDenied(t *testing.T) {
	s := newStandIn(t, "todo.shopping=Shopping", "todo.presents=Presents")
	s.lists["todo.presents"] = []item{{"a bicycle", "1", itemOpen}}
	cfg := s.config()
	cfg.Deny = []string{"todo.presents"}
	h := connect(t, cfg)
	h.expect(
		[2]string{"what is on the presents list", "? Do you mean the Shopping list? [Shopping: what is on the Shopping list?]"},
		[2]string{"add socks to the presents list", "? Do you mean the Shopping list? [Shopping: add socks to the Shopping list]"},
		[2]string{"what is presents", "- I know no such device or room"},
	)
	cfg.Allow = []string{"light"}
	h = connect(t, cfg)
	h.expect([2]string{"add milk to the shopping list", "- I may not change the Shopping list; that has to be allowed in askhub.toml first"})
}
