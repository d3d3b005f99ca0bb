package api

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/notify"
)

// outbox stands for the outbox behind the API.
type outbox struct {
	mu      sync.Mutex
	added   []notify.Notice
	queries []notify.Query
	list    []notify.Entry
	err     error
}

func (o *outbox) Add(_ context.Context, n notify.Notice) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return "", o.err
	}
	o.added = append(o.added, n)
	return "ntc_1", nil
}

func (o *outbox) List(_ context.Context, q notify.Query) ([]notify.Entry, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queries = append(o.queries, q)
	return o.list, o.err
}

const goodNotice = `{"from": "compass_nhs", "level": "important", "message": "The bus is late.", "person": "sam", "later": 1}`

func TestANoticeIsTakenFromItsProject(t *testing.T) {
	s := serve(t)
	status, header, body := s.call("POST", "/notify", projectToken, goodNotice)
	if status != 202 || body != `{"id":"ntc_1"}` || header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %d %s", status, body)
	}
	if want := (notify.Notice{From: "compass_nhs", Person: "sam", Message: "The bus is late.", Level: notify.Important}); s.notices.added[0] != want {
		t.Errorf("the outbox got %+v", s.notices.added[0])
	}
}

func TestANoticeThatIsNone(t *testing.T) {
	replace := func(old, with string) string { return strings.Replace(goodNotice, old, with, 1) }
	for name, c := range map[string]struct {
		token, body string
		err         error
		status      int
		code        ask.Code
		field       string
	}{
		"no token":           {"", goodNotice, nil, 401, ask.CodeUnauthorized, "Authorization"},
		"a way in's token":   {kitchenToken, goodNotice, nil, 403, CodeNotForThisCaller, "Authorization"},
		"the admin's token":  {adminToken, goodNotice, nil, 403, CodeNotForThisCaller, "Authorization"},
		"another's name":     {projectToken, replace("compass_nhs", "email_agent"), nil, 403, CodeNotYourName, "from"},
		"the Hub's name":     {projectToken, replace("compass_nhs", "hub"), nil, 403, CodeNotYourName, "from"},
		"no from":            {projectToken, replace(`"from": "compass_nhs", `, ""), nil, 400, ask.CodeMissingField, "from"},
		"no level":           {projectToken, replace(`"level": "important", `, ""), nil, 400, ask.CodeMissingField, "level"},
		"no such level":      {projectToken, replace("important", "IMPORTANT"), nil, 400, ask.CodeInvalidField, "level"},
		"no message":         {projectToken, replace("The bus is late.", " "), nil, 400, ask.CodeMissingField, "message"},
		"two sentences":      {projectToken, replace("late.", "late. It rains."), nil, 400, ask.CodeInvalidField, "message"},
		"a link":             {projectToken, replace("late.", "late, see https://x.example/y."), nil, 400, ask.CodeInvalidField, "message"},
		"a long message":     {projectToken, replace("late.", strings.Repeat("late ", 80)), nil, 400, ask.CodeInvalidField, "message"},
		"no person":          {projectToken, replace(`"sam"`, `""`), nil, 400, ask.CodeMissingField, "person"},
		"a hidden character": {projectToken, replace(`"sam"`, `"sa\u202em"`), nil, 400, ask.CodeInvalidField, "person"},
		"a key's case":       {projectToken, replace(`"from"`, `"FROM"`), nil, 400, ask.CodeKeyCase, "from"},
		"a key twice":        {projectToken, replace(`"from"`, `"from": "x", "from"`), nil, 400, ask.CodeDuplicateKey, "from"},
		"a wrong type":       {projectToken, replace(`"sam"`, `["sam"]`), nil, 400, ask.CodeWrongType, "person"},
		"not JSON":           {projectToken, "from=x", nil, 400, ask.CodeInvalidJSON, "body"},
		"too large":          {projectToken, replace("late.", strings.Repeat("x", 33<<10)), nil, 413, ask.CodeBodyTooLarge, "body"},
		"an unknown person":  {projectToken, goodNotice, notify.ErrUnknownPerson, 400, CodeUnknownPerson, "person"},
		"a full store":       {projectToken, goodNotice, errors.New("/var/lib is full"), 503, ask.CodeUnavailable, ""},
		"too many":           {projectToken, goodNotice, &notify.TooMany{After: 1500 * time.Millisecond}, 429, ask.CodeTooMany, ""},
	} {
		s := serve(t)
		s.notices.err = c.err
		status, header, body := s.call("POST", "/notify", c.token, c.body)
		p := problemOf(t, body)
		if status != c.status || p.Code != c.code || p.Field != c.field || p.Detail == "" {
			t.Errorf("%s: got %d %s, want %d %s %s", name, status, body, c.status, c.code, c.field)
		}
		if strings.Contains(body, "/var") {
			t.Errorf("%s: it shows %s", name, body)
		}
		if c.status == 429 && header.Get("Retry-After") != "2" {
			t.Errorf("%s: Retry-After is %q", name, header.Get("Retry-After"))
		}
		if len(s.notices.added) > 0 {
			t.Errorf("%s: it was taken", name)
		}
	}
	if status, header, _ := serve(t).call("GET", "/notify", projectToken, ""); status != 405 || header.Get("Allow") != "POST" {
		t.Errorf("GET gives %d, Allow %q", status, header.Get("Allow"))
	}
}

