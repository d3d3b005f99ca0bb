package adguard

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// standIn is no AdGuard Home: it is a stand-in, built from AdGuard Home's documented API
// (openapi/openapi.yaml of v0.107) with the ways of it that this package has to get along with:
//
//   - A client is replaced whole: what an update leaves out is gone.
//   - The rules are one list that is replaced whole.
//   - A schedule has one window a day, in whole minutes, within the day; all else is refused.
//   - What changes something needs the content type application/json.
//   - Five wrong passwords lock the caller out, also with the right one.
//   - The query log is searched by text: a client's name finds a site of that name too.
//
// The live suite (TestLive) runs the same things against a real one.
type standIn struct {
	*httptest.Server
	t testing.TB

	mu       sync.Mutex
	clients  []map[string]any
	rules    []string
	enabled  bool
	paused   bool
	global   []string
	log      []map[string]any // the newest first
	config   map[string]any
	failures int
	writes   []string
	calls    int
	// before is asked before each call, and answers it where it gives a status.
	before func(r *http.Request) int
	// after is asked after each call has been done, and cuts the reply off where it says so.
	after func(r *http.Request) bool
}

const (
	user     = "askhub"
	password = "right"
	maxFails = 5
)

var knownServices = []map[string]any{
	{"id": "youtube", "name": "YouTube", "icon_svg": "", "rules": []string{"||youtube.com^"}, "group_id": "streaming"},
	{"id": "tiktok", "name": "TikTok", "icon_svg": "", "rules": []string{"||tiktok.com^"}, "group_id": "social"},
	{"id": "roblox", "name": "Roblox", "icon_svg": "", "rules": []string{"||roblox.com^"}, "group_id": "gaming"},
}

func newStandIn(t testing.TB) *standIn {
	t.Helper()
	s := &standIn{
		t: t, enabled: true, rules: []string{"! the family's own", "@@||school.example^", "||ads.example^"},
		config: map[string]any{"enabled": true, "anonymize_client_ip": false, "interval": float64(90 * 24 * 3600 * 1000)},
	}
	s.clients = []map[string]any{
		{
			"name": "Harry's tablet", "ids": []string{"02:00:00:00:00:11", "192.168.1.20"}, "tags": []string{"device_tablet"}, "upstreams": []string{"tls://dns.example"},
			"use_global_settings": false, "filtering_enabled": true, "parental_enabled": true, "safebrowsing_enabled": true, "safesearch_enabled": true,
			"safe_search": map[string]any{"enabled": true, "google": true}, "use_global_blocked_services": false, "blocked_services": []string{},
			"blocked_services_schedule": map[string]any{"time_zone": "Local"}, "ignore_querylog": false, "ignore_statistics": true,
			"upstreams_cache_enabled": true, "upstreams_cache_size": 4096, "of_a_later_version": map[string]any{"keep": []any{1, "two"}},
		},
		{"name": "emma", "ids": []string{"emmas-laptop"}, "use_global_blocked_services": true, "blocked_services": nil, "blocked_services_schedule": nil},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.before != nil {
		if status := s.before(r); status != 0 {
			w.WriteHeader(status)
			return
		}
	}
	if !s.known(r) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodPost {
		if r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, "only content-type application/json is allowed", http.StatusUnsupportedMediaType)
			return
		}
		s.writes = append(s.writes, r.URL.Path)
	}
	status, reply := s.answer(r)
	if s.after != nil && s.after(r) {
		panic(http.ErrAbortHandler)
	}
	if status != http.StatusOK {
		http.Error(w, fmt.Sprint(reply), status)
		return
	}
	if reply != nil {
		raw, err := json.Marshal(reply)
		if err != nil {
			s.t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(raw)
	}
}

// known keeps the count of wrong passwords.
func (s *standIn) known(r *http.Request) bool {
	if s.failures >= maxFails {
		return false
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	if r.Header.Get("Authorization") != want {
		s.failures++
		return false
	}
	s.failures = 0
	return true
}

func (s *standIn) answer(r *http.Request) (int, any) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return http.StatusBadRequest, err
	}
	switch r.Method + " " + strings.TrimPrefix(r.URL.Path, "/control") {
	case "GET /clients":
		return http.StatusOK, map[string]any{"clients": s.clients, "auto_clients": []any{}, "supported_tags": []string{"device_tablet"}}
	case "GET /status":
		return http.StatusOK, map[string]any{"protection_enabled": !s.paused, "running": true, "version": "v0.107.0", "dns_port": 53}
	case "GET /filtering/status":
		return http.StatusOK, map[string]any{"enabled": s.enabled, "interval": 24, "filters": []any{}, "whitelist_filters": []any{}, "user_rules": s.rules}
	case "GET /blocked_services/all":
		return http.StatusOK, map[string]any{"blocked_services": knownServices, "groups": []any{}}
	case "GET /blocked_services/get":
		return http.StatusOK, map[string]any{"ids": s.global, "schedule": map[string]any{"time_zone": "Local"}}
	case "GET /querylog/config":
		return http.StatusOK, s.config
	case "GET /querylog":
		return s.search(r)
	case "POST /filtering/set_rules":
		var in struct{ Rules []string }
		if err := json.Unmarshal(body, &in, json.MatchCaseInsensitiveNames(true)); err != nil {
			return http.StatusBadRequest, err
		}
		s.rules = in.Rules
		return http.StatusOK, nil
	case "POST /clients/update":
		return s.update(body)
	}
	return http.StatusNotFound, "404 page not found"
}

