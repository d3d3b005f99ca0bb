package chat

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Rules are what a store holds posts and threads to.
type Rules struct {
	// PerThread and PerAddress are how many posts from the web pass within Window.
	PerThread, PerAddress int
	Window                time.Duration
	// Threads is how many threads with messages the host holds.
	Threads int
	// Keep is how many messages a thread holds, KeepFor how long.
	Keep    int
	KeepFor time.Duration
	// Answers is who answers in a thread that has no setting of its own.
	Answers Answers
}

// DefaultRules are the contract's numbers (spec 3).
func DefaultRules() Rules {
	return Rules{
		PerThread: 20, PerAddress: 40, Window: 10 * time.Minute,
		Threads: 500, Keep: 200, KeepFor: 30 * 24 * time.Hour, Answers: ByHub,
	}
}

// Waits says whether a message from the web waits for an answer: not where nobody
// answers, nor where the Hub has said already how to pair.
func (r *Rules) Waits(s Settings) bool {
	switch s.by(r.Answers) {
	case ByNobody:
		return false
	case ByHost:
		return true
	default:
		return s.Person != "" || !s.Hinted
	}
}

// Post is a message to be added to a thread.
type Post struct {
	Thread Thread
	Author Author
	Text   string
	// Now is the clock of whoever adds it.
	Now time.Time
	// Key makes a repeated post the same post; empty where nobody repeats.
	Key string
	// Address is where a post from the web comes from, as AddressKey writes it. Without one
	// the post is the host's own, and no limit but that of threads holds it.
	Address string
}

// Receipt is what was added.
type Receipt struct {
	Message Message
	// Repeated is set where the post's key was there already: nothing was added, and the
	// message is the first one's, without its text where retention has dropped it.
	Repeated bool
}

// Store keeps threads. Every method is safe to call from several goroutines, and
// several processes may use one store at a time. What a method has done when it
// returns nil survives the machine's death, and an error has changed nothing.
type Store interface {
	// Append adds one message, in one step with all that it depends on: the key, the
	// limits, the thread count, the epoch and the retention. In this order it gives
	// ErrBadText, an earlier receipt, a *RateLimited, ErrThreadLimit or ErrFull. Where
	// Hermes writes, everything that waited in the thread is answered, and what an answer
	// asked back is over.
	Append(ctx context.Context, p Post) (Receipt, error)
	// Read gives the thread's messages after since, all that are kept; without since,
	// its newest ones. It never makes a thread: one that is not there is an empty page.
	Read(ctx context.Context, t Thread, since Cursor) (Page, error)
	// Watch gives a channel that gets a value after each change of the thread, by
	// whichever process, within a second; changes in quick succession may be one value.
	// Stop ends it.
	Watch(t Thread) (changed <-chan struct{}, stop func())
	// Sweep drops what retention no longer holds, and forgets addresses whose window is
	// over. A store forgets those by itself too, but only while it is open.
	Sweep(ctx context.Context, now time.Time) (Swept, error)
}

// Swept counts what a sweep dropped.
type Swept struct {
	Messages, Keys, Codes int
}

// The refusals of a store.
var (
	// ErrThreadLimit is a post that would begin a thread too many.
	ErrThreadLimit = errors.New("thread limit reached")
	// ErrFull is a store with no room left on its disk.
	ErrFull = errors.New("there is no room left to keep the message")
	// ErrUnknownCode is a pairing code that no thread has, or has no more.
	ErrUnknownCode = errors.New("no thread waits with this pairing code; ask for a new one on the chat page")
	// ErrTaken is a turn that somebody else has finished or taken over.
	ErrTaken = errors.New("somebody else has answered")
)

// RateLimited is a post over a limit.
type RateLimited struct {
	// By says which limit: thread or address.
	By string
	// After is when the next post passes.
	After time.Duration
}

// Longer is the refusal of a post that has to wait so long for its thread's limit and so
// long for its address's: it passes when both are over. It is nil where neither is.
func Longer(thread, address time.Duration) error {
	switch {
	case thread <= 0 && address <= 0:
		return nil
	case thread >= address:
		return &RateLimited{By: "thread", After: thread}
	}
	return &RateLimited{By: "address", After: address}
}

func (e *RateLimited) Error() string {
	return fmt.Sprintf("rate limit reached for this %s; wait %d s", e.By, seconds(e.After))
}

// seconds rounds a wait up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// Answers is who answers the messages of a thread.
type Answers string

// Who may answer.
const (
	// ByHub has the Hub answer as soon as a message is there.
	ByHub Answers = "hub"
	// ByHost leaves it to an assistant on the host, who is told of each message.
	ByHost Answers = "host"
	// ByNobody leaves messages as they are.
	ByNobody Answers = "off"
)

// Valid says whether a is one of the three.
func (a Answers) Valid() bool { return a == ByHub || a == ByHost || a == ByNobody }

