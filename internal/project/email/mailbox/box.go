package mailbox

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/askhub/askhub/internal/project/email/message"
)

// The bounds of what is kept of one mailbox.
const (
	// MaxMessages is how many of the newest are known by sender, subject and date.
	MaxMessages = 20_000
	// MaxDetailed is how many of the newest are known with their first words and attachments.
	MaxDetailed = 1_000
)

const (
	pollEvery   = time.Minute      // without IDLE
	resyncEvery = 10 * time.Minute // with it, in case that it is silent
	// lookAgain is when it is looked at once more after something happened: a server may
	// not tell of what came between the look and the IDLE.
	lookAgain   = 5 * time.Second
	settle      = 300 * time.Millisecond
	saveEvery   = time.Minute
	idleBytes   = 4 << 20
	firstWait   = time.Second
	longestWait = 5 * time.Minute
	// maxNarrowing is how often a reply that cannot be read is asked for again at once.
	maxNarrowing = 30
	// refusedWait keeps a wrong password from locking the account.
	refusedWait    = 15 * time.Minute
	longestRefused = 6 * time.Hour
)

// Options are what a Box needs besides its account.
type Options struct {
	Now func() time.Time
	Log *slog.Logger
	// CacheFile keeps what is known over a restart; "" keeps nothing.
	CacheFile string
}

// Snapshot is what is known of a mailbox. It never changes.
type Snapshot struct {
	// Validity is the mailbox's UIDVALIDITY: with another one every UID means something else.
	Validity uint32
	// Messages are the newest first.
	Messages []*message.Message
	// Total and Unread count the whole mailbox, beyond Messages too.
	Total, Unread int
	// Complete says that Messages holds all that is to be known, up to the bounds.
	Complete bool
	// Confirmed is when the server last said that it is so; zero is never.
	Confirmed time.Time
	// Live says that the server tells of every change at once.
	Live bool
	// Err is why the last try failed; nil where it did not.
	Err error
}

// Box is one mailbox of one account, known in memory.
type Box struct {
	account Account
	name    string
	o       Options

	current atomic.Pointer[Snapshot]
	updates chan struct{} // closed and renewed with each new snapshot
	updMu   sync.Mutex

	mu    sync.Mutex // one synchronisation at a time; it guards what follows
	known known
	saved time.Time
	dirty bool
}

// New is a Box with what its cache file keeps. It asks the server nothing yet.
func New(a Account, name string, o Options) *Box {
	b := &Box{account: a, name: name, o: o, updates: make(chan struct{})}
	b.known.reset(0)
	snap := &Snapshot{Err: ErrNotTried}
	if kept, err := load(o.CacheFile); err != nil {
		o.Log.Warn("the mail that was kept cannot be used", "err", err)
	} else if kept != nil {
		b.known.restore(kept)
		snap = b.known.snapshot()
		snap.Confirmed, snap.Err = kept.Confirmed, ErrNotTried
	}
	b.current.Store(snap)
	return b
}

// Snapshot is what is known now.
func (b *Box) Snapshot() *Snapshot { return b.current.Load() }

// Updated is closed when there is a newer snapshot than the one of now.
func (b *Box) Updated() <-chan struct{} {
	b.updMu.Lock()
	defer b.updMu.Unlock()
	return b.updates
}

// change publishes a new snapshot, made of the one before.
func (b *Box) change(with func(*Snapshot)) {
	b.updMu.Lock()
	defer b.updMu.Unlock()
	next := *b.current.Load()
	with(&next)
	b.current.Store(&next)
	close(b.updates)
	b.updates = make(chan struct{})
}

// Refresh asks the server once.
func (b *Box) Refresh(ctx context.Context) error {
	nothing := func(*session) error { return nil }
	err := b.visit(ctx, nothing)
	for n, odd := 0, (*parseError)(nil); n < maxNarrowing && errors.As(err, &odd) && ctx.Err() == nil; n++ {
		err = b.visit(ctx, nothing)
	}
	if err != nil {
		b.failed(ctx, err)
	}
	b.save(true)
	return err
}

