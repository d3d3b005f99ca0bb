package admin

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
)

// The patience of a stream, to a page and from the Hub.
const (
	// beatEvery is how often a page hears that its stream lives; it takes three missed ones
	// for the end of it.
	beatEvery = 15 * time.Second
	// hubSilence is how long the Hub may say nothing: it says something each quarter minute.
	hubSilence = 45 * time.Second
	// writeWait is how long a page may keep one event waiting.
	writeWait = 10 * time.Second
	// maxStreams is how many pages are told at a time; one more asks by itself.
	maxStreams = 32
	// followFirst and followLast are the bounds of the wait before the Hub is tried again.
	followFirst = time.Second
	followLast  = 30 * time.Second
)

// live tells open pages that what waits may have changed. It says nothing of it: a page
// then looks, as whoever it is that is signed in there.
type live struct {
	streams chan struct{}
	// over is closed by end, when the app ends.
	over chan struct{}
	once sync.Once

	mu      sync.Mutex
	changed chan struct{}
}

func newLive() *live {
	return &live{streams: make(chan struct{}, maxStreams), over: make(chan struct{}), changed: make(chan struct{})}
}

// next is closed at the next change.
func (l *live) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

func (l *live) end() { l.once.Do(func() { close(l.over) }) }

func (l *live) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
}

// events serves GET /api/events: "changed" at the start and whenever what waits may have
// changed, and "beat" in between. The stream ends with the session.
func (a *App) events(v *visit) error {
	select {
	case a.live.streams <- struct{}{}:
		defer func() { <-a.live.streams }()
	default:
		return ask.NewProblem(ask.CodeTooMany, "", "Too many pages are open; close one first.")
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // a proxy would hold events back
	v.w.WriteHeader(http.StatusOK)
	if v.r.Method == http.MethodHead {
		return nil
	}
	control := http.NewResponseController(v.w)
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for event := "changed"; ; {
		changed := a.live.next()
		// A session that has ended since hears nothing more.
		if err := a.recognise(v, false); err != nil {
			return nil
		}
		// A writer without a connection below it, as in a test, has no deadline to set.
		_ = control.SetWriteDeadline(time.Now().Add(writeWait))
		if _, err := io.WriteString(v.w, "event: "+event+"\ndata: {}\n\n"); err != nil || control.Flush() != nil {
			return nil
		}
		select {
		case <-changed:
			event = "changed"
		case <-beat.C:
			event = "beat"
		case <-a.live.over:
			return nil
		case <-v.r.Context().Done():
			return nil
		}
	}
}

// follow keeps to the Hub's stream of events until ctx ends, through each of its restarts.
func (a *App) follow(ctx context.Context) {
	wait := followFirst
	for ctx.Err() == nil {
		began := time.Now()
		err := a.followOnce(ctx)
		if time.Since(began) > followLast {
			wait = followFirst
		}
		a.cfg.Log.Debug("the Hub's events have ended; they are asked for again", "cause", err, "after", wait)
		timer := time.NewTimer(wait + rand.N(wait/2))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		wait = min(2*wait, followLast)
	}
}

// followOnce follows one stream of the Hub's to its end.
func (a *App) followOnce(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	silence := time.AfterFunc(hubSilence, stop)
	defer silence.Stop()
	hub := a.cfg.Hub
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, hub.URL+"/events", http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+string(hub.Token()))
	resp, err := hub.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return fmt.Errorf("%w: status %d", errAway, resp.StatusCode)
	}
	a.live.tell() // of what came while nobody followed
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxReply) // an approval's text may be long
	for lines.Scan() {
		silence.Reset(hubSilence)
		switch lines.Text() {
		case "event: approval", "event: missed":
			a.live.tell()
		}
	}
	return lines.Err()
}
