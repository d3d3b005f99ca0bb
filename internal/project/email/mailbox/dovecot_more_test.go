package mailbox

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// counter passes a connection on and counts what the server sends and what it is asked.
type counter struct {
	net.Listener
	to       string
	received atomic.Int64
	asked    atomic.Pointer[string]
	dials    atomic.Int64
}

func newCounter(t *testing.T, to string) *counter {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{Listener: ln, to: to}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			c.dials.Add(1)
			go c.pass(in)
		}
	}()
	return c
}

func (c *counter) pass(in net.Conn) {
	out, err := net.Dial("tcp", c.to)
	if err != nil {
		in.Close()
		return
	}
	go func() {
		defer out.Close()
		buf := make([]byte, 32<<10)
		for {
			n, err := in.Read(buf)
			text := string(buf[:n])
			if old := c.asked.Load(); old != nil {
				text = *old + text
			}
			c.asked.Store(&text)
			if _, werr := out.Write(buf[:n]); err != nil || werr != nil {
				return
			}
		}
	}()
	defer in.Close()
	_, _ = io.Copy(in, countReader{out, &c.received})
}

type countReader struct {
	io.Reader
	n *atomic.Int64
}

func (r countReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n.Add(int64(n))
	return n, err
}

// TestALargeAttachmentIsNeverDownloaded counts what comes over the wire, and reads
// every command: nothing that writes is among them.
func TestALargeAttachmentIsNeverDownloaded(t *testing.T) {
	d := newDovecot(t, false)
	line := base64.StdEncoding.EncodeToString(make([]byte, 57)) + "\r\n"
	large := strings.Repeat(line, 50<<20/len(line)+1)
	d.deliver("sam", "", noon, "From: a@b.example\r\nSubject: Holiday film\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=xx\r\n\r\n"+
		"--xx\r\nContent-Type: text/plain\r\n\r\nHere it is.\r\n--xx\r\nContent-Type: video/mp4\r\nContent-Disposition: attachment; filename=\"film.mp4\"\r\nContent-Transfer-Encoding: base64\r\n\r\n"+large+"--xx--\r\n")
	d.deliver("sam", "", noon.Add(time.Minute), "From: a@b.example\r\nSubject: Long letter\r\n\r\n"+strings.Repeat("word word word\r\n", 1<<20))
	count := newCounter(t, d.plain)
	a := d.account("sam")
	a.Server = count.Addr().String()
	s := refresh(t, New(a, "INBOX", options()))
	film := bySubject(t, s, "Holiday film")
	if film.Text != "Here it is." || len(film.Attachments) != 1 || film.Attachments[0].Name != "film.mp4" || film.Attachments[0].Size < 50<<20 {
		t.Errorf("got %+v", film)
	}
	if letter := bySubject(t, s, "Long letter"); !strings.HasPrefix(letter.Text, "word word") || len(letter.Text) > 3000 {
		t.Errorf("the long letter's text is %d long", len(letter.Text))
	}
	if n := count.received.Load(); n > 32<<10 {
		t.Errorf("%d bytes came over the wire", n)
	}
	for line := range strings.Lines(*count.asked.Load()) {
		_, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		verb, rest, _ := strings.Cut(command, " ")
		if verb == "UID" {
			verb, rest, _ = strings.Cut(rest, " ")
		}
		switch verb {
		case "CAPABILITY", "AUTHENTICATE", "EXAMINE", "SEARCH", "LOGOUT", "":
		case "FETCH":
			if strings.Contains(strings.ReplaceAll(rest, "BODY.PEEK[", ""), "BODY[") {
				t.Errorf("it reads without peeking: %s", command)
			}
		default:
			t.Errorf("it sends %s", verb)
		}
	}
}

func TestWhatIsKnownIsNotFetchedAgain(t *testing.T) {
	d := newDovecot(t, false)
	for i := range 500 {
		d.deliver("sam", "S", noon.Add(time.Duration(i)*time.Minute), mail("a@b.example", fmt.Sprint("Number ", i), strings.Repeat("text ", 100)))
	}
	count := newCounter(t, d.plain)
	a := d.account("sam")
	a.Server = count.Addr().String()
	o := options()
	o.CacheFile = filepath.Join(t.TempDir(), "mail", "box.json")
	b := New(a, "INBOX", o)
	refresh(t, b)
	cold := count.received.Load()
	count.asked.Store(nil)
	refresh(t, b)
	if asked := *count.asked.Load(); strings.Contains(asked, "SEARCH") || strings.Contains(asked, "FETCH") {
		t.Errorf("with CONDSTORE an unchanged mailbox is asked for %s", asked)
	}
	warm := count.received.Load() - cold
	d.deliver("sam", "", noon.Add(24*time.Hour), mail("a@b.example", "The new one", "hello"))
	s := refresh(t, b)
	one := count.received.Load() - cold - warm
	if bySubject(t, s, "The new one"); s.Unread != 1 || s.Total != 501 {
		t.Errorf("unread %d of %d", s.Unread, s.Total)
	}
	if warm > 4096 || one > 8192 || cold < 100<<10 {
		t.Errorf("cold %d, warm %d, one new message %d bytes", cold, warm, one)
	}
	// A restart: what was kept is known before the server is asked, with its age.
	if info, err := os.Stat(o.CacheFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the kept mail: %v %v", info, err)
	}
	b = New(a, "INBOX", o)
	if s := b.Snapshot(); len(s.Messages) != 501 || s.Unread != 1 || !s.Complete || !s.Confirmed.Equal(noon) || !errors.Is(s.Err, ErrNotTried) {
		t.Errorf("after a restart: %d messages, %d unread, %v", len(s.Messages), s.Unread, s.Err)
	}
	before := count.received.Load()
	refresh(t, b)
	if n := count.received.Load() - before; n > 4096 {
		t.Errorf("after a restart %d bytes came", n)
	}
}

