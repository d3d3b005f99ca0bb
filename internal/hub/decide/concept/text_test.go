package concept

import (
	"slices"
	"strings"
	"testing"
)

func TestWordsAreReadAsTheyAreMeant(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"What's on Harry’s timetable?", "what on harry timetable"},
		{"whats on today", "what on today"},
		{"I'm, don't, O'Brien", "im dont obrien"},
		{"the boys' lamp", "the boys lamp"},
		{"E-mail, e mail and email", "email email and email"},
		{"the T.V. and the wi-fi", "the tv and the wifi"},
		{"at 7:30 or 10.15 p.m.", "at 7:30 or 10.15 pm"},
		{"salt & pepper 50% 21°", "salt and pepper 50 percent 21 degrees"},
		{"Zoë, École", "zoe ecole"},
		{"ｌａｍｐ", "lamp"},
		{"la\u200bmp\u00ad", "lamp"},
		{"one\ntwo\tthree", "one two three"},
		{"...", ""},
		{"", ""},
		{"\xff\xfe ok", "ok"},
		{"свет лампа", "свет лампа"},
	} {
		if got := strings.Join(Words(c.text), " "); got != c.want {
			t.Errorf("Words(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestMarksPartClausesAndShapesStandForNumbers(t *testing.T) {
	x := Read("lamp off, then: 20 mins at 7pm on the 3rd")
	defer x.Done()
	var marks string
	var shapes []Shape
	for i := range x.Len() {
		if m := x.Word(i).Mark; m != 0 {
			marks += string(m) + string(x.Bytes(i)) + " "
		}
		shapes = append(shapes, x.Word(i).Shape)
	}
	if marks != ",then :20 " {
		t.Errorf("marks: %q", marks)
	}
	want := []Shape{Plain, Plain, Plain, Number, Plain, Plain, TimeOfDay, Plain, Plain, Ordinal}
	if !slices.Equal(shapes, want) {
		t.Errorf("shapes: %v, want %v", shapes, want)
	}
}

func TestANameThatMeansSomethingElseIsNoName(t *testing.T) {
	names := NewNames([]string{"Harry", "Will", "May", "Mary Jane", "Zoë"})
	x := Read("will Harry and Zoe and Jane come in May")
	defer x.Done()
	x.Mark(names)
	var named []string
	for i := range x.Len() {
		if x.Word(i).Shape == Name {
			named = append(named, string(x.Bytes(i)))
		}
	}
	if !slices.Equal(named, []string{"harry", "zoe", "jane"}) {
		t.Errorf("names: %v", named)
	}
}

func TestScoresAreProbabilities(t *testing.T) {
	m := Default()
	for _, text := range []string{"", "turn on the lamp", "zorblat", strings.Repeat("what is the weather ", 200)} {
		x := Read(text)
		m.Prepare(x)
		s := m.Score(x, 0, x.Len())
		x.Done()
		sum := float32(0)
		for _, p := range s {
			if p < 0 || p > 1 {
				t.Fatalf("%q: %v", text, s)
			}
			sum += p
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("%q: the scores sum to %v", text, sum)
		}
	}
}

func TestASlipOfTheFingerIsSeen(t *testing.T) {
	m := Default()
	for slip, want := range map[string]string{
		"thermostta": "thermostat", "tempreature": "temperature", "remindr": "reminder", "curtians": "curtains", "scchool": "school", "whather": "weather",
	} {
		if got := m.meant([]byte(slip)); got != hashWord([]byte(want)) {
			t.Errorf("%q was not taken for %q", slip, want)
		}
	}
	if m.meant([]byte("zorblat")) != 0 {
		t.Error("zorblat is near no word")
	}
}

func TestDamagedWeightsAreRefused(t *testing.T) {
	for name, damage := range map[string]func(string) string{
		"empty":      func(string) string { return "" },
		"short":      func(s string) string { return s[:len(s)-1] },
		"no rows":    func(s string) string { return s[:4000] },
		"other head": func(s string) string { return "x" + s[1:] },
	} {
		if _, ok := parseModel(damage(weightsFile)); ok {
			t.Errorf("%s: taken for good", name)
		}
	}
}

func TestConceptsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for c, about := range Abouts {
		if about.Name == "" || seen[about.Name] {
			t.Errorf("concept %d: name %q is missing or taken", c, about.Name)
		}
		seen[about.Name] = true
		if got, ok := ByName(about.Name); !ok || got != Concept(c) {
			t.Errorf("ByName(%q) = %v", about.Name, got)
		}
		if len(about.Seeds) > 0 && about.Say == "" {
			t.Errorf("%s can be asked back for and has no word for it", about.Name)
		}
	}
	if n := len(LexiconEntries()); n > 62 {
		t.Errorf("%d categories do not fit a Category", n)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"what's on", "e-mail 7:30", "Zoe\u0308 \xff", "p.m."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x := Read(s)
		defer x.Done()
		Default().Prepare(x)
		for i := range x.Len() {
			if w := x.Word(i); w.end < w.start || int(w.end) > len(x.buf) || i > 0 && w.start < x.words[i-1].end {
				t.Fatalf("%q: word %d lies from %d to %d", s, i, w.start, w.end)
			}
		}
	})
}
