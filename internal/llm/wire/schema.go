package wire

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// bounds are the keywords that some servers refuse in a schema. A reply is checked for
// them in any case.
var bounds = map[string]bool{
	"maxLength": true, "minLength": true, "maxItems": true, "minItems": true, "uniqueItems": true,
	"maximum": true, "minimum": true, "pattern": true,
}

// Unbounded is the schema without its bounds, everything else in the order that it has:
// models write a document's members in the order of their schema.
func Unbounded(schema []byte) ([]byte, error) {
	var out bytes.Buffer
	w := walker{jsontext.NewDecoder(bytes.NewReader(schema)), jsontext.NewEncoder(&out)}
	if err := w.schema(); err != nil {
		return nil, err
	}
	if _, err := w.in.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("a schema is one JSON document")
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

type walker struct {
	in  *jsontext.Decoder
	out *jsontext.Encoder
}

// schema copies a value, of which objects are schemas.
func (w walker) schema() error {
	switch w.in.PeekKind() {
	case '{':
		return w.object(func(key string) (skip bool, value func() error) {
			switch {
			case bounds[key]:
				return true, nil
			case key == "properties":
				// Here the keys are names, whatever they look like.
				return false, func() error {
					if w.in.PeekKind() != '{' {
						return w.schema()
					}
					return w.object(func(string) (bool, func() error) { return false, w.schema })
				}
			}
			return false, w.schema
		})
	case '[':
		if err := w.copyToken(); err != nil {
			return err
		}
		for w.in.PeekKind() != ']' {
			if err := w.schema(); err != nil {
				return err
			}
		}
	}
	return w.copyToken()
}

func (w walker) object(member func(key string) (skip bool, value func() error)) error {
	if err := w.copyToken(); err != nil {
		return err
	}
	for w.in.PeekKind() != '}' {
		key, err := w.in.ReadToken()
		if err != nil {
			return err
		}
		name := key.String()
		skip, value := member(name)
		if skip {
			if err := w.in.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if err := w.out.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if err := value(); err != nil {
			return err
		}
	}
	return w.copyToken()
}

func (w walker) copyToken() error {
	t, err := w.in.ReadToken()
	if err != nil {
		return err
	}
	return w.out.WriteToken(t)
}
