package admin

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/pagefiles"
	"github.com/askhub/askhub/internal/people"
)

//go:generate go run ../web/icons check

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed static
var staticFiles embed.FS

// page is what every page is made from.
type page struct {
	Title string
	// At is the address that the page has in the bar; empty where it stands in none.
	At string
	// Person is who is signed in; empty where nobody is.
	Person string
	// Body is a sentence, of a fault.
	Body string
	// Content is the page's own.
	Content any
	// Links are the bar's.
	Links []link
}

// link is one place of the bar.
type link struct{ At, Text string }

var links = []link{{"/", "Waiting"}, {"/ask", "Ask"}, {"/changes", "Limits"}, {"/notices", "Notices"}, {"/history", "History"}, {"/console", "Console"}, {"/me", "You"}}

// page begins one for whoever is signed in.
func (v *visit) page(title, at string, content any) *page {
	return &page{Title: title, At: at, Person: people.Spoken(string(v.person.Name)), Content: content, Links: links}
}

// pages are the templates, and the files beside them.
type pages struct {
	byName map[string]*template.Template
	files  map[string]pagefiles.File
}

// loadPages reads the embedded files; an error is the program's own.
func loadPages() (*pages, error) {
	p := &pages{byName: map[string]*template.Template{}}
	base, err := template.New("base").Funcs(template.FuncMap{"mark": mark, "moment": moment, "spoken": people.Spoken, "upper": upperFirst}).ParseFS(pageFiles, "pages/base.html", "pages/approval.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		return nil, err
	}
	for _, at := range names {
		name := strings.TrimSuffix(path.Base(at), ".html")
		if name == "base" || name == "approval" {
			continue
		}
		t, err := base.Clone()
		if err == nil {
			t, err = t.ParseFS(pageFiles, at)
		}
		if err != nil {
			return nil, err
		}
		p.byName[name] = t
	}
	p.files, err = pagefiles.Read(staticFiles, "static")
	return p, err
}

// moment is a time as a page has it until its module writes it on the reader's own clock.
func moment(t time.Time) template.HTML {
	if t.IsZero() {
		return "never"
	}
	t = t.UTC()
	// Both parts are digits and letters of a time, nothing that anybody wrote.
	return template.HTML(`<time datetime="` + t.Format(time.RFC3339) + `">` + t.Format("2 January 2006, 15:04 MST") + `</time>`) //nolint:gosec // made here of a time alone
}

// render writes a page.
func (p *pages) render(w http.ResponseWriter, status int, name string, content *page) {
	var b bytes.Buffer
	if err := p.byName[name].ExecuteTemplate(&b, "base", content); err != nil {
		panic(fmt.Errorf("the page %s: %w", name, err)) // it is compiled in, so a test meets this first
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// file serves the files beside the pages.
func (a *App) file(v *visit) error {
	name := v.r.PathValue("name")
	if name == "" {
		name = strings.TrimPrefix(v.r.URL.Path, "/")
	}
	f, ok := a.pages.files[name]
	if !ok {
		return notFound()
	}
	f.Serve(v.w, v.r)
	return nil
}
