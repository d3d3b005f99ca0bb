package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askhub/askhub/internal/store"
)

// ErrUnsafe is a server that is set up to lose what it has acknowledged.
var ErrUnsafe = errors.New("the store's server does not wait for its disk: a power cut can lose or damage what it has acknowledged")

// ErrClock is a server whose clock is another than this machine's: Hubs that share
// a store judge by their own clocks what has come to its end.
var ErrClock = errors.New("the clock of the store's server is not this machine's")

// maxApart is how far clocks around one store may be apart (docs/approvals.md).
const maxApart = 10 * time.Second

// Check says whether this version can use the store, and changes nothing. A database in
// which askhub has not been yet is fine.
func Check(ctx context.Context, address, password string) error {
	return check(ctx, address, password, time.Now)
}

func check(ctx context.Context, address, password string, now func() time.Time) error {
	db, err := connect(address, password)
	if err != nil {
		return err
	}
	defer db.Close()
	var standby, begun bool
	var readOnly, fsync string
	var there float64
	before := now()
	err = db.read.QueryRowContext(ctx, `SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only'), current_setting('fsync'),
		to_regclass('goose_db_version') IS NOT NULL, extract(epoch from clock_timestamp())::float8`).Scan(&standby, &readOnly, &fsync, &begun, &there)
	after := now()
	switch {
	case err != nil:
		return db.explain(err)
	case standby || readOnly == "on":
		return fmt.Errorf("%s: %w; is it a standby? Name the server that takes writes", db.name, ErrReadOnly)
	}
	if begun {
		if err := store.Known(ctx, db.read); err != nil {
			return db.explain(err)
		}
	}
	if off := apart(before, after, there); off > maxApart {
		return fmt.Errorf("%s: %w, by about %s; let both machines set their clocks from the network", db.name, ErrClock, off.Round(time.Second))
	}
	if fsync != "on" {
		return fmt.Errorf("%s: %w; set fsync = on in its configuration", db.name, ErrUnsafe)
	}
	return nil
}

// apart is how far the server's clock, in seconds since 1970, surely is from this machine's,
// on which it was asked between before and after.
func apart(before, after time.Time, there float64) time.Duration {
	at := time.UnixMicro(int64(there * 1e6))
	return max(before.Sub(at), at.Sub(after), 0)
}
