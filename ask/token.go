package ask

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
)

// String hides the token.
func (BearerToken) String() string { return "[token]" }

// GoString hides the token from %#v.
func (BearerToken) GoString() string { return "[token]" }

// LogValue hides the token from slog.
func (BearerToken) LogValue() slog.Value { return slog.StringValue("[token]") }

// MarshalText hides the token from every encoder, so that a dump of a config
// never holds it.
func (BearerToken) MarshalText() ([]byte, error) { return []byte("[token]"), nil }

// Check says what keeps the token from being used, with the mend; nil means that it is fit.
func (t BearerToken) Check() error {
	if t == "" {
		return errors.New("the token is empty: give one of at least 32 characters")
	}
	if len(t) < MinToken {
		return fmt.Errorf("the token has %d characters: give one of at least %d", len(t), MinToken)
	}
	for i := range len(t) {
		// Visible ASCII is what an Authorization header carries unharmed.
		if t[i] <= ' ' || t[i] >= 0x7f {
			return errors.New("the token holds a space or a character outside ASCII: use letters and digits")
		}
	}
	return nil
}

// Digest is what is kept and compared instead of the token itself: its SHA-256.
func Digest(t BearerToken) [32]byte { return sha256.Sum256([]byte(t)) }

// SameDigest compares two digests in constant time.
func SameDigest(a, b [32]byte) bool { return subtle.ConstantTimeCompare(a[:], b[:]) == 1 }

// BearerFrom is the token that a request presents. No token, another scheme or
// a short token is a 401; a repeated Authorization header is a 400. It does not
// read the body and does not say whether the token is the right one.
func BearerFrom(r *http.Request) (BearerToken, *Problem) {
	values := r.Header["Authorization"]
	if len(values) > 1 {
		return "", NewProblem(CodeAmbiguous, "Authorization", "Send the Authorization header once.")
	}
	if len(values) == 0 {
		return "", Unauthorized()
	}
	scheme, token, found := strings.Cut(values[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", Unauthorized()
	}
	t := BearerToken(strings.TrimLeft(token, " "))
	if t.Check() != nil {
		return "", Unauthorized()
	}
	return t, nil
}

// Unauthorized is the one answer to a missing, short or wrong token; it does
// not say which of them it was.
func Unauthorized() *Problem {
	return NewProblem(CodeUnauthorized, "Authorization", "Send the right bearer token: Authorization: Bearer TOKEN.")
}
