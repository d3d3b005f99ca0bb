package decide

import "testing"

func TestACorrectionIsNothingButDenialAndOneName(t *testing.T) {
	e := NewEmbedded(shipped(t))
	for words, want := range map[string]Correction{
		"no, school":                        {"compass_nhs", true},
		"No. School!":                       {"compass_nhs", true},
		"no the mail":                       {"email_agent", true},
		"I meant the mail":                  {"email_agent", true},
		"no I meant the school one":         {"compass_nhs", true},
		"sorry, I meant my inbox please":    {"email_agent", true},
		"not the calendar, the school":      {"compass_nhs", true},
		"school, not email":                 {"compass_nhs", true},
		"not the mail but the timetable":    {"compass_nhs", true},
		"the school instead":                {"compass_nhs", true},
		"nope, screen time":                 {"internet_control", true},
		"wrong one, the homework":           {"compass_nhs", true},
		"no, compass":                       {"compass_nhs", true},
		"no, email_agent":                   {"email_agent", true},
		"no, I was asking about the lights": {"home_assistant", true},
		"no, scool":                         {"compass_nhs", true},
		"no, the NHS appointment":           {"compass_nhs", true},
		"school":                            {"compass_nhs", false},
		"the homework":                      {"compass_nhs", false},
		"no school":                         {"compass_nhs", false}, // or is there none today?
		"no mail":                           {"email_agent", false},
	} {
		got, ok := e.Correction(words)
		if !ok || got != want {
			t.Errorf("%q: %+v, %v; want %+v", words, got, ok, want)
		}
	}
	for _, words := range []string{
		"", "no", "no thanks", "no, that's wrong", "I meant tomorrow", "no, Harry's", "not that one", "never mind",
		"no school tomorrow?", "no new mail?", "no, what homework has he got", "any mail from the school?",
		"school or email", "no, the school emails", "not the mail", "is there no homework for Monday",
		"no one is home", "I said turn the lamp off", "no, in the kitchen", "what's on today", "no, jervis",
		"not Emma, the school", "no no no no no no no no no no no no school",
	} {
		if got, ok := e.Correction(words); ok && got.Denies {
			t.Errorf("%q is no correction, and was read as %+v", words, got)
		}
	}
}

func TestACorrectionToATopicOfTwoIsNone(t *testing.T) {
	e := NewEmbedded(household("loft: boxes, crates", "cellar: boxes, wine"))
	if c, ok := e.Correction("no, the boxes"); ok {
		t.Errorf("%+v", c)
	}
	if c, ok := e.Correction("no, the wine"); !ok || c.Project != "cellar" {
		t.Errorf("%+v, %v", c, ok)
	}
}

func FuzzCorrection(f *testing.F) {
	for _, words := range []string{"no, school", "not the mail, the \xff", "I meant \u00e9cole", ""} {
		f.Add(words)
	}
	e := NewEmbedded(shipped(f))
	f.Fuzz(func(t *testing.T, words string) {
		c, ok := e.Correction(words)
		if ok == (c.Project == "") {
			t.Fatalf("%q: %+v, %v", words, c, ok)
		}
	})
}
