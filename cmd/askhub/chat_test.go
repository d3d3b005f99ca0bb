package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/people"
)

// chatHome is a host whose chat is in memory.
type chatHome struct {
	t        *testing.T
	store    *chat.Memory
	rules    chat.Rules
	house    *people.Household
	now      time.Time
	out, err bytes.Buffer
}

func newChatHome(t *testing.T) *chatHome {
	t.Helper()
	house, err := people.Parse("people.toml", people.Sample())
	if err != nil {
		t.Fatal(err)
	}
	rules := chat.DefaultRules()
	return &chatHome{t: t, store: chat.NewMemory(rules), rules: rules, house: house, now: chatDay}
}

func (h *chatHome) env() *env {
	h.out.Reset()
	h.err.Reset()
	return &env{
		ctx: h.t.Context(), stdin: strings.NewReader(""), stdout: &h.out, stderr: &h.err,
		getenv: func(string) string { return "" }, environ: func() []string { return nil },
	}
}

// says adds a message, as whoever wrote it, and moves the clock on by a minute.
func (h *chatHome) says(t chat.Thread, a chat.Author, text string) chat.Message {
	h.t.Helper()
	got, err := h.store.Append(h.t.Context(), chat.Post{Thread: t, Author: a, Text: text, Now: h.now})
	if err != nil {
		h.t.Fatal(err)
	}
	h.now = h.now.Add(time.Minute)
	return got.Message
}

// exits checks an error's exit code and words.
func exits(t *testing.T, err error, code int, with ...string) {
	t.Helper()
	var coded exitError
	if !errors.As(err, &coded) || coded.code != code {
		t.Fatalf("the error is %v, want exit code %d", err, code)
	}
	for _, w := range with {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error is %q, want %q in it", err, w)
		}
	}
}

const (
	threadA chat.Thread = "a1b2c3d4e5f60718"
	threadB chat.Thread = "a1b2ffffffffffff"
	threadC chat.Thread = "0123456789abcdef"
)

func TestFindThread(t *testing.T) {
	h := newChatHome(t)
	for _, thread := range []chat.Thread{threadA, threadB, threadC} {
		h.says(thread, chat.Operator, "hi")
	}
	for _, name := range []string{string(threadA), "a1b2c", "A1B2C3", " a1b2c3d4 "} {
		if found, err := findThread(t.Context(), h.store, name); err != nil || found.Thread != threadA {
			t.Errorf("%q is %v, %v", name, found.Thread, err)
		}
	}
	for _, c := range []struct {
		name string
		code int
		with []string
	}{
		{"a1b2", exitNot, []string{string(threadA), string(threadB), "more of it"}},
		{"dddd", exitNot, []string{"askhub chat list"}},
		{string(threadA)[:15] + "9", exitNot, []string{"askhub chat list"}},
		{"a1b", exitUsage, []string{"16 digits"}},
		{"", exitUsage, []string{"16 digits"}},
		{"sam1", exitUsage, []string{"16 digits"}},
		{string(threadA) + "0", exitUsage, []string{"16 digits"}},
		{"../a1b2", exitUsage, []string{"16 digits"}},
	} {
		_, err := findThread(t.Context(), h.store, c.name)
		exits(t, err, c.code, c.with...)
	}
	for i := range 20 {
		h.says(chat.Thread("dddd00000000000"+string("0123456789abcdef"[i%16])), chat.Operator, "hi")
	}
	_, err := findThread(t.Context(), h.store, "dddd")
	exits(t, err, exitNot, "and 6 more")
}

