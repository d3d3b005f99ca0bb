package adguard

import (
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/project/internet"
)

// clientOf is the modifier that binds a rule to a client, by its name: all its addresses
// are meant then. Quotes, commas, bars and backslashes in a name are escaped.
func clientOf(name string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`, `,`, `\,`, `|`, `\|`).Replace(name)
	return "$client='" + escaped + "',important"
}

// cutRule refuses every look-up of the client. It is important, so that no rule that
// allows something, of a list or of somebody's own, makes a hole into it.
func cutRule(client string) string { return "||*^" + clientOf(client) }

func siteRule(site, client string) string { return "||" + site + "^" + clientOf(client) }

// siteOf is the site that a rule of this program's form blocks for the client.
func siteOf(rule, client string) (string, bool) {
	rest, ok := strings.CutPrefix(rule, "||")
	if !ok {
		return "", false
	}
	site, ok := strings.CutSuffix(rest, "^"+clientOf(client))
	return site, ok && internet.GoodSite(site)
}

// rulesAfter is the list with the rules that the change is about, and with every other one
// as it stood, in its place.
func rulesAfter(rules []string, client string, before, after internet.State) []string {
	var gone, wanted []string
	turn := func(was, is bool, rule string) {
		switch {
		case was && !is:
			gone = append(gone, rule)
		case is && !was:
			wanted = append(wanted, rule)
		}
	}
	turn(before.Off, after.Off, cutRule(client))
	for _, site := range before.Sites {
		turn(true, slices.Contains(after.Sites, site), siteRule(site, client))
	}
	for _, site := range after.Sites {
		turn(slices.Contains(before.Sites, site), true, siteRule(site, client))
	}
	out := []string{}
	for _, r := range rules {
		if !slices.Contains(gone, r) {
			out = append(out, r)
		}
	}
	return append(out, wanted...)
}
