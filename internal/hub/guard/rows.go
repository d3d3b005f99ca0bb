package guard

import (
	"strings"

	"github.com/askhub/askhub/internal/hub/guard/internal/meaning"
	"github.com/askhub/askhub/internal/hub/routing"
)

// rows says which row of a household's list stands for each kind of control action.
type rows struct {
	byKind []int // for each of meaning.Kinds, the row's index or -1
	own    []bool
}

// signs are the words by which a row is known: one word of each group must be in it.
var signs = []struct {
	kind string
	all  [][]string
}{
	{"cut", [][]string{{"cut", "switch off", "turn off", "disconnect", "stop", "block"}, {"internet", "wifi", "wi-fi", "online", "access", "network"}}},
	{"restore", [][]string{{"restore", "give it back", "give back", "switch on", "turn on", "reconnect", "back on"}, {"internet", "wifi", "wi-fi", "online", "access", "network", " it"}}},
	{"limit", [][]string{{"limit", "allowance", "quota"}, {"time", "daily", "internet", "screen", "allowance"}}},
	{"schedule", [][]string{{"schedule", "bedtime", "school hours", "curfew", "downtime"}}},
	{"blocklist", [][]string{{"blocklist", "block list", "filter", "blacklist", "allow list", "allowlist"}}},
	{"parental_control", [][]string{{"parental"}}},
	{"profile_rule", [][]string{{"profile", "device rule"}}},
	{"device_lock", [][]string{{"pause", "lock", "unlock"}, {"device", "tablet", "phone", "console"}}},
	{"other_state", [][]string{{"any other", "anything else", "state change", "change of state"}}},
}

// next are the kinds whose row takes an action whose own row the household took out. A
// list with neither lets it pass: the list is the authority.
var next = map[string][]string{
	"cut":              {"other_state", "parental_control"},
	"restore":          {"cut", "other_state", "parental_control"},
	"limit":            {"other_state", "parental_control"},
	"schedule":         {"other_state", "parental_control"},
	"blocklist":        {"other_state", "parental_control"},
	"parental_control": {"other_state"},
	"profile_rule":     {"other_state", "parental_control"},
	"device_lock":      {"other_state", "parental_control"},
	"other_state":      {"parental_control"},
}

// rowsOf finds the row of each kind by the row's own words. A row that is none of them is
// the household's own.
func rowsOf(control []routing.Control) rows {
	r := rows{own: make([]bool, len(control))}
	first := map[string]int{}
	for i, c := range control {
		r.own[i] = true
		text := strings.ToLower(c.Action)
		for _, s := range signs {
			if !hasAll(text, s.all) {
				continue
			}
			r.own[i] = false
			if _, ok := first[s.kind]; !ok {
				first[s.kind] = i
			}
		}
	}
	for _, kind := range meaning.Kinds {
		row, ok := first[kind]
		for _, other := range next[kind] {
			if ok {
				break
			}
			row, ok = first[other]
		}
		if !ok {
			row = -1
		}
		r.byKind = append(r.byKind, row)
	}
	return r
}

func hasAll(text string, groups [][]string) bool {
	for _, words := range groups {
		found := false
		for _, w := range words {
			found = found || strings.Contains(text, w)
		}
		if !found {
			return false
		}
	}
	return true
}
