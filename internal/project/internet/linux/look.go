package linux

import (
	"context"
	"errors"
	"os"
)

// Look finds out whether this account may use the packet filter and read dnsmasq's files. It
// changes nothing: the table comes with the first use. The error is an *UnableError where a
// person can be told why.
func (r *Router) Look(ctx context.Context) error {
	if _, err := r.list(ctx); err != nil && !errors.Is(err, errNoTable) {
		return err
	}
	for _, file := range []struct{ path, what string }{{r.o.Log, "dnsmasq's log"}, {r.o.Leases, "dnsmasq's lease file"}} {
		if file.path == "" {
			continue
		}
		f, err := os.Open(file.path)
		if err != nil {
			return unable(file.what+" cannot be read: "+file.path, err)
		}
		if err := f.Close(); err != nil {
			return unable(file.what+" cannot be read: "+file.path, err)
		}
	}
	return nil
}
