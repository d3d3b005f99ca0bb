package message

import (
	"bytes"
	"strings"

	"github.com/askhub/askhub/internal/pattern"
)

// Fields are the fields of a header in their order, unfolded and still encoded.
type Fields []field

type field struct{ name, value string }

// ReadFields reads header fields. A line that is no field is passed over.
func ReadFields(raw []byte) Fields {
	var out Fields
	for line := range bytes.Lines(raw) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			continue // the end of a section: more sections may follow
		}
		if line[0] == ' ' || line[0] == '\t' {
			if n := len(out); n > 0 {
				out[n-1].value += " " + string(bytes.TrimSpace(line))
			}
			continue
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		if !found || bytes.ContainsAny(bytes.TrimSpace(name), " \t") {
			continue
		}
		out = append(out, field{strings.ToLower(string(bytes.TrimSpace(name))), string(bytes.TrimSpace(value))})
	}
	return out
}

// Get is the first field of that name, as mail programs show it.
func (f Fields) Get(name string) string {
	for _, x := range f {
		if x.name == name {
			return x.value
		}
	}
	return ""
}

func (f Fields) all(name string) string {
	var values []string
	for _, x := range f {
		if x.name == name {
			values = append(values, x.value)
		}
	}
	return strings.Join(values, " ")
}

// Fill sets what the header says of the message.
func (m *Message) Fill(f Fields) {
	m.Subject = Clean(DecodeWords(f.Get("subject")), MaxSubject)
	if from := parseAddresses(f.Get("from"), 1); len(from) > 0 {
		m.From = from[0]
	} else if from := parseAddresses(f.Get("sender"), 1); len(from) > 0 {
		m.From = from[0]
	}
	m.To = nil
	for _, a := range parseAddresses(f.Get("to")+","+f.Get("cc"), maxRecipients) {
		if a.Addr != "" {
			m.To = append(m.To, a.Addr)
		}
	}
	if ids := messageIDs(f.Get("message-id")); len(ids) > 0 {
		m.ID = ids[0]
	}
	m.References = messageIDs(f.all("references") + " " + f.Get("in-reply-to"))
	if n := len(m.References) - maxReferences; n > 0 {
		m.References = m.References[n:]
	}
	m.Bulk = f.bulk()
}

// bulk says that nobody wrote this to one person.
func (f Fields) bulk() bool {
	if f.Get("list-id") != "" || f.Get("list-unsubscribe") != "" {
		return true
	}
	if auto := strings.ToLower(f.Get("auto-submitted")); auto != "" && auto != "no" {
		return true
	}
	switch strings.ToLower(f.Get("precedence")) {
	case "bulk", "list", "junk":
		return true
	}
	return false
}

var messageID = pattern.Lazy(`<([^<>\s]+)>`)

func messageIDs(s string) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range messageID().FindAllStringSubmatch(s, -1) {
		if len(m[1]) <= maxMessageID && !seen[m[1]] {
			seen[m[1]] = true
			out = append(out, strings.ToValidUTF8(m[1], "?"))
		}
	}
	return out
}

// parseAddresses reads at most that many addresses of a field, however odd it is.
func parseAddresses(s string, most int) []Address {
	var out []Address
	for _, part := range splitAddresses(s) {
		if a, ok := parseAddress(part); ok {
			if out = append(out, a); len(out) == most {
				break
			}
		}
	}
	return out
}

// splitAddresses splits at the commas and at the ends of groups that stand in no
// quotation, comment or angle bracket.
func splitAddresses(s string) []string {
	var out []string
	start, depth := 0, 0
	quoted, angle := false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth > 0:
		case c == '<':
			angle = true
		case c == '>':
			angle = false
		case angle:
		case c == ':': // "friends: a@b, c@d;" is a group
			start = i + 1
		case c == ',' || c == ';':
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[min(start, len(s)):])
}

func parseAddress(s string) (Address, bool) {
	name, addr := s, ""
	if i := strings.LastIndexByte(s, '<'); i >= 0 {
		name = s[:i]
		addr, _, _ = strings.Cut(s[i+1:], ">")
	} else if bare, comment, found := strings.Cut(s, "("); strings.Contains(bare, "@") {
		name, addr = "", bare
		if found { // "office@school.example (The Office)"
			name, _, _ = strings.Cut(comment, ")")
		}
	}
	addr = strings.ToLower(strings.TrimSpace(addr))
	if len(addr) > MaxAddress || !strings.Contains(addr, "@") || strings.ContainsAny(addr, " \t\"") {
		addr = ""
	}
	a := Address{Name: Clean(DecodeWords(unquote(strings.TrimSpace(name))), MaxName), Addr: Clean(addr, MaxAddress)}
	return a, a.Name != "" || a.Addr != ""
}

// unquote takes a quoted name out of its quotes.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' {
		return s
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] != '"':
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
