package api

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/events"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/registry"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/people"
	"github.com/askhub/askhub/internal/record"
)

// The tokens of the test's callers.
const (
	adminToken   = "admin-token-of-the-test-0123456789ab"
	kitchenToken = "kitchen-token-of-the-test-0123456789"
	phoneToken   = "phone-token-of-the-test-0123456789ab"
	projectToken = "project-token-of-the-test-0123456789"
	strayToken   = "stray-token-of-the-test-0123456789ab"
)

// answering stands for the Hub behind the API: it notes the request and answers it.
// The Hub itself is tested in its own package.
type answering struct {
	mu       sync.Mutex
	requests []hub.Request
	records  map[string]record.Record
	wait     chan struct{}
	// status and reply are the answer's, where they are not empty.
	status routing.Status
	reply  string
}

func (a *answering) Ask(ctx context.Context, req hub.Request) hub.Reply {
	if a.wait != nil {
		<-a.wait
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = append(a.requests, req)
	r := hub.Reply{Record: record.Record{
		ID: record.NewID(), Time: time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC), Asker: req.Asker, WayIn: req.WayIn, Want: string(req.Want),
		Question: req.Question.Question, Status: cmp.Or(a.status, routing.StatusAnswered), Reply: cmp.Or(a.reply, "Harry has maths."),
		Route:   record.Route{Kind: "query", Projects: []string{"compass_nhs"}, Reason: "topic:timetable", By: routing.ByEmbedded},
		Parts:   []routing.Part{{Project: "compass_nhs", Status: routing.StatusAnswered, Answer: "Harry has maths.", Person: "harry", Took: 41 * time.Millisecond}},
		Expires: time.Date(2026, 10, 11, 0, 0, 0, 0, time.FixedZone("BST", 3600)),
	}}
	a.records[r.ID] = r.Record
	return r
}

func (a *answering) Get(_ context.Context, id string) (record.Record, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.records[id]
	if !ok {
		return r, record.ErrNotFound
	}
	return r, nil
}

type someProjects struct{}

func (someProjects) Capabilities() []ask.Capabilities {
	return []ask.Capabilities{
		{Project: "compass_nhs", Topics: []string{"school", "today"}, People: []ask.Person{"harry", "grandma"}},
		{Project: "email_agent", Topics: []string{"email", "today"}, People: []ask.Person{"sam"}},
	}
}

func (someProjects) States() []registry.State {
	return []registry.State{{Project: "compass_nhs", Up: true}, {Project: "email_agent", Fault: "it is not answering"}}
}

type tokens map[string]string

func (t tokens) Caller(token string) (string, bool) { name, ok := t[token]; return name, ok }

// served is an API over loopback, with its Hub.
type served struct {
	t       *testing.T
	url     string
	hub     *answering
	chat    *chat.Memory
	now     time.Time
	notices *outbox

	desk   *approve.Desk
	events *events.Stream
	tokens *removable
	server *Server
}

func serve(t *testing.T) *served {
	t.Helper()
	return serveChat(t, chat.DefaultRules())
}

// serveChat serves with a chat held to these rules.
func serveChat(t *testing.T, rules chat.Rules) *served {
	t.Helper()
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, hub: &answering{records: map[string]record.Record{}}, chat: chat.NewMemory(rules), notices: &outbox{}, now: time.Unix(1000, 0), desk: aDesk(t), events: events.New("test")}
	s.tokens = &removable{of: tokens{adminToken: "admin", kitchenToken: "kitchen", phoneToken: "phone", projectToken: "compass_nhs", strayToken: "attic"}}
	s.server = New(Config{
		Hub: s.hub, Records: s.hub, Projects: someProjects{}, Notices: s.notices,
		Callers: s.tokens,
		WaysIn: map[string]WayIn{
			"kitchen": {Askers: []ask.Asker{"sam", "guest"}, PerMinute: 5, AtOnce: 2},
			"phone":   {Askers: []ask.Asker{"sam"}, Want: reply.Notification, PerMinute: 60, AtOnce: 4},
		},
		ProjectNames: []string{"compass_nhs", "email_agent"},
		Approvals:    s.desk, Events: s.events, Done: t.Context().Done(),
		Chat: chat.NewHandler(chat.Config{Store: s.chat, Pairing: s.chat, Rules: rules}), Desk: s.chat, ChatRules: rules,
		Household: func() *people.Household { return house },
		Health:    func() []PartHealth { return []PartHealth{{Part: "record", OK: true}} },
		Metrics:   metrics.NewSet(), Version: "1.2.3", Now: func() time.Time { return s.now },
	})
	ln, err := ask.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := ask.NewServer(s.server)
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Close() })
	s.url = "http://" + ln.Addr().String()
	return s
}

