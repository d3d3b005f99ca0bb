package mailbox

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-imap/v2"
)

// oddServer speaks just enough IMAP to go wrong in a way of the test's own. reply
// gives what it says to a command, without the tagged line; "" leaves it at that.
type oddServer struct {
	net.Listener
	caps  string
	dials atomic.Int64
	reply func(command string) string
}

func newOddServer(t *testing.T, caps string, reply func(command string) string) *oddServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &oddServer{Listener: ln, caps: caps, reply: reply}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.dials.Add(1)
			go s.serve(c)
		}
	}()
	return s
}

func (s *oddServer) serve(c net.Conn) {
	defer c.Close()
	fmt.Fprintf(c, "* OK [CAPABILITY %s] ready\r\n", s.caps)
	for lines := bufio.NewScanner(c); lines.Scan(); {
		tag, command, _ := strings.Cut(lines.Text(), " ")
		if out := s.reply(command); out != "" {
			if _, err := fmt.Fprint(c, out); err != nil {
				return
			}
		} else {
			switch verb, _, _ := strings.Cut(command, " "); verb {
			case "CAPABILITY":
				fmt.Fprintf(c, "* CAPABILITY %s\r\n", s.caps)
			case "EXAMINE":
				fmt.Fprint(c, "* FLAGS (\\Seen)\r\n* 3 EXISTS\r\n* OK [UIDVALIDITY 7] fine\r\n* OK [UIDNEXT 4] fine\r\n")
			case "UID":
				if strings.HasPrefix(command, "UID SEARCH") {
					fmt.Fprint(c, "* SEARCH 1 2 3\r\n")
				}
			}
		}
		fmt.Fprintf(c, "%s OK done\r\n", tag)
	}
}

func (s *oddServer) box() *Box {
	return New(Account{Server: s.Addr().String(), Security: Plain, Username: "sam", Password: "secret"}, "INBOX", options())
}

func fetched(uid int, structure string) string {
	const subject = "Subject: Letter\r\n\r\n"
	if structure != "" {
		structure = " BODYSTRUCTURE " + structure
	}
	return fmt.Sprintf("* %d FETCH (UID %d INTERNALDATE \"30-Nov-2026 12:00:0%d +0000\"%s BODY[HEADER.FIELDS (SUBJECT)]<0> {%d}\r\n%s)\r\n", uid, uid, uid, structure, len(subject), subject)
}

// TestAMessageThatCannotBeReadHidesNoOther has a structure that the library does not
// understand in the middle of good ones: it alone goes without.
func TestAMessageThatCannotBeReadHidesNoOther(t *testing.T) {
	const good = `("TEXT" "PLAIN" NIL NIL NIL "7BIT" 5 1 NIL NIL NIL NIL)`
	s := newOddServer(t, "IMAP4rev1", func(command string) string {
		if !strings.HasPrefix(command, "UID FETCH") {
			return ""
		}
		var out string
		for uid := 1; uid <= 3; uid++ {
			if !asksFor(command, uid) {
				continue
			}
			switch {
			case strings.Contains(command, "BODY.PEEK[1]"):
				out += fmt.Sprintf("* %d FETCH (UID %d BODY[1]<0> {5}\r\nhello)\r\n", uid, uid)
			case !strings.Contains(command, "BODYSTRUCTURE"):
				out += fetched(uid, "")
			case uid == 2:
				out += fetched(uid, `(((((`+"\x01")
			default:
				out += fetched(uid, good)
			}
		}
		return out
	})
	snap := refresh(t, s.box())
	if len(snap.Messages) != 3 || !snap.Complete {
		t.Fatalf("%d are known, complete %t", len(snap.Messages), snap.Complete)
	}
	for _, m := range snap.Messages {
		if want := map[bool]string{true: "", false: "hello"}[m.UID == 2]; m.Subject != "Letter" || m.Text != want {
			t.Errorf("message %d: %q, %q", m.UID, m.Subject, m.Text)
		}
	}
	if n := s.dials.Load(); n > 10 {
		t.Errorf("it took %d connections", n)
	}
}

// asksFor says whether a set such as "1:2,5" in a FETCH holds the number.
func asksFor(command string, uid int) bool {
	for part := range strings.SplitSeq(strings.Fields(command)[2], ",") {
		var from, to int
		if n, _ := fmt.Sscanf(part, "%d:%d", &from, &to); n == 1 {
			to = from
		}
		if uid >= from && uid <= to {
			return true
		}
	}
	return false
}

func TestAServerThatSendsMoreThanWasAskedIsLeft(t *testing.T) {
	for name, reply := range map[string]string{
		"one literal without end": "* 1 FETCH (UID 1 BODY[HEADER.FIELDS (SUBJECT)]<0> {2000000000}\r\n" + strings.Repeat("x", 8<<20),
		"words without end":       strings.Repeat("* OK and another thing\r\n", 1<<18),
	} {
		t.Run(name, func(t *testing.T) {
			s := newOddServer(t, "IMAP4rev1", func(command string) string {
				if strings.HasPrefix(command, "UID FETCH") {
					return reply
				}
				return ""
			})
			if err := s.box().Refresh(t.Context()); !errors.Is(err, ErrFlood) && !errors.Is(err, ErrOdd) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestNumbersThatNoMailboxHasCostNothing(t *testing.T) {
	all := imap.UIDSet{{Start: 1, Stop: 4_294_967_295}}
	list := newest(all, MaxMessages)
	if len(list) != MaxMessages || list[0] != 4_294_967_295 || size(all) != 4_294_967_295 {
		t.Errorf("%d listed, %d counted", len(list), size(all))
	}
	if list := newest(imap.UIDSet{{Start: 1, Stop: 2}, {Start: 7, Stop: 7}}, 10); fmt.Sprint(list) != "[7 2 1]" {
		t.Errorf("%v", list)
	}
}

// TestAServerThatFallsSilentIsGivenUp runs on a clock of the test's own.
func TestAServerThatFallsSilentIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		s := &session{conn: &conn{Conn: ours}}
		start := time.Now()
		err := s.within(commandTimeout, 100, func() error {
			_, err := s.conn.Read(make([]byte, 10))
			return err
		})
		if !errors.Is(err, ErrSilent) || time.Since(start) != commandTimeout {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestWaitingGrowsAndNoTwoWaitInStep(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 20 {
		for tries, most := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
			d := wait(tries, ErrUnreachable)
			if d < most/2 || d > most*3/2 {
				t.Errorf("after %d failures it waits %v", tries+1, d)
			}
			seen[d] = true
		}
		if d := wait(1000, ErrUnreachable); d < longestWait/2 || d > longestWait*3/2 {
			t.Errorf("in the end it waits %v", d)
		}
		if d := wait(0, fmt.Errorf("%w: x", ErrRefused)); d < refusedWait/2 {
			t.Errorf("after a refusal it waits %v", d)
		}
	}
	if len(seen) < 40 {
		t.Errorf("of 80 waits only %d differ", len(seen))
	}
}
