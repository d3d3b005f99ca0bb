package compass

import "strings"

// beside is what comes right after or before something, on the same day.
func (s *saying) beside() string {
	if len(s.items) == 0 {
		word := " nothing following "
		if s.tool == precedingTool {
			word = " nothing preceding "
		}
		return s.have() + word + shown(cleanText(s.subject, maxTitle)) + " " + s.then()
	}
	it := s.items[0]
	after, _ := s.found.Result.Rows[0].Fields[fieldBeside].(string)
	return s.have() + " " + it.title + " " + after + ", at " + clockOf(s.at(it.start)) + " " + s.day(it.start)
}

// until is how long it is until something starts, or ends.
func (s *saying) until() []string {
	if len(s.items) == 0 {
		return s.absent()
	}
	it := s.items[0]
	name := s.whose() + " " + unarticled(it.title)
	itIs := "it is " + s.howLong(s.found.Result.Facts) + " until "
	switch {
	case s.tool == untilTool || it.isAnEnd():
		return one(itIs + name + s.exactly(it))
	case it.allDay:
		return one(itIs + name + " ends " + s.day(lastDay(it)))
	}
	return one(itIs + name + " ends at " + clockOf(s.at(it.end)) + " " + s.day(it.end))
}

// howLong is "9 days", "1 hour and 15 minutes".
func (s *saying) howLong(values map[string]any) string {
	var parts []string
	for _, unit := range []string{"day", "hour", "minute"} {
		if n, ok := values[unit+"s"].(int); ok {
			parts = append(parts, strings.Replace(plural(n, unit), "one", "1", 1))
		}
	}
	return join(parts)
}

func (s *saying) exactly(it item) string {
	if it.allDay {
		return " " + s.day(it.start)
	}
	return " at " + clockOf(s.at(it.start)) + " " + s.day(it.start)
}

// length is how long something lasts.
func (s *saying) length() []string {
	if len(s.items) == 0 {
		return s.absent()
	}
	it := s.items[0]
	name, lasts := s.whose()+" "+unarticled(it.title), " lasts "+s.howLong(s.found.Result.Rows[0].Fields)
	if it.allDay {
		return one(name + lasts + ", from " + strings.TrimPrefix(s.day(it.start), "on "))
	}
	return one(name + s.exactly(it) + lasts)
}

// where is the place of something.
func (s *saying) where() []string {
	if len(s.items) == 0 {
		if s.tool == placeNowTool {
			return one(s.rightNow())
		}
		return s.absent()
	}
	it := s.items[0]
	switch {
	case it.place == "":
		return one(s.rightNow())
	case s.isOn(it) && !it.allDay:
		return one(s.have() + " " + it.title + " " + place(it) + " now, until " + clockOf(s.at(it.end)))
	}
	return one(s.have() + " " + it.title + " " + place(it) + s.exactly(it))
}

// place is "in Room 12", "in the sports hall", "at the Mill Lane Dental Practice".
func place(it item) string {
	words := strings.Fields(it.place)
	prep := "in "
	if it.tag == Health {
		prep = "at "
	}
	if !common[strings.ToLower(words[len(words)-1])] || strings.EqualFold(words[0], "the") {
		return prep + it.place
	}
	for i, w := range words {
		if low := strings.ToLower(w); (common[low] || ordinary[low]) && (i == 0 || common[strings.ToLower(words[0])] || ordinary[strings.ToLower(words[0])]) {
			words[i] = low
		}
	}
	return prep + "the " + strings.Join(words, " ")
}

// common are places that want "the".
var common = wordSet(`hall studio library room pool field gym gymnasium playground court courts clinic practice surgery hospital office theatre canteen lab
 laboratory kitchen workshop foyer chapel centre`)
