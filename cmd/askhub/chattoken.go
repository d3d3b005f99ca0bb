package main

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/wholefile"
)

// chatTokenVar is the environment variable that holds a chat token.
const chatTokenVar = "ASKHUB_CHAT_TOKEN" //nolint:gosec // G101: the name of a variable, not a token

// The files in the user's config folder.
const (
	chatTokenName   = "chat-token"
	chatCursorsName = "chat-cursor"
)

// chatToken is this user's own token: that of the environment, or of a file that is made
// when it is needed first.
func chatToken(e *env) (chat.Token, error) {
	if s := e.getenv(chatTokenVar); s != "" {
		token, ok := chat.ParseToken(s)
		if !ok {
			return "", exitError{exitUsage, fmt.Errorf("%s holds no chat token: it is 64 digits from 0 to 9 and a to f; take the variable away to have one made", chatTokenVar)}
		}
		return token, nil
	}
	path, err := chatPath(e, chatTokenName)
	if err != nil {
		return "", err
	}
	token, err := readChatToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	return makeChatToken(e, path)
}

// chatPath is a file in the user's config folder.
func chatPath(e *env, name string) (string, error) {
	dir := config.DefaultDir(e.getenv)
	if !filepath.IsAbs(dir) {
		return "", exitError{exitUsage, fmt.Errorf("HOME is not set, so the chat token has no place: set HOME or %s", chatTokenVar)}
	}
	return filepath.Join(dir, name), nil
}

func readChatToken(path string) (chat.Token, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("the chat token: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file: take it away, and a chat token is made there", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read the chat token in %s (mode %04o), and so the chat; mend it with: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	raw, err := readFile(path)
	if err != nil {
		return "", err
	}
	token, ok := chat.ParseToken(strings.TrimSpace(string(raw)))
	if !ok {
		return "", fmt.Errorf("%s holds no chat token: it is 64 digits from 0 to 9 and a to f; put yours there, or take the file away and a new one is made", path)
	}
	return token, nil
}

// makeChatToken makes a token, once: of two commands at a time, one makes it for both.
func makeChatToken(e *env, path string) (chat.Token, error) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails
	token := chat.Token(hex.EncodeToString(b[:]))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("the chat token has no place: %w", err)
	}
	err := writeFileNew(path, []byte(string(token)+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return readChatToken(path)
	}
	if err != nil {
		return "", fmt.Errorf("the chat token cannot be kept: %w", err)
	}
	fmt.Fprintf(e.stderr, "A chat token was made and is in %s; its thread is %s. On the host, \"askhub chat pair %s NAME\" says whom it speaks for.\n", path, token.Thread(), token.Thread())
	return token, nil
}

// maxCursors is how many threads' cursors are kept.
const maxCursors = 50

// cursors say up to where each thread of each host was shown.
type cursors struct {
	path string
}

func openCursors(e *env) (*cursors, error) {
	path, err := chatPath(e, chatCursorsName)
	return &cursors{path}, err
}

// kept is what the file holds; one that is not there, or is damaged, holds nothing: the
// worst of that is that messages are shown again.
func (c *cursors) kept() map[string]chat.Cursor {
	kept := map[string]chat.Cursor{}
	if raw, err := readFile(c.path); err == nil && json.Unmarshal(raw, &kept) != nil {
		return map[string]chat.Cursor{}
	}
	return kept
}

func cursorKey(host string, t chat.Thread) string { return string(t) + " " + host }

// get is the kept cursor; 0 where there is none.
func (c *cursors) get(host string, t chat.Thread) chat.Cursor {
	return max(0, c.kept()[cursorKey(host, t)])
}

// put moves a cursor on, never back.
func (c *cursors) put(host string, t chat.Thread, at chat.Cursor) error {
	kept := c.kept()
	key := cursorKey(host, t)
	if at <= kept[key] {
		return nil
	}
	kept[key] = at
	if len(kept) > maxCursors {
		byAge := slices.SortedFunc(maps.Keys(kept), func(a, b string) int { return cmp.Compare(kept[a], kept[b]) })
		for _, old := range byAge[:len(kept)-maxCursors] {
			delete(kept, old)
		}
	}
	raw, err := json.Marshal(kept, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return fmt.Errorf("what was shown cannot be noted: %w", err)
	}
	if err := wholefile.Replace(c.path, append(raw, '\n'), nil); err != nil {
		return fmt.Errorf("what was shown cannot be noted: %w", err)
	}
	return nil
}
