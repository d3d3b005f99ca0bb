package homeassistant

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// abroad is a house whose things are called in several languages.
func abroad(t *testing.T) (*replay, *tried) {
	t.Helper()
	r := newReplay(t)
	state := func(id, name string) string {
		return `{"entity_id":"` + id + `","state":"off","attributes":{"friendly_name":"` + name + `"}}`
	}
	r.add(state("light.kueche", "Küchenlicht"), state("light.flur", "Flur Decke"), state("light.jp", "キッチンのライト"), state("light.jp2", "ライト"), state("switch.netz", "WLAN Kinder"), state("lock.haus", "Haustür"))
	r.Areas = with(t, r.Areas, `{"area_id":"flur","name":"Flur"}`)
	r.Entities = with(t, r.Entities, `{"entity_id":"light.flur","platform":"demo","area_id":"flur"}`, `{"entity_id":"switch.netz","platform":"fritz"}`)
	return r, connect(t, r.config())
}

// acts has the agent do that to the entities whatever it is told, and say that it did.
func (r *replay) acts(state string, ids ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var done []string
	var changes []jsontext.Value
	for _, id := range ids {
		done = append(done, `{"type":"entity","id":"`+id+`","name":"x"}`)
		changes = append(changes, jsontext.Value(strings.Replace(string(r.states[id]), `"state":"off"`, `"state":"`+state+`"`, 1)))
	}
	r.whatever = &saidAndDone{Reply: jsontext.Value(`{"response":{"response_type":"action_done","data":{"success":[` + strings.Join(done, ",") + `],"failed":[]}}}`), Changes: changes}
}

// A sentence in another language is passed on as it is, where it names what may be acted
// on; what it did is told from what is different afterwards.
func TestASentenceInAnotherLanguageIsPassedOn(t *testing.T) {
	for words, c := range map[string]struct{ id, want string }{
		"schalte das Küchenlicht ein":  {"light.kueche", "The küchenlicht is on."},
		"mach das Licht im Flur an":    {"light.flur", "The flur decke is on."},
		"mach alle Lichter im Flur an": {"light.flur", "The flur decke is on."},
		"tänd ljuset i Flur":           {"light.flur", "The flur decke is on."},
		"enciende la luz en el Flur":   {"light.flur", "The flur decke is on."},
		"キッチンのライトをつけて":                 {"light.jp", "The キッチンのライト is on."},
	} {
		r, h := abroad(t)
		r.acts("on", c.id)
		if got := h.says(words); got != c.want || len(r.told) != 1 || r.told[0] != words {
			t.Errorf("%q: got %q, and the agent was told %q", words, got, r.told)
		}
	}
}

// What was asked for in words that are not known is never called done where nothing is
// different.
func TestWhatIsAsItWasIsSaidToBeSo(t *testing.T) {
	r, h := abroad(t)
	r.acts("off", "light.kueche")
	h.expect([2]string{"schalte das Küchenlicht aus", "- Home Assistant took that, and the küchenlicht is off as before"})
	r.acts("unavailable", "light.kueche")
	h.expect([2]string{"schalte das Küchenlicht ein", "- The küchenlicht did not answer"})
	r.turn("light.kueche", "off")
	h.comes("is the küchenlicht on?", "No, the küchenlicht is off.")
	// Home Assistant did more than was named: it is said.
	r.acts("on", "light.kueche", "light.flur")
	if got := h.says("schalte das Küchenlicht ein"); got != "The küchenlicht and the flur decke are on." {
		t.Errorf("got %q", got)
	}
	// And what it only says that it did is not.
	r.turn("light.kueche", "off")
	r.turn("light.flur", "off")
	h.comes("is the flur decke on?", "No, the flur decke is off.")
	r.acts("on", "light.kueche", "light.flur")
	r.whatever.Changes = r.whatever.Changes[:1]
	if got := h.says("schalte das Küchenlicht ein"); got != "- The küchenlicht is on; Home Assistant took that, and the flur decke is off as before" {
		t.Errorf("got %q", got)
	}
}

