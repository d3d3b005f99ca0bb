package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/store/sqlite"
)

// serve is the process whose streams are measured: the chat's wire on a SQLite store.
func serve(ctx context.Context, place, address string) (err error) {
	db, err := sqlite.Open(ctx, place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	set := rules()
	set.PerThread, set.PerAddress = 1<<20, 1<<20 // all of them come from one address here
	s := db.Chat(set)
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           chat.NewHandler(chat.Config{Store: s, Pairing: s, Rules: set, Now: time.Now, Done: ctx.Done()}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// wire measures a message's way from a post to an open stream, and what open streams take.
func (r *runner) wire(ctx context.Context) (rows []row, err error) {
	late := row{what: "from a post to an open stream, median", unit: "ms", kind: kindSQLite, limit: 2, absolute: true}
	grown := row{what: fmt.Sprintf("memory of %d open streams", r.streams), unit: "MB", kind: kindSQLite, limit: 60, absolute: true}
	for round := range min(r.rounds, 3) {
		r.progress("wire: round %d", round+1)
		ms, mb, err := r.wireRound(ctx)
		if err != nil {
			return nil, err
		}
		late.got, grown.got = append(late.got, ms), append(grown.got, mb)
	}
	return []row{late, grown}, nil
}

func (r *runner) wireRound(ctx context.Context) (ms, mb float64, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	place, err := r.place(kindSQLite)
	if err != nil {
		return 0, 0, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, 0, err
	}
	address := ln.Addr().String()
	if err := ln.Close(); err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, self, serveFlag, place, address)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		err = errors.Join(err, cmd.Wait())
	}()
	w := &wireClient{base: "http://" + address, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	defer w.client.CloseIdleConnections()
	if err := w.ready(ctx); err != nil {
		return 0, 0, err
	}
	if ms, err = w.latency(ctx, r.beats); err != nil {
		return 0, 0, err
	}
	mb, err = w.memory(ctx, cmd.Process.Pid, r.streams)
	return ms, mb, err
}

type wireClient struct {
	base   string
	client *http.Client
}

func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// do makes a call that must give this status.
func (w *wireClient) do(ctx context.Context, method, path, token, body string, status int) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set(chat.TokenHeader, token)
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != status {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s %s gave %s", method, path, resp.Status)
	}
	return resp, nil
}

// ready waits until the server answers.
func (w *wireClient) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for token := newToken(); ; {
		resp, err := w.do(ctx, http.MethodGet, "/api/chat/poll", token, "", http.StatusOK)
		if err == nil {
			return resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// latency is the median time from before a post to its text on an open stream.
func (w *wireClient) latency(ctx context.Context, beats int) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	token := newToken()
	resp, err := w.do(ctx, http.MethodGet, "/api/chat/stream", token, "", http.StatusOK)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	lines := bufio.NewReaderSize(resp.Body, 1<<16)
	var times []float64
	for i := range beats {
		mark := fmt.Sprintf("beat %d of them", i)
		begin := time.Now()
		posted, err := w.do(ctx, http.MethodPost, "/api/chat/post", token, fmt.Sprintf(`{"text":%q}`, mark), http.StatusCreated)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, posted.Body)
		if err := errors.Join(err, posted.Body.Close()); err != nil {
			return 0, err
		}
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return 0, err
			}
			if strings.Contains(line, mark) {
				break
			}
		}
		times = append(times, float64(time.Since(begin).Nanoseconds())/1e6)
	}
	return median(times), nil
}

// memory is how much more the server's process holds with so many streams open.
func (w *wireClient) memory(ctx context.Context, pid, streams int) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	before, err := resident(pid)
	if err != nil {
		return 0, err
	}
	for range streams {
		resp, err := w.do(ctx, http.MethodGet, "/api/chat/stream", newToken(), "", http.StatusOK)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close() //nolint:gocritic // all of them stay open until the end
	}
	after, err := resident(pid)
	return after - before, err
}

// resident is a process's memory in MB of 10^6 bytes.
func resident(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("/proc/%d/status has no VmRSS", pid)
	}
	kb, err := strconv.ParseFloat(fields[0], 64)
	return kb * 1024 / 1e6, err
}
