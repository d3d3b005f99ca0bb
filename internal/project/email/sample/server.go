// Package sample is a mail server with a sample household's mail, to try askhub
// with: a real IMAP server on this machine, in this process, with made-up letters.
package sample

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// SentMailbox is the mailbox of what the people of the sample sent.
const SentMailbox = "Sent"

// Person is a person of the sample household with a mail account.
type Person struct {
	// Name is as in people.toml; Username and Password are for the server.
	Name, Username, Password string
}

// Server is a running mail server.
type Server struct {
	ln     net.Listener
	server *imapserver.Server
	done   chan error
	users  map[string]*imapmemserver.User
	people []Person

	stop    sync.Once
	stopErr error
}

// Start serves the sample's mail, dated around now, on a free port of this machine.
// Its passwords are new with each start.
func Start(now time.Time, zone *time.Location) (*Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the sample mail server cannot listen: %w", err)
	}
	memory := imapmemserver.New()
	s := &Server{ln: ln, done: make(chan error, 1), users: map[string]*imapmemserver.User{}}
	for _, name := range []string{"sam", "tom"} {
		p := Person{Name: name, Username: name + "@home.example", Password: rand.Text()}
		user := imapmemserver.NewUser(p.Username, p.Password)
		if err := errors.Join(user.Create("INBOX", nil), user.Create(SentMailbox, nil)); err != nil {
			return nil, errors.Join(err, ln.Close())
		}
		memory.AddUser(user)
		s.users[name] = user
		s.people = append(s.people, p)
	}
	for _, m := range letters(now.In(zone)) {
		if err := s.deliver(m); err != nil {
			return nil, errors.Join(err, ln.Close())
		}
	}
	s.server = imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return memory.NewSession(), nil, nil
		},
		InsecureAuth: true, // it is this machine alone
		Logger:       slog.NewLogLogger(slog.DiscardHandler, 0),
	})
	go func() { s.done <- s.server.Serve(ln) }()
	return s, nil
}

// Address is the host and the port that it listens on.
func (s *Server) Address() string { return s.ln.Addr().String() }

// People are those with an account.
func (s *Server) People() []Person { return append([]Person(nil), s.people...) }

// Deliver puts one more message into a person's INBOX, unread.
func (s *Server) Deliver(person, from, subject, text string, at time.Time) error {
	return s.deliver(letter{to: person, from: from, subject: subject, text: text, at: at})
}

// Close stops it and ends its connections; a second time does nothing.
func (s *Server) Close() error {
	s.stop.Do(func() { s.stopErr = errors.Join(s.server.Close(), <-s.done) })
	return s.stopErr
}

// letter is one message of the sample.
type letter struct {
	to, from, subject, text string
	at                      time.Time
	read, answered, sent    bool
	id, answers             string
	list                    bool
	file, fileType          string
}

func (s *Server) deliver(l letter) error {
	user := s.users[l.to]
	if user == nil {
		return fmt.Errorf("the sample has no account of %q", l.to)
	}
	box := "INBOX"
	var flags []imap.Flag
	if l.sent {
		box = SentMailbox
	}
	if l.read || l.sent {
		flags = append(flags, imap.FlagSeen)
	}
	if l.answered {
		flags = append(flags, imap.FlagAnswered)
	}
	_, err := user.Append(box, literal{strings.NewReader(l.raw())}, &imap.AppendOptions{Flags: flags, Time: l.at})
	return err
}

type literal struct{ *strings.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

// raw is the message as it travels.
func (l letter) raw() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	to := l.to + "@home.example"
	if l.sent {
		to = l.from
		line("From: %s <%s@home.example>", strings.ToUpper(l.to[:1])+l.to[1:], l.to)
	} else {
		line("From: %s", l.from)
	}
	line("To: %s", to)
	line("Subject: %s", l.subject)
	line("Date: %s", l.at.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	if l.id != "" {
		line("Message-ID: <%s@sample.example>", l.id)
	}
	if l.answers != "" {
		line("In-Reply-To: <%s@sample.example>", l.answers)
	}
	if l.list {
		line("List-Unsubscribe: <mailto:leave@lists.example>")
	}
	line("MIME-Version: 1.0")
	if l.file == "" {
		line("Content-Type: text/plain; charset=utf-8")
		line("")
		line("%s", l.text)
		return b.String()
	}
	line("Content-Type: multipart/mixed; boundary=sample")
	line("")
	line("--sample")
	line("Content-Type: text/plain; charset=utf-8")
	line("")
	line("%s", l.text)
	line("--sample")
	line("Content-Type: %s", l.fileType)
	line("Content-Disposition: attachment; filename=\"%s\"", l.file)
	line("Content-Transfer-Encoding: base64")
	line("")
	line("c2FtcGxl")
	line("--sample--")
	return b.String()
}
