package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/admin"
)

// aHub answers what the console asks, and notes what it was asked to change.
type aHub struct {
	mu      sync.Mutex
	changes []string
}

func (h *aHub) serve(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if r.Method == http.MethodPost {
		if p := ask.ReadJSON(w, r, &body); p != nil {
			ask.WriteProblem(w, p)
			return
		}
		h.mu.Lock()
		h.changes = append(h.changes, fmt.Sprint(r.URL.Path, body))
		h.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	switch r.Method + " " + r.URL.RequestURI() {
	case "GET /health":
		fmt.Fprint(w, `{"ok":true,"parts":[{"part":"record","ok":true},{"part":"project:compass_nhs","ok":true},{"part":"project:email_agent","ok":false,"fault":"it did not answer in time"}]}`)
	case "GET /records":
		var list []string
		for i := range 40 {
			status, person := "answered", "harry"
			if i == 0 {
				status = "unavailable"
			}
			if i%2 == 1 {
				person = "sam"
			}
			list = append(list, fmt.Sprintf(`{"id":"ask_%d","time":%q,"asker":"sam","person":%q,"way_in":"phone","question":"what <b>is</b> on %d?","status":%q,"reply":"Maths.",`+
				`"route":{"kind":"query","projects":["compass_nhs"],"reason":"topic:school","by":"embedded"},"decision":{"outcome":"route","confidence":1,"why":"it names the school"},`+
				`"parts":[{"project":"compass_nhs","status":%q,"ms":%d}],"timings":{"total_ms":41.5}}`,
				i, time.Now().Format(time.RFC3339), person, i, status, status, 40+i))
		}
		fmt.Fprintf(w, `{"records":[%s]}`, strings.Join(list, ","))
	case "GET /notices?limit=50&person=tom":
		fmt.Fprint(w, `{"notices":[{"id":"ntc_2","time":"2026-11-30T20:00:00Z","from":"hub","person":"tom","level":"info","message":"The job “Find a <plumber>” is filed as HOU-1.","deliveries":[]}]}`)
	case "GET /notices?state=undelivered":
		fmt.Fprint(w, `{"notices":[{"id":"ntc_1","time":"2026-11-30T20:00:00Z","from":"compass_nhs","person":"tom","level":"important","message":"The bus is late.","deliveries":[{"target":"ntfy at ntfy.sh","state":"dead","tries":9,"reason":"it answers 403"}]}]}`)
	case "POST /chat/pair":
		if body["code"] != "12345678" {
			ask.WriteProblem(w, &ask.Problem{Status: 404, Code: "unknown_code", Detail: "No thread waits with this code; ask for a new one on the chat page."})
			return
		}
		fmt.Fprint(w, `{"thread":"a1b2c3d4e5f60718","person":"harry","answers":"hub"}`)
	case "POST /ask":
		if body["question"] == "what does Harry have on today?" {
			fmt.Fprint(w, `{"id":"ask_1","status":"answered","reply":"Harry has maths at 9:00.","want":"text"}`)
			return
		}
		fmt.Fprint(w, `{"id":"ask_1","status":"pending","reply":"It waits for a yes in the admin app.","want":"text","approval":"0123456789abcdef0123456789abcdef"}`)
	default:
		ask.WriteProblem(w, ask.NewProblem(ask.CodeNotFound, "", "There is nothing here."))
	}
}

func TestTheConsoleShowsHowTheHouseholdStands(t *testing.T) {
	h := newHouse(t)
	h.hub.also = (&aHub{}).serve
	b := h.browser()
	b.enrol("tom")
	page := b.get("/console").body
	for _, want := range []string{
		"Compass nhs</strong>: runs", "Email agent</strong>: <span class=\"fault\">down</span>", "it did not answer in time",
		"The last 30 times it was asked: 40 ms at best, 55 ms in the middle, 69 ms at worst; once it did not answer.", `class="failed"`,
		"The bus is late.", "ntfy at ntfy.sh: given up after 9 tries, <span dir=\"auto\">it answers 403", "Sam asked about Harry, 20 times",
		"what &lt;b&gt;is&lt;/b&gt; on 39?", "it names the school", "topic:school", "decided by embedded", "ask_39",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the console does not show %q", want)
		}
	}
	if strings.Contains(page, "Sam asked about Sam") {
		t.Error("it counts who asked about themselves")
	}
	if strings.Count(page, "<rect") != 30 {
		t.Errorf("%d bars", strings.Count(page, "<rect"))
	}
}

func TestAChatIsPairedByTheCodeThatItsOwnerReadsOut(t *testing.T) {
	h := newHouse(t)
	hub := &aHub{}
	h.hub.also = hub.serve
	b := h.browser()
	b.enrol("tom")
	if r := b.form("/console/pair", "code=1234-56+78&person=harry"); r.status != 200 || !strings.Contains(r.body, "That chat now speaks for Harry, and was told so.") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := b.form("/console/pair", "code=00000000&person=harry"); r.status != 404 || !strings.Contains(r.body, "No thread waits with this code") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := b.form("/console/pair", "code=12345678&person=zed"); r.status != 400 || !strings.Contains(r.body, "Choose a person.") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if len(hub.changes) != 2 || !strings.Contains(hub.changes[0], "code:12345678 person:harry") {
		t.Errorf("the Hub was asked for %q", hub.changes)
	}
	if !strings.Contains(b.get("/history").body, "Tom paired a chat: <span dir=\"auto\">with Harry") {
		t.Error("the history does not say it")
	}
}

