// Package wire is what all providers over HTTP have in common: a client that follows no
// redirect with the key and reads no endless reply, and what a status or an error means.
package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/askhub/askhub/internal/llm"
)

// maxBody is the most of a server's answer that is read, in bytes: a reply, quoted once
// more, with what a provider says beside it.
const maxBody = 4 * llm.MaxReply

// errFlood is the error of reading on after maxBody.
var errFlood = errors.New("the answer has no end")

// Client is an HTTP client for the servers of models. Close its idle connections when
// it is no longer needed.
func Client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 4
	t.IdleConnTimeout = time.Minute
	t.MaxResponseHeaderBytes = 64 << 10
	return &http.Client{
		Transport: bounded{t},
		// The key would go along, and the question too, to whoever the server names.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded is a transport whose answers end. An answer that is not 200 is its fault
// alone: no library sees what else the server said, which can repeat the key.
type bounded struct{ *http.Transport }

// RoundTrip sends the request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := Status(resp.StatusCode); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	resp.Body = &body{resp.Body, maxBody}
	return resp, nil
}

type body struct {
	io.ReadCloser
	left int
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errFlood
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// Status is the fault of an answer with that HTTP status, nil for 200.
func Status(code int) error {
	switch {
	case code == http.StatusOK:
		return nil
	case code >= 300 && code < 400:
		return &llm.Fault{Kind: llm.Moved, Status: code}
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return &llm.Fault{Kind: llm.Key, Status: code}
	case code == http.StatusNotFound:
		return &llm.Fault{Kind: llm.Unknown, Status: code}
	case code == http.StatusTooManyRequests:
		return &llm.Fault{Kind: llm.Rate, Status: code}
	case code == http.StatusServiceUnavailable, code == 529: // Anthropic's word for overloaded
		return &llm.Fault{Kind: llm.Loading, Status: code}
	case code >= 400 && code < 500:
		return &llm.Fault{Kind: llm.Refused, Status: code}
	}
	return &llm.Fault{Kind: llm.Broken, Status: code}
}

// Fault is what an error of the client's comes to. The error itself is not kept: it can
// hold the address, and what the server said.
func Fault(ctx context.Context, err error) error {
	var fault *llm.Fault
	var op *net.OpError
	var name *net.DNSError
	var tlsErr *tls.CertificateVerificationError
	switch {
	case errors.As(err, &fault):
		return fault
	case ctx.Err() != nil:
		return llm.Ended(ctx)
	case errors.Is(err, errFlood):
		return &llm.Fault{Kind: llm.Flood}
	case errors.As(err, &op), errors.As(err, &name), errors.As(err, &tlsErr):
		return &llm.Fault{Kind: llm.Down}
	}
	return &llm.Fault{Kind: llm.Broken}
}
