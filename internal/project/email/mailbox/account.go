// Package mailbox keeps what a household asks of a mailbox in memory: who wrote,
// when, about what, what is unread, and the first words of what is recent. It reads
// over IMAP and never writes: it opens with EXAMINE and peeks, so unread stays unread.
package mailbox

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-message/charset"
	"github.com/emersion/go-sasl"
)

// Security is how the connection to a server is protected.
type Security string

// The ways. Plain is allowed to this machine alone.
const (
	TLS      Security = "tls"
	STARTTLS Security = "starttls"
	Plain    Security = "plain"
)

// Account is one account on a mail server.
type Account struct {
	// Server is a host, or a host and a port.
	Server string
	// Security is TLS where it is empty.
	Security Security
	// PinnedSHA256 is the SHA-256 of the server's certificate in hex, colons allowed.
	// With it that certificate alone is trusted, whoever signed it.
	PinnedSHA256       string
	Username, Password string
}

// FieldError says what is wrong with one field of an account, with the mend.
type FieldError struct{ Field, Mend string }

func (e *FieldError) Error() string { return e.Field + " " + e.Mend }

// Check says what is wrong with the account: a *FieldError, or nil.
func (a Account) Check() error {
	host, _, err := a.address()
	switch {
	case err != nil:
		return err
	case a.Security != "" && a.Security != TLS && a.Security != STARTTLS && a.Security != Plain:
		return &FieldError{"security", `must be "tls", "starttls" or "plain"`}
	case a.Security == Plain && !isLoopback(host):
		return &FieldError{"security", `may be "plain" for this machine alone (127.0.0.1, ::1 or localhost): use "tls" or "starttls"`}
	case a.Username == "":
		return &FieldError{"username", "is missing: give the name that the mail server knows"}
	case strings.ContainsAny(a.Username, "\x00\r\n"):
		return &FieldError{"username", "holds a control character: take it out"}
	case a.Password == "":
		return &FieldError{"password", "is missing: give the password, or an app password where the provider asks for one"}
	case strings.ContainsAny(a.Password, "\x00\r\n"):
		return &FieldError{"password", "holds a control character: take it out"}
	}
	if a.PinnedSHA256 != "" {
		if a.Security == Plain {
			return &FieldError{"pinned_sha256", `is for "tls" and "starttls": a plain connection has no certificate`}
		}
		if _, err := a.pin(); err != nil {
			return err
		}
	}
	return nil
}

func (a Account) pin() ([]byte, error) {
	sum, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(a.PinnedSHA256), ":", ""))
	if err != nil || len(sum) != sha256.Size {
		return nil, &FieldError{"pinned_sha256", "must be the SHA-256 of the certificate, 64 hex digits, as openssl x509 -noout -fingerprint -sha256 prints it after the equals sign"}
	}
	return sum, nil
}

func (a Account) address() (host, address string, err error) {
	if a.Server == "" {
		return "", "", &FieldError{"server", "is missing: give the mail server's name, such as imap.example.org"}
	}
	host, port, err := net.SplitHostPort(a.Server)
	if err != nil {
		host, port = strings.Trim(a.Server, "[]"), "993"
		if a.Security == STARTTLS || a.Security == Plain {
			port = "143"
		}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || host == "" || strings.ContainsAny(host, "/@ \t") || strings.Count(host, ":") == 1 {
		return "", "", &FieldError{"server", "must be a host, or a host and a port, such as imap.example.org:993"}
	}
	return host, net.JoinHostPort(host, port), nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// What can go wrong with a server; each reads on after "the mail server".
var (
	ErrNotTried    = errors.New("has not been asked yet")
	ErrUnreachable = errors.New("cannot be reached")
	ErrRefused     = errors.New("refuses the user name or the password: mend username and password, with an app password where the provider asks for one")
	ErrCertificate = errors.New("shows a certificate that is not trusted: mend the certificate, or give pinned_sha256 for a server of your own")
	ErrPin         = errors.New("shows another certificate than the pinned one: if it was renewed, give its pinned_sha256")
	ErrNoSTARTTLS  = errors.New(`does not offer STARTTLS: use security = "tls"`)
	ErrNoMailbox   = errors.New("has no such mailbox: mend mailboxes")
	ErrSilent      = errors.New("does not answer in time")
	ErrFlood       = errors.New("sends more than was asked for")
	ErrOdd         = errors.New("sends what cannot be understood")
)

const (
	dialTimeout    = 20 * time.Second
	commandTimeout = 60 * time.Second
)

// conn bounds how much the server may send until the next grant.
type conn struct {
	net.Conn
	left atomic.Int64
	over atomic.Bool
}

func (c *conn) Read(p []byte) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		c.over.Store(true)
		return 0, ErrFlood
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	n, err := c.Conn.Read(p)
	c.left.Add(-int64(n))
	return n, err
}

// session is one connection that is logged in.
type session struct {
	client  *imapclient.Client
	conn    *conn
	changed chan struct{} // something happened in the mailbox
	silent  atomic.Bool
	caps    imap.CapSet
}

// open dials and logs in. The connection closes when ctx ends.
func (a Account) open(ctx context.Context) (*session, func(), error) {
	host, address, err := a.address()
	if err != nil {
		return nil, nil, err
	}
	dialer := net.Dialer{Timeout: dialTimeout, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 15 * time.Second, Count: 3}}
	raw, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if peer, ok := raw.RemoteAddr().(*net.TCPAddr); a.Security == Plain && (!ok || !peer.IP.IsLoopback()) {
		raw.Close()
		return nil, nil, &FieldError{"security", `may be "plain" for this machine alone`}
	}
	s := &session{conn: &conn{Conn: raw}, changed: make(chan struct{}, 1)}
	s.conn.left.Store(1 << 20)
	stop := context.AfterFunc(ctx, func() { raw.Close() })
	closeAll := func() {
		stop()
		if s.client != nil {
			s.client.Close()
		}
		raw.Close()
	}
	err = s.within(commandTimeout, 1<<20, func() error { return s.start(ctx, a, host) })
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	return s, closeAll, nil
}

