package compass

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
)

// SampleCalendars are the calendars of Sample, once its files stand in dir.
func SampleCalendars(dir string) []Calendar {
	var out []Calendar
	for _, person := range []ask.Person{"harry", "emma"} {
		for _, tag := range []string{School, Health} {
			out = append(out, Calendar{Person: person, Tag: tag, File: filepath.Join(dir, string(person)+"-"+tag+".ics")})
		}
	}
	return out
}

// Sample is a household to try askhub with, as ICS files by name: harry-school.ics,
// harry-health.ics, emma-school.ics and emma-health.ics. They are dated around now, so
// that each of the two has something on every day of the week.
func Sample(now time.Time, zone *time.Location) map[string][]byte {
	today := now.In(zone)
	return map[string][]byte{
		"harry-school.ics": harrySchool(sampleCalendar{today: today, who: "harry-school"}),
		"harry-health.ics": harryHealth(sampleCalendar{today: today, who: "harry-health"}),
		"emma-school.ics":  emmaSchool(sampleCalendar{today: today, who: "emma-school"}),
		"emma-health.ics":  emmaHealth(sampleCalendar{today: today, who: "emma-health"}),
	}
}

// sampleCalendar writes one ICS file.
type sampleCalendar struct {
	today time.Time
	who   string
	n     int
	b     strings.Builder
}

const (
	sampleBack  = 8  // weeks of timetable before this one
	sampleAhead = 30 // and after it
)

func (c *sampleCalendar) line(format string, args ...any) {
	fmt.Fprintf(&c.b, format+"\r\n", args...)
}

func (c *sampleCalendar) begin(kind string) {
	c.n++
	c.line("BEGIN:%s", kind)
	c.line("UID:%s-%d@sample", c.who, c.n)
	c.line("DTSTAMP:%s", c.today.UTC().Format("20060102T150405Z"))
}

func (c *sampleCalendar) bytes() []byte {
	return []byte("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//askhub//sample//EN\r\n" + c.b.String() + "END:VCALENDAR\r\n")
}

// at is a clock time on the day that is days from today, as ICS has it.
func (c *sampleCalendar) at(days int, clock string) string {
	return c.today.AddDate(0, 0, days).Format("20060102") + "T" + strings.Replace(clock, ":", "", 1) + "00"
}

func (c *sampleCalendar) date(days int) string { return c.today.AddDate(0, 0, days).Format("20060102") }

// day is how many days it is to that day of this week, which may be past.
func (c *sampleCalendar) day(d time.Weekday) int {
	return (int(d)+6)%7 - (int(c.today.Weekday())+6)%7
}

// schoolDay is the first weekday that is at least that many days ahead.
func (c *sampleCalendar) schoolDay(days int) int {
	for {
		if d := c.today.AddDate(0, 0, days).Weekday(); d != time.Saturday && d != time.Sunday {
			return days
		}
		days++
	}
}

// weekly is a lesson every week on the given days, but not in half term.
func (c *sampleCalendar) weekly(title, room, from, to string, days ...time.Weekday) {
	for _, d := range days {
		first := c.day(d) - 7*sampleBack
		c.begin("VEVENT")
		c.line("SUMMARY:%s", title)
		if room != "" {
			c.line("LOCATION:%s", room)
		}
		c.line("DTSTART:%s", c.at(first, from))
		c.line("DTEND:%s", c.at(first, to))
		c.line("RRULE:FREQ=WEEKLY;COUNT=%d", sampleBack+sampleAhead+1)
		if d != time.Saturday && d != time.Sunday {
			c.line("EXDATE:%s", c.at(c.day(d)+7*halfTermIn, from))
		}
		c.line("END:VEVENT")
	}
}

// halfTermIn is in how many weeks the sample's half term is.
const halfTermIn = 5

func (c *sampleCalendar) once(title, place string, days int, from, to string) {
	c.begin("VEVENT")
	c.line("SUMMARY:%s", title)
	if place != "" {
		c.line("LOCATION:%s", place)
	}
	c.line("DTSTART:%s", c.at(days, from))
	c.line("DTEND:%s", c.at(days, to))
	c.line("END:VEVENT")
}

func (c *sampleCalendar) allDay(title string, days, count int) {
	c.begin("VEVENT")
	c.line("SUMMARY:%s", title)
	c.line("DTSTART;VALUE=DATE:%s", c.date(days))
	c.line("DTEND;VALUE=DATE:%s", c.date(days+count))
	c.line("END:VEVENT")
}

