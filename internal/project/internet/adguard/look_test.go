package adguard

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/askhub/askhub/internal/project/internet"
)

func TestALookSaysVersionProtectionAndUnknownDevicesAndWritesNothing(t *testing.T) {
	s := newStandIn(t)
	twice := internet.Device{Name: "Emma's other", IDs: []string{"02:00:00:00:00:99"}}
	got, err := s.home(nil).Look(t.Context(), []internet.Device{harrys, twice, emmas})
	if err != nil || got.Version != "v0.107.0" || !got.Protects || !slices.Equal(got.Unknown, []string{"Emma's other"}) {
		t.Errorf("%+v, %v", got, err)
	}
	s.paused = true
	if got, err = s.home(nil).Look(t.Context(), nil); err != nil || got.Protects {
		t.Errorf("with its protection off: %+v, %v", got, err)
	}
	if len(s.writes) > 0 {
		t.Errorf("it wrote %q", s.writes)
	}
}

func TestALookWithAWrongPasswordIsOneCall(t *testing.T) {
	s := newStandIn(t)
	h := s.home(func(o *Options) { o.Password = "wrong" })
	for range 3 {
		if _, err := h.Look(t.Context(), []internet.Device{harrys}); !errors.Is(err, ErrRefused) {
			t.Error(err)
		}
	}
	if s.calls != 1 || s.failures != 1 {
		t.Errorf("%d calls, %d of them counted", s.calls, s.failures)
	}
	s.before = func(*http.Request) int { return http.StatusTooManyRequests }
	if _, err := s.home(nil).Look(t.Context(), nil); !errors.Is(err, ErrLockedOut) {
		t.Errorf("locked out: %v", err)
	}
}

func TestALookTellsWhatIsNoAdGuardHome(t *testing.T) {
	for reply, status := range map[string]int{
		"<title>A router</title>": http.StatusOK,
		"[]":                      http.StatusOK,
		"{}":                      http.StatusOK,
		"404 page not found":      http.StatusNotFound,
		"to /install.html":        http.StatusFound, // one that nobody has set up yet
	} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, reply)
		}))
		t.Cleanup(other.Close)
		h, err := New(Options{URL: other.URL, Username: user, Password: password})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Look(t.Context(), []internet.Device{harrys})
		if !errors.Is(err, ErrNone) || strings.Contains(err.Error(), "password") {
			t.Errorf("%d %s: %v", status, reply, err)
		}
	}
}
