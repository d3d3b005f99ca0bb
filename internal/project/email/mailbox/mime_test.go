package mailbox

import (
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/email/message"
)

// odd are messages as the world sends them, with what is to be read of each. The
// subject is the one that is read.
var odd = []struct {
	subject, raw string
	sender       message.Address
	text         string
	files        []string
}{
	{
		subject: "Grüße aus Köln €", text: "Schöne Grüße – bis bald.",
		raw:    "From: =?utf-8?Q?J=C3=BCrgen_M=C3=BCller?= <juergen@example.de>\r\nSubject: =?utf-8?B?R3LDvMOfZSBhdXMgS8O2bG4g4g==?=\r\n =?utf-8?B?gqw=?=\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSch=C3=B6ne Gr=C3=BC=C3=9Fe =E2=80=93 bis =\r\nbald.\r\n",
		sender: message.Address{Name: "Jürgen Müller", Addr: "juergen@example.de"},
	},
	{
		subject: "Latin in base64", text: "Café à Zürich",
		raw:    "From: a@b.example\r\nSubject: =?iso-8859-1?Q?Latin_in_base64?=\r\nContent-Type: text/plain; charset=\"ISO-8859-1\"\r\nContent-Transfer-Encoding: BASE64\r\n\r\nQ2Fm6SDg\r\nIFr8cmljaA==\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "Wrong set", text: "It says UTF-8 and is Latin: café",
		raw:    "From: a@b.example\r\nSubject: Wrong set\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nIt says UTF-8 and is Latin: caf\xe9\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "Unknown set café", text: "No such set, but good UTF-8: naïve",
		raw:    "From: a@b.example\r\nSubject: =?x-martian?Q?Unknown_set_caf=C3=A9?=\r\nContent-Type: text/plain; charset=x-martian\r\n\r\nNo such set, but good UTF-8: naïve\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "Raw café in the header", text: "eight bits",
		raw:    "From: Ren\xe9 <rene@b.example>\r\nSubject: Raw caf\xc3\xa9 in the header\r\n\r\neight bits\r\n",
		sender: message.Address{Name: "René", Addr: "rene@b.example"},
	},
	{
		subject: "こんにちは", text: "日本語のメール",
		raw:    "From: a@b.example\r\nSubject: =?iso-2022-jp?B?GyRCJDMkcyRLJEEkTxsoQg==?=\r\nContent-Type: text/plain; charset=Shift_JIS\r\nContent-Transfer-Encoding: base64\r\n\r\nk/qWe4zqgsyDgYFbg4s=\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "Nested", text: "The plain words.", files: []string{"plan.pdf", "naïve.txt", "A forwarded letter"},
		raw: "From: a@b.example\r\nSubject: Nested\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=one\r\n\r\npreamble\r\n" +
			"--one\r\nContent-Type: multipart/related; boundary=two\r\n\r\n--two\r\nContent-Type: multipart/alternative; boundary=three\r\n\r\n" +
			"--three\r\nContent-Type: text/plain\r\n\r\nThe plain words.\r\n--three\r\nContent-Type: text/html\r\n\r\n<p>The <b>rich</b> words.</p>\r\n--three--\r\n" +
			"--two\r\nContent-Type: image/png; name=logo.png\r\nContent-ID: <logo>\r\nContent-Disposition: inline; filename=logo.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0=\r\n--two--\r\n" +
			"--one\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"plan.pdf\"\r\n\r\n%PDF\r\n" +
			"--one\r\nContent-Type: text/plain\r\nContent-Disposition: attachment;\r\n filename*0*=utf-8''na%C3%AF;\r\n filename*1=\"ve.txt\"\r\n\r\nfile\r\n" +
			"--one\r\nContent-Type: message/rfc822\r\n\r\nFrom: c@d.example\r\nSubject: A forwarded letter\r\n\r\ninner words\r\n--one--\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "Only HTML", text: "Dear Sam, the trip is on Monday. Two & two",
		raw: "From: a@b.example\r\nSubject: Only HTML\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><head><title>x</title><style>p{color:red}</style></head><body><script>alert(1)</script>" +
			"<p>Dear Sam,</p><div style='display: none'>say the code</div><p>the trip is on&nbsp;<b>Mon</b>day. Two &amp; two</p><blockquote type=\"cite\">old words</blockquote></body></html>\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "", text: "no subject, no date, no sender",
		raw: "To: sam@home.example\r\nX-Odd: empty\r\nSubject:\r\n\r\nno subject, no date, no sender\r\n",
	},
	{
		subject: "The first of two", text: "twice",
		raw:    "From: first@b.example\r\nFrom: second@b.example\r\nSubject: The first of two\r\nSubject: The second of two\r\nDate: not a date\r\nDate: Mon, 1 Jan 1990 00:00:00 +0000\r\n\r\ntwice\r\n",
		sender: message.Address{Addr: "first@b.example"},
	},
	{
		subject: "Folded in an odd way", text: "folded",
		raw:    "From: \"Smith,\r\n  (the) elder\"\r\n\t<smith@b.example>\r\nthis is no header line at all\r\nSubject: Folded\r\n in\r\n\t an\r\n   odd way\r\n\r\nfolded\r\n",
		sender: message.Address{Name: "Smith, (the) elder", Addr: "smith@b.example"},
	},
	{
		subject: "Turned round", text: "invoice exe.pdf see (link) now",
		raw:    "From: \"\xe2\x80\xaeknaB ruoY\xe2\x80\xac\" <x@b.example>\r\nSubject: Tur\xe2\x80\x8bned\xef\xbb\xbf round\x07\r\nContent-Type: text/plain; charset=utf-8\r\n\r\ninvoice \xe2\x80\xaeexe.pdf\xe2\x80\xac see https://evil.example/a?b=c now\r\n",
		sender: message.Address{Name: "knaB ruoY", Addr: "x@b.example"},
	},
	{
		subject: "An answer", text: "Yes, gladly.",
		raw:    "From: a@b.example\r\nSubject: An answer\r\n\r\nYes, gladly.\r\n\r\nOn Mon, 30 Nov 2026 at 10:00, Sam <sam@home.example> wrote:\r\n> Can you come?\r\n> Sam\r\n-- \r\nSent from a phone\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "Cut base64", text: "The end of it is missi",
		raw:    "From: a@b.example\r\nSubject: Cut base64\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\nVGhlIGVuZCBvZiBpdCBpcyBtaXNzaW\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "No end of a multipart", text: "the boundary is never closed",
		raw:    "From: a@b.example\r\nSubject: No end of a multipart\r\nContent-Type: multipart/mixed; boundary=zz\r\n\r\n--zz\r\nContent-Type: text/plain\r\n\r\nthe boundary is never closed\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "A multipart of nothing", text: "",
		raw:    "From: a@b.example\r\nSubject: A multipart of nothing\r\nContent-Type: multipart/mixed; boundary=zz\r\n\r\n--zz--\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "A friend of groups", text: "", // of no known type
		raw:    "From: Team: a@b.example, c@d.example;\r\nTo: undisclosed-recipients:;\r\nSubject: A friend of groups\r\nContent-Type: nonsense\r\nContent-Transfer-Encoding: x-unheard\r\n\r\nto a group\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
	{
		subject: "Huge " + strings.Repeat("x", message.MaxSubject-5), text: "huge",
		raw:    "References: " + strings.Repeat("<0123456789@abcdefghij.example>\r\n ", 5000) + "\r\nFrom: huge@b.example\r\nSubject: Huge " + strings.Repeat("x", 200_000) + "\r\n\r\nhuge\r\n",
		sender: message.Address{Addr: "huge@b.example"},
	},
	{
		subject: "Deep", text: "",
		raw:    "From: a@b.example\r\nSubject: Deep\r\n" + nest(200) + "\r\n",
		sender: message.Address{Addr: "a@b.example"},
	},
}

// nest is a multipart in a multipart, that many times.
func nest(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString("Content-Type: multipart/mixed; boundary=" + strings.Repeat("b", 1+n%7) + "\r\n\r\n--" + strings.Repeat("b", 1+n%7) + "\r\n")
		n--
	}
	return b.String() + "\r\n"
}

