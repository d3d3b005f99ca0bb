package routing

import _ "embed"

//go:embed routing.md
var shipped string

// Default is the text of the routing.md that comes with askhub: what `askhub init`
// writes, and what a household then makes its own.
func Default() []byte { return []byte(shipped) }