func TestRunFollowsTheMailbox(t *testing.T) {
	d := newDovecot(t, false)
	d.deliver("sam", "", noon, mail("a@b.example", "First", "one"))
	b := New(d.account("sam"), "INBOX", options())
	until := runs(t, b)
	until("the first message", func(s *Snapshot) bool { return s.Live && len(s.Messages) == 1 && s.Unread == 1 })
	d.deliver("sam", "", noon.Add(time.Minute), mail("a@b.example", "Second", "two"))
	until("a new message", func(s *Snapshot) bool { return len(s.Messages) == 2 && s.Unread == 2 })
	// Somebody reads one, answers it and deletes the other, in another program.
	for _, f := range d.files("sam") {
		cur := filepath.Join(d.maildir("sam"), "cur")
		base, _, _ := strings.Cut(f, ":")
		from := filepath.Join(cur, f)
		if _, err := os.Stat(from); err != nil {
			from = filepath.Join(d.maildir("sam"), "new", f)
		}
		if err := os.Rename(from, filepath.Join(cur, base+":2,RS")); err != nil {
			t.Fatal(err)
		}
	}
	until("what was read elsewhere", func(s *Snapshot) bool { return s.Unread == 0 && s.Messages[0].Answered })
	for _, f := range d.files("sam")[:1] {
		if err := os.Remove(filepath.Join(d.maildir("sam"), "cur", f)); err != nil {
			t.Fatal(err)
		}
	}
	until("what was deleted", func(s *Snapshot) bool { return s.Total == 1 && len(s.Messages) == 1 })
}

func TestAServerThatIsDownAndBack(t *testing.T) {
	d := newDovecot(t, false)
	d.deliver("sam", "", noon, mail("a@b.example", "First", "one"))
	b := New(d.account("sam"), "INBOX", options())
	until := runs(t, b)
	until("the mailbox", func(s *Snapshot) bool { return s.Live })
	d.stop()
	s := until("the server to be gone", func(s *Snapshot) bool { return s.Err != nil && !s.Live })
	if len(s.Messages) != 1 || s.Unread != 1 || !s.Confirmed.Equal(noon) || s.Why() != "cannot be reached" {
		t.Errorf("while it is down: %d messages, %d unread, as of %v, %q", len(s.Messages), s.Unread, s.Confirmed, s.Why())
	}
	d.deliver("sam", "", noon.Add(time.Minute), mail("a@b.example", "Second", "two"))
	d.again()
	until("the server to be back", func(s *Snapshot) bool { return s.Live && s.Err == nil && len(s.Messages) == 2 })
}

