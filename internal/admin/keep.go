package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// What a Store tells apart.
var (
	// ErrUnknown is a passkey or a session that is not kept, or no longer.
	ErrUnknown = errors.New("nothing is kept under this name")
	// ErrCode is an enrolment code that does not hold: it never was, or it is spent or expired.
	ErrCode = errors.New("no such enrolment code")
	// ErrCounter is a passkey whose counter did not rise: there may be a copy of it.
	ErrCounter = errors.New("the passkey's counter did not rise")
	// ErrTaken is a passkey that is enrolled already.
	ErrTaken = errors.New("this passkey is enrolled already")
)

// nameDigits is how much of a digest is shown, to tell passkeys and sessions apart.
const nameDigits = 12

// Passkey is one key of one person, as the app keeps it. Its private half never leaves
// the person's device.
type Passkey struct {
	// ID is the authenticator's own name for it.
	ID []byte
	// Person is a name of people.toml, and Handle the random name by which
	// authenticators know that person.
	Person string
	Handle []byte
	// Host is the host that it was made for, and works at.
	Host string
	// Label says on what it was made.
	Label string
	// PublicKey is in COSE form.
	PublicKey []byte
	// Flags, AAGUID and Transports are what the authenticator said of itself.
	Flags      uint8
	AAGUID     []byte
	Transports []string
	// Count is the authenticator's counter; always 0 with many.
	Count   uint32
	Created time.Time
	// Used is when it last signed somebody in or said yes; zero where it never did.
	Used time.Time
}

// Name is how people tell it from others.
func (p *Passkey) Name() string {
	sum := sha256.Sum256(p.ID)
	return hex.EncodeToString(sum[:])[:nameDigits]
}

// Session is one browser of one person that is signed in.
type Session struct {
	// Digest is the SHA-256 of its token, in hex.
	Digest string
	// Passkey is the name of that which began it.
	Passkey string
	Person  string
	// Label says in what it was begun.
	Label         string
	Created, Seen time.Time
}

// Name is how people tell it from others.
func (s *Session) Name() string { return s.Digest[:min(nameDigits, len(s.Digest))] }

// How long a session lives: unused, and at all.
const (
	SessionIdle  = 30 * time.Minute
	SessionWhole = 12 * time.Hour
)

// Live says whether the session still holds at that time.
func (s *Session) Live(now time.Time) bool {
	return now.Before(s.Seen.Add(SessionIdle)) && now.Before(s.Created.Add(SessionWhole))
}

// Code is one enrolment code that lives.
type Code struct {
	// ID is its first half, by which it is found, and Digest the SHA-256 of its second, in hex.
	ID, Digest string
	Person     string
	Expires    time.Time
	// Tries is how many are left.
	Tries int
}

// Deed is one thing that was done in the app or to it.
type Deed struct {
	At     time.Time
	Person string
	Did    Did
	// About says to what, such as the approval's own words or a passkey's label.
	About string
	// Owner and Approval say which approval it was, where it was one.
	Owner, Approval string
}

// Did is a kind of deed.
type Did string

// The deeds.
const (
	DidEnrol   Did = "enrolled"
	DidSignIn  Did = "signed in"
	DidSignOut Did = "signed out"
	DidYes     Did = "said yes"
	DidNo      Did = "said no"
	DidDisown  Did = "did not ask for it"
	DidRevoke  Did = "revoked a passkey"
	DidEnd     Did = "ended a session"
	DidPair    Did = "paired a chat"
	DidRequest Did = "asked for a change"
)

// Passkeys keeps passkeys. As with all of a Store: its methods are safe to call from
// several goroutines and processes, and what they have done when they return nil is kept.
type Passkeys interface {
	// Enrol spends the code with that id and keeps the passkey: both, or neither. ErrCode
	// where the code holds no longer, ErrTaken where the passkey is there already.
	Enrol(ctx context.Context, code string, p Passkey) error
	// Passkeys are all of them, the oldest first.
	Passkeys(ctx context.Context) ([]Passkey, error)
	// Used notes a use. ErrUnknown where the passkey is gone, ErrCounter where its counter
	// did not rise; then nothing is noted.
	Used(ctx context.Context, name string, count uint32, at time.Time) error
	// Revoke takes a passkey out, with all sessions that it began. ErrUnknown where there is none.
	Revoke(ctx context.Context, name string) error
}

// Sessions keeps sessions.
type Sessions interface {
	// Begin keeps a new session. ErrUnknown where its passkey is gone. Sessions that
	// were begun longer ago than SessionWhole go.
	Begin(ctx context.Context, s Session) error
	// Session is the one with that digest, or ErrUnknown. Whether it still holds is the caller's to judge.
	Session(ctx context.Context, digest string) (Session, error)
	// Touch notes that it was used; nothing happens where it is gone.
	Touch(ctx context.Context, digest string, at time.Time) error
	// Sessions are all that are kept, the newest first.
	Sessions(ctx context.Context) ([]Session, error)
	// End takes it out, or is ErrUnknown.
	End(ctx context.Context, digest string) error
}

// Codes keeps enrolment codes.
type Codes interface {
	// NewCode keeps a code, in place of any other of that person. With replace, all
	// passkeys and sessions of that person go in the same step; it says how many passkeys went.
	NewCode(ctx context.Context, c Code, replace bool) (revoked int, err error)
	// Try spends one of the tries of the code with that id and gives it. ErrCode where
	// there is none, it has expired, or no try is left.
	Try(ctx context.Context, id string, now time.Time) (Code, error)
}

// History keeps deeds.
type History interface {
	Note(ctx context.Context, d Deed) error
	// Deeds are the newest, the newest first.
	Deeds(ctx context.Context, most int) ([]Deed, error)
}

// Store is all that the app keeps.
type Store interface {
	Passkeys
	Sessions
	Codes
	History
}

// DeedsKept is how many deeds a Store keeps at least; older ones may go.
const DeedsKept = 2000