// Run keeps the mailbox known until ctx ends.
func (b *Box) Run(ctx context.Context) {
	defer b.save(true)
	defer b.change(func(s *Snapshot) { s.Live = false })
	for tries, narrowed := 0, 0; ctx.Err() == nil; {
		wasGood := false
		err := b.visit(ctx, func(s *session) error {
			wasGood = true
			return b.follow(ctx, s)
		})
		if ctx.Err() != nil {
			return
		}
		if wasGood {
			tries, narrowed = 0, 0
		}
		b.failed(ctx, err)
		if odd := (*parseError)(nil); errors.As(err, &odd) && narrowed < maxNarrowing {
			narrowed++
			continue // the message at fault is being narrowed down
		}
		if !sleep(ctx, wait(tries, err)) {
			return
		}
		tries++
	}
}

// wait is how long after so many failures; no two wait in step.
func wait(tries int, err error) time.Duration {
	first, most := firstWait, longestWait
	if errors.Is(err, ErrRefused) {
		first, most = refusedWait, longestRefused
	}
	d := min(first<<min(tries, 20), most)
	return d/2 + rand.N(d)
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// failed notes why a visit ended, and tells the log where that is news.
func (b *Box) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	before := b.current.Load().Err
	if before == nil || errors.Is(before, ErrNotTried) || !errors.Is(kind(before), kind(err)) {
		b.o.Log.Warn("the mail server "+kind(err).Error(), "err", err)
	}
	b.change(func(s *Snapshot) { s.Live, s.Err = false, err })
}

// kind is which of the errors above it is.
func kind(err error) error {
	for _, k := range []error{ErrRefused, ErrCertificate, ErrPin, ErrNoSTARTTLS, ErrNoMailbox, ErrSilent, ErrFlood, ErrOdd, ErrNotTried} {
		if errors.Is(err, k) {
			return k
		}
	}
	return ErrUnreachable
}

// Why is what is wrong with the server in the package's own words, to read on after
// "the mail server"; "" where nothing is.
func (s *Snapshot) Why() string {
	if s.Err == nil {
		return ""
	}
	return kind(s.Err).Error()
}

// visit opens a session, reads what is new, and then goes on with it.
func (b *Box) visit(ctx context.Context, then func(*session) error) error {
	s, closeAll, err := b.account.open(ctx)
	if err != nil {
		return err
	}
	defer closeAll()
	if err := b.sync(s); err != nil {
		return err
	}
	if err := then(s); err != nil {
		return err
	}
	return s.within(5*time.Second, 1<<20, func() error { return s.client.Logout().Wait() })
}

// follow waits for what happens and reads it, for as long as the session lasts.
func (b *Box) follow(ctx context.Context, s *session) error {
	look := lookAgain
	for {
		happened, err := b.await(ctx, s, look)
		if err != nil {
			return err
		}
		if look = resyncEvery; happened {
			look = lookAgain
		}
		if !sleep(ctx, settle) { // what comes together is read together
			return ctx.Err()
		}
		select {
		case <-s.changed:
		default:
		}
		if err := b.sync(s); err != nil {
			return err
		}
		b.save(false)
	}
}

// await returns when something happened, or when it is time to look anyway.
func (b *Box) await(ctx context.Context, s *session, look time.Duration) (happened bool, err error) {
	if !s.caps.Has(imap.CapIdle) {
		return b.pause(ctx, s, pollEvery)
	}
	var idle *imapclient.IdleCommand
	err = s.within(commandTimeout, idleBytes, func() (err error) {
		idle, err = s.client.Idle()
		return err
	})
	if err != nil {
		return false, err
	}
	b.change(func(n *Snapshot) { n.Live = true })
	happened, err = b.pause(ctx, s, look)
	if err == nil || ctx.Err() != nil {
		b.change(func(n *Snapshot) { n.Confirmed = b.o.Now() })
	}
	return happened, errors.Join(err, s.within(commandTimeout, idleBytes, func() error {
		return errors.Join(idle.Close(), idle.Wait())
	}))
}

// pause waits that long, or until something happened.
func (b *Box) pause(ctx context.Context, s *session, d time.Duration) (happened bool, err error) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-s.client.Closed():
		return false, ErrUnreachable
	case <-s.changed:
		return true, nil
	case <-t.C:
		return false, nil
	}
}

// newestFirst is the order of a snapshot.
func newestFirst(a, b *message.Message) int {
	if c := b.Arrived.Compare(a.Arrived); c != 0 {
		return c
	}
	return cmp.Compare(b.UID, a.UID)
}

func sorted(of map[uint32]*message.Message) []*message.Message {
	out := make([]*message.Message, 0, len(of))
	for _, m := range of {
		out = append(out, m)
	}
	slices.SortFunc(out, newestFirst)
	return out
}
