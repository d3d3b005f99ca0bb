package feed

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// davServer is a small CalDAV server of text: a collection at /cal/ with objects by
// name, which it lists and gives.
type davServer struct {
	objects map[string]string
	// reports counts the batches asked for, gets the single objects.
	reports, gets int
}

func (s *davServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	response := func(path, props string) string {
		return "<d:response><d:href>" + path + "</d:href><d:propstat><d:prop>" + props + "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">`)
	switch r.Method {
	case "PROPFIND":
		b.WriteString(response("/cal/", "<d:resourcetype><d:collection/></d:resourcetype>"))
		for name, text := range s.objects {
			b.WriteString(response("/cal/"+name, fmt.Sprintf(`<d:resourcetype/><d:getcontentlength>%d</d:getcontentlength><d:getetag>"%x"</d:getetag>`, len(text), text)))
		}
	case "REPORT":
		s.reports++
		body, _ := io.ReadAll(r.Body)
		for name, text := range s.objects {
			if strings.Contains(string(body), "/cal/"+name+"<") {
				b.WriteString(response("/cal/"+name, fmt.Sprintf(`<d:getetag>"%x"</d:getetag><c:calendar-data><![CDATA[%s]]></c:calendar-data>`, text, text)))
			}
		}
	case http.MethodGet:
		s.gets++
		io.WriteString(w, s.objects[strings.TrimPrefix(r.URL.Path, "/cal/")])
		return
	}
	b.WriteString("</d:multistatus>")
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(http.StatusMultiStatus)
	io.WriteString(w, b.String())
}

func davObject(uid, line string) string {
	return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:" + uid + "\r\nDTSTART:20261130T090000Z\r\n" + line + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
}

func davFeed(t *testing.T, s http.Handler) *Feed {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	source, err := NewCalDAV(server.URL+"/cal", "sam", "secret")
	if err != nil {
		t.Fatal(err)
	}
	return New(source, options(""))
}

func count(f *Feed) (entries, unread int) {
	cal, _ := f.Calendar()
	return len(cal.Entries), cal.Unread
}

func TestCalDAVFetchesOnlyWhatChanged(t *testing.T) {
	s := &davServer{objects: map[string]string{}}
	for i := range 250 {
		s.objects[fmt.Sprintf("%d.ics", i)] = davObject(fmt.Sprint(i), `SUMMARY;X-P="a;b":Maths\, set 1`)
	}
	f := davFeed(t, s)
	refresh(t, f, true)
	if n, _ := count(f); n != 250 || s.reports != 3 {
		t.Fatalf("%d entries in %d batches", n, s.reports)
	}
	if title(f) != "Maths, set 1" {
		t.Errorf("title %q", title(f))
	}
	refresh(t, f, false)
	s.objects["7.ics"] = davObject("7", "SUMMARY:English")
	delete(s.objects, "8.ics")
	refresh(t, f, true)
	if n, _ := count(f); n != 249 || s.reports != 4 {
		t.Errorf("%d entries, %d batches", n, s.reports)
	}
}

func TestCalDAVOneBadObjectHidesNoOther(t *testing.T) {
	s := &davServer{objects: map[string]string{
		"good.ics":  davObject("good", "SUMMARY:Maths"),
		"panic.ics": davObject("panic", "X-BROKEN;A=b"), // the library's decoder panics on this
		"junk.ics":  "<html>",
	}}
	f := davFeed(t, s)
	refresh(t, f, true)
	if n, unread := count(f); n != 2 || unread != 1 || s.gets != 3 {
		t.Errorf("%d entries, %d unread, %d fetched one by one", n, unread, s.gets)
	}
}

func TestCalDAVAddressThatIsNoCollection(t *testing.T) {
	f := davFeed(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<html>Welcome</html>")
	}))
	fails(t, f, "check that the address is a CalDAV collection")
}