// What is not named, or may not be acted on, is not passed on in any language, and a
// question changes nothing in any.
func TestOtherLanguagesOpenNoDoor(t *testing.T) {
	r, h := abroad(t)
	for words, want := range map[string]string{
		"schalte das WLAN Kinder aus":                       "- I never act on the WLAN kinder, for it carries parental control or the way to the internet",
		"schließ die Haustür auf":                           "- I may not act on the haustür; it has to be named in askhub.toml first",
		"schalte morgen das Küchenlicht ein":                "- " + onlyAtOnce,
		"schalte das Küchenlicht nicht ein":                 "- " + onlyAtOnce,
		"schalte das Küchenlicht in zehn Minuten ein":       "- " + onlyAtOnce,
		"mach alles aus":                                    "- " + nameIt,
		"mach alle Lichter aus":                             "- " + nameIt,
		"mach alle Lichter außer Küchenlicht aus":           "- " + nameIt,
		"turn off all the lights except the küchenlicht":    "- " + nameIt,
		"éteins tout":                                       "- " + nameIt,
		"éteins toutes les lumières sauf küchenlicht":       "- " + nameIt,
		"apaga todas las luces":                             "- " + nameIt,
		"allume le flarb":                                   "- I did not understand what to do, or with which device",
		"schalte das Küchenlicht und das WLAN Kinder aus":   "- I never act on the WLAN kinder, for it carries parental control or the way to the internet",
		"ist das Küchenlicht an?":                           "The küchenlicht is off.",
		"ist das Küchenlicht an":                            "The küchenlicht is off.",
		"Küchenlicht an?":                                   "The küchenlicht is off.",
		"¿está el küchenlicht encendido?":                   "The küchenlicht is off.",
		"キッチンのライトはついていますか？":                                 "The キッチンのライト is off.",
		"is it true that you can turn on the kitchen light": "",
	} {
		if got := h.says(words); got != want && want != "" {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	if len(r.told) != 0 || len(r.calls) != 0 {
		t.Errorf("the agent was told %q, and called %q", r.told, r.calls)
	}
	// A question that was not known to be one: the agent's answer is a question's too.
	r.reply = `{"response":{"response_type":"query_answer","data":{"success":[],"failed":[]},"speech":{"plain":{"speech":"inner words"}}}}`
	h.expect([2]string{"sag mir ob das Küchenlicht brennt", "The küchenlicht is off."})
}

// An order for now is carried out in any of the languages, and one for later or a "not" in
// none, although both may have the same little words: "dans la cuisine", "dans une heure".
func TestLittleWordsOfOtherLanguagesAreTakenForWhatTheyAre(t *testing.T) {
	lamp := func(name, room string) []entity {
		return []entity{{ID: "light.it", Name: name, Area: room, stems: stems(fold(name))}}
	}
	for _, c := range []struct {
		name, room string
		now, not   []string
	}{
		{"Licht", "Küche", []string{"mach das Licht in der Küche an"}, []string{"mach das Licht um acht Uhr an", "mach das Licht in einer halben Stunde an", "mach kein Licht in der Küche"}},
		{"lumière", "cuisine", []string{"allume la lumière dans la cuisine"}, []string{
			"n'allume pas la lumière dans la cuisine", "allume la lumière dans dix minutes", "allume la lumière plus tard", "allume la lumière dans un quart d'heure",
		}},
		{"luz", "cocina", []string{"enciende la luz en la cocina"}, []string{"no enciendas la luz", "enciende la luz después", "enciende la luz en dos horas", "enciende la luz más tarde"}},
		{"luz", "Quarto", []string{"acende a luz no quarto"}, []string{"não acendas a luz no quarto", "acende a luz no quarto depois"}},
		{"luce", "cucina", []string{"accendi la luce in cucina", "accendi la luce ora"}, []string{"non accendere la luce", "accendi la luce tra un'ora", "accendi la luce tra dieci secondi"}},
		{"licht", "keuken", []string{"doe het licht in de keuken aan"}, []string{"doe het licht niet aan", "doe het licht over een minuut aan"}},
		{"ljuset", "köket", []string{"tänd ljuset i köket"}, []string{"tänd inte ljuset i köket", "tänd ljuset i morgon", "tänd ljuset om en timme"}},
		{"lyset", "køkkenet", []string{"tænd lyset i køkkenet"}, []string{"tænd ikke lyset", "tænd lyset i morgen", "tænd lyset om ti minutter"}},
		{"światło", "kuchnia", []string{"włącz światło w kuchni"}, []string{"nie włączaj światło", "włącz światło za dwie godziny"}},
	} {
		for _, words := range c.now {
			if why := notNow(meant(fold(words)), lamp(c.name, c.room), there{}); why != "" {
				t.Errorf("%q is not carried out: %s", words, why)
			}
		}
		for _, words := range c.not {
			if notNow(meant(fold(words)), lamp(c.name, c.room), there{}) == "" {
				t.Errorf("%q is carried out at once", words)
			}
		}
	}
}
