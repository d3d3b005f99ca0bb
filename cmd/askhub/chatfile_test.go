package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/chat"
)

const someThread chat.Thread = "a1b2c3d4e5f60718"

// chatDay is when these tests take place.
var chatDay = time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)

func TestReadThreadFile(t *testing.T) {
	long := strings.Repeat("é", chat.MaxText)
	for _, c := range []struct {
		name, file string
		// messages are "epoch author text"; remarks "message: why", with a ! before a fault.
		messages, remarks []string
	}{
		{
			name:     "as the old host wrote it",
			file:     `{"thread":"a1b2c3d4e5f60718","messages":[{"id":"MSG-20261023-184000-a1b2c3","epoch":1792780800123,"ts":"2026-10-23T18:40:00+00:00","author":"operator","text":"hi","kind":"operator"}],"created":1}`,
			messages: []string{"1792780800123 operator hi"},
		},
		{
			name:     "a bare array, with a byte order mark",
			file:     "\ufeff" + `[{"id":"MSG-20261023-184000-a1b2c3","epoch":1792780800123,"author":"hermes","text":"hi"}]`,
			messages: []string{"1792780800123 hermes hi"},
		},
		{name: "no message at all", file: `{"messages":[]}`},
		{
			name:     "another thread's name in it",
			file:     `{"thread":"0000000000000000","messages":[]}`,
			messages: nil, remarks: []string{"0: it calls its thread otherwise; the file's name counts"},
		},
		{
			name:     "the epoch as a float and as a string",
			file:     `[{"epoch":1.792780800123e12,"author":"agent","text":"a"},{"epoch":"1792780800124","author":"agent","text":"b"}]`,
			messages: []string{"1792780800123 agent a", "1792780800124 agent b"},
		},
		{
			name:     "a ts and no epoch",
			file:     `[{"ts":"2026-10-23T20:40:00+02:00","author":"agent","text":"a"},{"epoch":null,"ts":"2026-10-23 18:40:01","author":"agent","text":"b"}]`,
			messages: []string{"1792780800000 agent a", "1792780801000 agent b"},
		},
		{
			name:     "one epoch for three, out of order",
			file:     `[{"epoch":1792780800125,"author":"agent","text":"d"},{"epoch":1792780800123,"author":"agent","text":"a"},{"epoch":1792780800123,"author":"agent","text":"b"},{"epoch":1792780800123,"author":"agent","text":"c"}]`,
			messages: []string{"1792780800123 agent a", "1792780800124 agent b", "1792780800125 agent c", "1792780800126 agent d"},
			remarks: []string{
				"3: its epoch 1792780800123 was taken, so it got the next one, 1792780800124", "4: its epoch 1792780800123 was taken, so it got the next one, 1792780800125",
				"1: its epoch 1792780800125 was taken, so it got the next one, 1792780800126",
			},
		},
		{
			name:     "one message twice, and one id for two",
			file:     `[{"id":"MSG-20261023-184000-a1b2c3","epoch":1792780800123,"author":"agent","text":"a"},{"id":"MSG-20261023-184000-a1b2c3","epoch":1792780800123,"author":"agent","text":"a"},{"id":"MSG-20261023-184000-a1b2c3","epoch":1792780800124,"author":"agent","text":"b"},{"id":"old-7","epoch":1792780800125,"author":"agent","text":"c"}]`,
			messages: []string{"1792780800123 agent a", "1792780800124 agent b", "1792780800125 agent c"},
			remarks: []string{
				"2: it stands there twice, and was taken once", "3: another message has its id, so it got one of its own", "4: its id has not the form of one, so it got another",
			},
		},
		{
			name:     "what cannot be a message",
			file:     `[7,{"epoch":1792780800123,"author":"root","text":"a"},{"epoch":1792780800123,"author":"Hermes","text":"a"},{"epoch":1792780800123,"author":"agent"},{"epoch":1792780800123,"author":"agent","text":" \n"},{"epoch":1792780800123,"author":"agent","text":"a\u0000b"},{"epoch":1792780800123,"author":"agent","text":"` + long + `"},{"epoch":1792780800124,"author":"agent","text":"` + long + `é"}]`,
			messages: []string{"1792780800123 agent " + long},
			remarks: []string{
				"!1: it is no object", "!2: its author is none of operator, agent and hermes", "!3: its author is none of operator, agent and hermes",
				"!4: it has no text", "!5: its text is empty", "!6: its text holds a NUL", "!8: its text has 4001 characters, and a message holds at most 4000",
			},
		},
		{
			name:     "what the host's side said is never too long",
			file:     `[{"epoch":1792780800123,"author":"hermes","text":"` + long + `é"}]`,
			messages: []string{"1792780800123 hermes " + long + "é"},
		},
		{
			name: "what is no time",
			file: `[{"author":"agent","text":"a"},{"epoch":1792780800,"author":"agent","text":"a"},{"epoch":-5,"author":"agent","text":"a"},{"epoch":1792780800.5,"author":"agent","text":"a"},{"epoch":9999999999999,"author":"agent","text":"a"},{"ts":"yesterday","author":"agent","text":"a"}]`,
			remarks: []string{
				"!1: it has no epoch in milliseconds, and no ts that says when it was written", "!2: its epoch 1792780800 is no time in milliseconds",
				"!3: its epoch -5 is no time in milliseconds", "!4: it has no epoch in milliseconds, and no ts that says when it was written",
				"!5: its epoch 9999999999999 lies in the future", "!6: it has no epoch in milliseconds, and no ts that says when it was written",
			},
		},
		{
			name:     "broken text costs its own message only",
			file:     `[{"epoch":1792780800123,"author":"agent","text":"` + "\xff" + `"},{"epoch":1792780800123,"author":"agent","text":"\ud83d"},{"epoch":1792780800123,"epoch":2,"author":"agent","text":"x"},{"epoch":1792780800123,"author":"agent","text":"kept"}]`,
			messages: []string{"1792780800123 agent kept"},
			remarks:  []string{"!1: it is not valid UTF-8", "!2: it holds half of a surrogate pair, which is no text", "!3: it names a field twice"},
		},
		{
			name:    "settings that are none",
			file:    `{"person":"Sam","answers":"everybody","messages":[]}`,
			remarks: []string{`0: its "answers" is none of hub, host and off, and was left out`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readThreadFile(someThread, []byte(c.file), chatDay)
			if err != nil {
				t.Fatal(err)
			}
			var messages, remarks []string
			for _, m := range got.messages {
				messages = append(messages, fmt.Sprintf("%d %s %s", m.Epoch, m.Author, m.Text))
				if !chat.IsID(m.ID) {
					t.Errorf("the id is %q", m.ID)
				}
			}
			for _, m := range got.remarks {
				mark := ""
				if m.Fault {
					mark = "!"
				}
				remarks = append(remarks, fmt.Sprintf("%s%d: %s", mark, m.Message, m.Why))
			}
			if diff := cmp.Diff(c.messages, messages); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.remarks, remarks); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadThreadFileSaysWhyAFileIsNone(t *testing.T) {
	for file, want := range map[string]string{
		"":                              "it is not JSON",
		"hello":                         "it is not JSON",
		"7":                             "it is neither an object nor an array",
		"null":                          "it is neither an object nor an array",
		`{"messages":[`:                 "it is not JSON (from byte",
		`{"messages":[]} {}`:            "something follows its end",
		`[{"epoch":1]`:                  "it is not JSON (from byte",
		`{"thread":"x"}`:                `it has no array "messages"`,
		`{"messages":{"0":{}}}`:         `it has no array "messages"`,
		`{"Messages":[]}`:               `it has no array "messages"`,
		`{"messages":[],"messages":[]}`: "it names a field twice",
		"[" + strings.Repeat("7,", maxPerFile) + "7]": "more than 100000 are no thread",
	} {
		if _, err := readThreadFile(someThread, []byte(file), chatDay); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: the error is %v, want %q", file, err, want)
		}
	}
}

// A message without an id gets the same one each time, so that a second import finds it.
func TestMadeIDsStayTheSame(t *testing.T) {
	const file = `[{"epoch":1792780800123,"author":"agent","text":"a"},{"epoch":1792780800123,"author":"agent","text":"a"},{"epoch":1792780800124,"author":"agent","text":"b"}]`
	ids := func(thread chat.Thread) (ids []string) {
		got, err := readThreadFile(thread, []byte(file), chatDay)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got.messages {
			ids = append(ids, m.ID)
		}
		return ids
	}
	first := ids(someThread)
	if diff := cmp.Diff(first, ids(someThread)); diff != "" || len(first) != 3 || first[0] == first[1] {
		t.Errorf("the ids are %v: %s", first, diff)
	}
	if other := ids("ffffffffffffffff"); other[0] == first[0] {
		t.Errorf("another thread has the id %s too", first[0])
	}
}

// Whatever a file holds, what is read of it can be kept, and is read back as it is.
func FuzzReadThreadFile(f *testing.F) {
	for _, file := range []string{
		`{"messages":[{"id":"MSG-20261023-184000-a1b2c3","epoch":1792780800123,"ts":"2026-10-23T18:40:00+00:00","author":"operator","text":"hi"}]}`,
		`[{"epoch":1792780800123,"author":"agent","text":"a"},{"epoch":1792780800123,"author":"agent","text":"a"}]`,
		`[{"ts":"2026-10-23T18:40:00Z","author":"hermes","text":"\ud83d\ude00"},{"id":"x"},7]`,
		`{"thread":7,"person":"Sam","answers":"off","messages":[{"epoch":"1792780800123","author":"agent","text":"` + "\xff" + `"}]}`,
		"\ufeff[]",
		`[{"epoch":1e300,"author":"agent","text":"x"}]`,
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readThreadFile(someThread, data, chatDay)
		if err != nil {
			if got != nil || strings.Contains(err.Error(), "jsontext") {
				t.Fatalf("both a thread and an error, or an inner one: %v", err)
			}
			return
		}
		ids := map[string]bool{}
		last := chat.Cursor(0)
		for _, m := range got.messages {
			if !chat.IsID(m.ID) || ids[m.ID] || m.Epoch <= last || !m.Author.Valid() || chat.CheckText(m.Text) != nil {
				t.Fatalf("%+v cannot be kept", m)
			}
			ids[m.ID], last = true, m.Epoch
		}
		written, err := json.Marshal(&threadFile{Thread: someThread, Person: got.person, Answers: got.answers, Messages: onWire(got.messages)})
		if err != nil {
			t.Fatal(err)
		}
		again, err := readThreadFile(someThread, written, chatDay)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got.messages, again.messages); diff != "" || len(again.remarks) > 0 || again.person != got.person || again.answers != got.answers {
			t.Fatalf("read back, it is another: %s%+v", diff, again.remarks)
		}
	})
}