func (s *standIn) update(body []byte) (int, any) {
	var in struct {
		Name string         `json:"name"`
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return http.StatusBadRequest, err
	}
	i := slices.IndexFunc(s.clients, func(c map[string]any) bool { return c["name"] == in.Name })
	if i < 0 {
		return http.StatusBadRequest, "client not found"
	}
	if ids, _ := in.Data["ids"].([]any); len(ids) == 0 || in.Data["name"] == "" {
		return http.StatusBadRequest, "name and ids must not be empty"
	}
	if fault := badSchedule(in.Data["blocked_services_schedule"]); fault != "" {
		return http.StatusBadRequest, "failed to process request body: " + fault
	}
	services, _ := in.Data["blocked_services"].([]any)
	for _, id := range services {
		if !slices.ContainsFunc(knownServices, func(k map[string]any) bool { return k["id"] == id }) {
			return http.StatusBadRequest, fmt.Sprintf("validating blocked services: unknown service %v", id)
		}
	}
	s.clients[i] = in.Data // whole: what is left out is gone
	return http.StatusOK, nil
}

func badSchedule(v any) string {
	schedule, _ := v.(map[string]any)
	if v != nil && schedule == nil {
		return "no schedule"
	}
	if zone, ok := schedule["time_zone"].(string); schedule != nil {
		if _, err := time.LoadLocation(zone); !ok || err != nil {
			return "unknown time zone"
		}
	}
	for _, day := range []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} {
		w, ok := schedule[day].(map[string]any)
		if !ok {
			continue
		}
		start, _ := w["start"].(float64)
		end, _ := w["end"].(float64)
		const whole = 24 * 3600 * 1000
		switch {
		case start < 0 || end < 0 || start >= end || start >= whole || end > whole:
			return "weekday " + day + ": bad day range"
		case int(start)%60_000 != 0 || int(end)%60_000 != 0:
			return "weekday " + day + ": isn't rounded to minutes"
		}
	}
	return ""
}

// search gives the look-ups with the words in them, older than an instant.
func (s *standIn) search(r *http.Request) (int, any) {
	q := r.URL.Query()
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil {
		limit = 500
	}
	term, strict := q.Get("search"), false
	if unquoted, err := strconv.Unquote(term); err == nil {
		term, strict = unquoted, true
	}
	var older time.Time
	if text := q.Get("older_than"); text != "" {
		if older, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return http.StatusBadRequest, err
		}
	}
	data, oldest := []any{}, ""
	for _, e := range s.log {
		at, err := time.Parse(time.RFC3339Nano, e["time"].(string))
		if err != nil {
			s.t.Error(err)
		}
		if !older.IsZero() && !at.Before(older) {
			continue
		}
		name := e["client_info"].(map[string]any)["name"].(string)
		host := e["question"].(map[string]any)["name"].(string)
		if strict && !strings.EqualFold(name, term) && !strings.EqualFold(host, term) || !strict && !strings.Contains(name+host, term) {
			continue
		}
		if len(data) == limit {
			break
		}
		data, oldest = append(data, e), e["time"].(string)
	}
	return http.StatusOK, map[string]any{"data": data, "oldest": oldest}
}

// asked puts a look-up into the log, as the newest.
func (s *standIn) asked(client, ip, name, reason string, at time.Time) {
	s.log = append([]map[string]any{{
		"time": at.Format(time.RFC3339Nano), "client": ip, "client_info": map[string]any{"name": client, "disallowed": false},
		"question": map[string]any{"class": "IN", "name": name, "type": "A"}, "reason": reason, "status": "NOERROR", "elapsedMs": "1.2",
	}}, s.log...)
}

// client is one of them with what it is made of, in one form.
func (s *standIn) client(i int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, err := json.Marshal(s.clients[i], json.Deterministic(true))
	if err != nil {
		s.t.Error(err)
	}
	v := jsontext.Value(raw)
	if err := v.Canonicalize(); err != nil {
		s.t.Error(err)
	}
	return string(v)
}
