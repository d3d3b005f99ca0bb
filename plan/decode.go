package plan

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// draft is a planner's reply as it was written: found in one pass, judged after. It
// holds places, not texts, so that reading one leaves the garbage collector nothing
// to do.
type draft struct {
	src string // the reply
	at  int    // how far it was read
	// odd says that the pass met what no right plan has, or a text with escapes. Without
	// it the reply is proven strict JSON; with it jsontext has the word.
	odd    bool
	object bool
	extra  value // the first unknown field
	intent value
	reason value
	list   value // calls, where it is there at all
	count  int   // how long it is
	calls  [MaxCalls]draftCall
	args   []draftArg // of all calls
}

type draftCall struct {
	object bool
	extra  value // the first unknown key
	tool   value
	args   value
	// first and end bound its arguments in draft.args.
	first, end int
}

type draftArg struct{ name, value value }

// value is a text, or only the kind of whatever else stands there. The zero value
// is absent.
type value struct {
	kind       jsontext.Kind
	escaped    bool
	start, end int32 // of a text, between its quotes
}

func (d *draft) text(v value) string {
	text := d.src[v.start:v.end]
	if v.escaped {
		plain, err := jsontext.AppendUnquote(nil, `"`+text+`"`)
		if err != nil {
			return "" // the reply is no strict JSON, and will be refused
		}
		return string(plain)
	}
	return text
}

// MaxPlanBytes is the most bytes of a planner's reply that are read.
const MaxPlanBytes = 1 << 20

var drafts = sync.Pool{New: func() any { return new(draft) }}

// readDraft reads the reply and hands the draft to judge, which may keep its texts
// and not the draft itself. A reply that is no JSON document is an error, and is not
// judged.
func readDraft(reply []byte, judge func(*draft) (Plan, error)) (Plan, error) {
	if len(reply) > MaxPlanBytes {
		return Plan{}, refuse(RuleNotJSON, "the reply is longer than %d bytes", MaxPlanBytes)
	}
	d := drafts.Get().(*draft)
	*d = draft{src: string(reply), args: d.args[:0]}
	defer func() {
		d.src = ""
		drafts.Put(d)
	}()
	d.read()
	if d.odd && !jsontext.Value(reply).IsValid() {
		_, err := parseTree(reply)
		if err == nil {
			err = errors.New("not JSON")
		}
		return Plan{}, refuse(RuleNotJSON, "the reply cannot be read: %v", err)
	}
	return judge(d)
}

// read finds the parts of a plan.
func (d *draft) read() {
	d.object = d.next() == '{'
	if d.object {
		d.at++
		for first := true; d.member('}', first); first = false {
			d.field(d.name())
		}
	} else {
		d.value()
	}
	if d.next() != 0 || d.at < len(d.src) {
		d.odd = true
	}
}

func (d *draft) field(name value) {
	switch d.text(name) {
	case "intent":
		d.once(&d.intent, d.value())
	case "reason":
		d.once(&d.reason, d.value())
	case "calls":
		d.once(&d.list, d.container('['))
		if d.list.kind == '[' && d.count == 0 {
			d.readCalls()
		}
	default:
		d.unknown(&d.extra, name)
	}
}

// once keeps a value that may stand once only.
func (d *draft) once(to *value, v value) {
	if to.kind != 0 {
		d.odd = true
	}
	*to = v
}

// unknown keeps the first of several unknown names, and goes over what it holds.
func (d *draft) unknown(first *value, name value) {
	d.odd = true
	if first.kind == 0 {
		*first = name
	}
	d.value()
}

func (d *draft) readCalls() {
	for first := true; d.member(']', first); first = false {
		d.count++
		if d.count > MaxCalls {
			d.odd = true
			d.value()
			continue
		}
		c := &d.calls[d.count-1]
		if c.object = d.container('{').kind == '{'; c.object {
			d.readCall(c)
		}
	}
}

func (d *draft) readCall(c *draftCall) {
	for first := true; d.member('}', first); first = false {
		name := d.name()
		switch d.text(name) {
		case "tool":
			d.once(&c.tool, d.value())
		case "args":
			d.once(&c.args, d.container('{'))
			if c.args.kind == '{' {
				d.readArgs(c)
			}
		default:
			d.unknown(&c.extra, name)
		}
	}
}

func (d *draft) readArgs(c *draftCall) {
	c.first = len(d.args)
	for first := true; d.member('}', first); first = false {
		name := d.name()
		before := d.args[c.first:]
		d.odd = d.odd || len(before) > maxPlainArgs
		for i := 0; i < len(before) && !d.odd; i++ {
			d.odd = d.text(before[i].name) == d.text(name)
		}
		d.args = append(d.args, draftArg{name: name, value: d.value()})
	}
	c.end = len(d.args)
}

// maxPlainArgs is how many arguments of a call are compared by name with each other.
const maxPlainArgs = 16

// next is the byte that comes next, space apart; 0 at the end.
func (d *draft) next() byte {
	for d.at < len(d.src) {
		switch c := d.src[d.at]; c {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return c
		}
	}
	return 0
}

// member says whether a member of the object or list in hand comes next, and goes
// behind the closing bracket where none does.
func (d *draft) member(closing byte, first bool) bool {
	c := d.next()
	if c == closing {
		d.at++
		return false
	}
	if first {
		d.odd = d.odd || c == 0
		return c != 0
	}
	if c != ',' {
		d.odd = true
		return false
	}
	d.at++
	return true
}

// name reads a member's name and its colon.
func (d *draft) name() value {
	if d.next() != '"' {
		d.odd = true
		return value{}
	}
	v := d.string()
	if d.next() != ':' {
		d.odd = true
		return v
	}
	d.at++
	return v
}

// container goes into the object or list that comes next, if it opens with this
// bracket, and over whatever else it is.
func (d *draft) container(bracket byte) value {
	if d.next() != bracket {
		return d.value()
	}
	d.at++
	return value{kind: jsontext.Kind(bracket)}
}

// value reads whatever comes next.
func (d *draft) value() value {
	c := d.next()
	if c == '"' {
		return d.string()
	}
	if c == 'n' && strings.HasPrefix(d.src[d.at:], "null") {
		d.at += len("null")
		return value{kind: 'n'}
	}
	d.odd = true
	switch {
	case c == '{' || c == '[':
		d.skip()
	case c == '-' || c >= '0' && c <= '9':
		c = '0'
		fallthrough
	default:
		for d.at < len(d.src) && !strings.ContainsRune(" \t\n\r,:]}", rune(d.src[d.at])) {
			d.at++
		}
	}
	return value{kind: jsontext.Kind(c)}
}

func (d *draft) string() value {
	v := value{kind: '"', start: int32(d.at + 1)}
	ascii := true
	for i := d.at + 1; i < len(d.src); i++ {
		switch c := d.src[i]; {
		case c == '"':
			v.end = int32(i)
			d.at = i + 1
			if !ascii && !utf8.ValidString(d.src[v.start:v.end]) {
				d.odd = true
			}
			return v
		case c == '\\':
			v.escaped, d.odd = true, true
			i++
		case c < ' ':
			d.odd = true
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	d.odd = true
	d.at = len(d.src)
	return value{}
}

// skip goes over an object or a list.
func (d *draft) skip() {
	for depth := 0; d.at < len(d.src); {
		switch d.src[d.at] {
		case '"':
			d.string()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		d.at++
		if depth == 0 {
			return
		}
	}
}
