package sample

import "time"

const (
	school = "Hillside School <office@hillside-school.example>"
	gran   = "Gran <margaret@grandmail.example>"
	coach  = "Coach Daniels <coach@parkside-fc.example>"
)

// letters are the sample's mail. Each is some hours or days before now, so that there
// is unread, recent and older mail whenever it is tried.
func letters(now time.Time) []letter {
	ago := func(d time.Duration) time.Time { return now.Add(-d).Truncate(time.Minute) }
	const day = 24 * time.Hour
	friday := now.AddDate(0, 0, (int(time.Friday)-int(now.Weekday())+7)%7+7).Format("Monday 2 January")
	return []letter{
		{to: "sam", from: "Energy Co-op <billing@energycoop.example>", subject: "Your bill for last month", text: "Dear customer,\r\n\r\nyour bill of £84.20 is attached. It will be taken from your account in ten days.", at: ago(12 * day), read: true, file: "energy-bill.pdf", fileType: "application/pdf"},
		{to: "sam", from: "Family Dentist <reception@dentist.example>", subject: "Harry's check-up", text: "Harry's check-up has moved to half past three. No reply is needed.", at: ago(6 * day), read: true},
		{to: "sam", from: school, subject: "Lost property", text: "There is a large pile of jumpers in the hall. Have a look when you pass.", at: ago(5 * day), read: true},
		{to: "sam", from: coach, subject: "Saturday's match", text: "Hi Sam, can you drive three of the team on Saturday?", at: ago(4 * day), read: true, answered: true, id: "match-1"},
		{to: "sam", from: coach, subject: "Re: Saturday's match", text: "Yes, I have room for three.", at: ago(4*day - 3*time.Hour), sent: true, id: "match-2", answers: "match-1"},
		{to: "sam", from: coach, subject: "Re: Saturday's match", text: "Wonderful, thank you. We meet at nine at the club house.", at: ago(3 * day), read: true, id: "match-3", answers: "match-2"},
		{to: "sam", from: gran, subject: "Photos of the garden", text: "My dears, the roses came out at last. Love, Gran", at: ago(2 * day), read: true, file: "roses.jpg", fileType: "image/jpeg"},
		{to: "sam", from: "City Library <noreply@library.example>", subject: "A book is due", text: "The Iron Man is due back at the library in four days.", at: ago(26 * time.Hour), list: true},
		{to: "sam", from: gran, subject: "Sunday lunch", text: "Will you all come for lunch on Sunday? I would make the pie.", at: ago(20 * time.Hour)},
		{to: "sam", from: "Garden Weekly <news@gardenweekly.example>", subject: "Ten bulbs to plant now", text: "Is your garden ready for winter? Read on.", at: ago(9 * time.Hour), list: true},
		{to: "sam", from: school, subject: "Museum trip: consent form", text: "Dear parents,\r\n\r\nYear 5 visits the science museum. Please return the form by " + friday + ".\r\n\r\nThe school office", at: ago(2 * time.Hour), id: "trip-1", file: "consent-form.pdf", fileType: "application/pdf"},
		{to: "sam", from: "Parcel Post <tracking@parcelpost.example>", subject: "Your parcel is on its way", text: "It should arrive tomorrow between ten and twelve.", at: ago(40 * time.Minute)},
		{to: "tom", from: "Bike Workshop <hello@bikes.example>", subject: "Your bike is ready", text: "Come by any day before six.", at: ago(30 * time.Hour), read: true},
		{to: "tom", from: "Priya Shah <priya@office.example>", subject: "Friday's numbers", text: "Could you look over the figures? Please let me know if they add up.", at: ago(3 * time.Hour)},
	}
}
