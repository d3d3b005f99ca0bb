package admin

import "context"

// Look lets the app look once at what waits at the projects.
func (a *App) Look(ctx context.Context) { a.watch.look(ctx) }

// MaxStreams is how many pages are told at a time.
const MaxStreams = maxStreams
