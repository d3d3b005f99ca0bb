package homeassistant

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/spoken"
)

// unread are domains that no question is answered from: where people are, what cameras
// see, and Home Assistant's own affairs.
var unread = []string{"person", "device_tracker", "camera", "conversation", "update", "zone", "event", "tts", "stt", "image_processing", "geo_location", "notify", "text"}

// whereabouts are integrations that say where people are, and what is on their phones, in
// sensors of their own. How full a phone is, is nobody's secret.
var whereabouts = map[string]bool{
	"mobile_app": true, "icloud": true, "google_maps": true, "life360": true, "owntracks": true, "gpslogger": true, "traccar": true, "traccar_server": true, "tile": true,
	"proximity": true, "bermuda": true, "mqtt_room": true, "find_my_device": true, "googlefindmy": true,
}

// look answers a question about states from the copy.
func (c *Connector) look(ctx context.Context, q ask.Question) (ask.Answer, error) {
	all, warm := c.house.tellable()
	if !warm {
		return ask.Answer{}, c.notReady()
	}
	words := fold(q.Question)
	found, where := namedIn(words, all), placeIn(words, c.house.rooms())
	if len(found) == 0 || kindIn(words)+classIn(words) != "" && onlyRoom(found, where) {
		if where.twins && kindIn(words)+classIn(words) != "" {
			return ask.NoAnswer(severalRooms(where)), nil
		}
		found = c.grouped(words, where, all)
		if len(found) == 0 {
			if (words[0] == "is" || words[0] == "are") && slices.Contains([]string{"home", "here", "back", "in", "out", "away"}, words[len(words)-1]) {
				return ask.NoAnswer(notWhere), nil
			}
			if found = c.partly(words, where, all); len(found) == 0 {
				return c.noSuch(ctx, noDevice)
			}
			if where.name == "" {
				return sayStates(words, toldApart(found)), nil
			}
		}
		return sayGroup(words, found), nil
	}
	return sayStates(words, toldApart(inRoom(found, where))), nil
}

// severalRooms is said where one name is that of several rooms.
func severalRooms(p there) string {
	return "Several rooms are called " + strings.Join(p.said, " ") + "; give them names of their own in Home Assistant"
}

// toldApart are those, with their own names where an alias does not tell one from the other.
func toldApart(list []entity) []entity {
	for i, e := range list {
		for _, o := range list[:i] {
			if strings.EqualFold(o.Name, e.Name) && (e.Area == "" || e.Area == o.Area) {
				for j := range list {
					list[j].Name = cmp.Or(list[j].own, list[j].Name)
				}
				return list
			}
		}
	}
	return list
}

// notWhere is said of people.
const notWhere = "Where people are is not told"

const noDevice = "I know no such device or room"

// grouped are the entities of a kind, in a room where one is named; none where the words
// name no kind, or say more of it than is understood: "the attic light" is not any light.
func (c *Connector) grouped(words []string, where there, all []entity) []entity {
	kind, class := kindIn(words), classIn(words)
	if kind == "" && class == "" {
		return nil
	}
	if firsts[words[0]] && narrowed(words, where.said) {
		return nil
	}
	found, sort := []entity{}, sortOf(words, kind)
	for _, e := range all {
		switch {
		case sort != nil && !sort(e):
		case sort != nil && (where.name == "" || where.holds(e.Area)):
			found = append(found, e)
		case where.name != "" && !where.holds(e.Area):
		case class != "" && (e.Attributes.DeviceClass == class || class == "temperature" && e.domain() == "climate"), class == "" && e.domain() == kind:
			found = append(found, e)
		case class == "" && kind == "cover" && e.domain() == "binary_sensor" && e.Attributes.DeviceClass == "window":
			found = append(found, e)
		}
	}
	slices.SortFunc(found, byName)
	return found
}

func byName(a, b entity) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) }

// anyOf are the words that may stand before a kind of thing, or after "in the", and tell no
// thing from another.
var anyOf = setOf(`a all an any are each every how is many much my no of one open our some that the these this those what which window windows home house room current indoor
	lock locked closed shut left unlocked playing your and or inside outside`)

