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
	if n, place := placeAt(low, rooms); n > 0 {
		a.take(place)
		drop(n)
	} else {
		for i := len(low) - 1; i > 0; i-- {
			if n, place := placeAt(low[i:], rooms); n > 0 && i+n == len(low) {
				a.take(place)
				raw, low = raw[:i], low[:i]
				break
			}
		}
	}
	if len(low) > 0 && (low[0] == "that" || low[0] == "urgently") {
		a.Urgent = a.Urgent || low[0] == "urgently"
		drop(1)
	}
	a.Message = strings.TrimLeft(strings.Join(raw, " "), ",:; ")
	return a
}

func (a *announcement) take(place string) {
	if place == "" {
		a.Everywhere = true
		return
	}
	a.Everywhere = false
	a.Rooms = append(a.Rooms, place)
}

// placeAt reads a place at the start of the words, and says how many it took: a room's
// name, or "" for all of them.
func placeAt(low, rooms []string) (n int, place string) {
	for _, words := range all {
		if w := strings.Fields(words); starts(low, w) {
			return len(w), ""
		}
	}
	skip := 0
	if len(low) > 0 && (low[0] == "in" || low[0] == "on") {
		skip = 1
		if len(low) > 1 && low[1] == "the" {
			skip = 2
		}
	}
	if skip == 0 {
		return 0, ""
	}
	for _, r := range rooms {
		w := strings.Fields(strings.ToLower(r))
		if !starts(low[skip:], w) {
			continue
		}
		n = skip + len(w)
		if n < len(low) && (low[n] == "speaker" || low[n] == "speakers") {
			n++
		}
		return n, r
	}
	return 0, ""
}

func starts(words, with []string) bool {
	return len(with) > 0 && len(words) >= len(with) && slices.Equal(words[:len(with)], with)
}
