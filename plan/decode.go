package plan

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// draft is a planner's reply as it was written: read in one pass, judged after. Its
// texts share the memory of one copy of the reply.
type draft struct {
	object bool
	extra  field // the first unknown field
	intent value
	reason value
	// list says that calls is a list; count is how long it is.
	list  bool
	count int
	calls [MaxCalls]draftCall
	args  []draftArg // of all calls
	keep  [maxKept]draftArg
}

// maxKept is how many arguments a usual plan has at most, which need no room of
// their own.
const maxKept = 24

type draftCall struct {
	object   bool
	extra    field
	tool     value
	argsKind jsontext.Kind
	// first and end bound its arguments in draft.args.
	first, end int
}

type draftArg struct {
	name string
	value
}

// field is a key that may be absent.
type field struct {
	name string
	is   bool
}

func (f *field) first(name string) {
	if !f.is {
		*f = field{name: name, is: true}
	}
}

// value is a scalar, or only the kind of whatever else stands there. The zero value
// is absent.
type value struct {
	kind jsontext.Kind
	text string // of a string
}

// reader reads drafts, and is used again for the next one.
type reader struct {
	buffer  bytes.Buffer
	decoder jsontext.Decoder
	src     string
	draft   draft
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// readDraft reads the reply and hands the draft to judge, which may keep its texts
// and not the draft itself. A reply that is no JSON document is an error, and is not
// judged.
func readDraft(reply []byte, judge func(*draft) (Plan, error)) (Plan, error) {
	r := readers.Get().(*reader)
	defer func() {
		r.src, r.draft = "", draft{}
		readers.Put(r)
	}()
	r.buffer = *bytes.NewBuffer(reply)
	r.decoder.Reset(&r.buffer)
	r.src = string(reply)
	r.draft.args = r.draft.keep[:0]
	if err := r.read(); err != nil {
		return Plan{}, refuse(RuleNotJSON, "the reply cannot be read: %v", jsonFault(err))
	}
	return judge(&r.draft)
}

var errTrailing = errors.New("something follows")

func (r *reader) read() error {
	d := &r.draft
	d.object = r.decoder.PeekKind() == '{'
	if !d.object {
		if err := r.decoder.SkipValue(); err != nil {
			return err
		}
	} else if err := r.object(r.field); err != nil {
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
func (r *reader) object(one func(name string) error) error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	for r.decoder.PeekKind() == '"' {
		name, err := r.text()
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

func (r *reader) field(name string) (err error) {
	d := &r.draft
	switch name {
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
		d.extra.first(name)
		err = r.decoder.SkipValue()
	}
	return err
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
		c := &d.calls[d.count-1]
		c.object, c.first, c.end = true, len(d.args), len(d.args)
		if err := r.object(r.callField); err != nil {
			return err
		}
	}
}

func (r *reader) callField(name string) (err error) {
	d := &r.draft
	c := &d.calls[d.count-1]
	switch name {
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
		c.extra.first(name)
		err = r.decoder.SkipValue()
	}
	return err
}

func (r *reader) arg(name string) error {
	v, err := r.value()
	r.draft.args = append(r.draft.args, draftArg{name: name, value: v})
	return err
}

func (r *reader) value() (value, error) {
	kind := r.decoder.PeekKind()
	if kind != '"' {
		return value{kind: kind}, r.decoder.SkipValue()
	}
	text, err := r.text()
	return value{kind: kind, text: text}, err
}

// text reads a string, out of the one copy of the reply where it has no escape.
func (r *reader) text() (string, error) {
	raw, err := r.decoder.ReadValue()
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		end := int(r.decoder.InputOffset())
		return r.src[end-len(raw)+1 : end-1], nil
	}
	plain, err := jsontext.AppendUnquote(nil, raw)
	return string(plain), err
}
