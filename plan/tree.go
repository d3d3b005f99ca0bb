package plan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// node is one value of a JSON document with its keys in order, so that a tool can
// be checked key by key and written again exactly as JavaScript would.
type node struct {
	kind jsontext.Kind // one of n, t, f, ", 0, { and [
	text string        // of a string
	num  float64       // of a number
	keys []string      // of an object, one for each item
	all  []node        // the items of a list or an object
}

// parseTree reads exactly one document. A key that stands twice, text that is no
// UTF-8 and anything after the document are errors.
func parseTree(doc []byte) (node, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(doc))
	n, err := readNode(d)
	if err != nil {
		return node{}, jsonFault(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return node{}, errTrailing
	}
	return n, nil
}

var errTrailing = errors.New("something follows the JSON document")

// jsonFault says what is wrong with a document in words that hold none of it.
func jsonFault(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTrailing):
		return err
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errors.New("a key stands twice in one object")
	case errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("not JSON, at byte %d", syntax.ByteOffset)
	}
	return errors.New("not JSON: it ends too early")
}

func readNode(d *jsontext.Decoder) (node, error) {
	t, err := d.ReadToken()
	if err != nil {
		return node{}, err
	}
	n := node{kind: t.Kind()}
	switch n.kind {
	case '"':
		n.text = t.String()
	case '0':
		// Too large for JavaScript is infinite, which JSON.stringify writes as null.
		n.num, _ = strconv.ParseFloat(t.String(), 64)
	case '[':
		for d.PeekKind() != ']' {
			item, err := readNode(d)
			if err != nil {
				return node{}, err
			}
			n.all = append(n.all, item)
		}
		_, err = d.ReadToken()
	case '{':
		for d.PeekKind() != '}' {
			key, err := d.ReadToken()
			if err != nil {
				return node{}, err
			}
			name := key.String() // before the next read takes the token's room
			item, err := readNode(d)
			if err != nil {
				return node{}, err
			}
			n.keys, n.all = append(n.keys, name), append(n.all, item)
		}
		_, err = d.ReadToken()
		n.orderKeys()
	}
	return n, err
}

// orderKeys puts whole-number keys first, by size, as every JavaScript object does.
func (n *node) orderKeys() {
	isIndex := func(key string) bool { _, ok := arrayIndex(key); return ok }
	if !slices.ContainsFunc(n.keys, isIndex) {
		return
	}
	order := make([]int, len(n.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, xIs := arrayIndex(n.keys[a])
		y, yIs := arrayIndex(n.keys[b])
		switch {
		case xIs && yIs:
			return cmp.Compare(x, y)
		case xIs:
			return -1
		case yIs:
			return 1
		}
		return 0
	})
	keys, all := make([]string, len(order)), make([]node, len(order))
	for to, from := range order {
		keys[to], all[to] = n.keys[from], n.all[from]
	}
	n.keys, n.all = keys, all
}

// arrayIndex is the number of a key that JavaScript counts as an array's index.
func arrayIndex(key string) (uint64, bool) {
	v, err := strconv.ParseUint(key, 10, 32)
	return v, err == nil && v < math.MaxUint32 && strconv.FormatUint(v, 10) == key
}

// get is the value of a key, or nil.
func (n *node) get(key string) *node {
	if i := slices.Index(n.keys, key); i >= 0 {
		return &n.all[i]
	}
	return nil
}

// appendJS writes the value as JSON.stringify does.
func (n *node) appendJS(b []byte) []byte {
	switch n.kind {
	case '"':
		return appendText(b, n.text)
	case '0':
		return appendNumber(b, n.num)
	case '[':
		b = append(b, '[')
		for i := range n.all {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.all[i].appendJS(b)
		}
		return append(b, ']')
	case '{':
		b = append(b, '{')
		for i := range n.all {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, n.keys[i]), ':')
			b = n.all[i].appendJS(b)
		}
		return append(b, '}')
	case 't':
		return append(b, "true"...)
	case 'f':
		return append(b, "false"...)
	}
	return append(b, "null"...)
}

// appendText writes a JSON string with no escape but those that JSON demands, as
// JSON.stringify does. Text that came through the decoder is always UTF-8.
func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text)
	return b
}

// appendNumber writes a number as JavaScript does.
func appendNumber(b []byte, v float64) []byte {
	size := math.Abs(v)
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return append(b, "null"...)
	case v == 0: // minus zero too
		return append(b, '0')
	case size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, v, 'e', -1, 64)
	if at := len(b) - 2; b[at] == '0' && (b[at-1] == '-' || b[at-1] == '+') {
		b[at] = b[at+1] // e-07 is e-7
		b = b[:at+1]
	}
	return b
}
