// Package message reads electronic mail: header fields, addresses, text in any
// encoding and character set, and HTML. It never fails: mail is what strangers
// send, so odd mail becomes as much as can be read of it. What comes out is clean
// (no control, invisible or direction-turning character, no link) and of bounded
// length, but it stays other people's text.
package message

import "time"

// The bounds of what is kept of one message, in code points or entries.
const (
	MaxSubject     = 200
	MaxName        = 80
	MaxAddress     = 254
	MaxText        = 3000
	MaxFileName    = 120
	MaxAttachments = 20
	maxRecipients  = 30
	maxReferences  = 30
	maxMessageID   = 300
)

// Message is what is known of one message.
type Message struct {
	// UID is the mailbox's number for it.
	UID uint32 `json:"uid"`
	// Arrived is when the server took it in; the sender's own date is not trusted.
	Arrived time.Time `json:"arrived"`
	From    Address   `json:"from,omitzero"`
	// To are the addresses of To and Cc.
	To      []string `json:"to,omitempty"`
	Subject string   `json:"subject,omitzero"`
	// ID is its Message-ID without the angle brackets; References are those of the
	// messages that it follows, the nearest last.
	ID         string   `json:"id,omitzero"`
	References []string `json:"references,omitempty"`
	// Bulk is mail for many: a list, a newsletter, an automatic reply.
	Bulk     bool `json:"bulk,omitzero"`
	Unread   bool `json:"unread,omitzero"`
	Answered bool `json:"answered,omitzero"`
	// Detailed says that Text and Attachments have been read.
	Detailed    bool         `json:"detailed,omitzero"`
	Text        string       `json:"text,omitzero"`
	Attachments []Attachment `json:"attachments,omitempty"`

	// The folded forms that look-ups search; Prepare makes them.
	SubjectKey, FromKey, TextKey string `json:"-"`
}

// Address is a sender.
type Address struct {
	Name string `json:"name,omitzero"`
	// Addr is the address in lower case, such as office@school.example.
	Addr string `json:"addr,omitzero"`
}

// Shown is the name, or the address where there is none.
func (a Address) Shown() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Addr
}

// Attachment is a part of a message that is a file.
type Attachment struct {
	Name string `json:"name,omitzero"`
	// Type is its media type as the sender says, such as application/pdf.
	Type string `json:"type,omitzero"`
	// Size is in bytes, as it was sent.
	Size int64 `json:"size,omitzero"`
}

// Prepare makes the folded forms after the rest is set.
func (m *Message) Prepare() {
	m.SubjectKey = Fold(m.Subject)
	m.FromKey = Fold(m.From.Name + " " + m.From.Addr)
	m.TextKey = Fold(m.Text)
}
