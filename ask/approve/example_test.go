package approve_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/ask/askserve"
)

// A library's project renews a loan once a person has said yes.
func Example() {
	desk, err := approve.Open(context.Background(), approve.Options{
		Owner: "library",
		Store: approve.NewMemory(),
		Execute: func(_ context.Context, a approve.Approval) (string, error) {
			var do struct {
				Renew string `json:"renew"`
			}
			if err := json.Unmarshal(a.Action, &do); err != nil {
				return "", err
			}
			if do.Renew != "The Hobbit" {
				return "Somebody else has reserved it.", errors.New("reserved")
			}
			return do.Renew + " is renewed.", nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer desk.Close()

	// The one line that serves it, at /approvals, beside what the project answers.
	_, err = askserve.New(askserve.Project{
		Name: "library", Topics: []string{"library"}, Token: "the-token-by-which-the-hub-asks-0001",
		Answer:    func(context.Context, ask.Question) (ask.Answer, error) { return ask.Say("One book is out."), nil },
		Approvals: desk, ApprovalToken: "the-token-of-the-admin-app-only-0001",
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	a, err := desk.Ask(context.Background(), approve.Request{
		What: "Renew The Hobbit.", Who: "sam", Why: "I have not finished it", Action: jsontext.Value(`{"renew": "The Hobbit"}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.State, a.What)

	// This is what the admin app's tap comes to.
	yes := approve.Decision{ID: a.ID, Decision: approve.Yes, Digest: a.Digest, By: "alex"}
	for range 2 {
		if a, err = desk.Decide(context.Background(), yes); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(a.State, a.Result.Message)
	}
	// Output:
	// pending Renew The Hobbit.
	// done The Hobbit is renewed.
	// done The Hobbit is renewed.
}
