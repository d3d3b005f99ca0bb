package wyoming

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func read(s string) (Event, error) { return ReadEvent(newReader(strings.NewReader(s))) }

func TestAnEventIsALineWithItsDataBehindIt(t *testing.T) {
	for name, in := range map[string]string{
		"data behind the line":  "{\"type\": \"transcript\", \"data_length\": 15, \"version\": \"1.10.2\"}\n{\"text\": \"on?\"}",
		"data in the line":      "{\"type\": \"transcript\", \"data\": {\"text\": \"on?\"}}\n",
		"both, and the last":    "{\"type\": \"transcript\", \"data\": {\"text\": \"off?\", \"x\": 1}, \"data_length\": 15}\n{\"text\": \"on?\"}",
		"a payload thrown away": "{\"type\": \"transcript\", \"data\": {\"text\": \"on?\"}, \"payload_length\": 3}\nabc",
		"data that is null":     "{\"type\": \"transcript\", \"data\": null, \"data_length\": 15}\n{\"text\": \"on?\"}",
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(strings.NewReader(in + "{\"type\": \"describe\"}\n"))
			e, err := ReadEvent(r)
			if err != nil || e.Type != "transcript" {
				t.Fatalf("got %+v %v", e, err)
			}
			var heard Transcript
			if err := e.decode(&heard); err != nil || heard.Text != "on?" {
				t.Errorf("got %+v %v", heard, err)
			}
			if e, err = ReadEvent(r); err != nil || e.Type != "describe" {
				t.Errorf("the next one is %+v %v", e, err)
			}
			if _, err = ReadEvent(r); !errors.Is(err, io.EOF) {
				t.Errorf("at the end there is %v", err)
			}
		})
	}
}

func TestWhatIsNoEventIsRefused(t *testing.T) {
	for name, in := range map[string]string{
		"garbage":               "\x16\x03\x01\x02\x00\x01\x00\n",
		"an HTTP request":       "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"an empty line":         "\n",
		"no object":             "[1]\n",
		"no type":               "{\"data\": {}}\n",
		"a type twice":          "{\"type\": \"describe\", \"type\": \"ping\"}\n",
		"a type too long":       "{\"type\": \"" + strings.Repeat("a", maxType+1) + "\"}\n",
		"bad UTF-8":             "{\"type\": \"\xff\"}\n",
		"a line too long":       "{\"type\": \"" + strings.Repeat("a", maxHeader),
		"data of 1 GB":          "{\"type\": \"describe\", \"data_length\": 1000000000}\n",
		"a negative length":     "{\"type\": \"describe\", \"data_length\": -1}\n",
		"a payload of 1 GB":     "{\"type\": \"audio-chunk\", \"payload_length\": 1000000000}\n",
		"a negative payload":    "{\"type\": \"audio-chunk\", \"payload_length\": -1}\n",
		"a length of no number": "{\"type\": \"describe\", \"data_length\": \"1\"}\n",
		"a length past counts":  "{\"type\": \"describe\", \"data_length\": 1e30}\n",
		"data of no object":     "{\"type\": \"describe\", \"data_length\": 3}\n[1]",
		"two documents of data": "{\"type\": \"describe\", \"data_length\": 4}\n{}{}",
		"a list in the line":    "{\"type\": \"describe\", \"data\": []}\n",
	} {
		t.Run(name, func(t *testing.T) {
			if e, err := read(in); !errors.Is(err, errFraming) {
				t.Errorf("got %+v %v", e, err)
			}
		})
	}
	for name, in := range map[string]string{
		"half a line":    "{\"type\": \"desc",
		"half its data":  "{\"type\": \"transcript\", \"data_length\": 15}\n{\"text\"",
		"half a payload": "{\"type\": \"audio-chunk\", \"payload_length\": 15}\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			if e, err := read(in); err == nil || errors.Is(err, errFraming) {
				t.Errorf("got %+v %v, want the end of the connection", e, err)
			}
		})
	}
}

// endless is a line that never ends.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	e.given += len(p)
	return len(p), nil
}

func TestAHeaderWithoutAnEndIsNotHeld(t *testing.T) {
	line := &endless{}
	if _, err := ReadEvent(newReader(line)); !errors.Is(err, errFraming) {
		t.Errorf("got %v", err)
	}
	if line.given > maxHeader {
		t.Errorf("%d bytes of it were taken, want at most %d", line.given, maxHeader)
	}
}

// Whatever comes, an event is read within its bounds or refused; and one that is written
// is read back as it was.
func FuzzReadEvent(f *testing.F) {
	f.Add([]byte("{\"type\": \"transcript\", \"data_length\": 15}\n{\"text\": \"on?\"}"))
	f.Add([]byte("{\"type\": \"describe\", \"data\": {\"a\": [1]}, \"payload_length\": 2}\nab{}"))
	f.Add([]byte("{\"type\": \"\", \"data_length\": 99999999999999999999}\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := ReadEvent(bufio.NewReaderSize(bytes.NewReader(in), maxHeader))
		if err != nil {
			return
		}
		if e.Type == "" || len(e.Data) > maxData {
			t.Fatalf("%+v is out of bounds", e)
		}
		var heard Transcript
		if e.decode(&heard) != nil {
			return
		}
		b, err := AppendEvent(nil, e.Type, &heard)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadEvent(newReader(bytes.NewReader(b)))
		var again Transcript
		if err == nil {
			err = back.decode(&again)
		}
		if err != nil || back.Type != e.Type || again != heard {
			t.Errorf("%+v came back as %+v: %v", heard, again, err)
		}
	})
}