// call sends one request and gives the status, the headers and the body.
func (s *served) call(method, path, token, body string, headers ...string) (int, http.Header, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

func problemOf(t *testing.T, body string) ask.Problem {
	t.Helper()
	var p ask.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%q is no problem: %v", body, err)
	}
	return p
}

func TestAnAnswerOnTheWire(t *testing.T) {
	s := serve(t)
	status, header, body := s.call("POST", "/ask", kitchenToken, `{"question": "what does Harry have on?", "asker": "sam", "source": "esp32", "later": 1}`)
	if status != 200 || header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %d %s %s", status, header.Get("Content-Type"), body)
	}
	id := s.hub.requests[0]
	want := `{"id":"` + onlyID(s) + `","status":"answered","reply":"Harry has maths.","want":"speech",` +
		`"route":{"kind":"query","projects":["compass_nhs"],"reason":"topic:timetable","by":"embedded"},` +
		`"parts":[{"project":"compass_nhs","status":"answered","person":"harry","answer":"Harry has maths.","ms":41}],` +
		`"expires":"2026-10-10T23:00:00Z"}`
	if body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if id.WayIn != "kitchen" || id.Asker != "sam" || id.Source != "esp32" || id.Want != reply.Speech {
		t.Errorf("the Hub got %+v", id)
	}
}

func onlyID(s *served) string {
	for id := range s.hub.records {
		return id
	}
	return ""
}

func TestTheShapeComesFromTheRequestTheWayInOrTheSource(t *testing.T) {
	for _, c := range []struct {
		token, fields string
		want          reply.Want
		source        string
	}{
		{phoneToken, `"want": "text"`, reply.Text, "phone"},
		{phoneToken, `"source": "chat"`, reply.Notification, "chat"},
		{kitchenToken, `"asker": "sam", "source": "chat"`, reply.Text, "chat"},
		{kitchenToken, `"asker": "sam", "source": "phone"`, reply.Speech, "phone"},
		{kitchenToken, `"asker": "sam"`, reply.Text, "kitchen"},
		{adminToken, `"asker": "tom"`, reply.Text, "admin"},
		{adminToken, `"asker": "guest"`, reply.Text, "admin"},
	} {
		s := serve(t)
		status, _, body := s.call("POST", "/ask", c.token, `{"question": "hello", `+c.fields+`}`)
		if status != 200 || s.hub.requests[0].Want != c.want || s.hub.requests[0].Source != c.source {
			t.Errorf("%s: got %d %s, and the Hub %+v", c.fields, status, body, s.hub.requests)
		}
	}
}

func TestAWayInBoundToOneAskerMayLeaveTheAskerOut(t *testing.T) {
	s := serve(t)
	if status, _, body := s.call("POST", "/ask", phoneToken, `{"question": "hello"}`); status != 200 || s.hub.requests[0].Asker != "sam" {
		t.Errorf("got %d %s", status, body)
	}
	status, _, body := s.call("POST", "/ask", kitchenToken, `{"question": "hello"}`)
	if p := problemOf(t, body); status != 400 || p.Field != "asker" {
		t.Errorf("got %d %s, want the kitchen to say who asks", status, body)
	}
}

