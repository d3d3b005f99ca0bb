package homeassistant

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
)

// written is what is said to a house that has the calendar Family and the list Shopping,
// both empty, and two calendars that can only be read; the day is a Tuesday.
var written = [][2]string{
	{"add dentist on Friday at 3 to my calendar", "“dentist” is on the Family calendar now, on Friday 4 December at 15:00, for an hour."},
	{"add Dentist to the family calendar on 4 December at 15:00", "“Dentist” is on the Family calendar already, on Friday 4 December at 15:00, for an hour."},
	{"put football training in the family calendar tomorrow from 5 to 6", "“football training” is on the Family calendar now, tomorrow from 17:00 to 18:00."},
	{"add Emma's birthday party on 12 December", "“Emma's birthday party” is on the Family calendar now, on Saturday 12 December, all day."},
	{"Add Emma's birthday party on 12 December.", "“Emma's birthday party” is on the Family calendar already, on Saturday 12 December, all day."},
	{"add holiday from 5 June to 12 June to the family calendar", "“holiday” is on the Family calendar now, from Saturday 5 June 2027 to Saturday 12 June 2027."},
	{"add dinner on Friday at 7", "? Do you mean 7:00 in the morning or 19:00 in the evening?" +
		` [7:00 in the morning: add "dinner" on 4 December 2026 at 07:00 to the calendar]` +
		` [19:00 in the evening: add "dinner" on 4 December 2026 at 19:00 to the calendar]`},
	{"add dentist next Friday at 10", "? Do you mean Friday 4 December or Friday 11 December?" +
		` [Friday 4 December: add "dentist" on 4 December 2026 at 10:00 to the calendar] [Friday 11 December: add "dentist" on 11 December 2026 at 10:00 to the calendar]`},
	{"add dinner next Friday at 7", "? Please say the date, and whether it is in the morning or in the evening"},
	{`add "dinner" on 4 December 2026 at 19:00 to the calendar`, "“dinner” is on the Family calendar now, on Friday 4 December at 19:00, for an hour."},
	{"add plumber tomorrow at 9 to calendar 1", "- The Calendar 1 can only be read"},
	{"what is on the family calendar on Friday?", "On Friday there is dentist at 15:00 and dinner at 19:00."},
	{"what is on the calendar on 12 December?", "On Saturday 12 December there is Emma's birthday party."},
	{"add milk to the shopping list", "“milk” is on the Shopping list now."},
	{"put eggs and bread on the shopping list", "“eggs” and “bread” are on the Shopping list now."},
	{"add Milk, oat milk and eggs to the shopping list", "“oat milk” is on the Shopping list now; “Milk” and “eggs” were there already."},
	{"what is on the shopping list?", "On the Shopping list there is milk, eggs, bread and oat milk."},
	{"is milk on the shopping list?", "Yes, “milk” is on the Shopping list."},
	{"is cheese on the shopping list?", "No, “cheese” is not on the Shopping list."},
	{"tick off milk on the shopping list", "“milk” is ticked off on the Shopping list."},
	{"tick off Milk on the shopping list", "“Milk” is ticked off already."},
	{"remove the oat from the shopping list", "? Do you mean “oat milk”? [oat milk: remove oat milk from the Shopping list]"},
	{"add milk to the shopping list", "“milk” is on the Shopping list now."},
	{"remove eggs and bread from the shopping list", "“eggs” and “bread” are off the Shopping list now."},
	{"remove bread from the shopping list", "- There is no “bread” on the Shopping list"},
	{"what's left on the shopping list", "On the Shopping list there is milk and oat milk."},
}

// writtenInLondon is said there of a day on which the clocks change.
var writtenInLondon = [][2]string{
	{"add watch on 28 March from 00:30 to 3:00", "“watch” is on the Family calendar now, on Sunday 28 March 2027 from 0:30 to 3:00."},
	{"add watch on 28 March from 00:30 to 3:00", "“watch” is on the Family calendar already, on Sunday 28 March 2027 from 0:30 to 3:00."},
	{"add clocks on 28 March", "“clocks” is on the Family calendar now, on Sunday 28 March 2027, all day."},
	{"what is on the family calendar on 28 March?", "On Sunday 28 March 2027 there is clocks and watch at 0:30."},
}

// inDecember is the moment at which the words of written are said.
func inDecember() time.Time { return time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC) }

// TestARealHomeAssistantIsWrittenTo needs a house as ./test homeassistant makes it, new. With
// ASKHUB_TEST_RECORD, the name of a file, what it answers is recorded there.
func TestARealHomeAssistantIsWrittenTo(t *testing.T) {
	address, token := os.Getenv("ASKHUB_TEST_HOMEASSISTANT_URL"), os.Getenv("ASKHUB_TEST_HOMEASSISTANT_TOKEN")
	if address == "" {
		t.Skip("Home Assistant is not running for this test")
	}
	if to := os.Getenv("ASKHUB_TEST_RECORD"); to != "" {
		tape := record(t, address)
		defer tape.save(t, to)
		address = tape.URL
	}
	write(t, address, token)
}

// TestWhatIsWrittenAsItWasRecorded says the same to what a real Home Assistant answered
// then, byte for byte.
func TestWhatIsWrittenAsItWasRecorded(t *testing.T) {
	tape := replayed(t, "testdata/written-2026.11.0.json")
	write(t, tape.URL, strings.Repeat("h", 40))
	tape.atEnd(t)
}

func write(t *testing.T, address, token string) {
	t.Helper()
	cfg := Config{URL: address, Token: func() ask.BearerToken { return ask.BearerToken(token) }, Now: inDecember}
	connect(t, cfg).expect(written...)
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Zone = func() *time.Location { return london }
	connect(t, cfg).expect(writtenInLondon...)
}
