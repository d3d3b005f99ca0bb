package chat

import "sync"

// Watchers tells whoever watches a thread that it has changed. Its zero value watches
// nothing yet; it is safe for concurrent use. A Store is built on it.
type Watchers struct {
	mu       sync.Mutex
	byThread map[Thread]map[chan struct{}]struct{}
}

// Watch gives a channel that gets a value after each Wake of the thread; values that
// nobody has taken yet are one.
func (w *Watchers) Watch(t Thread) (changed <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byThread == nil {
		w.byThread = map[Thread]map[chan struct{}]struct{}{}
	}
	if w.byThread[t] == nil {
		w.byThread[t] = map[chan struct{}]struct{}{}
	}
	w.byThread[t][ch] = struct{}{}
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.byThread[t], ch)
		if len(w.byThread[t]) == 0 {
			delete(w.byThread, t)
		}
	}
}

// Wake tells those who watch the threads.
func (w *Watchers) Wake(threads ...Thread) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range threads {
		for ch := range w.byThread[t] {
			select {
			case ch <- struct{}{}:
			default:
			}
		}
	}
}

// Watched are the threads that somebody watches.
func (w *Watchers) Watched() []Thread {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := make([]Thread, 0, len(w.byThread))
	for t := range w.byThread {
		list = append(list, t)
	}
	return list
}