func TestListShowsEachThreadAndNothingThatDrivesATerminal(t *testing.T) {
	h := newChatHome(t)
	list := func(c chatListCmd) string {
		t.Helper()
		if err := c.list(h.env(), h.store, h.rules, h.now); err != nil {
			t.Fatal(err)
		}
		return h.out.String()
	}
	if got := list(chatListCmd{}); got != "There are no threads yet.\n" {
		t.Errorf("without a thread: %q", got)
	}
	h.says(threadA, chat.Operator, "what is on\r\n\x1b[2Jtoday?\u202e")
	h.says(threadC, chat.Operator, "hello")
	h.says(threadC, chat.Hermes, "Good morning.")
	if _, err := h.store.SetUp(t.Context(), threadC, func(s *chat.Settings) { s.Person, s.Answers = "sam", chat.ByHost }); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(2 * time.Hour)
	want := `THREAD            PERSON      ANSWERS  MSGS  AWAITING  NEWEST (UTC)      AGE
0123456789abcdef  sam         host     2     no        2026-10-24 12:02  2 h
  hermes: Good morning.
a1b2c3d4e5f60718  not paired  hub      1     yes       2026-10-24 12:00  2 h
  operator: what is on \x1b[2Jtoday?\u202e
`
	if diff := cmp.Diff(want, list(chatListCmd{})); diff != "" {
		t.Error(diff)
	}
	if got := list(chatListCmd{Awaiting: true}); strings.Contains(got, string(threadC)) || !strings.Contains(got, string(threadA)) {
		t.Errorf("awaiting: %s", got)
	}
	got := list(chatListCmd{chatHost: chatHost{JSON: true}})
	wantJSON := `{"threads": [
		{"thread": "0123456789abcdef", "person": "sam", "answers": "host", "answers_set": true, "count": 2, "awaiting": false, "cursor": 1792843320000,
		 "newest": {"id": "?", "epoch": 1792843320000, "ts": "2026-10-24T12:02:00+00:00", "author": "hermes", "text": "Good morning."}},
		{"thread": "a1b2c3d4e5f60718", "answers": "hub", "answers_set": false, "count": 1, "awaiting": true, "cursor": 1792843200000,
		 "newest": {"id": "?", "epoch": 1792843200000, "ts": "2026-10-24T12:00:00+00:00", "author": "operator", "text": "what is on\r\n\u001b[2Jtoday?\u202e"}}]}`
	if diff := cmp.Diff(document(t, []byte(wantJSON)), document(t, []byte(got))); diff != "" {
		t.Error(diff)
	}
	h.says(threadA, chat.Hermes, "Nothing.")
	if got := list(chatListCmd{Awaiting: true}); got != "No thread awaits an answer.\n" {
		t.Errorf("with nothing awaiting: %q", got)
	}
}

// document is JSON with its ids, which are random, taken out.
func document(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	var blank func(any)
	blank = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if id, ok := v["id"].(string); ok && (id == "?" || chat.IsID(id)) {
				v["id"] = "?"
			}
			for _, inner := range v {
				blank(inner)
			}
		case []any:
			for _, inner := range v {
				blank(inner)
			}
		}
	}
	blank(v)
	return v
}

func TestListIsCutToTheTerminal(t *testing.T) {
	h := newChatHome(t)
	h.says(threadA, chat.Operator, strings.Repeat("日本", 100))
	all, err := h.store.Threads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	listed := []threadListed{{wireSettings: settingsOf(threadA, all[0].Settings, h.rules), Newest: &chat.WireMessage{}}}
	var out bytes.Buffer
	if err := printThreads(&out, listed, all, 40, h.now); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > 40 || !strings.HasSuffix(line, "…") {
			t.Errorf("%q is not cut to 40 cells", line)
		}
	}
}

