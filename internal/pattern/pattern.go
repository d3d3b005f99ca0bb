// Package pattern compiles a regular expression when it is first used: the program is many
// programs in one, and each would pay at its start for the others' patterns.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy is the expression, compiled once. One that is none panics when it is used.
func Lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
