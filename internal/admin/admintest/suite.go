// Package admintest checks whether a store keeps what the admin app demands of it.
package admintest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askhub/askhub/internal/admin"
)

// start is the time at which every case begins.
var start = time.Date(2026, 11, 30, 20, 0, 0, 123000, time.UTC)

// suite is one case's store, and what is wrong with it.
type suite struct {
	*testing.T
	admin.Store
	ctx context.Context
}

// Run checks what admin.Store demands. open gives an empty store.
func Run(t *testing.T, open func(t *testing.T) admin.Store) {
	for name, check := range map[string]func(*suite){
		"an enrolled passkey comes back whole":              (*suite).whole,
		"a code is spent once":                              (*suite).spentOnce,
		"a code ends with its time":                         (*suite).expires,
		"a code has so many tries":                          (*suite).tries,
		"a person has one code":                             (*suite).oneCode,
		"a code is one person's":                            (*suite).onePersons,
		"a passkey is enrolled once":                        (*suite).enrolledOnce,
		"a counter only rises":                              (*suite).counter,
		"a session comes back whole and ends":               (*suite).session,
		"a revoked passkey takes its sessions along":        (*suite).revoke,
		"replacing takes all of that person's, and no more": (*suite).replace,
		"old sessions go":                                   (*suite).oldSessions,
		"deeds come newest first, and old ones may go":      (*suite).deeds,
		"of many at once one enrols":                        (*suite).race,
		"text of every kind comes back":                     (*suite).oddText,
	} {
		t.Run(name, func(t *testing.T) { check(&suite{t, open(t), t.Context()}) })
	}
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) is(err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Fatalf("the error is %v, want %v", err, want)
	}
}

// code keeps a code of that id for the person.
func (s *suite) code(id, person string) admin.Code {
	s.Helper()
	c := admin.Code{ID: id, Digest: strings.Repeat("ab", 32), Person: person, Expires: start.Add(10 * time.Minute), Tries: 3}
	_, err := s.NewCode(s.ctx, c, false)
	s.must(err)
	return c
}

func key(id, person string) admin.Passkey {
	return admin.Passkey{
		ID: []byte(id), Person: person, Handle: []byte("handle of " + person), Host: "askhub.home", Label: "Chromium on Linux",
		PublicKey: []byte{1, 0, 255}, Flags: 0x5d, AAGUID: bytes.Repeat([]byte{7}, 16), Transports: []string{"internal", "hybrid"}, Created: start,
	}
}

// enrol keeps a passkey.
func (s *suite) enrol(id, person string) admin.Passkey {
	s.Helper()
	p := key(id, person)
	s.code("code "+id, person)
	s.must(s.Enrol(s.ctx, "code "+id, p))
	return p
}

func (s *suite) begin(digest string, p *admin.Passkey, at time.Time) admin.Session {
	s.Helper()
	one := admin.Session{Digest: digest, Passkey: p.Name(), Person: p.Person, Label: "Chromium on Linux", Created: at, Seen: at}
	s.must(s.Begin(s.ctx, one))
	return one
}

func (s *suite) same(got, want any) {
	s.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		s.Error(d)
	}
}

func (s *suite) whole() {
	p := s.enrol("one", "sam")
	bare := admin.Passkey{ID: []byte("two"), Person: "tom", Handle: []byte("t"), PublicKey: []byte{2}, AAGUID: []byte{}, Created: start.Add(time.Second)}
	s.code("two", "tom")
	s.must(s.Enrol(s.ctx, "two", bare))
	got, err := s.Passkeys(s.ctx)
	s.must(err)
	s.same(got, []admin.Passkey{p, bare})
}

func (s *suite) spentOnce() {
	s.enrol("one", "sam")
	s.is(s.Enrol(s.ctx, "code one", key("two", "sam")), admin.ErrCode)
	s.is(s.Enrol(s.ctx, "no such", key("two", "sam")), admin.ErrCode)
	_, err := s.Try(s.ctx, "code one", start)
	s.is(err, admin.ErrCode)
}

func (s *suite) expires() {
	c := s.code("late", "sam")
	_, err := s.Try(s.ctx, "late", c.Expires)
	s.is(err, admin.ErrCode)
	p := key("one", "sam")
	p.Created = c.Expires
	s.is(s.Enrol(s.ctx, "late", p), admin.ErrCode)
}

func (s *suite) tries() {
	c := s.code("c", "sam")
	for left := c.Tries - 1; left >= 0; left-- {
		got, err := s.Try(s.ctx, "c", start)
		s.must(err)
		want := c
		want.Tries = left
		s.same(got, want)
	}
	_, err := s.Try(s.ctx, "c", start)
	s.is(err, admin.ErrCode)
	_, err = s.Try(s.ctx, "other", start)
	s.is(err, admin.ErrCode)
}

func (s *suite) oneCode() {
	s.code("first", "sam")
	s.code("second", "sam")
	s.code("third", "tom")
	_, err := s.Try(s.ctx, "first", start)
	s.is(err, admin.ErrCode)
	for _, id := range []string{"second", "third"} {
		_, err = s.Try(s.ctx, id, start)
		s.must(err)
	}
}

func (s *suite) onePersons() {
	s.code("sams", "sam")
	s.is(s.Enrol(s.ctx, "sams", key("one", "tom")), admin.ErrCode)
	s.must(s.Enrol(s.ctx, "sams", key("one", "sam")))
}

func (s *suite) enrolledOnce() {
	s.enrol("one", "sam")
	s.code("again", "tom")
	s.is(s.Enrol(s.ctx, "again", key("one", "tom")), admin.ErrTaken)
	// Both or neither: the code was not spent.
	s.must(s.Enrol(s.ctx, "again", key("two", "tom")))
}