// Settings are a thread's own, made on the host.
type Settings struct {
	// Person is whom the thread speaks for; empty until it is paired.
	Person string
	// Answers is who answers; empty leaves it to the rules.
	Answers Answers
	// Hinted is whether the thread was told how to pair.
	Hinted bool
}

// By is who answers where the rules say what holds without a setting.
func (r *Rules) By(s Settings) Answers { return s.by(r.Answers) }

func (s Settings) by(usual Answers) Answers {
	if s.Answers == "" {
		return usual
	}
	return s.Answers
}

// Code is a pairing code while it lives.
type Code struct {
	// Digits are eight.
	Digits  string
	Thread  Thread
	Expires time.Time
}

// The bounds of pairing codes.
const (
	// CodeLives is how long a pairing code can be confirmed.
	CodeLives = 10 * time.Minute
	// MaxCodes is how many live at a time, MaxCodesPerAddress from one address.
	MaxCodes           = 500
	MaxCodesPerAddress = 10
)

// Pairing joins threads and persons.
type Pairing interface {
	// Settings are the thread's; those of a thread that is not there are zero.
	Settings(ctx context.Context, t Thread) (Settings, error)
	// SetUp changes the thread's settings and keeps them also for a thread with no
	// messages yet, which does not count as one. Where the person or who answers
	// changed, what waited then waits no more; where the person changed, the thread's
	// pairing code is spent.
	SetUp(ctx context.Context, t Thread, change func(*Settings)) (Settings, error)
	// NewCode gives the thread's live pairing code, a new one where there is none. It is a
	// *RateLimited where the address has too many, ErrThreadLimit where all have.
	NewCode(ctx context.Context, t Thread, address string, now time.Time) (Code, error)
	// Code is the live code with these digits, or of that thread where digits is empty;
	// ErrUnknownCode where there is none.
	Code(ctx context.Context, digits string, t Thread, now time.Time) (Code, error)
}

// Summary is one thread in a list.
type Summary struct {
	Thread   Thread
	Settings Settings
	// Messages is how many are kept; Newest is zero where none are.
	Messages int
	Newest   Message
	// Waiting is whether a message waits for an answer.
	Waiting bool
}

// Archive is the host's view of all threads.
type Archive interface {
	// Threads lists every thread that has messages or a setting, the one with the
	// newest message first.
	Threads(ctx context.Context) ([]Summary, error)
	// Whole gives all that is kept of a thread, the oldest first.
	Whole(ctx context.Context, t Thread) ([]Message, error)
	// Import adds messages to a thread, in their order, with their own ids and epochs;
	// where an epoch is taken, the next one that is free. They wait for no answer, also
	// where something else in the thread does. A
	// message older than the thread's newest takes its place before it, where only
	// whoever reads the whole thread meets it. It is ErrThreadLimit where the thread would
	// be one too many.
	Import(ctx context.Context, t Thread, messages []Message, now time.Time) (Imported, error)
}

// Imported counts what became of messages that were imported.
type Imported struct {
	// Added are now kept, There were already (by their id), and Old are those of them that
	// retention no longer holds.
	Added, There, Old int
}

// Turn is a message that waits, taken by one who answers.
type Turn struct {
	Thread   Thread
	Settings Settings
	Message  Message
	// ReplyTo is what the answer before this message asked back, or what it said waits for a
	// yes; empty where it did neither.
	ReplyTo string
	// Tries is how often the turn was put off.
	Tries int
	// Holder tells this taking from another's.
	Holder string
}

// Answer ends a turn.
type Answer struct {
	// Text is what Hermes says; empty says nothing.
	Text string
	// ReplyTo is kept for the next turn.
	ReplyTo string
	// Hinted notes that the thread was told how to pair.
	Hinted bool
	Now    time.Time
}

// MaxHold is the longest that a turn is held or put off. One that is further off than that
// is a clock's doing, which was ahead then and has stepped back, and the turn is free.
const MaxHold = 15 * time.Minute

// Free says whether a turn that is held or put off until then can be taken.
func Free(until, now time.Time) bool { return !now.Before(until) || until.Sub(now) > MaxHold }

// Turns hands out what waits, each message to one answerer at a time and the messages
// of a thread in their order.
type Turns interface {
	// Take gives the oldest turn that nobody holds and holds it for the lease, MaxHold at
	// most: after that, should the holder have died, another may take it. False where nothing waits;
	// then until is when the next turn that was put off or is held can be taken, zero
	// where there is none.
	Take(ctx context.Context, now time.Time, lease time.Duration) (turn Turn, until time.Time, ok bool, err error)
	// Finish ends a turn with its answer, in one step; ErrTaken where another has.
	Finish(ctx context.Context, t Turn, a Answer) error
	// PutOff gives a turn back, to be taken again no sooner than at that time, which is
	// MaxHold away at most.
	PutOff(ctx context.Context, t Turn, until time.Time) error
	// Waiting gives a channel that gets a value when a thread's message begins to wait.
	Waiting() <-chan struct{}
}