func TestBadRequestsNameTheirField(t *testing.T) {
	long := strings.Repeat("é", 4001)
	for name, c := range map[string]struct {
		token, body string
		headers     []string
		status      int
		code        ask.Code
		field       string
	}{
		"no token":             {"", `{}`, nil, 401, ask.CodeUnauthorized, "Authorization"},
		"a wrong token":        {strings.Repeat("x", 40), `{}`, nil, 401, ask.CodeUnauthorized, "Authorization"},
		"a short token":        {"short", `{}`, nil, 401, ask.CodeUnauthorized, "Authorization"},
		"a project's token":    {projectToken, `{"question": "hi", "asker": "sam"}`, nil, 403, CodeNotForThisCaller, "Authorization"},
		"an unknown way in":    {strayToken, `{"question": "hi", "asker": "sam"}`, nil, 403, CodeUnknownCaller, "Authorization"},
		"another's asker":      {kitchenToken, `{"question": "hi", "asker": "emma"}`, nil, 403, CodeAskerNotAllowed, "asker"},
		"an unknown asker":     {adminToken, `{"question": "hi", "asker": "nobody"}`, nil, 403, CodeAskerNotAllowed, "asker"},
		"an unknown person":    {kitchenToken, `{"question": "hi", "asker": "sam", "person": "nobody"}`, nil, 400, CodeUnknownPerson, "person"},
		"not JSON":             {kitchenToken, `question=hi`, nil, 400, ask.CodeInvalidJSON, "body"},
		"two documents":        {kitchenToken, `{"question": "hi", "asker": "sam"} {}`, nil, 400, ask.CodeInvalidJSON, "body"},
		"a duplicate key":      {kitchenToken, `{"question": "hi", "asker": "sam", "asker": "guest"}`, nil, 400, ask.CodeDuplicateKey, "asker"},
		"a key in capitals":    {kitchenToken, `{"question": "hi", "ASKER": "sam"}`, nil, 400, ask.CodeKeyCase, "asker"},
		"a look-alike key":     {kitchenToken, `{"question": "hi", "aſker": "sam"}`, nil, 400, ask.CodeKeyCase, "asker"},
		"bad UTF-8":            {kitchenToken, "{\"question\": \"\xff\", \"asker\": \"sam\"}", nil, 400, ask.CodeInvalidJSON, "question"},
		"no question":          {kitchenToken, `{"asker": "sam"}`, nil, 400, ask.CodeMissingField, "question"},
		"an empty question":    {kitchenToken, `{"question": "  ", "asker": "sam"}`, nil, 400, ask.CodeMissingField, "question"},
		"a wrong type":         {kitchenToken, `{"question": 7, "asker": "sam"}`, nil, 400, ask.CodeWrongType, "question"},
		"a control character":  {kitchenToken, `{"question": "hi", "asker": "s\u0000m"}`, nil, 400, ask.CodeInvalidField, "asker"},
		"a wrong want":         {kitchenToken, `{"question": "hi", "asker": "sam", "want": "song"}`, nil, 400, ask.CodeInvalidField, "want"},
		"a wrong in_reply_to":  {kitchenToken, `{"question": "hi", "asker": "sam", "in_reply_to": "ask_7"}`, nil, 400, ask.CodeInvalidField, "in_reply_to"},
		"another content type": {kitchenToken, `{"question": "hi", "asker": "sam"}`, []string{"Content-Type", "text/plain"}, 415, ask.CodeNotJSON, "Content-Type"},
		"a long question":      {kitchenToken, `{"question": "` + long + `", "asker": "sam"}`, nil, 413, ask.CodeQuestionTooLong, "question"},
		"a large body":         {kitchenToken, `{"question": "` + strings.Repeat("a", 33<<10) + `"}`, nil, 413, ask.CodeBodyTooLarge, "body"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			status, header, body := s.call("POST", "/ask", c.token, c.body, c.headers...)
			p := problemOf(t, body)
			if status != c.status || p.Status != c.status || p.Code != c.code || p.Field != c.field || header.Get("Content-Type") != ask.ProblemType {
				t.Errorf("got %d %+v, want %d %s %s", status, p, c.status, c.code, c.field)
			}
			if status == 401 && header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("a 401 needs WWW-Authenticate, got %q", header.Get("WWW-Authenticate"))
			}
			if len(s.hub.requests) != 0 {
				t.Error("the Hub was asked")
			}
			if strings.Contains(body, "nobody") || strings.Contains(body, "song") || c.token != "" && strings.Contains(body, c.token) {
				t.Errorf("the problem repeats what was sent: %s", body)
			}
		})
	}
}

