package hub

import (
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

// continues is how long a clarify waits for its answer (spec 5).
const continues = 2 * time.Minute

// openQuestion is a question that was asked back, or that waits for a person's yes.
type openQuestion struct {
	asker ask.Asker
	wayIn string
	// text and person are the question's own.
	text   string
	person ask.Person
	// decision has the candidates; between people it is what was decided apart from them.
	decision routing.Decision
	between  []ask.Person
	// choices are what the destination itself asked back; empty where the Hub did.
	choices []routing.Choice
	// lacks is whether it asked for something that was not said.
	lacks bool
	// approval is what waits for a yes, at the one destination of the decision; empty for
	// a question that was asked back.
	approval string
	until    time.Time
}

// joined is the question with the words that continue it.
func (o *openQuestion) joined(words string) string { return o.text + " " + words }

// fromDestination is whether the destination itself asked back.
func (o *openQuestion) fromDestination() bool { return o.lacks || len(o.choices) > 0 }

// waiting is whether a person's yes is waited for, and no choice.
func (o *openQuestion) waiting() bool { return o.approval != "" }

// openQuestions holds what was asked back, until it is too late to answer.
type openQuestions struct {
	mu   sync.Mutex
	byID map[string]*openQuestion
}

func newOpenQuestions() *openQuestions { return &openQuestions{byID: make(map[string]*openQuestion)} }

// put keeps o, and drops what is too late.
func (s *openQuestions) put(id string, o *openQuestion, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, question := range s.byID {
		if !question.until.After(now) {
			delete(s.byID, other)
		}
	}
	s.byID[id] = o
}

// get is the question of that id where this asker, at this way in, may still
// continue it, and else nil: then the words are a question of their own.
func (s *openQuestions) get(id, wayIn string, asker ask.Asker, now time.Time) *openQuestion {
	if id == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.byID[id]
	if o == nil || o.wayIn != wayIn || o.asker != asker || !o.until.After(now) {
		return nil
	}
	return o
}