// narrowed is whether an English question says which of a kind it means in words that are
// neither the room's nor understood.
func narrowed(words, room []string) bool {
	strange := func(w string) bool { return !anyOf[w] && !slices.Contains(room, stem(w)) && kinds[stem(w)] == "" }
	for i, w := range words {
		switch {
		case i > 0 && (kinds[stem(w)] != "" || classIn(words[i:i+1]) != "") && strange(words[i-1]):
			return true
		case i > 1 && words[i-1] == "the" && (words[i-2] == "in" || words[i-2] == "of") && strange(w):
			return true
		}
	}
	return false
}

func classIn(words []string) string {
	for _, w := range words {
		switch w {
		case "temperature", "humidity", "battery", "motion":
			return w
		case "warm", "cold", "hot":
			return "temperature"
		}
	}
	return ""
}

// asked is the state that a question asks about; "" where it asks for none by name.
func asked(words []string) string {
	for _, w := range slices.Backward(words) {
		switch w {
		case "on", "off", "open", "closed", "locked", "unlocked", "playing", "paused", "wet", "dry":
			return w
		case "shut":
			return "closed"
		}
	}
	return ""
}

// sayGroup answers "which lights are on", "is any window open".
func sayGroup(words []string, found []entity) ask.Answer {
	withRooms(found)
	state := asked(words)
	if state == "" {
		if len(found) == 0 {
			return ask.NoAnswer("There is nothing here that says that")
		}
		return sayStates(words, found)
	}
	has := slices.DeleteFunc(slices.Clone(found), func(e entity) bool { return !isIt(e, state) })
	silent := slices.DeleteFunc(slices.Clone(found), func(e entity) bool { return e.answers() })
	kind := "device"
	for _, w := range words {
		if kinds[stem(w)] != "" {
			kind = stem(w)
		}
	}
	sentence := "No " + kind + " is " + state
	if len(has) > 0 {
		sentence = stateOf(has)
	}
	// "Are the hall lights off?" means each of them.
	each := len(words) > 1 && (words[0] == "is" || words[0] == "are") && thingWords[words[1]] && slices.Contains([]string{"off", "closed", "locked"}, state)
	if each || slices.ContainsFunc(words, func(w string) bool { return w == "all" || w == "every" || w == "everything" }) {
		// "are all the lights off?" wants to know of the others.
		others := slices.DeleteFunc(slices.Clone(found), func(e entity) bool { return isIt(e, state) || !e.answers() })
		switch {
		case len(others) > 0:
			sentence = "no, " + stateOf(others)
		case len(has) > 0 && len(silent) == 0:
			sentence = "yes, " + sentence
		}
	}
	if len(silent) > 0 {
		sentence += "; " + strconv.Itoa(len(silent)) + " did not answer"
	}
	return spokenAnswer(capital(sentence) + ".")
}

// mostSaid is how many states one sentence holds.
const mostSaid = 4

// sayStates says how each of these is.
func sayStates(words []string, found []entity) ask.Answer {
	if len(found) == 1 && !found[0].answers() {
		return ask.NoAnswer(capital(the(found[0])) + " does not answer")
	}
	withRooms(found)
	var said []string
	for _, e := range found[:min(len(found), mostSaid)] {
		said = append(said, the(e)+" "+isState(e))
	}
	if more := len(found) - mostSaid; more > 0 {
		said = append(said, "and "+strconv.Itoa(more)+" more")
	}
	sentence := capital(strings.Join(said, "; ")) + "."
	turning := slices.Contains(words, "turn") || slices.Contains(words, "switch") // "is it true that you can turn it on?"
	if want := asked(words); len(found) == 1 && want != "" && !turning && now(found[0]) != "closing" && now(found[0]) != "opening" && (words[0] == "is" || words[0] == "are") {
		yes := "No, "
		if isIt(found[0], want) {
			yes = "Yes, "
		}
		sentence = yes + the(found[0]) + " " + isState(found[0]) + "."
	}
	return spokenAnswer(sentence)
}

// spokenAnswer is the sentence where it is fit to be spoken: an entity's state may be
// any text.
func spokenAnswer(sentence string) ask.Answer {
	if ask.CheckSentence(sentence, true) != nil {
		return ask.NoAnswer("What it says cannot be said in a sentence")
	}
	return ask.Say(sentence)
}

