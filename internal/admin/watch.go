package admin

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/ask/approve"
)

// pollEvery is how often the projects are asked what waits. The Hub tells of its own
// approvals by notices.
const pollEvery = 2 * time.Second

// Telling somebody is tried so often; the first wait between two tries is retryFirst, and
// each further one is twice as long.
const (
	tellTries  = 5
	retryFirst = 5 * time.Second
)

// watch looks after what waits at the projects, and has people told of what is new.
type watch struct {
	app *App
	mu  sync.Mutex
	// known are the approvals that people are told of, until they expire.
	known map[string]*telling
	// shown is what waited at each project when it was last asked.
	shown map[string]string
}

// telling is how far people were told of one approval. One look at a time has it.
type telling struct {
	expires time.Time
	// told are the people who need not be told any more.
	told map[string]bool
	over bool
	// tries are how many there were, and next is when there is another.
	tries int
	next  time.Time
}

func newWatch(a *App) *watch {
	return &watch{app: a, known: map[string]*telling{}, shown: map[string]string{}}
}

// Run watches until ctx ends, and ends the streams of open pages then.
func (a *App) Run(ctx context.Context) {
	var following sync.WaitGroup
	defer following.Wait()
	defer a.live.end()
	following.Go(func() { a.follow(ctx) })
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		a.watch.look(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look asks each project once.
func (w *watch) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	var all sync.WaitGroup
	for _, r := range w.app.projects() {
		all.Go(func() {
			found, err := r.approvals(ctx)
			if err != nil {
				return // the pages say so, where somebody looks
			}
			now := w.app.cfg.Now()
			if w.changed(r.Name, found, now) {
				w.app.live.tell()
			}
			for i := range found {
				if !waits(&found[i], now) {
					continue
				}
				t := w.of(found[i].Owner+"/"+found[i].ID, found[i].Expires, now)
				if t.over || now.Before(t.next) {
					continue
				}
				t.over = w.tell(ctx, t.told)
				t.next = now.Add(retryFirst << t.tries)
				t.tries++
				t.over = t.over || t.tries == tellTries
			}
		})
	}
	all.Wait()
}

// changed says whether something else waits at the project than when it was last asked.
func (w *watch) changed(project string, found []approve.Approval, now time.Time) bool {
	var ids []string
	for i := range found {
		if waits(&found[i], now) {
			ids = append(ids, found[i].ID)
		}
	}
	slices.Sort(ids)
	all := strings.Join(ids, " ")
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.shown[project]
	w.shown[project] = all
	return was != all
}

// of is how far people were told of that approval.
func (w *watch) of(id string, expires, now time.Time) *telling {
	w.mu.Lock()
	defer w.mu.Unlock()
	for old, t := range w.known {
		if !now.Before(t.expires) {
			delete(w.known, old)
		}
	}
	t := w.known[id]
	if t == nil {
		t = &telling{expires: expires, told: map[string]bool{}}
		w.known[id] = t
	}
	return t
}

// tell has every enrolled adult told who was not yet, and says whether nobody is left.
func (w *watch) tell(ctx context.Context, told map[string]bool) (all bool) {
	if w.app.cfg.Push == nil {
		return true
	}
	keys, err := w.app.cfg.Store.Passkeys(ctx)
	if err != nil {
		_ = storeFault(w.app, err) // logs it
		return false
	}
	tried := map[string]bool{}
	all = true
	for i := range keys {
		person := keys[i].Person
		if _, ok := w.app.adult(person); !ok || told[person] || tried[person] {
			continue
		}
		tried[person] = true
		if err := w.app.cfg.Push.Send(ctx, person); err != nil {
			w.app.cfg.Log.Warn("a push was not delivered", "person", person, "cause", err)
			all = false
			continue
		}
		told[person] = true
	}
	return all
}