func TestALongQuestionThatFitsIsTaken(t *testing.T) {
	s := serve(t)
	if status, _, body := s.call("POST", "/ask", phoneToken, `{"question": "`+strings.Repeat("é", 4000)+`"}`); status != 200 {
		t.Errorf("got %d %s", status, body)
	}
}

func TestFramingThatTwoReadersReadInTwoWaysIsRefused(t *testing.T) {
	s := serve(t)
	body := `{"question": "hi"}`
	for name, head := range map[string]string{
		"two framings":        "Authorization: Bearer " + phoneToken + "\r\nContent-Length: 18\r\nTransfer-Encoding: chunked\r\n",
		"two tokens":          "Authorization: Bearer " + phoneToken + "\r\nAuthorization: Bearer " + adminToken + "\r\nContent-Length: 18\r\n",
		"two hosts":           "Host: b\r\nAuthorization: Bearer " + phoneToken + "\r\nContent-Length: 18\r\n",
		"two content lengths": "Authorization: Bearer " + phoneToken + "\r\nContent-Length: 18\r\nContent-Length: 2\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, "POST /ask HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n%s\r\n%s", head, body)
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != 400 || !resp.Close {
				t.Errorf("got %d, closing %v, want 400 and the connection closed", resp.StatusCode, resp.Close)
			}
			if len(s.hub.requests) != 0 {
				t.Error("the Hub was asked")
			}
		})
	}
}

func TestTheTokenIsCheckedBeforeTheBody(t *testing.T) {
	s := serve(t)
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The body never comes; the answer must.
	fmt.Fprint(c, "POST /ask HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 401 {
		t.Errorf("got %d, want 401", resp.StatusCode)
	}
}

func TestALimitIsToldWithRetryAfter(t *testing.T) {
	s := serve(t)
	for range 5 {
		if status, _, body := s.call("POST", "/ask", kitchenToken, `{"question": "hi", "asker": "sam"}`); status != 200 {
			t.Fatalf("got %d %s", status, body)
		}
	}
	s.now = s.now.Add(20500 * time.Millisecond)
	status, header, body := s.call("POST", "/ask", kitchenToken, `{"question": "hi", "asker": "sam"}`)
	if p := problemOf(t, body); status != 429 || p.Code != ask.CodeTooMany || header.Get("Retry-After") != "40" {
		t.Errorf("got %d %s, Retry-After %q, want 429 and 40", status, body, header.Get("Retry-After"))
	}
	if status, _, _ := s.call("POST", "/ask", phoneToken, `{"question": "hi"}`); status != 200 {
		t.Errorf("another way in got %d, want its own limit", status)
	}
}