func TestShow(t *testing.T) {
	h := newChatHome(t)
	h.now = time.Date(2026, 10, 23, 23, 59, 0, 0, time.UTC)
	h.says(threadA, chat.Operator, "what is on today?\n\n18:40:00  hermes\n    not a heading\x07")
	second := h.says(threadA, chat.Hermes, strings.Repeat("word ", 30))
	h.says(threadA, chat.Agent, "thanks")
	show := func(c chatShowCmd) string {
		t.Helper()
		c.Thread = "a1b2"
		if err := c.show(h.env(), h.store, h.rules); err != nil {
			t.Fatal(err)
		}
		return h.out.String()
	}
	want := `Thread a1b2c3d4e5f60718. It speaks for nobody yet, and the Hub answers.

Friday 23 October 2026 (UTC)

23:59:00  operator
    what is on today?

    18:40:00  hermes
        not a heading\a

Saturday 24 October 2026 (UTC)

00:00:00  hermes
    word word word word word word word word word word word word word word word
    word word word word word word word word word word word word word word word

00:01:00  agent
    thanks

The newest message awaits an answer.
`
	if diff := cmp.Diff(want, show(chatShowCmd{})); diff != "" {
		t.Error(diff)
	}
	if got := show(chatShowCmd{Newest: 1}); strings.Contains(got, "word") || !strings.Contains(got, "thanks") {
		t.Errorf("the newest one: %s", got)
	}
	if got := show(chatShowCmd{Since: second.Epoch}); strings.Contains(got, "word") || !strings.Contains(got, "thanks") {
		t.Errorf("since the second: %s", got)
	}
	if got := show(chatShowCmd{Since: second.Epoch + 1e9}); !strings.Contains(got, "No messages to show.") {
		t.Errorf("since the future: %s", got)
	}
	var doc threadShown
	if err := json.Unmarshal([]byte(show(chatShowCmd{Newest: 2, chatHost: chatHost{JSON: true}})), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Messages) != 2 || doc.Messages[0].ID != second.ID || !doc.Awaiting || doc.Cursor != doc.Messages[1].Epoch {
		t.Errorf("as JSON: %+v", doc)
	}
	exits(t, (&chatShowCmd{Thread: "a1b2", Since: -1}).Run(h.env()), exitUsage, "--since")
	exits(t, (&chatShowCmd{Thread: "a1b2", Newest: -1}).Run(h.env()), exitUsage, "--newest")
}

