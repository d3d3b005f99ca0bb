package reply

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var now = time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC)

func TestSpeechSaysWhatAVoiceWouldSpellOut(t *testing.T) {
	for in, want := range map[string]string{
		"Harry has maths and a music lesson today.":     "Harry has maths and a music lesson today.",
		"Harry has PE at 11:00.":                        "Harry has PE at 11 in the morning.",
		"Maths is at 9:15 and art at 13:45.":            "Maths is at quarter past 9 in the morning and art at quarter to 2 in the afternoon.",
		"The bus leaves at 15:30.":                      "The bus leaves at half past 3 in the afternoon.",
		"It starts at 3:30 p.m. today.":                 "It starts at half past 3 in the afternoon today.",
		"Lunch is at 12:00, bed at 00:00.":              "Lunch is at midday, bed at midnight.",
		"School is 8:45-15:15.":                         "School is quarter to 9 in the morning to quarter past 3 in the afternoon.",
		"The trip is on 2026-12-04.":                    "The trip is on the 4th of December.",
		"The trip is on 2027-01-21.":                    "The trip is on the 21st of January 2027.",
		"True until 2026-10-10T19:05:00Z.":              "True until the 10th of October at 5 minutes past 7 in the evening.",
		"It is 21.5 °C & sunny.":                        "It is 21.5 degrees and sunny.",
		"It is -3°C.":                                   "It is minus 3 degrees.",
		"Lunch costs £3.50 🎉!":                          "Lunch costs 3.50 pounds!",
		"**Bring** a `coat`.":                           "Bring a coat.",
		"See https://school.example/trip?id=4 .":        "See a link.",
		"<b>Maths</b>, then <i>PE</i>.":                 "Maths, then PE.",
		"<speak><break time=\"9s\"/>Maths</speak>":      "Maths",
		"Maths &amp; PE &lt;b&gt;today&lt;/b&gt;.":      "Maths and PE today.",
		"<a href=\"https://school.example\">Maths</a>.": "Maths.",
		"See [the letter](https://school.example/l).":   "See the letter.",
		"It is 5 [five] minutes.":                       "It is 5 [five] minutes.",
		"80% are back.":                                 "80 percent are back.",
		"Use the admin app to change internet limits.":  "Use the admin app to change internet limits.",
	} {
		if got := Shape(Speech, "", in, now).Text; got != want {
			t.Errorf("speech of %q\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestSpeechIsOneSentence(t *testing.T) {
	for in, want := range map[string]string{
		"Harry has maths. Then he has PE.":              "Harry has maths. There is more in the app.",
		"Dr. Smith sees Harry today.":                   "Dr. Smith sees Harry today.",
		"The newest is from “Dr. Smith” today.":         "The newest is from “Dr. Smith” today.",
		"It came from ‘J. Smith’ today.":                "It came from ‘J. Smith’ today.",
		"Is it PE? Yes.":                                "Is it PE? There is more in the app.",
		"Mr. J. Brown wrote. He asks about the trip.":   "Mr. J. Brown wrote. There is more in the app.",
		"She said \"Come home.\" Then she left.":        "She said \"Come home.\" There is more in the app.",
		"Maths in room 4.2 at a quarter past nine a.m.": "Maths in room 4.2 at a quarter past nine a.m.",
	} {
		if got := Shape(Speech, "", in, now).Text; got != want {
			t.Errorf("speech of %q\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestNotificationKeepsItsBounds(t *testing.T) {
	long := strings.Repeat("Harry has a very long day. ", 20)
	got := Shape(Notification, "school", long, now)
	if got.Title != "School" || got.Text != "Harry has a very long day. There is more in the app." {
		t.Errorf("got %+v", got)
	}
	short := Shape(Notification, "school", "Harry has PE. Then maths.", now)
	if short.Text != "Harry has PE. Then maths." {
		t.Errorf("what fits is kept whole, got %q", short.Text)
	}
}

// What has nothing that a shape can hold still gets a whole sentence.
func TestWhatCannotBeSaidIsPointedTo(t *testing.T) {
	for _, want := range []Want{Speech, Notification} {
		if got := Shape(want, "school", strings.Repeat("x", 400), now).Text; got != more {
			t.Errorf("%s of one long word: got %q", want, got)
		}
	}
	for _, in := range []string{"🎉", "<br/>", "**", "…"} {
		if got := Shape(Speech, "school", in, now).Text; got != more {
			t.Errorf("speech of %q: got %q", in, got)
		}
	}
}

func TestTextIsAsAnswered(t *testing.T) {
	in := "As *answered*, at 15:30.\nAnd more."
	if got := Shape(Text, "x", in, now).Text; got != in {
		t.Errorf("got %q", got)
	}
}

// Whatever comes in, a shape keeps its bounds and never cuts a word.
func TestShapesNeverCutAWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zäé]{1,20}`)
		in := strings.Join(rapid.SliceOfN(word, 1, 120).Draw(t, "words"), " ")
		whole := map[string]bool{}
		for _, w := range strings.Fields(in) {
			whole[w] = true
		}
		for want, limit := range map[Want]int{Speech: MaxSpeech, Notification: MaxBody} {
			got := Shape(want, in, in, now)
			if n := utf8.RuneCountInString(got.Text); n > limit {
				t.Fatalf("%s has %d code points, more than %d", want, n, limit)
			}
			if n := utf8.RuneCountInString(got.Title); n > MaxTitle {
				t.Fatalf("a title has %d code points", n)
			}
			body, _ := strings.CutSuffix(got.Text, " "+more)
			for _, w := range strings.Fields(strings.TrimSuffix(body, "…")) {
				if !whole[w] {
					t.Fatalf("%q is not a word of the answer", w)
				}
			}
		}
	})
}

func FuzzShape(f *testing.F) {
	f.Add("Harry has PE at 11:00. See https://x.example 🎉")
	f.Add("£$€°-3 °C 24:61 2026-13-40")
	f.Fuzz(func(t *testing.T, in string) {
		for _, want := range []Want{Text, Speech, Notification} {
			got := Shape(want, in, in, now)
			if utf8.ValidString(in) && !utf8.ValidString(got.Text+got.Title) {
				t.Fatalf("%s of %q is not valid UTF-8", want, in)
			}
			if want == Speech && utf8.RuneCountInString(got.Text) > MaxSpeech {
				t.Fatalf("speech of %q is too long", in)
			}
		}
	})
}

func BenchmarkSpeak(b *testing.B) {
	for b.Loop() {
		Shape(Speech, "", "Harry has maths at 9:00, PE at 11:00 and a music lesson at 15:30 today.", now)
	}
}