func TestAProjectMayOnlyNotify(t *testing.T) {
	s := serve(t)
	for _, path := range []string{"/notices", "/capabilities", "/metrics"} {
		if status, _, body := s.call("GET", path, projectToken, ""); status != 403 {
			t.Errorf("%s gives %d %s", path, status, body)
		}
	}
}

func TestTheAdminSeesWhatBecameOfNotices(t *testing.T) {
	s := serve(t)
	at := time.Date(2026, 10, 10, 9, 0, 0, 0, time.FixedZone("BST", 3600))
	s.notices.list = []notify.Entry{{
		ID: "ntc_1", At: at, Notice: notify.Notice{From: "compass_nhs", Person: "sam", Level: notify.Urgent, Message: "The bus is late."},
		Deliveries: []notify.Delivery{
			{Target: "chat:all", Name: "chat", State: notify.Delivered, Tries: 1, Due: at, Done: at.Add(time.Second)},
			{Target: "phone:0123", Name: "ntfy at ntfy.sh", State: notify.Waiting, Tries: 2, Due: at.Add(time.Minute), Reason: "it cannot be reached"},
		},
	}}
	status, _, body := s.call("GET", "/notices?state=undelivered&person=Mum&limit=3", adminToken, "")
	want := `{"notices":[{"id":"ntc_1","time":"2026-10-10T08:00:00Z","from":"compass_nhs","person":"sam","level":"urgent","message":"The bus is late.",` +
		`"deliveries":[{"target":"chat","state":"delivered","tries":1,"done":"2026-10-10T08:00:01Z"},` +
		`{"target":"ntfy at ntfy.sh","state":"waiting","tries":2,"due":"2026-10-10T08:01:00Z","reason":"it cannot be reached"}]}]}`
	if status != 200 || body != want {
		t.Errorf("got  %d %s\nwant %s", status, body, want)
	}
	if want := (notify.Query{Person: "sam", Undelivered: true, Limit: 3}); s.notices.queries[0] != want {
		t.Errorf("it asked for %+v", s.notices.queries[0])
	}
	s.notices.list = nil
	if _, _, body := s.call("GET", "/notices", adminToken, ""); body != `{"notices":[]}` || s.notices.queries[1] != (notify.Query{Limit: 50}) {
		t.Errorf("none: %s, %+v", body, s.notices.queries[1])
	}
	for query, field := range map[string]string{"state=dead": "state", "limit=0": "limit", "limit=201": "limit", "limit=x": "limit", "person=bob": "person"} {
		if status, _, body := s.call("GET", "/notices?"+query, adminToken, ""); status != 400 || problemOf(t, body).Field != field {
			t.Errorf("%s gives %d %s", query, status, body)
		}
	}
	for _, token := range []string{kitchenToken, ""} {
		if status, _, _ := s.call("GET", "/notices", token, ""); status != 401 && status != 403 {
			t.Errorf("without the admin's token it gives %d", status)
		}
	}
}