func TestTheRecordIsForWhoeverAskedAndTheAdminApp(t *testing.T) {
	s := serve(t)
	s.call("POST", "/ask", kitchenToken, `{"question": "hi", "asker": "sam"}`)
	byKitchen := onlyID(s)
	for token, want := range map[string]int{kitchenToken: 200, adminToken: 200, phoneToken: 200} {
		status, _, body := s.call("GET", "/ask/"+byKitchen, token, "")
		if status != want || !strings.Contains(body, `"question":"hi"`) {
			t.Errorf("got %d %s, want %d", status, body, want)
		}
	}
	clear(s.hub.records)
	s.call("POST", "/ask", adminToken, `{"question": "hi", "asker": "tom"}`)
	byAdmin := onlyID(s)
	for _, token := range []string{kitchenToken, phoneToken} {
		status, _, body := s.call("GET", "/ask/"+byAdmin, token, "")
		if p := problemOf(t, body); status != 404 || p.Code != CodeUnknownAsk {
			t.Errorf("got %d %s, want another's record to be unknown", status, body)
		}
	}
	for _, id := range []string{"ask_01KEXAMPLE00000000000000000", "nonsense", "..%2f..%2fetc"} {
		if status, _, _ := s.call("GET", "/ask/"+id, adminToken, ""); status != 404 {
			t.Errorf("%s: got %d, want 404", id, status)
		}
	}
}

// The config may call a person by any of their names, and so may a way in.
func TestAnAskerIsTheSameUnderEachOfTheirNames(t *testing.T) {
	s := serve(t)
	for asker, want := range map[string]int{
		"sam": 200, "SAM": 200, "Mum": 200, "mum": 200, "guest": 200,
		"tom": 403, "Dad": 403, "emma": 403, "nobody": 403, "s\u0430m": 403, "sam,tom": 403, "Guest": 403,
	} {
		s.now = s.now.Add(time.Minute)
		if status, _, body := s.call("POST", "/ask", kitchenToken, `{"question": "hi", "asker": "`+asker+`"}`); status != want {
			t.Errorf("%s: got %d %s, want %d", asker, status, body, want)
		}
	}
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b ask.Asker
		same bool
	}{
		{"Mum", "SAM", true},
		{"sam", "Mum", true},
		{"guest", "guest", true},
		{"a way in's own", "a way in's own", true},
		{"sam", "tom", false},
		{"guest", "sam", false},
		{"sam", "guest", false},
		{"nobody", "somebody", false},
		{"", "sam", false},
	} {
		if got := sameAsker(house, c.a, c.b); got != c.same {
			t.Errorf("%q and %q: got %v", c.a, c.b, got)
		}
	}
}

func TestCapabilitiesAreMerged(t *testing.T) {
	s := serve(t)
	status, _, body := s.call("GET", "/capabilities", phoneToken, "")
	want := `{"topics":["school","today","email"],"people":["harry","grandma","sam"],"projects":[` +
		`{"project":"compass_nhs","topics":["school","today"],"people":["harry","grandma"],"answering":true},` +
		`{"project":"email_agent","topics":["email","today"],"people":["sam"],"answering":false}]}`
	if status != 200 || body != want {
		t.Errorf("got %d %s\nwant %s", status, body, want)
	}
}

func TestHealthTellsMoreToTheAdminApp(t *testing.T) {
	s := serve(t)
	for _, token := range []string{"", "short", strayToken, kitchenToken, strings.Repeat("x", 40)} {
		if status, _, body := s.call("GET", "/health", token, ""); status != 200 || body != `{"ok":true}` {
			t.Errorf("got %d %s, want ok alone", status, body)
		}
	}
	_, _, body := s.call("GET", "/health", adminToken, "")
	want := `{"ok":true,"parts":[{"part":"record","ok":true},{"part":"project:compass_nhs","ok":true},{"part":"project:email_agent","ok":false,"fault":"it is not answering"}]}`
	if body != want {
		t.Errorf("got %s\nwant %s", body, want)
	}
}