func TestAMailboxThatIsNumberedAnewIsReadAgain(t *testing.T) {
	d := newDovecot(t, false)
	d.deliver("sam", "", noon, mail("a@b.example", "Old", "one"))
	b := New(d.account("sam"), "INBOX", options())
	first := refresh(t, b)
	// The maildir is another one, with another UIDVALIDITY and the same numbers.
	if err := os.Rename(d.maildir("sam"), d.maildir("sam")+".old"); err != nil {
		t.Fatal(err)
	}
	d.deliver("sam", "", noon, mail("a@b.example", "Other", "two"))
	list := filepath.Join(d.maildir("sam"), "dovecot-uidlist")
	if err := os.WriteFile(list, []byte("3 V987654321 N1 G0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(list, d.uid, d.gid); err != nil {
		t.Fatal(err)
	}
	second := refresh(t, b)
	if second.Validity == first.Validity {
		t.Fatalf("the server did not number anew: %d", second.Validity)
	}
	if len(second.Messages) != 1 || second.Messages[0].Subject != "Other" || second.Messages[0].UID != first.Messages[0].UID {
		t.Errorf("got %+v after %+v", second.Messages[0], first.Messages[0])
	}
}

func TestAWrongPasswordIsTriedOnce(t *testing.T) {
	d := newDovecot(t, false)
	count := newCounter(t, d.plain)
	a := d.account("sam")
	a.Server, a.Password = count.Addr().String(), "guess"
	b := New(a, "INBOX", options())
	until := runs(t, b)
	s := until("the refusal", func(s *Snapshot) bool { return errors.Is(s.Err, ErrRefused) })
	if !strings.Contains(s.Why(), "refuses the user name or the password") || strings.Contains(fmt.Sprint(s.Err), "guess") {
		t.Errorf("why: %q, err: %v", s.Why(), s.Err)
	}
	for tries := range 5 {
		if w := wait(tries, s.Err); w < refusedWait/2 {
			t.Errorf("after %d refusals it waits %v", tries+1, w)
		}
	}
	if n := count.dials.Load(); n != 1 {
		t.Errorf("it dialled %d times", n)
	}
}

func TestTLS(t *testing.T) {
	d := newDovecot(t, true)
	d.deliver("sam", "", noon, mail("a@b.example", "Hello", "one"))
	pin := fmt.Sprintf("%x", sha256.Sum256(d.certPEM))
	var colons []string
	for i := 0; i < len(pin); i += 2 {
		colons = append(colons, strings.ToUpper(pin[i:i+2]))
	}
	for name, c := range map[string]struct {
		a    Account
		want error
	}{
		"TLS with a pin":                       {Account{Server: d.tls, Security: TLS, PinnedSHA256: pin}, nil},
		"TLS with a pin as openssl prints it":  {Account{Server: d.tls, PinnedSHA256: strings.Join(colons, ":")}, nil},
		"STARTTLS with a pin":                  {Account{Server: d.plain, Security: STARTTLS, PinnedSHA256: pin}, nil},
		"TLS with another pin":                 {Account{Server: d.tls, PinnedSHA256: strings.Repeat("ab", 32)}, ErrPin},
		"STARTTLS with another pin":            {Account{Server: d.plain, Security: STARTTLS, PinnedSHA256: strings.Repeat("ab", 32)}, ErrPin},
		"TLS with a certificate nobody signed": {Account{Server: d.tls}, ErrCertificate},
		"STARTTLS with such a certificate":     {Account{Server: d.plain, Security: STARTTLS}, ErrCertificate},
	} {
		t.Run(name, func(t *testing.T) {
			c.a.Username, c.a.Password = "sam", "secret"
			b := New(c.a, "INBOX", options())
			err := b.Refresh(t.Context())
			if !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if s := b.Snapshot(); c.want == nil && len(s.Messages) != 1 || c.want != nil && len(s.Messages) != 0 {
				t.Errorf("%d messages", len(s.Messages))
			}
		})
	}
	const login = "Login: user=<sam>"
	for limit := time.Now().Add(30 * time.Second); strings.Count(d.log(), login) < 3 && time.Now().Before(limit); {
		time.Sleep(20 * time.Millisecond) // the log is written beside the answers
	}
	if strings.Count(d.log(), login) != 3 {
		t.Errorf("the password went out to a server that is not trusted:\n%s", d.log())
	}
}

func TestSTARTTLSThatIsNotOffered(t *testing.T) {
	d := newDovecot(t, false)
	a := d.account("sam")
	a.Security = STARTTLS
	if err := New(a, "INBOX", options()).Refresh(t.Context()); !errors.Is(err, ErrNoSTARTTLS) {
		t.Errorf("got %v", err)
	}
	if strings.Contains(d.log(), "Login:") {
		t.Error("it logged in all the same")
	}
}

func TestAMailboxThatIsNotThere(t *testing.T) {
	d := newDovecot(t, false)
	d.deliver("sam", "", noon, mail("a@b.example", "Hello", "one"))
	if err := New(d.account("sam"), "Nothing", options()).Refresh(t.Context()); !errors.Is(err, ErrNoMailbox) {
		t.Errorf("got %v", err)
	}
}

func TestTwentyThousandMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 messages take some seconds")
	}
	d := newDovecot(t, false)
	const n = 20_000
	for i := range n {
		flags := "S"
		if i%4 == 0 {
			flags = ""
		}
		d.deliver("sam", flags, noon.Add(-time.Duration(n-i)*time.Minute), mail(fmt.Sprintf("Person %d <p%d@people.example>", i%300, i%300),
			fmt.Sprintf("Message %d about the trip", i), "Some words of it.", fmt.Sprintf("Message-ID: <%d@people.example>", i), fmt.Sprintf("References: <%d@people.example>", i-1)))
	}
	b := New(d.account("sam"), "INBOX", options())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	s := refresh(t, b)
	cold := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	start = time.Now()
	refresh(t, b)
	warm := time.Since(start)
	grown := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20
	t.Logf("cold %v, warm %v, %d MB", cold, warm, grown)
	if s.Total != n || s.Unread != n/4 || len(s.Messages) != n || !s.Complete {
		t.Errorf("total %d, unread %d, known %d, complete %t", s.Total, s.Unread, len(s.Messages), s.Complete)
	}
	if m := s.Messages[n-1]; m.Subject != "Message 0 about the trip" || m.Text != "" {
		t.Errorf("the oldest is %+v", m)
	}
	if m := s.Messages[0]; m.Text != "Some words of it." {
		t.Errorf("the newest is %+v", m)
	}
	if grown > 64 {
		t.Errorf("it takes %d MB", grown)
	}
}
