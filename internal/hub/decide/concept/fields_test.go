package concept

import (
	"slices"
	"testing"
)

func TestInitialsAreOneWord(t *testing.T) {
	for s, want := range map[string][]string{
		"when's the M.O.T. due?": {"when", "the", "mot", "due"},
		"N.H.S letter":           {"nhs", "letter"},
		"is it a. or b.":         {"is", "it", "a", "or", "b"},
		"at 5 p.m. today":        {"at", "5", "pm", "today"},
		"end.Start":              {"end", "start"},
		"3.5 degrees":            {"3.5", "degrees"},
		"a.":                     {"a"},
		".a.b.c.d.":              {"abcd"},
	} {
		if got := Words(s); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestAWordsFieldsAreFoundWhateverItsEnding(t *testing.T) {
	for base, others := range map[string][]string{
		"tyre": {"tyres"}, "run": {"runs", "running"}, "bake": {"baking", "bakes"}, "walk": {"walks", "walking", "walker"},
		"hen": {"hens"}, "prune": {"pruned", "pruning"},
	} {
		want := FieldsOf([]byte(base))
		if want.None() {
			t.Errorf("%q has no field", base)
		}
		for _, w := range others {
			if got := FieldsOf([]byte(w)); got.And(want).None() {
				t.Errorf("%q shares no field with %q", w, base)
			}
		}
	}
	for _, w := range []string{"", "s", "zorblat", "the"} {
		if !FieldsOf([]byte(w)).None() {
			t.Errorf("%q has fields", w)
		}
	}
}

func TestAWideFamilyIsNoTopicsFieldWhereANarrowOneIsKnown(t *testing.T) {
	appliance := FamiliesOf(categoryOf("appliance"))
	if !TopicFields("sprinkler").And(appliance).None() {
		t.Error("a sprinkler is a garden's, and no appliance beside")
	}
	if TopicFields("toaster").None() || !IsGeneral("next") || IsGeneral("tyre") || !IsRoom("cellar") || IsRoom("phone") {
		t.Error("the word lists do not say what the router expects of them")
	}
}
