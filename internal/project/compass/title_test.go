package compass

import "testing"

func TestSpokenTitles(t *testing.T) {
	for title, want := range map[string]string{
		"Maths":                            "maths",
		"PE":                               "PE",
		"P.E.":                             "PE",
		"French":                           "French",
		"Music Lesson":                     "a music lesson",
		"English essay":                    "an English essay",
		"MRI scan":                         "an MRI scan",
		"Dentist":                          "the dentist",
		"GP":                               "the GP",
		"School trip to York":              "a school trip to York",
		"Parents' Evening":                 "a parents' evening",
		"Ben's party":                      "Ben's party",
		"Eye test":                         "an eye test",
		"Check-up":                         "a check-up",
		"Year 7 Maths/English":             "Year 7 Maths-English",
		"Trip. Bring lunch!":               "trip, Bring lunch",
		"Swimming\nsee https://a.example":  "swimming",
		"Assembly 😀 <i>hall</i>":           "assembly hall",
		"9.30 start":                       "9:30 start",
		"\u202e\u200bMaths\u202c":          "maths",
		"":                                 "something without a title",
		"***":                              "something without a title",
		"https://a.example/x?token=abc123": "something without a title",
		"St. Mary's visit":                 "St Mary's visit",
		"Food Technology (Room 4)":         "food technology (Room 4)",
		"Éducation physique":               "Éducation physique",
		"数学":                               "数学",
	} {
		if got := spoken(cleanText(title, maxTitle)); got != want {
			t.Errorf("%q is said %q, want %q", title, got, want)
		}
	}
}

func TestNamesAreTakenOutOfTitles(t *testing.T) {
	for title, want := range map[string]string{
		"Harry: Dentist": "Dentist", "Harry's dentist": "dentist", "Harry - PE": "PE", "HARRY PE": "PE", "Dentist (Harry)": "Dentist",
		"Harrytown trip": "Harrytown trip", "Harry": "Harry", "Dentist": "Dentist",
	} {
		if got := withoutName(title, "Harry"); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
