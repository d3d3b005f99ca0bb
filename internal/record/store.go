package record

import (
	"context"
	"errors"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/hub/routing"
)

// ErrNotFound is what Get gives for an id that is not kept.
var ErrNotFound = errors.New("no such record")

// Store keeps records. Every method is safe to call from several goroutines, and what
// it has done when it returns nil survives the machine's death.
type Store interface {
	// Save keeps the batch, all of it or, with an error, nothing. A record whose id
	// is kept already stays as it is.
	Save(ctx context.Context, b Batch) error
	// Get is one record, or ErrNotFound.
	Get(ctx context.Context, id string) (Record, error)
	// About is every record that concerns the person, the oldest first: as the asker,
	// as the one asked about, or in a part.
	About(ctx context.Context, person ask.Person) ([]Record, error)
	// Remove takes all of those out and says how many they were.
	Remove(ctx context.Context, person ask.Person) (int, error)
	// Sweep takes out what is older than before and says how many they were.
	Sweep(ctx context.Context, before time.Time) (int, error)
}

// Past is what a Store gives beside, to learn from what was asked before. Its calls keep
// the same promises.
type Past interface {
	// Since gives f each record from that time on, the oldest first, until there is no
	// more or f has an error, which Since returns. f must not call the store.
	Since(ctx context.Context, from time.Time, f func(Record) error) error
	// Drop marks the records of these ids: no proposal is made of them any more. A mark
	// goes when its record goes. One that is not kept is ErrNotFound, and none is marked.
	Drop(ctx context.Context, ids ...string) error
	// Dropped are the ids that are marked, in order.
	Dropped(ctx context.Context) ([]string, error)
}

// Batch is what one Save keeps.
type Batch struct {
	Records []Record
	// Counts are added to those kept; they stay when records are swept or removed.
	Counts []Count
}

// Count is how many requests of one day came by one way in to one status. It names
// nobody.
type Count struct {
	// Day is a UTC date, such as 2026-10-10.
	Day    string
	WayIn  string
	Status routing.Status
	N      int64
}