func TestReply(t *testing.T) {
	h := newChatHome(t)
	h.says(threadA, chat.Operator, "hi")
	reply := func(c chatReplyCmd, text string) error {
		c.Thread = "a1b2c"
		return c.reply(h.env(), h.store, text, h.now)
	}
	if err := reply(chatReplyCmd{Key: "k"}, "Dinner at six."); err != nil {
		t.Fatal(err)
	}
	first := h.out.String()
	if err := reply(chatReplyCmd{Key: "k", chatHost: chatHost{JSON: true}}, "Dinner at six."); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(h.err.String(), "nothing was added") {
		t.Errorf("a repeat says %q", h.err.String())
	}
	var doc chat.Posted
	if err := json.Unmarshal(h.out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	messages, err := h.store.Whole(t.Context(), threadA)
	if err != nil || len(messages) != 2 {
		t.Fatalf("%+v, %v", messages, err)
	}
	m := messages[1]
	if m.Author != chat.Hermes || m.Text != "Dinner at six." || doc.ID != m.ID || doc.Epoch != m.Epoch || doc.Thread != threadA || doc.TS != m.TS() {
		t.Errorf("%+v was written, and %+v said", m, doc)
	}
	if want := m.ID + " " + "1792843260000\n"; first != want {
		t.Errorf("it printed %q, want %q", first, want)
	}
	exits(t, (&chatReplyCmd{Thread: "dddd"}).reply(h.env(), h.store, "x", h.now), exitNot, "askhub chat list")
}

// A key of the web, which holds no blank, is never the host's: a stranger who guesses
// the host's key could otherwise make its reply vanish.
func TestAReplysKeyIsNobodyElses(t *testing.T) {
	h := newChatHome(t)
	if _, err := h.store.Append(t.Context(), chat.Post{Thread: threadA, Author: chat.Operator, Text: "hi", Now: h.now, Key: "monday", Address: "10.0.0.1"}); err != nil {
		t.Fatal(err)
	}
	if err := (&chatReplyCmd{Thread: "a1b2", Key: "monday"}).reply(h.env(), h.store, "Dinner at six.", h.now); err != nil {
		t.Fatal(err)
	}
	if messages, _ := h.store.Whole(t.Context(), threadA); len(messages) != 2 {
		t.Errorf("the thread has %+v", messages)
	}
	for _, key := range []string{"two words", "é", "tab\t", strings.Repeat("k", 256)} {
		exits(t, checkKey(key), exitUsage, "--key")
	}
}

func TestTextFrom(t *testing.T) {
	h := newChatHome(t)
	for _, c := range []struct {
		words       []string
		stdin, want string
	}{
		{[]string{"dinner", "at", "six"}, "not read", "dinner at six"},
		{nil, "from a pipe\n", "from a pipe"},
		{[]string{"-"}, " kept \r\n", " kept "},
		{nil, "two\nlines\n\n", "two\nlines\n"},
		{[]string{"a", "-"}, "", "a -"},
	} {
		e := h.env()
		e.stdin = strings.NewReader(c.stdin)
		if got, err := textFrom(e, c.words); err != nil || got != c.want {
			t.Errorf("%q with %q is %q, %v", c.words, c.stdin, got, err)
		}
	}
	for text, mend := range map[string]string{
		"": "send what", "  \n": "send what", "a\x00": "NUL", "\xff": "UTF-8",
		strings.Repeat("é", chat.MaxText+1): "4001 characters, and a message at most 4000: send it in parts",
		strings.Repeat("é", maxTyped):       "over 1 MB, and a message has at most 4000 characters: send it in parts",
	} {
		e := h.env()
		e.stdin = strings.NewReader(text)
		_, err := textFrom(e, nil)
		exits(t, err, exitUsage, mend)
	}
}

func TestReadPairing(t *testing.T) {
	for _, c := range []struct {
		words string
		want  pairWords
	}{
		{"48392017", pairWords{code: "48392017"}},
		{"48392017 sam", pairWords{code: "48392017", person: "sam"}},
		{"4839-2017 sam", pairWords{code: "48392017", person: "sam"}},
		{"4839–2017 sam", pairWords{code: "48392017", person: "sam"}},
		{"4839 2017 Mary Jane", pairWords{code: "48392017", person: "Mary Jane"}},
		{"48 39 - 20 17", pairWords{code: "48392017"}},
		{"a1b2 sam", pairWords{thread: "a1b2", person: "sam"}},
		{"4839 sam", pairWords{thread: "4839", person: "sam"}},
		{"483920171 sam", pairWords{thread: "483920171", person: "sam"}},
		{"4839201748392017 sam", pairWords{thread: "4839201748392017", person: "sam"}},
	} {
		if got := readPairing(strings.Fields(c.words)); got != c.want {
			t.Errorf("%q is %+v, want %+v", c.words, got, c.want)
		}
	}
}

func TestPair(t *testing.T) {
	h := newChatHome(t)
	h.says(threadA, chat.Operator, "hello\x1b[2J")
	pair := func(c chatPairCmd, words string) error {
		c.Which = strings.Fields(words)
		return c.pair(h.env(), h.store, h.rules, h.house, h.now)
	}
	must := func(c chatPairCmd, words, want string) {
		t.Helper()
		if err := pair(c, words); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, h.out.String()); diff != "" {
			t.Error(diff)
		}
	}
	must(chatPairCmd{}, "a1b2", "Thread a1b2c3d4e5f60718.\nIt speaks for nobody yet, and the Hub answers.\nIts newest message: 2026-10-24 12:00 UTC, operator: hello\\x1b[2J\n")

	code, err := h.store.NewCode(t.Context(), threadA, "10.0.0.1", h.now)
	if err != nil {
		t.Fatal(err)
	}
	spoken := code.Digits[:4] + " - " + code.Digits[4:]
	must(chatPairCmd{}, spoken+" Mum", "Thread a1b2c3d4e5f60718. It now speaks for Sam, and was told so.\nIt speaks for Sam, and the Hub answers.\nIts newest message: 2026-10-24 12:00 UTC, operator: hello\\x1b[2J\n")
	must(chatPairCmd{}, "a1b2 SAM", "Thread a1b2c3d4e5f60718. Nothing was changed.\nIt speaks for Sam, and the Hub answers.\nIts newest message: 2026-10-24 12:01 UTC, hermes: This chat now speaks for Sam.\n")
	must(chatPairCmd{Answers: "host"}, "a1b2", "Thread a1b2c3d4e5f60718. Who answers was changed.\nIt speaks for Sam, and the host answers.\nIts newest message: 2026-10-24 12:01 UTC, hermes: This chat now speaks for Sam.\n")
	if got, _ := h.store.Settings(t.Context(), threadA); got.Person != "sam" || got.Answers != chat.ByHost {
		t.Errorf("the settings are %+v", got)
	}
	if err := pair(chatPairCmd{Unpair: true, Answers: "usual", chatHost: chatHost{JSON: true}}, "a1b2"); err != nil {
		t.Fatal(err)
	}
	var doc threadPaired
	if err := json.Unmarshal(h.out.Bytes(), &doc); err != nil || doc.Person != "" || doc.Answers != chat.ByHub || doc.AnswersSet || !doc.Changed || doc.Newest.Author != chat.Hermes {
		t.Errorf("unpaired: %+v, %v", doc, err)
	}
	must(chatPairCmd{Unpair: true}, "a1b2", "Thread a1b2c3d4e5f60718. Nothing was changed.\nIt speaks for nobody yet, and the Hub answers.\nIts newest message: 2026-10-24 12:01 UTC, hermes: This chat speaks for nobody now.\n")
	messages, _ := h.store.Whole(t.Context(), threadA)
	var texts []string
	for _, m := range messages[1:] {
		texts = append(texts, string(m.Author)+": "+m.Text)
	}
	if diff := cmp.Diff([]string{"hermes: This chat now speaks for Sam.", "hermes: This chat speaks for nobody now."}, texts); diff != "" {
		t.Error(diff)
	}

	exits(t, pair(chatPairCmd{}, "a1b2 sally"), exitNot, `nobody is called "sally"`, "sam, tom, harry, emma")
	exits(t, pair(chatPairCmd{}, "00000000 sam"), exitNot, "no thread waits with the code 00000000", "chat page")
	exits(t, pair(chatPairCmd{}, "dddd sam"), exitNot, "askhub chat list")
	exits(t, pair(chatPairCmd{}, "sam"), exitUsage, "16 digits")
	exits(t, (&chatPairCmd{Which: []string{"a1b2", "sam"}, Unpair: true}).Run(h.env()), exitUsage, "not both")
	h.house = &people.Household{}
	exits(t, pair(chatPairCmd{}, "a1b2 sam"), exitNot, "people.toml names nobody yet")
}

