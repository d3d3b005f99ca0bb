package dispatch

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/askclient"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/logtest"
)

// Who writes a project reads in the log which rule its answer breaks, and nobody reads there
// what it said.
func TestTheLogNamesTheRuleThatAnAnswerBreaks(t *testing.T) {
	said := &logtest.Log{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(said, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	for reply, want := range map[string]string{
		`{"answer": "It stands in /home/precious/notes.txt."}`:                  "holds a file path",
		`{"answer": "Rain.\n- precious"}`:                                       "rule=",
		`{"answer": null}`:                                                      "why there is no answer",
		`{"answer": "Rain.", "expires": "precious"}`:                            "RFC 3339",
		`{"answer": ["precious"]}`:                                              "must be a string",
		`{"reason": "precious"}`:                                                `Send \"answer\"`,
		`{"answer": "precious", "answer": "Rain."}`:                             "once",
		`{"answer": "precious"`:                                                 "JSON",
		`{"answer": "` + strings.Repeat("precious ", ask.MaxQuestion) + `..."}`: "one short sentence",
	} {
		project := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, reply)
		}))
		client := askclient.New(askclient.Config{URL: project.URL, Token: ask.BearerToken(strings.Repeat("t", 40))})
		told := len(said.String())
		parts := New(projects{"school": client}, nil, nil, time.Now).Dispatch(t.Context(), ask.Budget, []Aim{{Destination: query("school")}}, sam)
		client.Close()
		project.Close()
		if parts[0].Reason != routing.ReasonNonsense {
			t.Errorf("%.80s gives %+v", reply, parts[0])
		}
		if line := said.String()[told:]; !strings.Contains(line, want) || strings.Contains(strings.ToLower(line), "precious") {
			t.Errorf("%.80s: the log has %s, want %s", reply, line, want)
		}
	}
}
