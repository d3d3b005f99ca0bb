// Command peers is what the Hub is measured with and against, one process each: a
// project that answers at once, a tuned reverse proxy before it, and a plain
// fan-out to three of them.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"github.com/askhub/askhub/ask"
)

const usage = `usage: peers project ADDRESS NAME DELAY
       peers proxy ADDRESS URL
       peers fanout ADDRESS URL URL URL`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("%s", usage)
	}
	kind, address, rest := args[0], args[1], args[2:]
	var h http.Handler
	var err error
	switch {
	case kind == "project" && len(rest) == 2:
		h, err = project(rest[0], rest[1])
	case kind == "proxy" && len(rest) == 1:
		h, err = proxy(rest[0])
	case kind == "fanout" && len(rest) == 3:
		h = fanout(rest)
	default:
		return fmt.Errorf("%s", usage)
	}
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return http.Serve(l, h)
}

// project keeps the contract with as little work as it can: it reads the question
// and answers with one fixed sentence, after the delay.
func project(name, delay string) (http.Handler, error) {
	wait, err := time.ParseDuration(delay)
	if err != nil {
		return nil, err
	}
	capabilities, err := json.Marshal(ask.Capabilities{Project: name, Topics: []string{name}, People: []ask.Person{"sam"}})
	if err != nil {
		return nil, err
	}
	answer, err := json.Marshal(ask.Say("The " + name + " has two boxes."))
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { write(w, []byte(`{"ok":true}`)) })
	mux.HandleFunc("GET /capabilities", func(w http.ResponseWriter, _ *http.Request) { write(w, capabilities) })
	mux.HandleFunc("POST /ask", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		if wait > 0 {
			time.Sleep(wait)
		}
		write(w, answer)
	})
	return mux, nil
}

// write sends a body of JSON; a caller that went away is no fault of ours.
func write(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// pool keeps as many idle connections as there can be calls at once, so that no
// call has to connect.
func pool() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
}

func proxy(to string) (http.Handler, error) {
	u, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u) },
		Transport: pool(),
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}, nil
}

// fanout is the plain way to ask three at once: an errgroup on one budget, where a
// part that fails costs only itself.
func fanout(urls []string) http.Handler {
	client := &http.Client{Transport: pool()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { write(w, []byte(`{"ok":true}`)) })
	mux.HandleFunc("POST /ask", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, ask.MaxBody))
		if err != nil {
			http.Error(w, "body", http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), ask.Budget)
		defer cancel()
		parts := make([]ask.Answer, len(urls))
		var g errgroup.Group
		for i, u := range urls {
			g.Go(func() error {
				var err error
				if parts[i], err = call(ctx, client, u+"/ask", r.Header.Get("Authorization"), body); err != nil {
					parts[i] = ask.NoAnswer("not answering")
				}
				return nil
			})
		}
		_ = g.Wait() // a part's failure is in its place
		reply, err := json.Marshal(map[string]any{"status": "answered", "parts": parts})
		if err != nil {
			http.Error(w, "reply", http.StatusInternalServerError)
			return
		}
		write(w, reply)
	})
	return mux
}

func call(ctx context.Context, client *http.Client, to, authorization string, body []byte) (ask.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return ask.Answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", authorization)
	resp, err := client.Do(req)
	if err != nil {
		return ask.Answer{}, err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, ask.MaxBody))
	if err != nil {
		return ask.Answer{}, err
	}
	var a ask.Answer
	return a, json.Unmarshal(reply, &a)
}
