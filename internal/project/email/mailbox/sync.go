package mailbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/askhub/askhub/internal/project/email/message"
)

// known is what the synchronisation has read.
type known struct {
	validity      uint32
	modSeq        uint64 // of CONDSTORE; 0 where the server has none
	total, unread int
	complete      bool
	messages      map[uint32]*message.Message
	// batch is how many are asked for at once: less after a reply that could not be
	// read, until the message at fault is found and read without its structure.
	batch       int
	noStructure map[uint32]bool
}

const (
	largestBatch = 200
	headerBytes  = 4 << 10
	plainBytes   = 6 << 10
	htmlBytes    = 32 << 10
	// perMessage is what one message's reply may come to, structure included.
	perMessage = 64 << 10
	// searchBytes is for a list of every number of a large mailbox.
	searchBytes = 32 << 20
)

// reset forgets everything: the numbers mean something else now.
func (k *known) reset(validity uint32) {
	*k = known{validity: validity, messages: map[uint32]*message.Message{}, batch: largestBatch, noStructure: map[uint32]bool{}}
}

func (k *known) snapshot() *Snapshot {
	return &Snapshot{Validity: k.validity, Messages: sorted(k.messages), Total: k.total, Unread: k.unread, Complete: k.complete}
}

// parseError is a reply that the library could not read. The next try asks for less,
// so there is an end to them.
type parseError struct{ err error }

func (e *parseError) Error() string { return ErrOdd.Error() + ": " + e.err.Error() }
func (e *parseError) Unwrap() error { return ErrOdd }

// sync reads what is new in the mailbox.
func (b *Box) sync(s *session) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	selected, err := b.examine(s)
	if err != nil {
		return err
	}
	k := &b.known
	if selected.UIDValidity != k.validity {
		if k.validity != 0 {
			b.o.Log.Info("the mailbox was numbered anew and is read again")
		}
		k.reset(selected.UIDValidity)
	}
	if k.complete && k.modSeq != 0 && k.modSeq == selected.HighestModSeq {
		b.confirm(false)
		return nil
	}
	numbers, err := b.numbers(s)
	if err != nil {
		return err
	}
	changed := k.apply(numbers)
	wanted := k.wanted(numbers.all)
	if k.complete = len(wanted) == 0; k.complete {
		k.modSeq = selected.HighestModSeq
		b.confirm(changed)
		return nil
	}
	b.confirm(true)
	for len(wanted) > 0 {
		n := min(k.batch, len(wanted))
		if err := b.fetch(s, wanted[:n], numbers); err != nil {
			return err
		}
		wanted = wanted[n:]
		k.batch = min(k.batch*2, largestBatch)
		k.complete = len(wanted) == 0
		if k.complete {
			k.modSeq = selected.HighestModSeq
		}
		b.confirm(true)
	}
	return nil
}

// confirm publishes what is known as right now.
func (b *Box) confirm(changed bool) {
	var before error
	b.change(func(s *Snapshot) {
		before = s.Err
		if changed || s.Validity != b.known.validity {
			live := s.Live
			*s = *b.known.snapshot()
			s.Live = live
			b.dirty = true
		}
		s.Confirmed, s.Err, s.Complete = b.o.Now(), nil, b.known.complete
	})
	if before != nil && !errors.Is(before, ErrNotTried) {
		b.o.Log.Info("the mail server answers again")
	}
}

func (b *Box) examine(s *session) (*imap.SelectData, error) {
	options := &imap.SelectOptions{ReadOnly: true, CondStore: s.caps.Has(imap.CapCondStore)}
	var data *imap.SelectData
	err := s.within(commandTimeout, 4<<20, func() (err error) {
		data, err = s.client.Select(b.name, options).Wait()
		return err
	})
	var no *imap.Error
	if errors.As(err, &no) {
		return nil, fmt.Errorf("%w (%w)", ErrNoMailbox, err)
	}
	if err == nil && data.UIDValidity == 0 {
		return nil, fmt.Errorf("%w: it numbers nothing", ErrOdd)
	}
	return data, err
}

// numbers are the UIDs that the server gives for each question. Messages that are
// marked as deleted are none, as mail programs show it.
type numbers struct{ all, unread, answered imap.UIDSet }