func (c *sampleCalendar) homework(title string, days int, done bool) {
	c.begin("VTODO")
	c.line("SUMMARY:%s", title)
	c.line("DUE;VALUE=DATE:%s", c.date(days))
	if done {
		c.line("STATUS:COMPLETED")
	}
	c.line("END:VTODO")
}

const (
	mon = time.Monday
	tue = time.Tuesday
	wed = time.Wednesday
	thu = time.Thursday
	fri = time.Friday
	sat = time.Saturday
	sun = time.Sunday
)

func harrySchool(c sampleCalendar) []byte {
	c.weekly("Maths", "Room 12", "09:00", "10:00", mon, tue, thu, fri)
	c.weekly("English", "Room 4", "09:00", "10:00", wed)
	c.weekly("Science", "Lab 2", "10:00", "11:00", wed, fri)
	c.weekly("PE", "Sports hall", "11:00", "12:00", mon, tue, thu)
	c.weekly("History", "Room 8", "11:15", "12:15", wed, fri)
	c.weekly("Geography", "Room 9", "13:15", "14:15", tue)
	c.weekly("Art", "Studio", "13:15", "14:15", thu)
	c.weekly("Music lesson", "Music room", "15:30", "16:00", mon, wed, fri)
	c.weekly("Football club", "Playing field", "10:00", "11:30", sat)
	c.weekly("Music practice", "", "11:00", "11:30", sun)
	// Next week's PE on Tuesday is an hour later.
	tuesday := c.day(tue) + 7
	c.line("BEGIN:VEVENT")
	c.line("UID:harry-school-%d@sample", 9)
	c.line("DTSTAMP:%s", c.today.UTC().Format("20060102T150405Z"))
	c.line("RECURRENCE-ID:%s", c.at(tuesday, "11:00"))
	c.line("SUMMARY:PE")
	c.line("LOCATION:Swimming pool")
	c.line("DTSTART:%s", c.at(tuesday, "12:00"))
	c.line("DTEND:%s", c.at(tuesday, "13:00"))
	c.line("END:VEVENT")
	c.once("Maths test", "Room 12", c.schoolDay(6), "10:15", "10:50")
	c.allDay("Non-uniform day", c.schoolDay(9), 1)
	c.allDay("Half term", c.day(mon)+7*halfTermIn, 5)
	c.homework("Maths worksheet", 1, false)
	c.homework("History poster", c.schoolDay(4), false)
	c.homework("Spelling list", -2, true)
	return c.bytes()
}

func harryHealth(c sampleCalendar) []byte {
	c.once("Dentist", "Mill Lane Dental Practice", c.schoolDay(3), "16:15", "16:45")
	c.once("Eye test", "High Street Opticians", c.schoolDay(20), "15:45", "16:15")
	c.once("Doctor", "The Surgery", c.schoolDay(-30), "09:10", "09:20")
	return c.bytes()
}

func emmaSchool(c sampleCalendar) []byte {
	c.weekly("French", "Room 21", "09:00", "10:00", mon, wed, fri)
	c.weekly("Maths", "Room 15", "09:00", "10:00", tue, thu)
	c.weekly("Chemistry", "Lab 1", "10:00", "11:00", mon, thu)
	c.weekly("Drama", "Studio", "11:15", "12:15", tue, fri)
	c.weekly("PE", "Sports hall", "13:15", "14:15", wed)
	c.weekly("Choir", "Main hall", "15:30", "16:30", thu)
	c.weekly("Netball match", "Playing field", "09:30", "11:00", sat)
	c.weekly("Piano practice", "", "14:00", "14:30", sun)
	c.once("Parents' evening", "Main hall", c.schoolDay(8), "17:30", "19:00")
	c.allDay("Half term", c.day(mon)+7*halfTermIn, 5)
	c.homework("French vocabulary", 1, false)
	c.homework("Chemistry report", -1, false)
	return c.bytes()
}

func emmaHealth(c sampleCalendar) []byte {
	c.once("Orthodontist", "Park Road Clinic", c.schoolDay(5), "08:30", "09:00")
	c.once("Flu vaccination", "The Surgery", c.schoolDay(12), "16:00", "16:10")
	return c.bytes()
}
