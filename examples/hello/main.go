// Command hello is the smallest project: it greets whoever asks.
package main

import (
	"context"
	"log"
	"strings"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askserve"
)

func main() {
	if err := askserve.Run(askserve.Project{
		Name:   "hello",
		Topics: []string{"hello", "greeting"},
		People: []ask.Person{"sam", "harry"},
		Answer: answer,
	}); err != nil {
		log.Fatal(err)
	}
}

// answer knows one thing, and says so when it is asked for another.
func answer(_ context.Context, q ask.Question) (ask.Answer, error) {
	if !strings.Contains(strings.ToLower(q.Question), "hello") {
		return ask.NoAnswer("I only know how to say hello"), nil
	}
	return ask.Say("Hello, " + string(q.About()) + "."), nil
}
