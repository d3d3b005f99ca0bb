package lawtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ImportLaw binds the packages under From. A pattern is a path, or "path/..." for
// all below it too; "./" stands for this module.
type ImportLaw struct {
	// Why is the reason, printed with every complaint.
	Why string
	// From are the packages that the law binds, Except those of them that it does not.
	From, Except []string
	// Only, where it is not nil, lists what From may import besides the standard
	// library, and InTests what their tests may import besides that.
	Only, InTests []string
	// OnlyHere narrows Only to imports from this module.
	OnlyHere bool
	// Never lists what From may not reach, at any remove. Imports of its own kind (the
	// same pattern of From) are never a fault.
	Never []string
	// Beside are packages through which a way to Never does not count.
	Beside []string
	// Direct narrows Never to a package's own imports.
	Direct bool
}

// Check returns what breaks the law in the tree.
func (l ImportLaw) Check(t *Tree) []string {
	var faults []string
	for _, path := range slices.Sorted(maps.Keys(t.Packages)) {
		from := t.rel(path)
		if !strings.HasPrefix(from, "./") || !matches(from, l.From) || matches(from, l.Except) {
			continue
		}
		p := t.Packages[path]
		if l.Only != nil {
			faults = append(faults, l.checkOnly(t, from, p.Imports, l.Only)...)
			tests := slices.Concat(p.TestImports, p.XTestImports)
			faults = append(faults, l.checkOnly(t, from, tests, slices.Concat(l.Only, l.InTests, []string{from}))...)
		}
		if l.Never != nil {
			if way := l.wayToNever(t, path); way != nil {
				faults = append(faults, fmt.Sprintf("%s: %s", strings.Join(way, " imports "), l.Why))
			}
		}
	}
	return faults
}

func (l ImportLaw) checkOnly(t *Tree, from string, imports, only []string) []string {
	var faults []string
	for _, path := range imports {
		to := t.rel(path)
		here := strings.HasPrefix(to, "./")
		if matches(to, only) || !here && (l.OnlyHere || isStandard(path)) {
			continue
		}
		faults = append(faults, fmt.Sprintf("%s imports %s: %s", from, to, l.Why))
	}
	return faults
}

// isStandard tells the standard library by its first element, since go list -deps
// does not visit what only a test imports.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// wayToNever is the shortest chain of imports from a package to one that the law
// bans, or nil.
func (l ImportLaw) wayToNever(t *Tree, start string) []string {
	before := map[string]string{start: ""}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if l.Direct && at != start {
			return nil
		}
		for _, next := range t.Packages[at].Imports {
			if _, seen := before[next]; seen || matches(t.rel(next), l.Beside) {
				continue
			}
			before[next] = at
			if matches(t.rel(next), l.Never) && !l.kin(t.rel(start), t.rel(next)) {
				var way []string
				for p := next; p != ""; p = before[p] {
					way = append(way, t.rel(p))
				}
				slices.Reverse(way)
				return way
			}
			queue = append(queue, next)
		}
	}
	return nil
}

// kin says whether both packages stand in one folder of the banned kind, such as a
// stage and its own parts.
func (l ImportLaw) kin(a, b string) bool {
	for _, p := range l.Never {
		if matches(a, []string{p}) && matches(b, []string{p}) {
			return true
		}
	}
	return false
}
