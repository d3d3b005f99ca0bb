package internet

import (
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// grouped adds the names up by what a person would call the site: "i.ytimg.com" and
// "www.ytimg.com" are both ytimg.com. A name for which number is 0 does not count. The
// most looked-up stands first.
func grouped(all []named, number func(named) int) []named {
	sums := map[string]named{}
	for _, n := range all {
		count := number(n)
		if count <= 0 {
			continue
		}
		site := siteOf(n.name)
		sum := sums[site]
		sum.name = site
		sum.count += count
		sum.last = later(sum.last, n.last)
		sums[site] = sum
	}
	out := make([]named, 0, len(sums))
	for _, n := range sums {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b named) int {
		if a.count != b.count {
			return b.count - a.count
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

// siteOf is the part of a domain that its owner registered, or all of it.
func siteOf(name string) string {
	if site, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
		return site
	}
	return name
}
