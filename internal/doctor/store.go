package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/secrets"
)

// storeTimeout is how long the store is read; a large one is not read to its end.
const storeTimeout = 4 * time.Second

// What the free disk is measured against, in bytes.
const (
	lowDisk  = 500 << 20
	fullDisk = 50 << 20
)

// store reads the store, beside a running Hub if there is one.
func (e *exam) store(ctx context.Context) []Check {
	if e.cfg.StoreIsServer() {
		return e.server(ctx)
	}
	path := e.cfg.Store
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Check{{Check: "store", State: OK, What: path + " is not there yet; the first start makes it"}}
	case err != nil:
		return []Check{{"store", Fault, path + " cannot be looked at", "Give this account the right to.", false}}
	case !info.Mode().IsRegular():
		return []Check{{"store", Fault, path + " is not a file", "Set store in askhub.toml to a file.", false}}
	}
	if info.Mode().Perm()&0o077 != 0 {
		return []Check{{"store", Fault, fmt.Sprintf("others can read %s (mode %04o)", path, info.Mode().Perm()), "Run: chmod 600 " + path, false}}
	}
	if !writable(path) {
		return []Check{{"store", Fault, "this account may not write " + path, "Run askhub as the account that owns it, or give it to this one.", false}}
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err = e.Store(ctx, path)
	switch {
	case err == nil:
		return []Check{{Check: "store", State: OK, What: path + " is sound"}}
	case ctx.Err() != nil:
		return []Check{{"store", Warn, fmt.Sprintf("%s was not read to its end in %s", path, storeTimeout), `Let "askhub backup FILE" read it all at a quiet time.`, false}}
	case errors.Is(err, ErrStoreBusy):
		return []Check{{"store", Warn, "another process holds " + path + " for itself", `Wait for its end (is it "askhub restore"?), then run "askhub doctor" again.`, false}}
	case errors.Is(err, ErrStoreDamaged):
		return []Check{{"store", Fault, path + ": " + ErrStoreDamaged.Error(), `Mend store in askhub.toml, or bring a backup back with "askhub restore FILE".`, false}}
	}
	what, mend := halves(err.Error(), "; ", "Set store in askhub.toml to a file that this account may use.")
	return []Check{{"store", Fault, what, mend, false}}
}

// server looks at a store in PostgreSQL, beside running Hubs.
func (e *exam) server(ctx context.Context) []Check {
	where := e.cfg.Redacted().Store
	found, err := secrets.Lookup(e.cfg.Secrets, e.Environ, config.StorePassword)
	if err != nil {
		return []Check{{"store", Warn, where + " was not looked at, for the secrets have a fault", `Mend them, then run "askhub doctor" again.`, false}}
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err = e.Server(ctx, e.cfg.Store, found[config.StorePassword])
	if err == nil {
		return []Check{{Check: "store", State: OK, What: where + " can be used; pg_dump backs it up"}}
	}
	state, down := Fault, errors.Is(err, ErrStoreDown)
	if errors.Is(err, ErrStoreUnsafe) || errors.Is(err, ErrStoreClock) {
		state = Warn
	}
	text := err.Error()
	// What the doctor tells apart is said by the rest already.
	for _, known := range []error{ErrStoreDown, ErrStoreUnsafe, ErrStoreClock} {
		text = strings.TrimPrefix(text, known.Error()+"\n")
	}
	what, mend := halves(text, "; ", "Look at store in askhub.toml, and at the server's log.")
	return []Check{{"store", state, what, mend, down}}
}

// disk looks at the folder of the store, where the Hub writes all the time.
func (e *exam) disk() []Check {
	dir := e.cfg.DataDir()
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return []Check{{"disk", Fault, "the store's folder " + dir + " is not there", "Run: mkdir -p -m 700 " + dir, false}}
	case !info.IsDir():
		return []Check{{"disk", Fault, dir + " is not a folder", "Set store in askhub.toml to a file in a folder.", false}}
	case info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0:
		return []Check{{"disk", Fault, "anybody on this machine can replace files in the store's folder " + dir, "Run: chmod o-w " + dir, false}}
	case !writable(dir):
		return []Check{{"disk", Fault, "the store's folder " + dir + " cannot be written", "Give it to the account that runs askhub, and see that the disk is not mounted read-only.", false}}
	}
	free, known := freeBytes(dir)
	if !known {
		return []Check{{Check: "disk", State: OK, What: dir + " can be written"}}
	}
	return []Check{room(dir, free)}
}

func room(dir string, free uint64) Check {
	what := fmt.Sprintf("%d MB are free in %s", free>>20, dir)
	const mend = "Make room there, or move the store to another disk (store in askhub.toml)."
	switch {
	case free < fullDisk:
		return Check{"disk", Fault, "only " + what, mend, false}
	case free < lowDisk:
		return Check{"disk", Warn, "only " + what, mend, false}
	}
	return Check{Check: "disk", State: OK, What: what}
}
