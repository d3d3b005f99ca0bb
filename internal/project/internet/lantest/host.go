//go:build linux

package lantest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// roleVar says what a copy of the test's program is, in another namespace.
const roleVar = "ASKHUB_TEST_HOST"

// patience is how long a host waits for a packet.
const patience = 700 * time.Millisecond

// Main has to be the first thing of a package's TestMain: the test's own program is what
// runs in the namespaces, and there this does not return.
func Main() {
	role := os.Getenv(roleVar)
	if role == "" {
		return
	}
	err := map[string]func() error{"site": site, "fetch": fetch, "look": look, "call": call, "send": send}[role]()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// page is what the site says.
const page = "the site"

// site answers over IPv4 and IPv6 until its standard input ends.
func site() error {
	server := &http.Server{Addr: ":80", ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, page)
	})}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return <-failed
}

// last is the last word of the command line.
func last() string { return os.Args[len(os.Args)-1] }

// fetch gets the page at an address.
func fetch() error {
	client := http.Client{Timeout: patience}
	resp, err := client.Get(last())
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && string(body) != page {
		err = fmt.Errorf("it is another page: %q", body)
	}
	return err
}

// look asks a server for a name: "NAME SERVER".
func look() error {
	name, server, _ := strings.Cut(last(), " ")
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: patience}).DialContext(ctx, "udp", net.JoinHostPort(server, "53"))
	}}
	_, err := r.LookupHost(context.Background(), name+".")
	return err
}

// send throws so many bytes at the site: "BYTES".
func send() error {
	left, err := strconv.Atoi(last())
	if err != nil {
		return err
	}
	conn, err := net.Dial("udp", "10.77.9.20:9")
	if err != nil {
		return err
	}
	defer conn.Close()
	for packet := make([]byte, 1000); left > 0; left -= len(packet) {
		_, _ = conn.Write(packet) // nobody listens there, which is said and does not matter
	}
	return nil
}

// request is what call reads on its standard input, and reply what it prints.
type request struct{ Method, URL, Token, Body string }

type reply struct {
	Status int
	Body   string
}

// call makes one HTTP call.
func call() error {
	var in request
	if err := json.UnmarshalRead(os.Stdin, &in); err != nil {
		return err
	}
	req, err := http.NewRequest(in.Method, in.URL, strings.NewReader(in.Body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+in.Token)
	if in.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	client := http.Client{Timeout: 30 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return json.MarshalWrite(os.Stdout, reply{resp.StatusCode, string(body)})
}
