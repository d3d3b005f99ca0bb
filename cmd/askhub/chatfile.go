package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/chat"
)

// threadFile is one thread as a file of its own (spec 3, storage).
type threadFile struct {
	Thread   chat.Thread        `json:"thread"`
	Person   string             `json:"person,omitzero"`
	Answers  chat.Answers       `json:"answers,omitzero"`
	Messages []chat.WireMessage `json:"messages"`
}

// remark is what was passed over, skipped or changed, and why.
type remark struct {
	File string `json:"file"`
	// Message counts from 1 in the file; 0 is the file itself.
	Message int    `json:"message,omitzero"`
	ID      string `json:"id,omitzero"`
	Why     string `json:"why"`
	// Fault is set where something was skipped that should not have been.
	Fault bool `json:"fault"`
}

// The bounds of a file that is read.
const (
	// maxThreadFile is far above what 200 messages can take, in bytes.
	maxThreadFile = 16 << 20
	maxPerFile    = 100_000
	// minEpoch lies in 1973: an epoch before it was meant in seconds, or is no time.
	minEpoch = 100_000_000_000
	// maxAhead is how far a clock may have been ahead. A message from further off would
	// keep every later one at its epoch.
	maxAhead = 24 * time.Hour
)

// readThread is a thread read from its file: what is good of it, in order, each epoch
// greater than the one before.
type readThread struct {
	thread   chat.Thread
	person   string
	answers  chat.Answers
	messages []chat.Message
	remarks  []remark
	// skipped is how many messages were.
	skipped int
}

// readThreadFile reads one file of the old form: an object with messages, or their
// array alone. The error says why the whole file cannot be taken.
func readThreadFile(thread chat.Thread, data []byte, now time.Time) (*readThread, error) {
	r := &readThread{thread: thread}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var fields map[string]jsontext.Value
	switch jsontext.Value(data).Kind() {
	case '[':
		fields = map[string]jsontext.Value{"messages": data}
	case '{':
		var err error
		if fields, err = fieldsOf(data); err != nil {
			return nil, err
		}
	default:
		if !jsontext.Value(data).IsValid(lax) {
			return nil, errors.New("it is not JSON")
		}
		return nil, errors.New("it is neither an object nor an array")
	}
	if fields["messages"].Kind() != '[' {
		return nil, errors.New(`it has no array "messages"`)
	}
	var raw []jsontext.Value
	if err := json.Unmarshal(fields["messages"], &raw, lax); err != nil {
		return nil, notJSON(err)
	}
	if len(raw) > maxPerFile {
		return nil, fmt.Errorf("it has %d messages, and more than %d are no thread", len(raw), maxPerFile)
	}
	r.head(fields["thread"], fields["person"], fields["answers"])
	r.all(raw, now)
	return r, nil
}

// lax takes what is JSON at all. One message with broken text must not cost the others,
// so that is looked for in each message alone.
var lax = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// fieldsOf is a whole document's fields, each named once.
func fieldsOf(data []byte) (map[string]jsontext.Value, error) {
	fields := map[string]jsontext.Value{}
	dec := jsontext.NewDecoder(bytes.NewReader(data), lax)
	_, err := dec.ReadToken() // the brace
	for err == nil && dec.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = dec.ReadToken(); err != nil {
			break
		}
		key := name.String()
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("it names a field twice, %.40q", key)
		}
		var v jsontext.Value
		v, err = dec.ReadValue()
		fields[key] = v.Clone()
	}
	if err == nil {
		_, err = dec.ReadToken() // the other brace
	}
	if err == nil {
		_, err = dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return fields, nil
		case err == nil:
			return nil, errors.New("something follows its end")
		}
	}
	return nil, notJSON(err)
}

func notJSON(err error) error {
	var at *jsontext.SyntacticError
	if errors.As(err, &at) {
		return fmt.Errorf("it is not JSON (from byte %d on)", at.ByteOffset)
	}
	return errors.New("it is not JSON")
}

func (r *readThread) remark(message int, id, why string, fault bool) {
	r.remarks = append(r.remarks, remark{File: string(r.thread) + ".json", Message: message, ID: strings.ToValidUTF8(id, "�"), Why: why, Fault: fault})
}

// head reads what stands beside the messages.
func (r *readThread) head(thread, person, answers jsontext.Value) {
	if name, ok := stringIn(thread); ok && name != string(r.thread) {
		r.remark(0, "", "it calls its thread otherwise; the file's name counts", false)
	}
	r.person, _ = stringIn(person)
	switch by, ok := stringIn(answers); {
	case !ok || by == "":
	case chat.Answers(by).Valid():
		r.answers = chat.Answers(by)
	default:
		r.remark(0, "", `its "answers" is none of hub, host and off, and was left out`, false)
	}
}

// stringIn is a JSON string's text; false where v is no string, or a broken one.
func stringIn(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return "", false
	}
	return s, true
}

// numbered is a message and its place in the file.
type numbered struct {
	chat.Message
	at int
}

