package feed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-ical"
	"github.com/emersion/go-webdav"
	"github.com/emersion/go-webdav/caldav"

	"github.com/askhub/askhub/internal/project/compass/calendar"
)

// CalDAV is one collection on a CalDAV server. It lists the tags of the objects,
// which every server has, and fetches those that changed, a batch at a time.
type CalDAV struct {
	path   string
	client *caldav.Client
}

var _ Source = (*CalDAV)(nil)

const batch = 100

// NewCalDAV is the collection at an http or https address.
func NewCalDAV(address, user, password string) (*CalDAV, error) {
	u, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	client, err := caldav.NewClient(&davClient{newClient(), user, password}, u.String())
	if err != nil {
		return nil, errors.New("is not an address: write it as https://…")
	}
	return &CalDAV{u.Path, client}, nil
}

// davClient adds the password and reads statuses before the library does.
type davClient struct {
	client         *http.Client
	user, password string
}

func (c *davClient) Do(req *http.Request) (*http.Response, error) {
	return do(c.client, req, c.user, c.password)
}

// Every implements Source.
func (*CalDAV) Every() time.Duration { return webEvery }

// Fetch implements Source.
func (c *CalDAV) Fetch(ctx context.Context, prev *Snapshot) (*Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*webTimeout)
	defer cancel()
	tags, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	have := map[string]Text{}
	if prev != nil {
		for _, t := range prev.Texts {
			if tag, ok := tags[t.Path]; ok && tag != "" && tag == t.ETag {
				have[t.Path] = t
			}
		}
	}
	if prev != nil && len(have) == len(tags) && len(have) == len(prev.Texts) {
		return prev, nil
	}
	var missing []string
	for _, path := range slices.Sorted(maps.Keys(tags)) {
		if _, ok := have[path]; !ok {
			missing = append(missing, path)
		}
	}
	for chunk := range slices.Chunk(missing, batch) {
		if err := c.get(ctx, chunk, tags, have); err != nil {
			return nil, err
		}
	}
	snap := &Snapshot{}
	size := 0
	for _, path := range slices.Sorted(maps.Keys(have)) {
		snap.Texts = append(snap.Texts, have[path])
		if size += len(have[path].Body); size > 2*calendar.MaxSize {
			return nil, fmt.Errorf("%w: more than %d MB", calendar.ErrTooLarge, 2*calendar.MaxSize>>20)
		}
	}
	return snap, nil
}

// list is the tag of each object of the collection.
func (c *CalDAV) list(ctx context.Context) (map[string]string, error) {
	infos, err := c.client.ReadDir(ctx, c.path, false)
	if err != nil {
		return nil, ours(err)
	}
	tags := map[string]string{}
	for _, i := range infos {
		if !i.IsDir && strings.TrimSuffix(i.Path, "/") != strings.TrimSuffix(c.path, "/") {
			tags[i.Path] = i.ETag
		}
	}
	if len(tags) > calendar.MaxEntries {
		return nil, fmt.Errorf("%w: more than %d entries", calendar.ErrTooLarge, calendar.MaxEntries)
	}
	return tags, nil
}

// get fetches objects in one request, and one by one where the library cannot read
// the whole of the reply: one odd object must not hide the others.
func (c *CalDAV) get(ctx context.Context, paths []string, tags map[string]string, have map[string]Text) error {
	objects, err := c.multiget(ctx, paths)
	if err == nil {
		for _, o := range objects {
			if o.Data == nil {
				continue
			}
			tag := o.ETag
			if tag == "" {
				tag = tags[o.Path]
			}
			have[o.Path] = Text{Path: o.Path, ETag: tag, Body: encode(o.Data)}
		}
		return nil
	}
	if ctx.Err() != nil {
		return errSlow
	}
	if e := ours(err); !errors.Is(e, errReply) {
		return e
	}
	for _, path := range paths {
		body, err := c.open(ctx, path)
		switch {
		case errors.Is(err, errGone):
			continue // deleted since the list was made
		case err != nil:
			return err
		}
		have[path] = Text{Path: path, ETag: tags[path], Body: body}
	}
	return nil
}

func (c *CalDAV) multiget(ctx context.Context, paths []string) (objects []caldav.CalendarObject, err error) {
	defer func() {
		if p := recover(); p != nil { // the library's decoder panics on some broken lines
			err = errReply
		}
	}()
	return c.client.MultiGetCalendar(ctx, c.path, &caldav.CalendarMultiGet{
		Paths:       paths,
		CompRequest: caldav.CalendarCompRequest{Name: ical.CompCalendar, AllProps: true, AllComps: true},
	})
}

func (c *CalDAV) open(ctx context.Context, path string) (string, error) {
	r, err := c.client.Open(ctx, path)
	if err != nil {
		return "", ours(err)
	}
	defer r.Close()
	return readAll(r)
}

var errReply = errors.New("the server answers, but not as a calendar server: check that the address is a CalDAV collection")

// ours is the error that do made, or one that says no more than that the reply is odd.
func ours(err error) error {
	for _, known := range []error{errUnreachable, errSlow, errLogin, errGone, errBusy} {
		if errors.Is(err, known) {
			return known
		}
	}
	if errors.Is(err, calendar.ErrTooLarge) {
		return calendar.ErrTooLarge
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errSlow
	}
	return errReply
}

var _ webdav.HTTPClient = (*davClient)(nil)

// encode writes a component tree as text again, so that a snapshot is the same
// whether it came whole or in objects.
func encode(cal *ical.Calendar) string {
	var b strings.Builder
	encodeComponent(&b, cal.Component)
	return b.String()
}

func encodeComponent(b *strings.Builder, c *ical.Component) {
	b.WriteString("BEGIN:" + c.Name + "\r\n")
	for _, name := range slices.Sorted(maps.Keys(c.Props)) {
		for _, p := range c.Props[name] {
			b.WriteString(p.Name)
			for _, param := range slices.Sorted(maps.Keys(p.Params)) {
				b.WriteString(";" + param + "=")
				for i, v := range p.Params[param] {
					if i > 0 {
						b.WriteByte(',')
					}
					if strings.ContainsAny(v, ",;:") {
						v = `"` + v + `"`
					}
					b.WriteString(v)
				}
			}
			b.WriteString(":" + p.Value + "\r\n")
		}
	}
	for _, child := range c.Children {
		encodeComponent(b, child)
	}
	b.WriteString("END:" + c.Name + "\r\n")
}
