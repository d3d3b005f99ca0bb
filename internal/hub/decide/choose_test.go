package decide

import (
	"testing"

	"github.com/askhub/askhub/internal/hub/routing"
)

func TestChooseReadsTheReplyInThePersonsWords(t *testing.T) {
	two := routing.Decision{Outcome: routing.OutcomeClarify, Projects: []string{"compass_nhs", "email_agent"}, Choices: []string{"school", "email"}}
	three := routing.Decision{
		Outcome:  routing.OutcomeClarify,
		Projects: []string{"home_assistant", "internet_control", "web_search"}, Choices: []string{"timer", "screen time", "search"},
	}
	one := routing.Decision{Outcome: routing.OutcomeClarify, Projects: []string{"compass_nhs"}, Choices: []string{"school"}}
	for _, c := range []struct {
		d     routing.Decision
		reply string
		want  string
	}{
		{one, "yes", "compass_nhs"},
		{one, "Yes, please.", "compass_nhs"},
		{one, "that's right", "compass_nhs"},
		{one, "yes I do", "compass_nhs"},
		{one, "no", ""},
		{one, "yes but not the school", ""},
		{one, "please", ""},
		{one, "yes what is the weather", ""},
		{two, "yes", ""},
		{two, "yes, the second", "email_agent"},
		{two, "school", "compass_nhs"},
		{two, "School, please.", "compass_nhs"},
		{two, "the school one", "compass_nhs"},
		{two, "email please", "email_agent"},
		{two, "e-mail", "email_agent"},
		{two, "my emails", "email_agent"},
		{two, "emial", "email_agent"},
		{two, "compass", "compass_nhs"},
		{two, "the first", "compass_nhs"},
		{two, "first one", "compass_nhs"},
		{two, "1", "compass_nhs"},
		{two, "one", "compass_nhs"},
		{two, "2", "email_agent"},
		{two, "number two", "email_agent"},
		{two, "the second one", "email_agent"},
		{two, "the 2nd", "email_agent"},
		{two, "the latter", "email_agent"},
		{two, "the last one", "email_agent"},
		{two, "no, the second", "email_agent"},
		{two, "not the email", "compass_nhs"},
		{two, "school, not email", "compass_nhs"},
		{two, "neither", ""},
		{two, "none of the two", ""},
		{two, "both", ""},
		{two, "school and email", ""},
		{two, "the third", ""},
		{two, "3", ""},
		{two, "that one", ""},
		{two, "no", ""},
		{two, "never mind", ""},
		{two, "what?", ""},
		{two, "", ""},
		{three, "the third", "web_search"},
		{three, "screen time", "internet_control"},
		{three, "the timer", "home_assistant"},
		{three, "the last", "web_search"},
		{three, "the internet one", "internet_control"},
		{routing.Decision{Outcome: routing.OutcomeClarify}, "the first", ""},
	} {
		got, ok := Choose(c.d, c.reply)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Choose(%v, %q) = %q, %v; want %q", c.d.Choices, c.reply, got, ok, c.want)
		}
	}
}

func TestClarifyQuestionIsOneShortSentence(t *testing.T) {
	for _, c := range []struct {
		choices []string
		want    string
	}{
		{nil, "What do you mean?"},
		{[]string{"email"}, "Do you mean email?"},
		{[]string{"school", "email"}, "School or email?"},
		{[]string{"école", "email", "calendar"}, "École, email or calendar?"},
	} {
		if got := ClarifyQuestion(routing.Decision{Choices: c.choices}); got != c.want {
			t.Errorf("ClarifyQuestion(%v) = %q, want %q", c.choices, got, c.want)
		}
	}
}

func FuzzChoose(f *testing.F) {
	f.Add("the second")
	f.Add("not école 2")
	d := routing.Decision{Projects: []string{"a", "b_c"}, Choices: []string{"school", "email"}}
	f.Fuzz(func(t *testing.T, reply string) {
		if p, ok := Choose(d, reply); ok != (p == "a" || p == "b_c") {
			t.Fatalf("Choose(%q) = %q, %v", reply, p, ok)
		}
	})
}