// all reads the messages, puts them in order, and gives each an id and an epoch of its own.
func (r *readThread) all(raw []jsontext.Value, now time.Time) {
	var read []numbered
	for i, v := range raw {
		m, err := readMessage(v, now)
		if err != nil {
			r.skipped++
			r.remark(i+1, m.ID, err.Error(), true)
			continue
		}
		read = append(read, numbered{m, i + 1})
	}
	slices.SortStableFunc(read, func(a, b numbered) int { return cmp.Compare(a.Epoch, b.Epoch) })
	known := map[string]chat.Message{} // as the file has them
	last := chat.Cursor(0)
	for _, m := range read {
		as := m.Message
		if first, twice := known[m.ID]; twice && first == as {
			r.remark(m.at, m.ID, "it stands there twice, and was taken once", false)
			continue
		} else if twice {
			r.remark(m.at, m.ID, "another message has its id, so it got one of its own", false)
		} else if m.ID != "" && !chat.IsID(m.ID) {
			r.remark(m.at, m.ID, "its id has not the form of one, so it got another", false)
		}
		if _, twice := known[m.ID]; twice || !chat.IsID(m.ID) {
			m.ID = r.madeID(as, known)
		}
		known[m.ID] = as
		if m.Epoch <= last {
			m.Epoch = last + 1
			r.remark(m.at, m.ID, fmt.Sprintf("its epoch %d was taken, so it got the next one, %d", as.Epoch, m.Epoch), false)
		}
		last = m.Epoch
		r.messages = append(r.messages, m.Message)
	}
}

// madeID makes an id out of the message itself, so that a second run finds it again.
func (r *readThread) madeID(m chat.Message, known map[string]chat.Message) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %q %q %d", r.thread, m.Epoch, m.Author, m.ID, m.Text, n))
		id := "MSG-" + m.Epoch.Time().Format("20060102-150405-") + hex.EncodeToString(sum[:3])
		if _, taken := known[id]; !taken {
			return id
		}
	}
}

// readMessage reads one message; one that is refused has its id at most.
func readMessage(v jsontext.Value, now time.Time) (m chat.Message, err error) {
	if v.Kind() != '{' {
		return m, errors.New("it is no object")
	}
	if !utf8.Valid(v) {
		return m, errors.New("it is not valid UTF-8")
	}
	var fields struct {
		ID     jsontext.Value `json:"id"`
		Epoch  jsontext.Value `json:"epoch"`
		TS     jsontext.Value `json:"ts"`
		Author jsontext.Value `json:"author"`
		Text   jsontext.Value `json:"text"`
	}
	if err := json.Unmarshal(v, &fields); err != nil {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return m, errors.New("it names a field twice")
		}
		return m, errors.New("it holds half of a surrogate pair, which is no text")
	}
	m.ID, _ = stringIn(fields.ID)
	author, ok := stringIn(fields.Author)
	if m.Author = chat.Author(author); !ok || !m.Author.Valid() {
		return m, errors.New("its author is none of operator, agent and hermes")
	}
	if m.Text, ok = stringIn(fields.Text); !ok {
		return m, errors.New("it has no text")
	}
	switch err := chat.CheckText(m.Text); {
	case errors.Is(err, chat.ErrLongText) && m.Author == chat.Hermes:
		// The limit is for posts; what the host's side has said is taken whole.
	case errors.Is(err, chat.ErrLongText):
		return m, fmt.Errorf("its text has %d characters, and a message holds at most %d", utf8.RuneCountInString(m.Text), chat.MaxText)
	case errors.Is(err, chat.ErrNoText):
		return m, errors.New("its text is empty")
	case err != nil:
		return m, errors.New("its text holds a NUL")
	}
	m.Epoch, err = readEpoch(fields.Epoch, fields.TS, now)
	return m, err
}

// readEpoch is when a message was written: its epoch, or its ts where it has none.
func readEpoch(epoch, ts jsontext.Value, now time.Time) (chat.Cursor, error) {
	at, ok := wholeNumber(epoch)
	if !ok {
		if at, ok = moment(ts); !ok {
			return 0, errors.New("it has no epoch in milliseconds, and no ts that says when it was written")
		}
	}
	switch {
	case at < minEpoch:
		return 0, fmt.Errorf("its epoch %d is no time in milliseconds", at)
	case at > now.Add(maxAhead).UnixMilli():
		return 0, fmt.Errorf("its epoch %d lies in the future", at)
	}
	return chat.Cursor(at), nil
}

// wholeNumber is one, also where somebody wrote it as 1.5e12 or as a string.
func wholeNumber(v jsontext.Value) (int64, bool) {
	written := string(v)
	switch v.Kind() {
	case '0':
	case '"':
		written, _ = stringIn(v)
	default:
		return 0, false
	}
	if n, err := strconv.ParseInt(written, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(written, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// moment is a ts in any form that some host may have written, in milliseconds. One
// without an offset is UTC, as everything in the chat is.
func moment(v jsontext.Value) (int64, bool) {
	written, ok := stringIn(v)
	if !ok {
		return 0, false
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(form, written); err == nil {
			return t.UnixMilli(), true
		}
	}
	return 0, false
}
