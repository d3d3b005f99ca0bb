// Package calendar reads iCalendar text (RFC 5545) and works out what happens
// when: recurrence, exceptions, moved and cancelled instances, time zones and
// changes of clock. It is pure: no network, no files, no clock of its own.
//
// It expands on this side always, since calendar servers differ in what they
// expand. What cannot be read is counted as a fault and never guessed at.
package calendar
