package api

// Route is one row of the Hub's table, for whoever wants to know how far it reaches.
type Route struct {
	Method, Path string
	// Who may call it. What Anyone may call takes every token.
	WayIn, Admin, Browser, Project, Anyone bool
}

// Routes are all the routes that a Server has.
func Routes() []Route {
	out := make([]Route, 0, len(table))
	for _, e := range table {
		out = append(out, Route{
			Method: e.method, Path: e.path,
			WayIn: e.by&wayIn != 0, Admin: e.by&admin != 0, Browser: e.by&browser != 0, Project: e.by&dataProject != 0, Anyone: e.by&anyone != 0,
		})
	}
	return out
}
