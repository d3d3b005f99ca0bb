package tomlfault

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Lines is the line of each field, by dotted name, arrays of tables with [n].
func Lines(data []byte) map[string]int {
	at := map[string]int{}
	count := map[string]int{}
	p := &unstable.Parser{}
	p.Reset(withoutMark(data))
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = mark(p, at, count, "", e)
		case unstable.ArrayTable:
			name := joinKey(e)
			table = fmt.Sprintf("%s[%d]", name, count[name])
			count[name]++
			mark(p, at, count, "", e)
			at[table] = p.Shape(e.Child().Raw).Start.Line
		case unstable.KeyValue:
			keyValue(p, at, count, table, e)
		}
	}
	return at
}

func keyValue(p *unstable.Parser, at, count map[string]int, table string, e *unstable.Node) {
	field := mark(p, at, count, table, e)
	values(p, at, count, field, e.Value())
}

func values(p *unstable.Parser, at, count map[string]int, field string, value *unstable.Node) {
	switch value.Kind {
	case unstable.InlineTable:
		for it := value.Children(); it.Next(); {
			keyValue(p, at, count, field, it.Node())
		}
	case unstable.Array:
		i := 0
		for it := value.Children(); it.Next(); {
			if it.Node().Kind == unstable.InlineTable {
				values(p, at, count, fmt.Sprintf("%s[%d]", field, i), it.Node())
			}
			i++
		}
	}
}

// mark notes the line of each step of a key under the table, and gives the whole name.
func mark(p *unstable.Parser, at, count map[string]int, table string, e *unstable.Node) string {
	name := table
	for it := e.Key(); it.Next(); {
		node := it.Node()
		if name != "" {
			name += "."
		}
		name += string(node.Data)
		if _, seen := at[name]; !seen {
			at[name] = p.Shape(node.Raw).Start.Line
		}
		// A table under an array of tables belongs to the array's last element.
		if n := count[name]; n > 0 && e.Kind == unstable.Table && !it.IsLast() {
			name = fmt.Sprintf("%s[%d]", name, n-1)
		}
	}
	return name
}

func joinKey(e *unstable.Node) string {
	var steps []string
	for it := e.Key(); it.Next(); {
		steps = append(steps, string(it.Node().Data))
	}
	return strings.Join(steps, ".")
}
