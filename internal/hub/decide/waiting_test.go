package decide

import "testing"

func TestWhatTakesARequestBack(t *testing.T) {
	for _, said := range []string{
		"never mind", "Never mind.", "nevermind", "withdraw it", "Withdraw it, please!", "no", "No, thanks.", "please cancel that job",
		"cancel it", "actually, forget it", "oh forget about it", "don't", "Don’t do it", "I changed my mind", "take it back", "stop",
		"drop the request", "no, withdraw that", "I don't want it any more",
	} {
		if !TakesBack(said) {
			t.Errorf("%q takes it back", said)
		}
		if SaysYes(said) {
			t.Errorf("%q is no yes", said)
		}
	}
	for _, said := range []string{
		"", "cancel the timer", "withdraw 20 pounds", "stop the music", "forget the milk", "what is on today?", "yes", "file a job: never mind the cost",
		"no school tomorrow?", "drop Harry at school", "cancel it and turn on the lamp", "it", "the job",
	} {
		if TakesBack(said) {
			t.Errorf("%q takes nothing back", said)
		}
	}
}

func TestWhatIsMeantAsAYes(t *testing.T) {
	for _, said := range []string{
		"yes", "Yes!", "yes please", "ok", "OK then", "approve it", "I approve that", "do it", "go ahead", "confirmed", "sure, thanks",
		"the code is 4711", "my PIN is one two three", "password swordfish", "yes, file it", "authorise it",
	} {
		if !SaysYes(said) {
			t.Errorf("%q is meant as a yes", said)
		}
		if TakesBack(said) {
			t.Errorf("%q takes nothing back", said)
		}
	}
	for _, said := range []string{
		"", "yes what is on today?", "do my homework", "what is the weather", "right turn", "file a job: change the code of the alarm to something better for everybody",
	} {
		if SaysYes(said) {
			t.Errorf("%q is a question of its own", said)
		}
	}
}