func TestMetricsAreForTheAdminApp(t *testing.T) {
	s := serve(t)
	s.call("POST", "/ask", phoneToken, `{"question": "hi"}`)
	s.call("POST", "/ask", phoneToken, `{}`)
	if status, _, _ := s.call("GET", "/metrics", phoneToken, ""); status != 403 {
		t.Errorf("a way in got %d, want 403", status)
	}
	_, _, body := s.call("GET", "/metrics", adminToken, "")
	for _, want := range []string{`askhub_asks_total{status="answered"} 1`, `askhub_problems_total{code="missing_field"} 1`, `askhub_ask_seconds_count 1`} {
		if !strings.Contains(body, want) {
			t.Errorf("the metrics lack %s:\n%s", want, body)
		}
	}
}

func TestMethodsAndAddresses(t *testing.T) {
	s := serve(t)
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/ask", 405, "POST"},
		{"DELETE", "/ask", 405, "POST"},
		{"POST", "/health", 405, "GET, HEAD"},
		{"POST", "/capabilities", 405, "GET, HEAD"},
		{"GET", "/nothing", 404, ""},
		{"POST", "/ask/", 404, ""},
		{"GET", "/", 404, ""},
	} {
		status, header, body := s.call(c.method, c.path, adminToken, "")
		if status != c.status || header.Get("Allow") != c.allow {
			t.Errorf("%s %s: got %d, Allow %q, want %d %q", c.method, c.path, status, header.Get("Allow"), c.status, c.allow)
		}
		if p := problemOf(t, body); p.Status != c.status || p.Code == "" {
			t.Errorf("%s %s: got %s", c.method, c.path, body)
		}
	}
}

// An address that is not in its plain form is nothing's: it is neither sent on
// elsewhere nor answered in another form than a problem.
func TestAnAddressInAnotherFormIsNothings(t *testing.T) {
	s := serve(t)
	for _, line := range []string{
		"POST //ask", "POST /health/../ask", "POST /./ask", "POST /ask/../ask", "GET //health", "GET /docs/../metrics", "GET /ask/../health",
		"GET /health//", "OPTIONS *", "POST *", "CONNECT elsewhere:443", "GET /ask/..", "PRI * HTTP/2.0\r\n\r\nSM",
	} {
		t.Run(line, func(t *testing.T) {
			c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if !strings.Contains(line, "HTTP/") {
				line += " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + adminToken
			}
			fmt.Fprintf(c, "%s\r\n\r\n", line)
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			if p := problemOf(t, string(body)); resp.StatusCode != 404 || p.Code != ask.CodeNotFound || resp.Header.Get("Location") != "" {
				t.Errorf("got %d %s, to %q", resp.StatusCode, body, resp.Header.Get("Location"))
			}
		})
	}
}

func TestTheDocumentDescribesEveryRoute(t *testing.T) {
	s := serve(t)
	status, _, body := s.call("GET", "/openapi.json", "", "")
	var doc struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]map[string]jsontext.Value
	}
	if err := json.Unmarshal([]byte(body), &doc, json.MatchCaseInsensitiveNames(true)); err != nil || status != 200 {
		t.Fatalf("got %d %v", status, err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("OpenAPI is %s", doc.OpenAPI)
	}
	for _, e := range table {
		if doc.Paths[e.path][strings.ToLower(e.method)] == nil {
			t.Errorf("%s %s is not described", e.method, e.path)
		}
	}
	status, header, page := s.call("GET", "/docs", "", "")
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/html") || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page came as %d %v", status, header)
	}
	for _, e := range table {
		if !strings.Contains(page, "<code>"+e.path+"</code>") {
			t.Errorf("the page lacks %s", e.path)
		}
	}
}

func TestAHandlerThatPanicsLeaksNothing(t *testing.T) {
	s := New(Config{Callers: tokens{adminToken: "admin"}, Metrics: metrics.NewSet(), Now: time.Now})
	r := httptest.NewRequest("GET", "/capabilities", nil) // its Projects are nil
	r.Header.Set("Authorization", "Bearer "+adminToken)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if p := problemOf(t, w.Body.String()); w.Code != 500 || p.Code != ask.CodeInternal || strings.Contains(w.Body.String(), "nil") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
