package paperclip

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
)

// call sends one request with the key and reads the reply into out. What a reply holds
// beyond out is ignored, since Paperclip grows.
func (c *Client) call(ctx context.Context, method, path string, in, out any) *Fault {
	ctx, cancel := context.WithTimeout(ctx, oneRequest)
	defer cancel()
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return &Fault{Kind: Refused, Err: err}
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.cfg.URL+"/api"+path, body)
	if err != nil {
		return &Fault{Kind: Down, Err: err}
	}
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key := c.cfg.Key(); key != "" {
		req.Header.Set("Authorization", "Bearer "+string(key))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return unanswered(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return &Fault{Kind: Slow, Status: resp.StatusCode, Lost: resp.StatusCode < 300 || resp.StatusCode >= 500, Err: err}
	case len(raw) > maxBody:
		return &Fault{Kind: Nonsense, Status: resp.StatusCode, Lost: true}
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated:
		return refused(resp, raw)
	case !isJSON(resp) || json.Unmarshal(raw, out) != nil:
		return &Fault{Kind: Nonsense, Status: resp.StatusCode, Lost: true}
	}
	return nil
}

// unanswered is the fault of a request that brought no reply. Where no connection came
// about, nothing was sent.
func unanswered(err error) *Fault {
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	if errors.As(err, &op) && op.Op == "dial" || errors.As(err, &certificate) || errors.As(err, &plain) {
		return &Fault{Kind: Down, Err: err}
	}
	return &Fault{Kind: Slow, Lost: true, Err: err}
}

// refused is the fault of a reply that is no success.
func refused(resp *http.Response, raw []byte) *Fault {
	f := &Fault{Status: resp.StatusCode, Kind: Refused}
	var reason struct {
		Error string `json:"error"`
	}
	f.said = isJSON(resp) && json.Unmarshal(raw, &reason) == nil && reason.Error != ""
	f.Detail = word(reason.Error)
	switch code := resp.StatusCode; {
	case code >= 500:
		f.Kind, f.Lost = Broken, true
	case code >= 300 && code < 400:
		f.Kind = Moved
	case code < 300: // a success that Paperclip does not give here
		f.Kind, f.Lost = Nonsense, true
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		f.Kind = Busy
	case !f.said:
		f.Kind = Nonsense // another server stands at this address
	case code == http.StatusUnauthorized:
		f.Kind = BadKey
	case code == http.StatusForbidden:
		f.Kind = Boundary
	}
	return f
}

func isJSON(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// word is a text of Paperclip's, short and without anything that a log or a terminal
// would obey.
func word(s string) string {
	const most = 200
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return s
}