// A page that was just opened has a thread, and no message yet.
func TestPairAThreadWithNoMessages(t *testing.T) {
	h := newChatHome(t)
	if err := (&chatPairCmd{Which: []string{string(threadC), "emma"}}).pair(h.env(), h.store, h.rules, h.house, h.now); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(h.out.String(), "now speaks for Emma") || !strings.Contains(h.out.String(), "no messages yet") {
		t.Errorf("it printed %s", h.out.String())
	}
}

func TestAPairedThreadThatCannotBeTold(t *testing.T) {
	h := newChatHome(t)
	h.rules.Threads = 1
	h.store = chat.NewMemory(h.rules)
	h.says(threadA, chat.Operator, "hi")
	err := (&chatPairCmd{Which: []string{string(threadC), "emma"}}).pair(h.env(), h.store, h.rules, h.house, h.now)
	exits(t, err, exitNot, "that is set, but the thread could not be told", "thread limit")
	if got, _ := h.store.Settings(t.Context(), threadC); got.Person != "emma" {
		t.Errorf("the settings are %+v", got)
	}
}

// brokenStore fails every call.
type brokenStore struct {
	chatStore
	err error
}

func (b brokenStore) Threads(context.Context) ([]chat.Summary, error) { return nil, b.err }

func TestAStoresFaultsHaveTheirExitCodes(t *testing.T) {
	h := newChatHome(t)
	for _, c := range []struct {
		err  error
		code int
		with string
	}{
		{errors.New("disk on fire"), exitNeedDown, "the store: disk on fire"},
		{chat.ErrFull, exitNeedDown, "make some"},
		{context.Canceled, exitNot, "interrupted"},
		{chat.ErrThreadLimit, exitNot, "as many threads"},
	} {
		exits(t, (&chatListCmd{}).list(h.env(), brokenStore{h.store, c.err}, h.rules, h.now), c.code, c.with)
	}
}
