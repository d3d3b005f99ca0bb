package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"
)

// ceremonyLives is how long a person may take over a passkey's prompt.
const ceremonyLives = 2 * time.Minute

// maxCeremonies is how many are under way at most; the oldest makes room.
const maxCeremonies = 200

// ceremony is one use of a passkey that was begun: what its challenge stands for.
type ceremony struct {
	kind    kind
	data    *webauthn.SessionData
	expires time.Time
	// code, person and handle are those of an enrolment.
	code, person string
	handle       []byte
	// session is the digest of the session that began a yes; of a yes are the rest too.
	session           string
	owner, id, digest string
}

// kind is what a ceremony is for. One that was begun for one kind ends no other.
type kind int

const (
	enrolling kind = iota
	signingIn
	sayingYes
)

// ceremonies are those under way, by their challenge. Each is taken once.
type ceremonies struct {
	mu    sync.Mutex
	by    map[string]*ceremony
	order []string
}

func newCeremonies() *ceremonies { return &ceremonies{by: map[string]*ceremony{}} }

func (c *ceremonies) begin(one *ceremony, now time.Time) {
	one.expires = now.Add(ceremonyLives)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by[one.data.Challenge] = one
	c.order = append(c.order, one.data.Challenge)
	for len(c.order) > maxCeremonies {
		delete(c.by, c.order[0])
		c.order = c.order[1:]
	}
}

// take gives the ceremony of that challenge, and nobody will get it again.
func (c *ceremonies) take(challenge string, want kind, now time.Time) (*ceremony, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, ok := c.by[challenge]
	delete(c.by, challenge)
	return one, ok && one.kind == want && now.Before(one.expires)
}

// challengeFor is a new challenge that belongs to one approval as it was shown, to one
// session, and to a yes: 32 random bytes and the digest of all that.
func challengeFor(session, owner, id, digest string) []byte {
	challenge := make([]byte, 32, 64)
	_, _ = rand.Read(challenge) // never fails
	sum := sha256.Sum256([]byte("yes\x00" + session + "\x00" + owner + "\x00" + id + "\x00" + digest))
	return append(challenge, sum[:]...)
}

// A stranger's address may knock so often: at enrolment and at sign-in.
const (
	knocksAllowed = 30
	knocksWithin  = time.Minute
	maxKnockers   = 4096
)

// knocks counts the tries of whoever is not signed in.
type knocks struct {
	now func() time.Time
	mu  sync.Mutex
	by  map[netip.Addr][]time.Time
}

func newKnocks(now func() time.Time) *knocks {
	return &knocks{now: now, by: map[netip.Addr][]time.Time{}}
}

// may counts one try and says whether it may go on.
func (k *knocks) may(from netip.Addr) bool {
	// A household's IPv6 address is any of its network's.
	if from.Is6() && !from.Is4In6() {
		if p, err := from.Prefix(64); err == nil {
			from = p.Addr()
		}
	}
	now := k.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.by) >= maxKnockers {
		clear(k.by)
	}
	recent := k.by[from][:0:0]
	for _, at := range k.by[from] {
		if now.Sub(at) < knocksWithin {
			recent = append(recent, at)
		}
	}
	if len(recent) >= knocksAllowed {
		k.by[from] = recent
		return false
	}
	k.by[from] = append(recent, now)
	return true
}