func (s *suite) counter() {
	p := s.enrol("one", "sam")
	at := start.Add(time.Minute)
	s.must(s.Used(s.ctx, p.Name(), 0, at))
	s.must(s.Used(s.ctx, p.Name(), 0, at))
	s.must(s.Used(s.ctx, p.Name(), 5, at))
	for _, count := range []uint32{5, 4, 0} {
		s.is(s.Used(s.ctx, p.Name(), count, at), admin.ErrCounter)
	}
	s.must(s.Used(s.ctx, p.Name(), 1<<32-1, at.Add(time.Second)))
	got, err := s.Passkeys(s.ctx)
	s.must(err)
	p.Count, p.Used = 1<<32-1, at.Add(time.Second)
	s.same(got, []admin.Passkey{p})
	s.is(s.Used(s.ctx, "no such", 9, at), admin.ErrUnknown)
}

func (s *suite) session() {
	p := s.enrol("one", "sam")
	first := s.begin(strings.Repeat("a", 64), &p, start)
	second := s.begin(strings.Repeat("b", 64), &p, start.Add(time.Second))
	s.must(s.Touch(s.ctx, first.Digest, start.Add(time.Minute)))
	s.must(s.Touch(s.ctx, "no such", start))
	first.Seen = start.Add(time.Minute)
	got, err := s.Session(s.ctx, first.Digest)
	s.must(err)
	s.same(got, first)
	all, err := s.Sessions(s.ctx)
	s.must(err)
	s.same(all, []admin.Session{second, first})
	s.must(s.End(s.ctx, first.Digest))
	s.is(s.End(s.ctx, first.Digest), admin.ErrUnknown)
	_, err = s.Session(s.ctx, first.Digest)
	s.is(err, admin.ErrUnknown)
	s.is(s.Begin(s.ctx, admin.Session{Digest: "d", Passkey: "no such", Created: start, Seen: start}), admin.ErrUnknown)
}

func (s *suite) revoke() {
	lost, kept := s.enrol("one", "sam"), s.enrol("two", "sam")
	s.begin("a", &lost, start)
	s.begin("b", &kept, start)
	s.must(s.Revoke(s.ctx, lost.Name()))
	s.is(s.Revoke(s.ctx, lost.Name()), admin.ErrUnknown)
	_, err := s.Session(s.ctx, "a")
	s.is(err, admin.ErrUnknown)
	_, err = s.Session(s.ctx, "b")
	s.must(err)
	s.is(s.Used(s.ctx, lost.Name(), 1, start), admin.ErrUnknown)
	s.is(s.Begin(s.ctx, admin.Session{Digest: "c", Passkey: lost.Name(), Created: start, Seen: start}), admin.ErrUnknown)
}

func (s *suite) replace() {
	one, two, toms := s.enrol("one", "sam"), s.enrol("two", "sam"), s.enrol("three", "tom")
	s.begin("a", &one, start)
	s.begin("b", &two, start)
	s.begin("c", &toms, start)
	n, err := s.NewCode(s.ctx, admin.Code{ID: "new", Digest: "d", Person: "sam", Expires: start.Add(time.Minute), Tries: 1}, true)
	s.must(err)
	if n != 2 {
		s.Errorf("%d passkeys were replaced, not 2", n)
	}
	keys, err := s.Passkeys(s.ctx)
	s.must(err)
	s.same(keys, []admin.Passkey{toms})
	sessions, err := s.Sessions(s.ctx)
	s.must(err)
	if len(sessions) != 1 || sessions[0].Digest != "c" {
		s.Errorf("the sessions are %v", sessions)
	}
}

func (s *suite) oldSessions() {
	p := s.enrol("one", "sam")
	s.begin("a", &p, start)
	s.begin("b", &p, start.Add(time.Hour))
	s.begin("c", &p, start.Add(admin.SessionWhole))
	_, err := s.Session(s.ctx, "a")
	s.is(err, admin.ErrUnknown)
	_, err = s.Session(s.ctx, "b")
	s.must(err)
}

func (s *suite) deeds() {
	var want []admin.Deed
	for i := range 5 {
		d := admin.Deed{At: start, Person: "sam", Did: admin.DidYes, About: fmt.Sprint("number ", i), Owner: "hub", Approval: "ab"}
		s.must(s.Note(s.ctx, d))
		want = append([]admin.Deed{d}, want...)
	}
	got, err := s.Deeds(s.ctx, 100)
	s.must(err)
	s.same(got, want)
	got, err = s.Deeds(s.ctx, 2)
	s.must(err)
	s.same(got, want[:2])
}

func (s *suite) race() {
	s.code("c", "sam")
	var mu sync.Mutex
	var all sync.WaitGroup
	enrolled := 0
	for i := range 16 {
		all.Go(func() {
			err := s.Enrol(s.ctx, "c", key(fmt.Sprint("key ", i), "sam"))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				enrolled++
			case !errors.Is(err, admin.ErrCode):
				s.Error(err)
			}
		})
	}
	all.Wait()
	if enrolled != 1 {
		s.Errorf("%d enrolled with one code", enrolled)
	}
}

func (s *suite) oddText() {
	d := admin.Deed{At: start, Person: "zoë", Did: admin.DidNo, About: "\u202etxt.exe 🙂 'quoted' \"twice\" % ; --", Owner: "internet_control", Approval: "0"}
	s.must(s.Note(s.ctx, d))
	got, err := s.Deeds(s.ctx, 1)
	s.must(err)
	s.same(got, []admin.Deed{d})
	// What no engine takes is replaced, and nothing fails.
	s.must(s.Note(s.ctx, admin.Deed{At: start, About: "a\x00b\xffc"}))
}
