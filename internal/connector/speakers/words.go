package speakers

import (
	"slices"
	"strings"
)

// announcement is what somebody wants said.
type announcement struct {
	// Message is exactly as it was said.
	Message string
	Rooms   []string
	// Everywhere is whether every room was asked for.
	Everywhere bool
	Urgent     bool
	// Unknown is a place that was named and that is none of the rooms; empty where none was.
	Unknown string
}

// leads are the ways to ask for an announcement, the longer ones first.
var leads = []string{
	"say it out loud", "say out loud", "say aloud", "make an announcement", "tell everybody", "tell everyone", "tell the family", "tell the whole house", "announce", "broadcast", "speak", "say",
	"call out", "shout",
}

// all are ways to mean every room.
var all = []string{"everywhere", "in every room", "in all rooms", "in all the rooms", "in the whole house", "to everyone", "to everybody", "on all speakers", "on every speaker", "on the house speakers"}

// parse reads the words; rooms are those that there are.
func parse(text string, rooms []string) announcement {
	var a announcement
	raw := strings.Fields(text)
	low := make([]string, len(raw))
	for i, w := range raw {
		low[i] = strings.Trim(strings.ToLower(w), ",:;.!?")
	}
	drop := func(n int) { raw, low = raw[n:], low[n:] }
	for again := true; again && len(low) > 0; {
		again = false
		switch {
		case low[0] == "please", low[0] == "hey", low[0] == "can", low[0] == "could", low[0] == "you":
			drop(1)
			again = true
		case low[0] == "urgent" || low[0] == "urgently":
			a.Urgent, again = true, true
			drop(1)
		}
	}
	for _, lead := range leads {
		w := strings.Fields(lead)
		if starts(low, w) {
			a.Everywhere = strings.HasPrefix(lead, "tell")
			drop(len(w))
			break
		}
	}
	// The place stands right behind the order, or at the end.
	if n, places := placesAt(raw, low, rooms); n > 0 {
		a.take(places)
		drop(n)
	} else {
		for i := range low {
			if n, places := placesAt(raw[i:], low[i:], rooms); i > 0 && n > 0 && i+n == len(low) {
				a.take(places)
				raw, low = raw[:i], low[:i]
				break
			}
		}
	}
	a.Unknown = strange(raw, low)
	if len(low) > 0 && (low[0] == "that" || low[0] == "urgently") {
		a.Urgent = a.Urgent || low[0] == "urgently"
		drop(1)
	}
	a.Message = strings.TrimLeft(strings.Join(raw, " "), ",:; ")
	return a
}

// take is where it is to be said; "" among the places is everywhere.
func (a *announcement) take(places []string) {
	a.Everywhere = slices.Contains(places, "")
	if !a.Everywhere {
		a.Rooms = places
	}
}

// placesAt reads the places at the start of the words, "in the kitchen and the hall", and says
// how many words they took.
func placesAt(raw, low, rooms []string) (n int, places []string) {
	n, place := placeAt(low, rooms)
	if n == 0 {
		return 0, nil
	}
	places = []string{place}
	for place != "" && n < len(low) {
		next := n
		if low[next] == "and" {
			next++
		} else if !strings.HasSuffix(raw[n-1], ",") {
			break
		}
		if next < len(low) && low[next] == "and" { // "the kitchen, the hall, and the attic"
			next++
		}
		for _, w := range []string{"in", "on", "the"} {
			if next < len(low) && low[next] == w {
				next++
			}
		}
		more, room := roomAt(low[next:], rooms)
		if more == 0 {
			break
		}
		n = next + more
		if !slices.Contains(places, room) {
			places = append(places, room)
		}
	}
	return n, places
}

// placeAt reads a place at the start of the words, and says how many it took: a room's
// name, or "" for all of them.
func placeAt(low, rooms []string) (n int, place string) {
	for _, words := range all {
		if w := strings.Fields(words); starts(low, w) {
			return len(w), ""
		}
	}
	if len(low) == 0 || low[0] != "in" && low[0] != "on" {
		return 0, ""
	}
	skip := 1
	if len(low) > 1 && low[1] == "the" {
		skip = 2
	}
	if n, place = roomAt(low[skip:], rooms); n == 0 {
		return 0, ""
	}
	return skip + n, place
}

// roomAt reads a room's name at the start of the words, the longest there is.
func roomAt(low, rooms []string) (n int, room string) {
	for _, r := range rooms {
		if w := strings.Fields(strings.ToLower(r)); len(w) > n && starts(low, w) {
			n, room = len(w), r
		}
	}
	if n > 0 && n < len(low) && (low[n] == "speaker" || low[n] == "speakers") {
		n++
	}
	return n, room
}

// strange is a place at the start of the message that is no room: "in the garage: dinner".
// Only a colon tells it from what is to be said.
func strange(raw, low []string) string {
	const most = 5
	if len(low) == 0 || !slices.Contains([]string{"in", "on", "and"}, low[0]) {
		return ""
	}
	for i, w := range raw[:min(len(raw), most)] {
		if strings.HasSuffix(w, ":") && i > 0 {
			return strings.Join(low[:i+1], " ")
		}
	}
	return ""
}

func starts(words, with []string) bool {
	return len(with) > 0 && len(words) >= len(with) && slices.Equal(words[:len(with)], with)
}
