package adguard

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/askhub/askhub/internal/project/internet"
)

// The pages of the query log that one reading takes at most, for one device.
const (
	pageSize = 1000
	maxPages = 60
)

// entry is one look-up of the query log.
type entry struct {
	Time     time.Time `json:"time"`
	Client   string    `json:"client"`
	ClientID string    `json:"client_id"`
	Info     struct {
		Name string `json:"name"`
	} `json:"client_info"`
	Question struct {
		Name string `json:"name"`
	} `json:"question"`
	Reason string `json:"reason"`
}

// blocked are the reasons by which a look-up was refused.
var blocked = []string{"FilteredBlackList", "FilteredSafeBrowsing", "FilteredParental", "FilteredBlockedService", "FilteredInvalid"}

// Lookups reads each device's part of the query log, the newest first.
func (h *Home) Lookups(ctx context.Context, devices []internet.Device, since time.Time, each func(internet.Lookup)) (internet.Reading, error) {
	read := internet.Reading{From: since}
	var settings struct {
		Enabled   bool    `json:"enabled"`
		Anonymize bool    `json:"anonymize_client_ip"`
		Interval  float64 `json:"interval"` // for how long it is kept, in milliseconds
	}
	if err := h.get(ctx, "/querylog/config", &settings); err != nil {
		return read, err
	}
	switch {
	case !settings.Enabled:
		return read, unable("AdGuard Home's query log is switched off", nil)
	case settings.Anonymize:
		return read, unable("AdGuard Home hides in its query log who asked", nil)
	}
	if kept := h.now().Add(-time.Duration(settings.Interval) * time.Millisecond); settings.Interval > 0 && kept.After(since) {
		read.From = kept
	}
	for _, d := range devices {
		c, err := h.find(ctx, d)
		if err == nil && c.unlogged {
			err = unable("AdGuard Home is told to keep "+d.Name+" out of its query log", nil)
		}
		var down *internet.UnableError
		if errors.As(err, &down) && down.Err == nil { // the device's own fault, and no other's
			read.Lost = append(read.Lost, internet.Lost{Device: d.Name, Why: err})
			continue
		}
		if err != nil {
			return read, err
		}
		from, err := h.read(ctx, d, c.name, since, each)
		if err != nil {
			return read, err
		}
		if from.After(read.From) {
			read.From = from
		}
	}
	return read, nil
}

// read goes back through one device's look-ups until since. It searches by the client's
// name, which also finds sites of that name, so it looks who asked.
func (h *Home) read(ctx context.Context, d internet.Device, name string, since time.Time, each func(internet.Lookup)) (reach time.Time, err error) {
	older := ""
	for range maxPages {
		q := url.Values{"search": {strconv.Quote(name)}, "limit": {fmt.Sprint(pageSize)}}
		if older != "" {
			q.Set("older_than", older)
		}
		var page struct {
			Oldest string  `json:"oldest"`
			Data   []entry `json:"data"`
		}
		if err := h.get(ctx, "/querylog?"+q.Encode(), &page); err != nil {
			return since, err
		}
		for _, e := range page.Data {
			if e.Time.Before(since) {
				return since, nil
			}
			reach = e.Time
			if e.Info.Name == name || slices.Contains(d.IDs, internet.CanonicalID(e.Client)) || slices.Contains(d.IDs, e.ClientID) {
				each(internet.Lookup{Device: d.Name, At: e.Time, Name: e.Question.Name, Blocked: slices.Contains(blocked, e.Reason)})
			}
		}
		if page.Oldest == "" || page.Oldest == older {
			return since, nil // the log's own start: what is older is not there
		}
		older = page.Oldest
	}
	return reach, nil
}
