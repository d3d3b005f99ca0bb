// Package wyoming is the handle service of the Wyoming protocol, by which a voice
// assistant such as Home Assistant's hands the words on that it heard, and gets the
// sentence to say. The protocol has no authentication: who may connect is a matter of
// addresses, and as whom a device asks stands in the config.
package wyoming

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of one event, in bytes. A sentence needs a fraction of them; sound is sent
// in pieces of some kilobytes, and is thrown away here.
const (
	maxHeader  = 32 << 10
	maxData    = 32 << 10
	maxPayload = 64 << 10
	maxType    = 100
)

// errFraming is what is no event of the protocol. There is no way to find the next one,
// so the connection ends with it.
var errFraming = errors.New("no Wyoming event")

// Event is one message: a line of JSON, then the data and the payload whose lengths stand
// in that line.
type Event struct {
	Type string
	// Data is a JSON object, or nil.
	Data jsontext.Value
	// inline is the data that stood in the line itself, as older programs send it.
	inline jsontext.Value
}

// header is the line.
type header struct {
	Type          string         `json:"type"`
	Data          jsontext.Value `json:"data,omitzero"`
	DataLength    int64          `json:"data_length,omitzero"`
	PayloadLength int64          `json:"payload_length,omitzero"`
}

// newReader is a reader that holds any line that ReadEvent takes.
func newReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, maxHeader) }

// ReadEvent reads the next event and throws its payload away. It never holds more than
// the bounds above, whatever lengths are claimed. Its error is io.EOF between two events,
// errFraming for what is none, or the connection's own.
func ReadEvent(r *bufio.Reader) (Event, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return Event{}, fmt.Errorf("%w: a line of more than %d bytes", errFraming, maxHeader)
	case err != nil && len(line) > 0 && errors.Is(err, io.EOF):
		return Event{}, io.ErrUnexpectedEOF
	case err != nil:
		return Event{}, err
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return Event{}, fmt.Errorf("%w: the line is not one JSON object", errFraming)
	}
	if err := h.check(); err != nil {
		return Event{}, err
	}
	e := Event{Type: h.Type, inline: h.Data.Clone()}
	if h.DataLength > 0 {
		e.Data = make(jsontext.Value, h.DataLength)
		if _, err := io.ReadFull(r, e.Data); err != nil {
			return Event{}, err
		}
		if e.Data.Kind() != '{' || !e.Data.IsValid() {
			return Event{}, fmt.Errorf("%w: the data is not one JSON object", errFraming)
		}
	}
	if _, err := r.Discard(int(h.PayloadLength)); err != nil {
		return Event{}, err
	}
	return e, nil
}

func (h *header) check() error {
	switch {
	case h.Type == "" || len(h.Type) > maxType:
		return fmt.Errorf("%w: no type", errFraming)
	case h.DataLength < 0 || h.DataLength > maxData:
		return fmt.Errorf("%w: data of more than %d bytes", errFraming, maxData)
	case h.PayloadLength < 0 || h.PayloadLength > maxPayload:
		return fmt.Errorf("%w: a payload of more than %d bytes", errFraming, maxPayload)
	case h.Data != nil && h.Data.Kind() != '{' && h.Data.Kind() != 'n':
		return fmt.Errorf("%w: data that is no object", errFraming)
	}
	return nil
}

// decode reads the event's data into v, which points to a struct; what stands in the data
// itself wins over the line's.
func (e Event) decode(v any) error {
	for _, data := range []jsontext.Value{e.inline, e.Data} {
		if len(data) == 0 || data.Kind() == 'n' {
			continue
		}
		if err := json.Unmarshal(data, v); err != nil {
			return fmt.Errorf("%w: the data of %q has another form", errFraming, e.Type)
		}
	}
	return nil
}

// AppendEvent appends an event with that data, which may be nil, to b.
func AppendEvent(b []byte, kind string, data any) ([]byte, error) {
	h := header{Type: kind}
	var body []byte
	if data != nil {
		var err error
		if body, err = json.Marshal(data); err != nil {
			return nil, err
		}
		h.DataLength = int64(len(body))
	}
	line, err := json.Marshal(&h)
	if err != nil {
		return nil, err
	}
	return append(append(append(b, line...), '\n'), body...), nil
}
