package admin

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/people"
)

// hubHealth is what the console wants of the Hub's GET /health.
type hubHealth struct {
	Parts []hubPart `json:"parts"`
}

type hubPart struct {
	Part  string `json:"part"`
	OK    bool   `json:"ok"`
	Fault string `json:"fault"`
}

// hubRecord is one record of the Hub's GET /records.
type hubRecord struct {
	ID       string    `json:"id"`
	Time     time.Time `json:"time"`
	Asker    string    `json:"asker"`
	Person   string    `json:"person"`
	WayIn    string    `json:"way_in"`
	Question string    `json:"question"`
	Status   string    `json:"status"`
	Reply    string    `json:"reply"`
	Route    struct {
		Kind     string   `json:"kind"`
		Projects []string `json:"projects"`
		Reason   string   `json:"reason"`
		By       string   `json:"by"`
	} `json:"route"`
	Decision struct {
		Why string `json:"why"`
	} `json:"decision"`
	Parts   []hubRecordPart `json:"parts"`
	Timings struct {
		Total float64 `json:"total_ms"`
	} `json:"timings"`
}

type hubRecordPart struct {
	Project    string `json:"project"`
	Status     string `json:"status"`
	MS         int64  `json:"ms"`
	Remembered bool   `json:"remembered"`
}

// hubNotice is one notice of the Hub's GET /notices?state=undelivered.
type hubNotice struct {
	Time       time.Time     `json:"time"`
	From       string        `json:"from"`
	Person     string        `json:"person"`
	Level      string        `json:"level"`
	Message    string        `json:"message"`
	Deliveries []hubDelivery `json:"deliveries"`
}

type hubDelivery struct {
	Target string `json:"target"`
	State  string `json:"state"`
	Tries  int    `json:"tries"`
	Reason string `json:"reason"`
}

// consoleShown is the content of the console.
type consoleShown struct {
	Parts   []partShown
	Records []hubRecord
	About   []askedAbout
	Notices []hubNotice
	People  []string
	// Away says of which part of the page the Hub gave nothing.
	HealthAway, RecordsAway, NoticesAway bool
	// Says and Fault are what came of pairing.
	Says, Fault string
}

// partShown is one part of the household's askhub, and how fast it answered.
type partShown struct {
	hubPart
	Title string
	Chart *chart
}

// askedAbout is how often somebody asked about somebody else.
type askedAbout struct {
	Asker, Person string
	Times         int
	Last          time.Time
}

// consolePage serves GET /console.
func (a *App) consolePage(v *visit) error {
	a.renderConsole(v, http.StatusOK, "", "")
	return nil
}

func (a *App) renderConsole(v *visit, status int, says, fault string) {
	shown := a.look(v.r.Context())
	shown.Says, shown.Fault = says, fault
	a.pages.render(v.w, status, "console", v.page("Console", "/console", shown))
}

// look asks the Hub for all that the console shows, at once.
func (a *App) look(ctx context.Context) *consoleShown {
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	var health hubHealth
	var records struct {
		Records []hubRecord `json:"records"`
	}
	var notices struct {
		Notices []hubNotice `json:"notices"`
	}
	shown := &consoleShown{}
	var all sync.WaitGroup
	for path, into := range map[string]struct {
		v    any
		away *bool
	}{"/health": {&health, &shown.HealthAway}, "/records": {&records, &shown.RecordsAway}, "/notices?state=undelivered": {&notices, &shown.NoticesAway}} {
		all.Go(func() {
			if err := a.cfg.Hub.call(ctx, http.MethodGet, path, nil, into.v); err != nil {
				*into.away = true
				_ = a.told(a.cfg.Hub, err) // logs it
			}
		})
	}
	all.Wait()
	for _, p := range health.Parts {
		name, isProject := strings.CutPrefix(p.Part, "project:")
		one := partShown{hubPart: p, Title: upperFirst(strings.ReplaceAll(name, "_", " "))}
		if isProject {
			one.Chart = chartOf(name, records.Records)
		}
		shown.Parts = append(shown.Parts, one)
	}
	shown.Records, shown.Notices, shown.About = records.Records, notices.Notices, whoAboutWhom(records.Records)
	for _, p := range a.cfg.Household().People() {
		shown.People = append(shown.People, string(p.Name))
	}
	return shown
}

// whoAboutWhom counts who asked about others than themselves, the latest first.
func whoAboutWhom(records []hubRecord) []askedAbout {
	counted := map[[2]string]*askedAbout{}
	for i := range records {
		r := &records[i]
		if r.Person == "" || r.Person == r.Asker {
			continue
		}
		key := [2]string{r.Asker, r.Person}
		one := counted[key]
		if one == nil {
			one = &askedAbout{Asker: r.Asker, Person: r.Person}
			counted[key] = one
		}
		one.Times++
		if r.Time.After(one.Last) {
			one.Last = r.Time
		}
	}
	out := make([]askedAbout, 0, len(counted))
	for _, one := range counted {
		out = append(out, *one)
	}
	slices.SortFunc(out, func(x, y askedAbout) int {
		return cmp.Or(y.Last.Compare(x.Last), cmp.Compare(x.Asker, y.Asker), cmp.Compare(x.Person, y.Person))
	})
	return out
}

// pairing is the body of the Hub's POST /chat/pair.
type pairing struct {
	Code   string `json:"code"`
	Person string `json:"person"`
}

// pair serves POST /console/pair: the chat whose owner reads this code out speaks for that
// person from now on. What was said there is nobody's to see here.
func (a *App) pair(v *visit) error {
	code, err := formValue(v, "code")
	if err != nil {
		return err
	}
	code = strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, code)
	found, ok := a.cfg.Household().Find(v.r.PostForm.Get("person"))
	if !ok {
		a.renderConsole(v, http.StatusBadRequest, "", "Choose a person.")
		return nil
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), lookWait)
	defer cancel()
	var out struct {
		Thread string `json:"thread"`
		Person string `json:"person"`
	}
	err = a.cfg.Hub.call(ctx, http.MethodPost, "/chat/pair", &pairing{Code: code, Person: string(found.Name)}, &out)
	if err != nil {
		p, _ := errors.AsType[*ask.Problem](a.told(a.cfg.Hub, err))
		a.renderConsole(v, p.Status, "", p.Detail)
		return nil
	}
	a.note(ctx, v, DidPair, "with "+people.Spoken(out.Person), "", "")
	a.renderConsole(v, http.StatusOK, "That chat now speaks for "+people.Spoken(out.Person)+", and was told so.", "")
	return nil
}
