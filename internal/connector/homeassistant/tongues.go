package homeassistant

import (
	"strings"
	"unicode"
)

// A sentence in another language is passed on as it is, where it names what may be acted
// on. To find out what it names, these are the words for things in the languages that Home
// Assistant's users speak most; devices and rooms are found by their own names.

// kinds are what people call the things of a domain.
var kinds = map[string]string{
	"light": "light", "lamp": "light", "bulb": "light", "switch": "switch", "plug": "switch", "fan": "fan", "blind": "cover", "curtain": "cover", "shutter": "cover",
	"cover": "cover", "window": "cover", "heating": "climate", "thermostat": "climate", "radiator": "climate", "tv": "media_player", "speaker": "media_player",
	"vacuum": "vacuum", "lock": "lock", "door": "lock", "alarm": "alarm_control_panel", "scene": "scene",

	// German and Dutch
	"licht": "light", "lichter": "light", "lampe": "light", "lampen": "light", "lichten": "light", "steckdose": "switch", "stekker": "switch", "schalter": "switch",
	"ventilator": "fan", "rollladen": "cover", "rolladen": "cover", "rollo": "cover", "jalousie": "cover", "vorhang": "cover", "gordijn": "cover", "gordijnen": "cover",
	"heizung": "climate", "verwarming": "climate", "fernseher": "media_player", "schlos": "lock", "tür": "lock", "deur": "lock",
	// French
	"lumière": "light", "lampadaire": "light", "ampoule": "light", "prise": "switch", "ventilateur": "fan", "volet": "cover", "store": "cover", "rideau": "cover", "rideaux": "cover",
	"chauffage": "climate", "télé": "media_player", "serrure": "lock", "porte": "lock",
	// Spanish, Portuguese and Italian
	"luz": "light", "luces": "light", "luzes": "light", "lámpara": "light", "luce": "light", "luci": "light", "lampada": "light", "enchufe": "switch", "presa": "switch", "tomada": "switch",
	"ventilador": "fan", "ventilatore": "fan", "persiana": "cover", "cortina": "cover", "tapparella": "cover", "tapparelle": "cover", "calefacción": "climate", "riscaldamento": "climate",
	"cerradura": "lock", "puerta": "lock", "porta": "lock", "serratura": "lock",
	// Polish, Swedish, Danish and Norwegian
	"światło": "light", "światła": "light", "ljuset": "light", "lampan": "light", "lamporna": "light", "lyset": "light", "ogrzewanie": "climate",
}

// allOf are words that mean the whole of what is named after them, everything those that
// mean more than anybody can see at once, and except those that take something out of that.
var (
	allOf      = []string{"all", "alle", "toutes", "tous", "todas", "todos", "tutte", "tutti", "wszystkie", "alla"}
	everything = append([]string{
		"everything", "every", "each", "whole", "both", "everywhere", "alles", "überall", "tout", "partout", "todo", "tutto", "ovunque", "overal", "wszystko", "allt", "alt",
	}, allOf...)
	except = []string{
		"except", "excluding", "but", "besides", "other", "others", "rest", "without", "außer", "ausser", "andere", "anderen", "sauf", "excepté", "autres", "excepto", "salvo", "menos",
		"otras", "otros", "tranne", "eccetto", "altre", "altri", "behalve", "uitgezonderd", "oprócz", "utom", "undtagen", "unntatt",
	}
)

// unspaced are the scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer}

// inUnspaced is where a name that is written in such a script stands in the words, -1 where
// it does not.
func inUnspaced(words, name string) int {
	if words == "" || !isUnspaced(name) {
		return -1
	}
	return strings.Index(words, strings.ToLower(name))
}

// isUnspaced is whether some of s is in such a script.
func isUnspaced(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unspaced...) })
}

// asksFirst are words with which a question begins in other languages, where none of them
// begins an order.
var asksFirst = map[string]bool{
	"ist": true, "sind": true, "welche": true, "welcher": true, "welches": true, "wie": true, "wo": true, "wann": true, "wer": true, "warum": true, "zijn": true, "welke": true, "hoe": true,
	"est": true, "est-ce": true, "quel": true, "quelle": true, "quelles": true, "quels": true, "combien": true, "où": true, "pourquoi": true, "qu'est-ce": true,
	"está": true, "están": true, "qué": true, "cuál": true, "cuáles": true, "cuánto": true, "dónde": true, "è": true, "sono": true, "quale": true, "quali": true, "quanto": true, "dov'è": true,
	"czy": true, "jaka": true, "jakie": true, "är": true, "vilka": true, "hur": true, "er": true, "hvilke": true, "hvor": true,
}

// notNowAbroad are words of a time that is not now, of a condition or of a "not" in other
// languages. What is "in" in any of them is none, for it stands before rooms too.
var notNowAbroad = stemsOf(`morgen später gleich nachher bald wenn falls sobald bevor nachdem um uhr nicht kein keine keinen sekunden minuten stunden sekunde minute stunde
	straks later als wanneer zodra niet geen seconden minuut uren uur demain bientôt tard quand si lorsque heure heures d'heure demi-heure secondes ne pas jamais
	mañana luego pronto tarde cuando después segundos minutos hora horas no nunca amanhã logo quando depois se não domani dopo presto appena non secondi minuti ore un'ora mezz'ora
	jutro później gdy kiedy jeśli nie sekund minut godzinę godziny godzin imorgon morgon om när inte timme timmar imorgen senere når hvis ikke time timer minutter sekunder`)
