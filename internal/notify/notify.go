// Package notify brings notices to people (spec 1, "Notify"): a project says one short
// sentence for one person, an Outbox keeps it before it is acknowledged, and each target
// of that person gets it at least once, or is shown as one that did not.
package notify

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/askhub/askhub/ask"
)

// Hub is whom a notice is from that the Hub itself has to say.
const Hub = "hub"

// Spoken is whom a notice is from that somebody of the household asked for in words: the
// destination by that name.
const Spoken = "apprise"

// Level is how much a notice matters (spec 1).
type Level string

// The levels. Each reaches all that the one before does.
const (
	// Info goes to the person's feed, and to their chat.
	Info Level = "info"
	// Important goes to their phone too, outside their quiet hours.
	Important Level = "important"
	// Urgent is also spoken, and ignores quiet hours.
	Urgent Level = "urgent"
)

// Valid says whether l is one of the three.
func (l Level) Valid() bool { return l == Info || l == Important || l == Urgent }

// Above says whether l matters more than other.
func (l Level) Above(other Level) bool { return l.rank() > other.rank() }

func (l Level) rank() int {
	switch l {
	case Important:
		return 1
	case Urgent:
		return 2
	default:
		return 0
	}
}

// Notice is one short sentence for one person.
type Notice struct {
	// From is the project that says it, or Hub.
	From string
	// Person is who should hear it; an alias will do.
	Person string
	// Message is one short sentence.
	Message string
	Level   Level
	// Asked is a notice that somebody has just asked for: quiet hours do not hold it, as
	// whoever asked is awake and knows.
	Asked bool
	// Mark tells apart notices of the same words that are not one; empty for most. It is
	// not kept.
	Mark string
}

// Validate says what is wrong with a notice, naming the field; nil means that it may be
// added, where its person is known.
func (n *Notice) Validate() *ask.Problem {
	switch {
	case n.From == "":
		return ask.NewProblem(ask.CodeMissingField, "from", `Send the project's name in "from".`)
	case n.From != Hub && !ask.ValidProject(n.From):
		return ask.NewProblem(ask.CodeInvalidField, "from", `Send a project's name in "from": small letters, digits, "_" and "-".`)
	case n.Level == "":
		return ask.NewProblem(ask.CodeMissingField, "level", `Send "level" as info, important or urgent.`)
	case !n.Level.Valid():
		return ask.NewProblem(ask.CodeInvalidField, "level", `Send "level" as info, important or urgent.`)
	case strings.TrimSpace(n.Message) == "":
		return ask.NewProblem(ask.CodeMissingField, "message", `Send one short sentence in "message".`)
	}
	if p := ask.CheckName("person", n.Person); p != nil {
		return p
	}
	if err := ask.CheckSentence(n.Message, false); err != nil {
		return ask.NewProblem(ask.CodeInvalidField, "message", `"message" `+err.Error()+`; send one short sentence.`)
	}
	return nil
}

// mark is equal for notices that count as one within Merge.
func (n *Notice) mark() string {
	return n.From + "\x1f" + n.Person + "\x1f" + n.Message + "\x1f" + n.Mark
}

// Merge is how long the same words from the same project to the same person are one
// notice (spec 1).
const Merge = time.Minute

// ErrUnknownPerson is a notice for nobody of the household.
var ErrUnknownPerson = errors.New("people.toml names no such person")

// TooMany is a notice over its project's cap. A noisy project keeps nobody else waiting,
// and urgent notices have a cap of their own.
type TooMany struct {
	// After is when the next one passes.
	After time.Duration
	// First is the first refusal within the window, which the person is told of.
	First bool
}

func (e *TooMany) Error() string {
	return fmt.Sprintf("this project has sent too many notices; wait %s", e.After.Round(time.Second))
}

var ids = struct {
	sync.Mutex
	entropy *ulid.MonotonicEntropy
}{entropy: ulid.Monotonic(bufio.NewReader(rand.Reader), 0)}

const idPrefix = "ntc_"

// newID is a fresh id: "ntc_" and a ULID of that time.
func newID(now time.Time) string {
	ids.Lock()
	defer ids.Unlock()
	for at := ulid.Timestamp(now); ; at++ {
		// The only error is that this millisecond's numbers have run out.
		if id, err := ulid.New(at, ids.entropy); err == nil {
			return idPrefix + id.String()
		}
	}
}
