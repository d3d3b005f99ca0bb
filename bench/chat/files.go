package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/chat"
)

// files is the reference: the scheme that the store replaces, with its writes made
// durable. A thread is one JSON file, locked, read, written anew beside, and renamed.
type files struct {
	dir   string
	rules chat.Rules
}

// fileThread is a file's whole text.
type fileThread struct {
	Messages []fileMessage `json:"messages"`
}

type fileMessage struct {
	ID     string `json:"id"`
	Epoch  int64  `json:"epoch"`
	TS     string `json:"ts"`
	Author string `json:"author"`
	Text   string `json:"text"`
}

func (f *files) path(t chat.Thread) string { return filepath.Join(f.dir, string(t)+".json") }

func (f *files) load(t chat.Thread) (list fileThread, err error) {
	text, err := os.ReadFile(f.path(t))
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return list, err
	}
	return list, json.Unmarshal(text, &list)
}

// Append posts.
func (f *files) Append(_ context.Context, p chat.Post) (r chat.Receipt, err error) {
	lock, err := os.OpenFile(f.path(p.Thread)+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return r, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return r, err
	}
	list, err := f.load(p.Thread)
	if err != nil {
		return r, err
	}
	epoch := chat.Cursor(p.Now.UnixMilli())
	if n := len(list.Messages); n > 0 {
		epoch = chat.Cursor(list.Messages[n-1].Epoch).After(p.Now)
	}
	m := chat.Message{ID: chat.NewID(epoch), Epoch: epoch, Author: p.Author, Text: p.Text}
	list.Messages = append(list.Messages, fileMessage{m.ID, int64(m.Epoch), m.TS(), string(m.Author), m.Text})
	list.Messages = list.Messages[max(0, len(list.Messages)-f.rules.Keep):]
	return chat.Receipt{Message: m}, f.save(p.Thread, &list)
}

func (f *files) save(t chat.Thread, list *fileThread) error {
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	beside := f.path(t) + ".new"
	out, err := os.OpenFile(beside, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if err := os.Rename(beside, f.path(t)); err != nil {
		return err
	}
	dir, err := os.Open(f.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Read polls.
func (f *files) Read(_ context.Context, t chat.Thread, since chat.Cursor) (p chat.Page, err error) {
	list, err := f.load(t)
	if err != nil || len(list.Messages) == 0 {
		return p, err
	}
	last := &list.Messages[len(list.Messages)-1]
	p.Awaiting, p.Cursor = last.Author != string(chat.Hermes), chat.Cursor(last.Epoch)
	from := 0
	if since == 0 {
		from = max(0, len(list.Messages)-chat.Newest)
	}
	for _, m := range list.Messages[from:] {
		if chat.Cursor(m.Epoch) > since {
			p.Messages = append(p.Messages, chat.Message{ID: m.ID, Epoch: chat.Cursor(m.Epoch), Author: chat.Author(m.Author), Text: m.Text})
		}
	}
	return p, nil
}

// fill writes a thread as full as it gets, without waiting for the disk each time.
func (f *files) fill(t chat.Thread, n int) error {
	var list fileThread
	for i := range n {
		m := chat.Message{ID: chat.NewID(chat.Cursor(began.UnixMilli())), Epoch: chat.Cursor(began.Add(time.Duration(i-n) * time.Second).UnixMilli()), Author: chat.Operator, Text: text}
		list.Messages = append(list.Messages, fileMessage{m.ID, int64(m.Epoch), m.TS(), string(m.Author), m.Text})
	}
	return f.save(t, &list)
}
