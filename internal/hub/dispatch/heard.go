package dispatch

import (
	"context"

	"github.com/askhub/askhub/internal/pattern"
)

// Heard is what a way in knows of where and how a question was asked, beside the
// contract's fields. A connector may use it: to announce in that room, to hand the
// words on in that language, to keep one conversation for each way in.
type Heard struct {
	// WayIn is the caller by its token, or the name of a way in without one.
	WayIn string
	// Request names what was asked for: where it is asked again after a crash or by an
	// impatient way in, it is the same. What is set must be set once for each.
	Request string
	// Room is where it was said, as the config names it; empty where nobody knows.
	Room string
	// Language is what the words are in, as a BCP 47 tag such as "en-GB"; empty where
	// nobody said.
	Language string
}

var languageForm = pattern.Lazy(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$`)

// LanguageTag says whether s has the form of a BCP 47 tag, as far as one has to be told
// from something else.
func LanguageTag(s string) bool { return languageForm().MatchString(s) }

type heardKey struct{}

// WithHeard is ctx with what the way in knows.
func WithHeard(ctx context.Context, h Heard) context.Context {
	return context.WithValue(ctx, heardKey{}, h)
}

// HeardFrom is what the way in knew; the zero Heard where nobody said.
func HeardFrom(ctx context.Context) Heard {
	h, _ := ctx.Value(heardKey{}).(Heard)
	return h
}
