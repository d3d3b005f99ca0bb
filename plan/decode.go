package plan

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// draft is a planner's reply as it was written: read in one pass, judged after. It
// holds places, not texts, so that reading one leaves the garbage collector nothing
// to do.
type draft struct {
	src    string // the reply
	plain  []byte // the texts of the reply that had escapes, without them
	object bool
	extra  value // the first unknown field
	intent value
	reason value
	list   bool // calls is a list
	count  int  // how long that list is
	calls  [MaxCalls]draftCall
	args   []draftArg // of all calls
}

type draftCall struct {
	object   bool
	extra    value // the first unknown key
	tool     value
	argsKind jsontext.Kind
	// first and end bound its arguments in draft.args.
	first, end int
}

type draftArg struct{ name, value value }

// value is a text, or only the kind of whatever else stands there. The zero value
// is absent.
type value struct {
	kind       jsontext.Kind
	escaped    bool  // its text is in draft.plain
	start, end int32 // of a text
}

func (d *draft) text(v value) string {
	if v.escaped {
		return string(d.plain[v.start:v.end])
	}
	return d.src[v.start:v.end]
}

// MaxPlanBytes is the most bytes of a planner's reply that are read.
const MaxPlanBytes = 1 << 20

// reader reads drafts, and is used again for the next one.
type reader struct {
	buffer  bytes.Buffer
	decoder jsontext.Decoder
	draft   draft
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// readDraft reads the reply and hands the draft to judge, which may keep its texts
// and not the draft itself. A reply that is no JSON document is an error, and is not
// judged.
func readDraft(reply []byte, judge func(*draft) (Plan, error)) (Plan, error) {
	if len(reply) > MaxPlanBytes {
		return Plan{}, refuse(RuleNotJSON, "the reply is longer than %d bytes", MaxPlanBytes)
	}
	r := readers.Get().(*reader)
	r.buffer = *bytes.NewBuffer(reply)
	r.decoder.Reset(&r.buffer)
	r.draft = draft{src: string(reply), args: r.draft.args[:0], plain: r.draft.plain[:0]}
	defer func() {
		r.draft.src, r.buffer = "", bytes.Buffer{}
		readers.Put(r)
	}()
	if err := r.read(); err != nil {
		return Plan{}, refuse(RuleNotJSON, "the reply cannot be read: %v", jsonFault(err))
	}
	return judge(&r.draft)
}

func (r *reader) read() error {
	r.draft.object = r.decoder.PeekKind() == '{'
	var err error
	if r.draft.object {
		err = r.object(r.field)
	} else {
		err = r.decoder.SkipValue()
	}
	if err != nil {
		return err
	}
	switch _, err := r.decoder.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errTrailing
}

// object reads an object whose every value one reads.
func (r *reader) object(one func(name value) error) error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	for r.decoder.PeekKind() == '"' {
		name, err := r.value()
		if err != nil {
			return err
		}
		if err := one(name); err != nil {
			return err
		}
	}
	_, err := r.decoder.ReadToken()
	return err
}

func (r *reader) field(name value) (err error) {
	d := &r.draft
	switch d.text(name) {
	case "intent":
		d.intent, err = r.value()
	case "reason":
		d.reason, err = r.value()
	case "calls":
		if d.list = r.decoder.PeekKind() == '['; d.list {
			return r.readCalls()
		}
		err = r.decoder.SkipValue()
	default:
		d.extra.orFirst(name)
		err = r.decoder.SkipValue()
	}
	return err
}

func (v *value) orFirst(name value) {
	if v.kind == 0 {
		*v = name
	}
}

func (r *reader) readCalls() error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	d := &r.draft
	for {
		kind := r.decoder.PeekKind()
		if kind == ']' {
			_, err := r.decoder.ReadToken()
			return err
		}
		d.count++
		if d.count > MaxCalls || kind != '{' {
			if err := r.decoder.SkipValue(); err != nil {
				return err
			}
			continue
		}
		d.calls[d.count-1].object = true
		if err := r.object(r.callField); err != nil {
			return err
		}
	}
}

func (r *reader) callField(name value) (err error) {
	d := &r.draft
	c := &d.calls[d.count-1]
	switch d.text(name) {
	case "tool":
		c.tool, err = r.value()
	case "args":
		if c.argsKind = r.decoder.PeekKind(); c.argsKind == '{' {
			c.first = len(d.args)
			err = r.object(r.arg)
			c.end = len(d.args)
			return err
		}
		err = r.decoder.SkipValue()
	default:
		c.extra.orFirst(name)
		err = r.decoder.SkipValue()
	}
	return err
}

func (r *reader) arg(name value) error {
	v, err := r.value()
	r.draft.args = append(r.draft.args, draftArg{name: name, value: v})
	return err
}

// value reads whatever comes next.
func (r *reader) value() (value, error) {
	raw, err := r.decoder.ReadValue()
	if err != nil {
		return value{}, err
	}
	if raw[0] != '"' {
		return value{kind: raw.Kind()}, nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		end := int32(r.decoder.InputOffset()) - 1
		return value{kind: '"', start: end - int32(len(raw)) + 2, end: end}, nil
	}
	d := &r.draft
	start := len(d.plain)
	d.plain, err = jsontext.AppendUnquote(d.plain, raw)
	return value{kind: '"', escaped: true, start: int32(start), end: int32(len(d.plain))}, err
}
