package linux

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/project/internet"
)

// maxTail is how much of a log is read back at the start.
const maxTail = 64 << 20

// query is a line of dnsmasq's log for one look-up, with or without its extra numbers:
//
//	Nov 30 21:00:00 dnsmasq[7]: query[A] example.org from 192.168.1.20
//	Nov 30 21:00:00 dnsmasq[7]: 12 192.168.1.20/5353 query[AAAA] example.org from 192.168.1.20
var query = regexp.MustCompile(`^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) dnsmasq\[\d+\]: (?:\d+ [0-9a-fA-F.:/%]+ )?query\[[A-Za-z0-9=-]+\] (\S+) from ([0-9a-fA-F.:]+)(?:%\S+)?$`)

// asked is one look-up as the log has it.
type asked struct {
	at   time.Time
	name string
	by   netip.Addr
}

// queryLog follows dnsmasq's log file.
type queryLog struct {
	path string
	zone *time.Location
	now  func() time.Time

	mu     sync.Mutex
	info   fs.FileInfo // of the file that was read last
	offset int64
	from   time.Time // since when all was read
}

func newQueryLog(path string, zone *time.Location, now func() time.Time) *queryLog {
	return &queryLog{path: path, zone: zone, now: now}
}

// parse reads a line; ok is false for one that is no look-up. The log has no year: it is the
// latest in which the day is not in the future.
func (l *queryLog) parse(line string) (a asked, ok bool) {
	m := query.FindStringSubmatch(line)
	if m == nil {
		return a, false
	}
	now := l.now().In(l.zone)
	at, err := time.ParseInLocation("2006 Jan _2 15:04:05", fmt.Sprintf("%d %s", now.Year(), m[1]), l.zone)
	if err != nil { // the 29th of February of another year
		return a, false
	}
	if at.After(now.Add(24 * time.Hour)) {
		at = at.AddDate(-1, 0, 0)
	}
	by, err := netip.ParseAddr(m[3])
	if err != nil {
		return a, false
	}
	return asked{at, strings.ToLower(m[2]), by.Unmap()}, true
}

// read calls each with what is new in the log since the last reading that began at since or
// before, and with all of it where there was none. A log that was turned over is
// followed to its new file, and read to the end in its old one first.
func (l *queryLog) read(ctx context.Context, whole bool, each func(asked)) (from time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(l.path)
	if err != nil {
		return from, unable("dnsmasq's log cannot be read", err)
	}
	if whole || l.info == nil {
		l.info, l.offset, l.from = nil, 0, time.Time{}
	}
	turned := l.info != nil && (!os.SameFile(l.info, info) || info.Size() < l.offset)
	if old := l.path + ".1"; l.info == nil || turned {
		start := int64(0)
		if turned {
			if o, err := os.Stat(old); err == nil && os.SameFile(o, l.info) {
				start = l.offset
			} else {
				l.from = l.now() // what stood in between is gone
			}
		}
		if _, err := l.part(ctx, old, start, each); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return from, unable("dnsmasq's log cannot be read", err)
		}
		l.offset = 0
	}
	end, err := l.part(ctx, l.path, l.offset, each)
	if err != nil {
		return from, unable("dnsmasq's log cannot be read", err)
	}
	l.info, l.offset = info, end
	return l.from, nil
}

// part reads one file from start to its last whole line, and gives where that ends.
func (l *queryLog) part(ctx context.Context, path string, start int64, each func(asked)) (end int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return start, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return start, err
	}
	cut := start == 0 && info.Size() > maxTail
	if cut {
		start = info.Size() - maxTail
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return start, err
	}
	in := bufio.NewReaderSize(f, 64<<10)
	for end = start; ; {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull): // no line of a look-up is that long
			end += int64(len(line))
			continue
		case errors.Is(err, io.EOF):
			return end, ctx.Err()
		case err != nil:
			return end, err
		}
		end += int64(len(line))
		if a, ok := l.parse(strings.TrimSuffix(string(line), "\n")); ok {
			if l.from.IsZero() {
				l.from = a.at
			}
			each(a)
		}
		if ctx.Err() != nil {
			return end, ctx.Err()
		}
	}
}

// Lookups reads what is new in dnsmasq's log, or all of it where since lies before what was read.
func (r *Router) Lookups(ctx context.Context, devices []internet.Device, since time.Time, each func(internet.Lookup)) (internet.Reading, error) {
	read := internet.Reading{From: since}
	if r.log == nil {
		return read, unable("this router keeps no log of look-ups: set dnsmasq's log in the settings", nil)
	}
	owner := r.owners(ctx, devices)
	whole := r.o.Now().Sub(since) > time.Hour
	from, err := r.log.read(ctx, whole, func(a asked) {
		if device := owner[a.by]; device != "" && !a.at.Before(since) {
			each(internet.Lookup{Device: device, At: a.at, Name: a.name})
		}
	})
	if err != nil {
		return read, err
	}
	if from.After(since) || from.IsZero() {
		read.From = from
		if from.IsZero() { // an empty log: it begins now
			read.From = r.o.Now()
		}
	}
	return read, nil
}

// owners are the devices by the addresses that they have: by their ids, by dnsmasq's leases,
// and by the network's neighbours, which know IPv6 too.
func (r *Router) owners(ctx context.Context, devices []internet.Device) map[netip.Addr]string {
	out := map[netip.Addr]string{}
	by := func(hardware, address string) {
		ip, err := netip.ParseAddr(address)
		if err != nil {
			return
		}
		for _, d := range devices {
			if slices.Contains(d.IDs, internet.CanonicalID(hardware)) && isHardware(hardware) {
				out[ip.Unmap()] = d.Name
			}
		}
	}
	if raw, err := os.ReadFile(r.o.Leases); err == nil {
		for line := range strings.Lines(string(raw)) {
			if f := strings.Fields(line); len(f) >= 3 { // expiry, MAC address, address
				by(f[1], f[2])
			}
		}
	}
	var neighbours []struct{ Dst, Lladdr string }
	if raw, err := run(ctx, r.o.Neighbours, nil); err == nil && json.Unmarshal(raw, &neighbours, json.MatchCaseInsensitiveNames(true)) == nil {
		for _, n := range neighbours {
			by(n.Lladdr, n.Dst)
		}
	}
	for _, d := range devices { // what is set by hand is the last word
		_, addresses := idsOf(d)
		for _, ip := range addresses {
			out[ip] = d.Name
		}
	}
	return out
}