func TestEverybodySeesTheirOwnNotices(t *testing.T) {
	h := newHouse(t)
	h.hub.also = (&aHub{}).serve
	b := h.browser()
	b.enrol("tom")
	page := b.get("/notices").body
	for _, want := range []string{"The job “Find a &lt;plumber&gt;” is filed as HOU-1.", "Info, from hub"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	h.hub.server.Close()
	if page := b.get("/notices").body; !strings.Contains(page, "The Hub does not say just now.") {
		t.Error("a Hub that is away is not told of")
	}
}

func TestTheConsoleWithoutAHubSaysSo(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("tom")
	h.hub.server.Close()
	page := b.get("/console")
	if page.status != 200 || !strings.Contains(page.body, "The Hub is not answering just now.") || !strings.Contains(page.body, "The record cannot be read just now.") {
		t.Errorf("%d %s", page.status, page.body)
	}
	if page := b.get("/"); page.status != 200 || !strings.Contains(page.body, "The Hub is not answering just now. What waits there is not shown.") || strings.Contains(page.body, "Nothing waits") {
		t.Errorf("%d %s", page.status, page.body)
	}
	if r := b.post("/api/ask", map[string]any{"question": "what is on?"}); r.status != 503 || strings.Contains(r.body, "127.0.0.1") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// Whoever is signed in asks, and nobody else, whatever the body says.
func TestTheAskBoxAsksAsWhoIsSignedIn(t *testing.T) {
	h := newHouse(t)
	hub := &aHub{}
	h.hub.also = hub.serve
	b := h.browser()
	b.enrol("tom")
	r := b.post("/api/ask", map[string]any{"question": "file a job: mend the tap", "asker": "sam", "person": "sam", "source": "esp32"})
	if r.status != 200 || !strings.Contains(r.body, `"approval":"0123456789abcdef0123456789abcdef"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if len(hub.changes) != 1 || !strings.Contains(hub.changes[0], "asker:tom") || strings.Contains(hub.changes[0], "sam") || !strings.Contains(hub.changes[0], "source:admin") {
		t.Errorf("the Hub was asked %q", hub.changes)
	}
	for question, want := range map[string]string{"": `"question"`, strings.Repeat("x", 4001): `"question"`} {
		if r := b.post("/api/ask", map[string]any{"question": question}); r.status < 400 || !strings.Contains(r.body, want) {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
}

// A control change goes to the project that owns it, and the Hub hears nothing of it.
func TestAControlChangeNeverGoesToTheHub(t *testing.T) {
	h := newHouse(t)
	hub := &aHub{}
	h.hub.also = hub.serve
	var sent map[string]any
	h.net.also = func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			changes(w, r)
			return
		}
		if p := ask.ReadJSON(w, r, &sent); p != nil {
			ask.WriteProblem(w, p)
			return
		}
		a := h.net.wants(t, "Cut the internet of Harry's tablet for 30 minutes.")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id":%q,"owner":"internet_control","what":"Cut it.","state":"pending"}`, a.ID)
	}
	b := h.browser()
	d := b.enrol("tom")
	page := b.get("/changes").body
	for _, want := range []string{"Cut the internet", "Harry&#39;s tablet", `min="1"`, `max="600"`, `type="time"`, "minutes"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	r := b.post("/api/changes", map[string]any{"owner": "internet_control", "change": "cut", "why": "dinner", "who": "sam", "fields": map[string]any{"device": "tablet", "minutes": 30}})
	if r.status != 200 || !strings.Contains(r.body, `"/approvals/internet_control/`) {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if sent["who"] != "tom" || sent["why"] != "dinner" || fmt.Sprint(sent["fields"]) != "map[device:tablet minutes:30]" {
		t.Errorf("the project was asked %v", sent)
	}
	list, err := h.net.desk.List(t.Context())
	if err != nil || len(list) != 1 || h.net.ran.Load() != 0 {
		t.Fatalf("%v, %v: something ran before a yes", list, err)
	}
	if r := b.yes(d, list[0]); r.status != 200 || h.net.ran.Load() != 1 {
		t.Errorf("%d %s", r.status, r.body)
	}
	// Nor can it be sent to the Hub on purpose.
	if r := b.post("/api/changes", map[string]any{"owner": admin.HubName, "change": "cut", "fields": map[string]any{}}); r.status != 400 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if len(hub.changes) != 0 || len(h.hub.writes()) != 0 {
		t.Errorf("the Hub was asked for %q %q", hub.changes, h.hub.writes())
	}
}

func TestAnAskerWhoIsNotHeardIsToldSo(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	b.enrol("tom")
	for cause, words := range map[error]string{approve.ErrMuted: "taken again within an hour", approve.ErrTooMany: "wait already"} {
		h.net.also = func(w http.ResponseWriter, _ *http.Request) { ask.WriteProblem(w, approve.ProblemOf(cause)) }
		r := b.post("/api/changes", map[string]any{"owner": "internet_control", "change": "cut"})
		if p := r.problem(t); p.Code != admin.CodeRefused || p.Status != approve.ProblemOf(cause).Status || !strings.Contains(p.Detail, words) {
			t.Errorf("of %q: %d %+v", cause, r.status, p)
		}
	}
	if strings.Contains(h.log.String(), "secrets file") {
		t.Error("the log sees a wrong token in it")
	}
}

func TestAFieldThatAProjectRefusesIsNamed(t *testing.T) {
	h := newHouse(t)
	h.net.also = changes
	b := h.browser()
	b.enrol("tom")
	r := b.post("/api/changes", map[string]any{"owner": "internet_control", "change": "cut", "fields": map[string]any{"minutes": 0}})
	if p := r.problem(t); r.status != 400 || p.Field != "fields.minutes" || !strings.Contains(p.Detail, "from 1 to 600") {
		t.Errorf("%d %+v", r.status, p)
	}
}
