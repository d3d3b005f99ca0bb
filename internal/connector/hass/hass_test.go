package hass_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/connector/hass"
)

// The server here is a fake: it answers as each case says.
func TestACallSaysWhatCameOfIt(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   func(error) bool
	}{
		"fine": {func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			_, _ = w.Write([]byte(`{"state":"on"}`))
		}, func(err error) bool { return err == nil }},
		"a status": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "inner words", http.StatusForbidden)
		}, func(err error) bool {
			var s hass.StatusError
			return errors.As(err, &s) && s == http.StatusForbidden && !strings.Contains(err.Error(), "inner")
		}},
		"elsewhere, which the token must not reach": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/login", http.StatusFound)
		}, func(err error) bool {
			var s hass.StatusError
			return errors.As(err, &s) && s == http.StatusFound
		}},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>"))
		}, func(err error) bool { return errors.Is(err, askclient.ErrNonsense) }},
		"too much": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`"` + strings.Repeat("a", 5<<20) + `"`))
		}, func(err error) bool { return errors.Is(err, askclient.ErrNonsense) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(c.answer)
			defer s.Close()
			client := hass.New(s.URL, func() ask.BearerToken { return "secret" })
			defer client.Close()
			var to struct {
				State string `json:"state"`
			}
			if err := client.Call(t.Context(), http.MethodGet, "/api/states/x.y", nil, &to); !c.want(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}