func (b *Box) numbers(s *session) (n numbers, err error) {
	deleted := imap.FlagDeleted
	ask := []struct {
		into     *imap.UIDSet
		criteria imap.SearchCriteria
	}{
		{&n.all, imap.SearchCriteria{NotFlag: []imap.Flag{deleted}}},
		{&n.unread, imap.SearchCriteria{NotFlag: []imap.Flag{imap.FlagSeen, deleted}}},
		{&n.answered, imap.SearchCriteria{Flag: []imap.Flag{imap.FlagAnswered}, NotFlag: []imap.Flag{deleted}}},
	}
	var options *imap.SearchOptions
	if s.caps.Has(imap.CapESearch) || s.caps.Has(imap.CapIMAP4rev2) {
		options = &imap.SearchOptions{ReturnAll: true}
	}
	for _, q := range ask {
		err := s.within(commandTimeout, searchBytes, func() error {
			data, err := s.client.UIDSearch(&q.criteria, options).Wait()
			if err != nil {
				return err
			}
			if data.All == nil {
				return nil
			}
			set, ok := data.All.(imap.UIDSet)
			if !ok || set.Dynamic() {
				return fmt.Errorf("%w: a list of numbers without end", ErrOdd)
			}
			*q.into = set
			return nil
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// size counts a set without listing it.
func size(set imap.UIDSet) int {
	n := 0
	for _, r := range set {
		n += int(r.Stop) - int(r.Start) + 1
	}
	return n
}

// newest lists at most that many of the largest numbers, the largest first. What a
// server claims of numbers costs no more than that.
func newest(set imap.UIDSet, most int) []uint32 {
	var out []uint32
	for _, r := range slices.Backward(set) {
		for uid := r.Stop; uid >= r.Start && uid > 0; uid-- {
			if len(out) == most {
				return out
			}
			out = append(out, uint32(uid))
		}
	}
	return out
}

// apply takes over what is gone and what was read or answered elsewhere.
func (k *known) apply(n numbers) (changed bool) {
	total, unread := size(n.all), size(n.unread)
	changed = total != k.total || unread != k.unread
	k.total, k.unread = total, unread
	for uid, m := range k.messages {
		if !n.all.Contains(imap.UID(uid)) {
			delete(k.messages, uid)
			delete(k.noStructure, uid)
			changed = true
			continue
		}
		isUnread, answered := n.unread.Contains(imap.UID(uid)), n.answered.Contains(imap.UID(uid))
		if m.Unread != isUnread || m.Answered != answered {
			other := *m // a snapshot may hold m
			other.Unread, other.Answered = isUnread, answered
			k.messages[uid] = &other
			changed = true
		}
	}
	return changed
}

// wanted are the messages that are to be read, the newest first. Those past the
// bounds are dropped.
func (k *known) wanted(all imap.UIDSet) []uint32 {
	list := newest(all, MaxMessages)
	var out []uint32
	for i, uid := range list {
		m := k.messages[uid]
		switch {
		case m == nil || i < MaxDetailed && !m.Detailed:
			out = append(out, uid)
		case i >= MaxDetailed && m.Text != "":
			lean := *m
			lean.Text, lean.TextKey = "", ""
			k.messages[uid] = &lean
		}
	}
	if len(list) == MaxMessages {
		oldest := list[len(list)-1]
		for uid := range k.messages {
			if uid < oldest {
				delete(k.messages, uid)
			}
		}
	}
	return out
}

// The fields that are read, in sections of their own, so that one that is huge does
// not push the others out.
var sections = []*imap.FetchItemBodySection{
	headerSection("From", "Sender", "Message-ID", "In-Reply-To", "List-ID", "List-Unsubscribe", "Auto-Submitted", "Precedence"),
	headerSection("Subject"),
	headerSection("To", "Cc"),
	headerSection("References"),
}

func headerSection(fields ...string) *imap.FetchItemBodySection {
	return &imap.FetchItemBodySection{
		Specifier: imap.PartSpecifierHeader, HeaderFields: fields, Peek: true,
		Partial: &imap.SectionPartial{Size: headerBytes},
	}
}

// fetch reads some messages into what is known.
func (b *Box) fetch(s *session, uids []uint32, n numbers) error {
	k := &b.known
	recent := uint32(0) // from this number on with text
	if list := newest(n.all, MaxDetailed); len(list) > 0 {
		recent = list[len(list)-1]
	}
	var with, without imap.UIDSet
	for _, uid := range uids {
		if uid >= recent && !k.noStructure[uid] {
			with.AddNum(imap.UID(uid))
		} else {
			without.AddNum(imap.UID(uid))
		}
	}
	found := map[uint32]*message.Message{}
	parts := map[partKey][]uint32{}
	read := func(set imap.UIDSet, structure bool) error {
		if len(set) == 0 {
			return nil
		}
		options := &imap.FetchOptions{UID: true, InternalDate: true, BodySection: sections}
		if structure {
			options.BodyStructure = &imap.FetchItemBodyStructure{Extended: true}
		}
		return s.each(set, options, len(uids)*perMessage, func(f *imapclient.FetchMessageBuffer) {
			m := newMessage(f)
			if structure {
				var text *part
				m.Attachments, text = structureOf(f.BodyStructure)
				if text != nil {
					parts[text.key()] = append(parts[text.key()], m.UID)
				}
			}
			m.Detailed = m.UID >= recent
			found[m.UID] = m
		})
	}
	if err := read(with, true); err != nil {
		return k.narrow(uids, err)
	}
	if err := read(without, false); err != nil {
		return k.narrow(uids, err)
	}
	for key, of := range parts {
		if err := b.fetchText(s, key, of, found); err != nil {
			return k.narrow(uids, err)
		}
	}
	for _, uid := range uids {
		m := found[uid]
		if m == nil { // gone in between, or the server does not give it
			m = &message.Message{UID: uid, Detailed: true}
		}
		m.Unread, m.Answered = n.unread.Contains(imap.UID(uid)), n.answered.Contains(imap.UID(uid))
		m.Prepare()
		k.messages[uid] = m
	}
	return nil
}

func newMessage(f *imapclient.FetchMessageBuffer) *message.Message {
	var raw []byte
	for _, section := range f.BodySection {
		raw = append(append(raw, section.Bytes...), '\n')
	}
	m := &message.Message{UID: uint32(f.UID), Arrived: f.InternalDate.UTC().Truncate(time.Second)}
	m.Fill(message.ReadFields(raw))
	return m
}

// fetchText reads the first bytes of one kind of part of several messages.
func (b *Box) fetchText(s *session, key partKey, uids []uint32, found map[uint32]*message.Message) error {
	var set imap.UIDSet
	for _, uid := range uids {
		set.AddNum(imap.UID(uid))
	}
	most := plainBytes
	if key.html {
		most = htmlBytes
	}
	section := &imap.FetchItemBodySection{Part: key.path(), Peek: true, Partial: &imap.SectionPartial{Size: int64(most)}}
	options := &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}}
	return s.each(set, options, len(uids)*(most+4096), func(f *imapclient.FetchMessageBuffer) {
		m := found[uint32(f.UID)]
		if m == nil || len(f.BodySection) == 0 {
			return
		}
		m.Text = message.Body(message.DecodeText(f.BodySection[0].Bytes, key.encoding, key.charset), key.html)
	})
}

// each runs one FETCH and hands out the replies as they come.
func (s *session) each(set imap.UIDSet, options *imap.FetchOptions, most int, take func(*imapclient.FetchMessageBuffer)) error {
	return s.within(2*commandTimeout, int64(most)+1<<20, func() error {
		cmd := s.client.Fetch(set, options)
		for m := cmd.Next(); m != nil; m = cmd.Next() {
			f, err := m.Collect()
			if err != nil {
				return errors.Join(err, cmd.Close())
			}
			if f.UID != 0 {
				take(f)
			}
		}
		return cmd.Close()
	})
}

// narrow makes the next try ask for less where a reply could not be read.
func (k *known) narrow(uids []uint32, err error) error {
	text := err.Error() // the library wraps nothing
	cut := func(how string) bool { return strings.Contains(text, how) }
	if !cut("in response-data") && !cut("panic reading response") || slices.ContainsFunc([]string{"EOF", "closed", "reset", "timeout"}, cut) {
		return err
	}
	if len(uids) > 1 {
		k.batch = max(1, len(uids)/4)
		return &parseError{err}
	}
	if k.noStructure[uids[0]] { // not even its header can be read: it is there, and no more
		k.messages[uids[0]] = &message.Message{UID: uids[0], Detailed: true}
		k.batch = largestBatch
		return &parseError{err}
	}
	k.noStructure[uids[0]] = true
	return &parseError{err}
}