// stateWord is how e is, in the words that people ask with.
func stateWord(e entity) string {
	switch e.domain() {
	case "binary_sensor":
		return binary(e)
	case "cover", "valve":
		switch e.State {
		case "opening", "closing":
			return "open" // not closed yet
		}
	case "media_player":
		if e.State == "standby" {
			return "off"
		}
	case "climate", "fan", "humidifier", "water_heater":
		if e.State != "off" && e.answers() {
			return "on"
		}
	}
	return e.State
}

// isIt is whether e is in the state that was asked for. What plays or is paused is on.
func isIt(e entity, state string) bool {
	plays := e.domain() == "media_player" && slices.Contains([]string{"playing", "paused", "buffering"}, e.State)
	return stateWord(e) == state || state == "on" && plays
}

// binary is what on and off of a sensor mean.
func binary(e entity) string {
	on := e.State == "on"
	pick := func(yes, no string) string {
		if on {
			return yes
		}
		return no
	}
	switch e.Attributes.DeviceClass {
	case "door", "window", "opening", "garage_door":
		return pick("open", "closed")
	case "moisture":
		return pick("wet", "dry")
	case "lock":
		return pick("unlocked", "locked")
	case "battery":
		return pick("low", "full enough")
	case "smoke", "gas", "carbon_monoxide":
		return pick("raising the alarm", "quiet")
	}
	return e.State
}

// isState is "is on at 50%", "are closed".
func isState(e entity) string {
	is := of(e, "is ", "are ")
	a := e.Attributes
	number := func(v float64) string { return strconv.FormatFloat(math1(v), 'f', -1, 64) }
	switch {
	case !e.answers():
		return of(e, "does", "do") + " not answer"
	case e.domain() == "light" && e.State == "on" && a.Brightness != nil && *a.Brightness < 250 && *a.Brightness > 0:
		return is + "on at " + number(*a.Brightness*100/255) + "%"
	case e.domain() == "fan" && e.State == "on" && a.Percentage != nil && *a.Percentage > 0 && *a.Percentage < 100:
		return is + "on at " + number(*a.Percentage) + "%"
	case e.domain() == "climate" && e.State == "off" && a.Current != nil:
		return is + "off and measures " + number(*a.Current) + " °C"
	case e.domain() == "climate" && e.State == "off":
		return is + "off"
	case e.domain() == "climate" && a.Temperature != nil && a.Current != nil:
		return is + "set to " + number(*a.Temperature) + " °C and measures " + number(*a.Current) + " °C"
	case e.domain() == "climate" && a.Current != nil:
		return "measures " + number(*a.Current) + " °C"
	case e.domain() == "weather" && a.Temperature != nil:
		return is + strings.ReplaceAll(e.State, "-", " ") + " at " + number(*a.Temperature) + " °C"
	case e.domain() == "sensor" && a.Unit != "":
		return is + strings.TrimSpace(e.State+unit(a.Unit))
	}
	return is + now(e)
}

// now is how e is in a word, and on its way where it is that.
func now(e entity) string {
	if d := e.domain(); (d == "cover" || d == "valve") && (e.State == "opening" || e.State == "closing") {
		return e.State
	}
	return strings.ReplaceAll(stateWord(e), "_", " ")
}

// math1 rounds to one decimal.
func math1(v float64) float64 {
	f, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', 1, 64), 64)
	if err != nil {
		return v
	}
	return f
}

func unit(u string) string {
	if u == "%" {
		return u
	}
	return " " + u
}

// of is the one word or the other, as e is one thing or several.
func of(e entity, one, several string) string {
	if plural(e.Name) {
		return several
	}
	return one
}

func plural(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && last != "hvac"
}

// stateOf joins several of one state: "the bed light and the hall light are on".
func stateOf(list []entity) string {
	if len(list) == 1 {
		return the(list[0]) + " " + isState(list[0])
	}
	if i := slices.IndexFunc(list, func(e entity) bool { return now(e) != now(list[0]) }); i > 0 {
		same := func(e entity) bool { return now(e) == now(list[0]) }
		rest := slices.DeleteFunc(slices.Clone(list), same)
		return stateOf(slices.DeleteFunc(slices.Clone(list), func(e entity) bool { return !same(e) })) + "; " + stateOf(rest)
	}
	var names []string
	for _, e := range list[:min(len(list), mostSaid)] {
		names = append(names, the(e))
	}
	if more := len(list) - mostSaid; more > 0 {
		names = append(names, strconv.Itoa(more)+" more")
	}
	return spoken.And(names) + " are " + now(list[0])
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