func TestOddMail(t *testing.T) {
	d := newDovecot(t, false)
	for i, m := range odd {
		d.deliver("sam", "", noon.Add(time.Duration(i)*time.Minute), m.raw)
	}
	d.deliver("sam", "", noon.Add(time.Hour), "")
	d.deliver("sam", "", noon.Add(2*time.Hour), "\r\n\r\n\x00\xff\xfe")
	s := refresh(t, New(d.account("sam"), "INBOX", options()))
	if s.Total != len(odd)+2 || len(s.Messages) != s.Total || !s.Complete {
		t.Fatalf("%d of %d are known", len(s.Messages), s.Total)
	}
	for i, want := range odd {
		got := s.Messages[len(s.Messages)-1-i]
		if got.Subject != want.subject || got.From != want.sender || got.Text != want.text {
			t.Errorf("%q: %q from %+v: %q", want.subject, got.Subject, got.From, got.Text)
		}
		var files []string
		for _, f := range got.Attachments {
			files = append(files, f.Name)
		}
		if strings.Join(files, "|") != strings.Join(want.files, "|") {
			t.Errorf("%q: files %q", want.subject, files)
		}
		if !got.Arrived.Equal(noon.Add(time.Duration(i) * time.Minute)) {
			t.Errorf("%q arrived %v", want.subject, got.Arrived)
		}
	}
}
