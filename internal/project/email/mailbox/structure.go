package mailbox

import (
	"strconv"
	"strings"

	"github.com/emersion/go-imap/v2"

	"github.com/askhub/askhub/internal/project/email/message"
)

// part is the one part of a message whose words are read.
type part struct {
	path              []int
	html              bool
	encoding, charset string
}

// partKey brings together the messages whose text stands in the same place.
type partKey struct {
	where             string
	html              bool
	encoding, charset string
}

func (p *part) key() partKey {
	var where []string
	for _, n := range p.path {
		where = append(where, strconv.Itoa(n))
	}
	return partKey{strings.Join(where, "."), p.html, p.encoding, p.charset}
}

func (k partKey) path() []int {
	var path []int
	for s := range strings.SplitSeq(k.where, ".") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil
		}
		path = append(path, n)
	}
	return path
}

// maxParts is where a message's structure is not looked at any further.
const maxParts = 500

// structureOf finds the attachments, and the text to read: the first plain text that
// is no attachment, else the first HTML. A message within the message is a file.
func structureOf(bs imap.BodyStructure) (files []message.Attachment, text *part) {
	if bs == nil {
		return nil, nil
	}
	var htmlText *part
	seen := 0
	bs.Walk(func(path []int, node imap.BodyStructure) bool {
		single, ok := node.(*imap.BodyStructureSinglePart)
		if seen++; !ok || seen > maxParts {
			return seen <= maxParts
		}
		kind := single.MediaType()
		disposition, name := "", message.DecodeParam(single.Params, "name")
		if d := single.Disposition(); d != nil {
			disposition = strings.ToLower(d.Value)
			if n := message.DecodeParam(d.Params, "filename"); n != "" {
				name = n
			}
		}
		isText := kind == "text/plain" || kind == "text/html"
		if isText && disposition != "attachment" && (name == "" || disposition == "inline" && text == nil) {
			p := &part{append([]int(nil), path...), kind == "text/html", strings.ToLower(single.Encoding), strings.ToLower(message.DecodeParam(single.Params, "charset"))}
			switch {
			case single.Size == 0:
			case p.html && htmlText == nil:
				htmlText = p
			case !p.html && text == nil:
				text = p
			}
			return true
		}
		if single.MessageRFC822 != nil && name == "" && single.MessageRFC822.Envelope != nil {
			name = message.DecodeWords(single.MessageRFC822.Envelope.Subject)
		}
		inlinePicture := disposition != "attachment" && strings.HasPrefix(kind, "image/") && single.ID != ""
		unnamed := name == "" && disposition != "attachment" && kind != "message/rfc822"
		if !inlinePicture && !unnamed && len(files) < message.MaxAttachments {
			files = append(files, message.Attachment{
				Name: message.Clean(name, message.MaxFileName), Type: message.Clean(kind, 80), Size: int64(single.Size),
			})
		}
		return true
	})
	if text == nil {
		text = htmlText
	}
	return files, text
}
