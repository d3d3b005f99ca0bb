// Package chat is the household's chat (spec 3): one conversation for each browser
// token, with no accounts and no cookies. A Token names its Thread, a Store keeps
// threads, and a Handler serves the wire that existing clients already speak.
package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// The contract's numbers (spec 3).
const (
	// MaxText is the longest text of a message, in Unicode code points.
	MaxText = 4000
	// MaxBody is the largest body of a post, in bytes.
	MaxBody = 32 << 10
	// Newest is how many messages a poll of the whole thread gives at most.
	Newest = 50
	// TokenHeader carries the token. There is no other way to send it.
	TokenHeader = "X-Chat-Token" //nolint:gosec // the name of a header
	// KeyHeader makes a repeated post the same post.
	KeyHeader = "Idempotency-Key"
	// MaxKey is the longest idempotency key, in bytes of visible ASCII.
	MaxKey = 255
)

// Token is what a browser made for itself: 64 lowercase hexadecimal digits. Whoever
// has it reads and writes the thread, so it is a secret.
type Token string

// String keeps a token out of a log.
func (Token) String() string { return "[token]" }

// GoString keeps a token out of a log too.
func (Token) GoString() string { return "[token]" }

// ParseToken is s as a token, where it is one.
func ParseToken(s string) (Token, bool) {
	if len(s) != 64 || !isHex(s) {
		return "", false
	}
	return Token(s), true
}

// TokenFrom is the token that a request carries, where it carries one and no more.
func TokenFrom(r *http.Request) (Token, bool) {
	values := r.Header.Values(TokenHeader)
	if len(values) != 1 {
		return "", false
	}
	return ParseToken(values[0])
}

// Thread is the token's thread: the first 16 hexadecimal digits of the SHA-256 of the
// token's text.
func (t Token) Thread() Thread {
	sum := sha256.Sum256([]byte(t))
	return Thread(hex.EncodeToString(sum[:8]))
}

// Thread names one conversation. It is no secret: nobody gets from it to its token.
type Thread string

// ParseThread is s as a thread's name.
func ParseThread(s string) (Thread, error) {
	if len(s) != 16 || !isHex(s) {
		return "", fmt.Errorf("%q is no thread: a thread is 16 digits from 0 to 9 and a to f", s)
	}
	return Thread(s), nil
}

func isHex(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') }) < 0
}

// Cursor is a message's epoch: milliseconds since 1970, UTC. Within a thread each
// message's is greater than the one before, whatever the clock does. Clients pass the
// newest one that they know as since.
type Cursor int64

// Time is the cursor as an instant, in UTC.
func (c Cursor) Time() time.Time { return time.UnixMilli(int64(c)).UTC() }

// After is the epoch of the message that follows the one at c at that time.
func (c Cursor) After(now time.Time) Cursor { return max(c+1, Cursor(now.UnixMilli())) }

// Author is who wrote a message.
type Author string

// The authors of spec 3.
const (
	// Operator is the person in the app.
	Operator Author = "operator"
	// Agent is the AI in the page.
	Agent Author = "agent"
	// Hermes is the host's side: the Hub's answer, or a reply written on the host. It
	// is never accepted from the web.
	Hermes Author = "hermes"
)

// Valid says whether a is one of the three.
func (a Author) Valid() bool { return a == Hermes || a.FromWeb() }

// FromWeb says whether a may write through the web.
func (a Author) FromWeb() bool { return a == Operator || a == Agent }

// Message is one message of a thread.
type Message struct {
	// ID is MSG-, the UTC date, the UTC time and 6 hexadecimal digits.
	ID     string
	Epoch  Cursor
	Author Author
	Text   string
}

// TS is the message's time as the wire has it: UTC, to the second, ending in +00:00.
func (m *Message) TS() string { return Timestamp(m.Epoch.Time()) }

// Timestamp writes an instant as the wire has it.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05-07:00") }

// NewID makes the id of a message at that epoch.
func NewID(at Cursor) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "MSG-" + at.Time().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

// IsID says whether s has the form of a message's id.
func IsID(s string) bool {
	const form = "MSG-00000000-000000-"
	if len(s) != len(form)+6 || !isHex(s[len(form):]) || !strings.HasPrefix(s, "MSG-") {
		return false
	}
	_, err := time.Parse("20060102-150405-", s[len("MSG-"):len(form)])
	return err == nil
}

// The faults of a text.
var (
	ErrNoText   = errors.New("the text is empty: send what is to be said")
	ErrLongText = errors.New("text too long (max 4000 chars)")
	ErrBadText  = errors.New("the text holds a NUL or is no valid UTF-8: leave that out")
)

// CheckText says what is wrong with a message's text, if anything is. A text is
// refused or taken as it is, never cut or mended.
func CheckText(s string) error {
	switch {
	case Plain(s) != nil:
		return ErrBadText
	case utf8.RuneCountInString(s) > MaxText:
		return ErrLongText
	case strings.TrimSpace(s) == "":
		return ErrNoText
	}
	return nil
}

// Plain is ErrBadText where one of the texts holds what no store takes. A Store asks it
// first, so that such a text never spoils a transaction that it shares with others.
func Plain(texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return ErrBadText
		}
	}
	return nil
}

// Page is what a reader gets of a thread.
type Page struct {
	// Messages are in order, the oldest first.
	Messages []Message
	// Awaiting is whether the thread's newest message was not written by Hermes.
	Awaiting bool
	// Cursor is the epoch of the thread's newest message; 0 where there is none.
	Cursor Cursor
}
