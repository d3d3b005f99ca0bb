package message

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/askhub/askhub/internal/pattern"
)

// Body is the clean text of a message's own words: what it quotes of an earlier
// message and its signature are left out.
func Body(text string, isHTML bool) string {
	if isHTML {
		text = fromHTML(text)
	}
	return Clean(ownWords(text), MaxText)
}

var (
	quoteHead = pattern.Lazy(`(?i)^\s*(?:on\b.{5,200}\bwrote:|am\b.{5,200}\bschrieb.{0,80}:|le\b.{5,200}\ba écrit\s*:|-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht).*|_{10,})\s*$`)
	fromLine  = pattern.Lazy(`(?i)^\s*(?:from|von|de)\s*:\s*\S`)
	sentLine  = pattern.Lazy(`(?i)^\s*(?:sent|date|gesendet|envoyé)\s*:\s*\S`)
)

func ownWords(text string) string {
	var kept []string
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, ">") {
			continue
		}
		if line == "-- " || line == "--" {
			break
		}
		head := quoteHead().MatchString(line) ||
			i+1 < len(lines) && strings.HasPrefix(strings.ToLower(trimmed), "on ") && quoteHead().MatchString(line+" "+lines[i+1]) ||
			i+1 < len(lines) && fromLine().MatchString(line) && sentLine().MatchString(lines[i+1])
		if head {
			if strings.TrimSpace(strings.Join(kept, "")) != "" {
				break
			}
			continue // nothing but what is passed on: then that is what it says
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// fromHTML is the text that a reader would see.
func fromHTML(s string) string {
	root, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return ""
	}
	var b strings.Builder
	for n := root; n != nil; n = next(n) {
		switch n.Type {
		case html.TextNode:
			b.WriteString(strings.Map(func(r rune) rune {
				if r == '\n' || r == '\r' {
					return ' '
				}
				return r
			}, n.Data))
		case html.ElementNode:
			switch n.DataAtom {
			case atom.Br, atom.P, atom.Div, atom.Tr, atom.Li, atom.H1, atom.H2, atom.H3, atom.H4, atom.Table, atom.Blockquote:
				b.WriteByte('\n')
			case atom.Td, atom.Th:
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// next is the node after n in the order of reading, without those that are not shown.
// The walk holds no stack, so that no depth of nesting can exhaust it.
func next(n *html.Node) *html.Node {
	if n.FirstChild != nil && shown(n) {
		return n.FirstChild
	}
	for ; n != nil; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

var unseen = pattern.Lazy(`(?i)display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$)|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)|mso-hide\s*:\s*all`)

func shown(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return true
	}
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Title, atom.Template, atom.Noscript, atom.Svg, atom.Object, atom.Iframe, atom.Textarea, atom.Select:
		return false
	case atom.Blockquote: // an earlier message
		for _, a := range n.Attr {
			if a.Key == "type" && a.Val == "cite" {
				return false
			}
		}
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "style" && unseen().MatchString(a.Val) ||
			a.Key == "class" && strings.Contains(a.Val, "gmail_quote") {
			return false
		}
	}
	return true
}
