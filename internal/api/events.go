package api

import (
	"net/http"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/events"
)

// The patience of a stream.
const (
	// heartbeat is how often a quiet stream says that it is still there.
	heartbeat = 15 * time.Second
	// lookAtToken is how often a stream sees whether its token still is one: a removed one
	// is dead within a second, on open streams too.
	lookAtToken = 250 * time.Millisecond
	// writeTimeout is how long a reader may keep one event waiting.
	writeTimeout = 10 * time.Second
	// maxStreams is how many are open at a time. There is one admin app.
	maxStreams = 32
)

// events serves GET /events until the reader goes, its token does, or the Hub stops.
func (s *Server) events(w http.ResponseWriter, r *http.Request, who caller) *ask.Problem {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		return ask.NewProblem(ask.CodeTooMany, "", "Too many streams of events are open; close one first.")
	}
	token, p := ask.BearerFrom(r)
	if p != nil {
		return p
	}
	stream := s.cfg.Events
	if stream == nil {
		stream = events.New("none")
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = stream.Now()
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no") // a proxy would hold events back
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := eventWriter{w, http.NewResponseController(w)}
	if !out.write([]byte(": here is what happens\n\n")) {
		return nil
	}
	beat, look := time.NewTicker(heartbeat), time.NewTicker(lookAtToken)
	defer beat.Stop()
	defer look.Stop()
	for {
		list, next, missed, changed := stream.After(last)
		if name, ok := s.cfg.Callers.Caller(string(token)); !ok || name != who.name {
			return nil
		}
		if last = next; (missed || len(list) > 0) && !out.send(list, missed, next) {
			return nil
		}
		select {
		case <-changed:
		case <-beat.C:
			if !out.write([]byte(": still here\n\n")) {
				return nil
			}
		case <-look.C:
		case <-r.Context().Done():
			return nil
		case <-s.cfg.Done:
			return nil
		}
	}
}

// eventWriter is one stream's writing end.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// send writes the events, and before them that some are gone. It says whether the reader
// still reads.
func (e eventWriter) send(list []events.Event, missed bool, last string) bool {
	var b []byte
	if missed {
		if len(list) > 0 {
			last = list[0].ID
		}
		b = append(b, "event: missed\nid: "+last+"\ndata: {}\n\n"...)
	}
	for _, event := range list {
		b = append(b, "event: "+string(event.Kind)+"\nid: "+event.ID+"\ndata: "...)
		b = append(append(b, event.Data...), "\n\n"...)
	}
	return e.write(b)
}

func (e eventWriter) write(b []byte) bool {
	// A writer without a connection below it, as in a test, has no deadline to set.
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := e.w.Write(b)
	return err == nil && e.control.Flush() == nil
}
