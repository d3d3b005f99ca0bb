package adguard

import (
	"context"
	"errors"

	"github.com/askhub/askhub/internal/project/internet"
)

// What keeps AdGuard Home from being looked at, where a person can mend it.
var (
	// ErrRefused is a password or a user that it does not take.
	ErrRefused = errors.New("it does not take the password")
	// ErrLockedOut is a caller who has shown too many wrong ones.
	ErrLockedOut = errors.New("it locks this machine out for a while")
	// ErrNone is a server that is no AdGuard Home, or one that was never set up.
	ErrNone = errors.New("the answer is not AdGuard Home's")
)

// Found is how AdGuard Home stands.
type Found struct {
	Version string
	// Protects says whether its protection is on, without which it refuses nothing.
	Protects bool
	// Unknown are the names of devices that are no clients of it, so that nothing of them can be
	// changed.
	Unknown []string
}

// Look finds out whether AdGuard Home answers, takes the password and knows the devices. It
// reads only. After a refusal it calls no more: five lock this machine out.
func (h *Home) Look(ctx context.Context, devices []internet.Device) (Found, error) {
	var status struct {
		Version    string `json:"version"`
		Running    bool   `json:"running"`
		Protection bool   `json:"protection_enabled"`
	}
	if err := h.get(ctx, "/status", &status); err != nil {
		return Found{}, err
	}
	if status.Version == "" {
		return Found{}, unable(whyOdd, ErrNone)
	}
	f := Found{Version: status.Version, Protects: status.Running && status.Protection}
	for _, d := range devices {
		c, err := h.find(ctx, d.Canonical())
		var unknown *internet.UnableError
		switch {
		case c != nil:
		case errors.As(err, &unknown) && unknown.Err == nil: // this device's own
			f.Unknown = append(f.Unknown, d.Name)
		case err != nil:
			return f, err
		}
	}
	return f, nil
}