func (s *session) start(ctx context.Context, a Account, host string) error {
	options := &imapclient.Options{
		WordDecoder: &mime.WordDecoder{CharsetReader: charset.Reader},
		UnilateralDataHandler: &imapclient.UnilateralDataHandler{
			Expunge: func(uint32) { s.signal() },
			Mailbox: func(*imapclient.UnilateralDataMailbox) { s.signal() },
			Fetch: func(m *imapclient.FetchMessageData) {
				s.signal()
				for m.Next() != nil { // read on past it
				}
			},
		},
	}
	config, err := a.tls(host)
	if err != nil {
		return err
	}
	switch a.Security {
	case Plain:
		s.client = imapclient.New(s.conn, options)
	case STARTTLS:
		options.TLSConfig = config
		if s.client, err = imapclient.NewStartTLS(s.conn, options); err != nil {
			var no *imap.Error
			if errors.As(err, &no) {
				return ErrNoSTARTTLS
			}
			return tlsError(err)
		}
	default:
		secured := tls.Client(s.conn, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			return tlsError(err)
		}
		s.client = imapclient.New(secured, options)
	}
	if err := s.client.WaitGreeting(); err != nil {
		return err
	}
	if s.client.State() == imap.ConnStateNotAuthenticated {
		if err := s.login(a); err != nil {
			return err
		}
	}
	s.caps = s.client.Caps()
	return nil
}

func (s *session) login(a Account) error {
	caps := s.client.Caps()
	var err error
	switch {
	case caps.Has(imap.AuthCap("PLAIN")):
		err = s.client.Authenticate(sasl.NewPlainClient("", a.Username, a.Password))
	case caps.Has(imap.CapLoginDisabled):
		return fmt.Errorf("%w: it takes no password over this connection", ErrRefused)
	default:
		err = s.client.Login(a.Username, a.Password).Wait()
	}
	var no *imap.Error
	if errors.As(err, &no) {
		if no.Code == imap.ResponseCodeUnavailable || no.Code == imap.ResponseCodeInUse || no.Code == imap.ResponseCodeServerBug {
			return fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		return fmt.Errorf("%w (%w)", ErrRefused, err)
	}
	return err
}

func (a Account) tls(host string) (*tls.Config, error) {
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, NextProtos: []string{"imap"}}
	if a.PinnedSHA256 == "" {
		return config, nil
	}
	want, err := a.pin()
	if err != nil {
		return nil, err
	}
	config.InsecureSkipVerify = true // the pin takes the place of the chain
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return ErrPin
		}
		if got := sha256.Sum256(state.PeerCertificates[0].Raw); string(got[:]) != string(want) {
			return ErrPin
		}
		return nil
	}
	return config, nil
}

func tlsError(err error) error {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrPin):
		return ErrPin
	case errors.As(err, &untrusted):
		return fmt.Errorf("%w (%w)", ErrCertificate, err)
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

// signal notes that something happened; it never waits.
func (s *session) signal() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// within runs one exchange with the server. It may take that long and receive that
// many bytes; past either the connection is closed.
func (s *session) within(d time.Duration, most int64, exchange func() error) error {
	s.conn.left.Store(most)
	watch := time.AfterFunc(d, func() {
		s.silent.Store(true)
		s.conn.Close()
	})
	defer watch.Stop()
	err := exchange()
	switch {
	case err == nil:
		return nil
	case s.conn.over.Load():
		return ErrFlood
	case s.silent.Load():
		return ErrSilent
	}
	return err
}
