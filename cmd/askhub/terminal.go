package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// usualWidth is how wide text is where no terminal says how wide it is.
const usualWidth = 80

// terminal is the descriptor of the terminal that a stream is, where it is one.
func terminal(stream any) (fd int, ok bool) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, false
	}
	fd = int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// widthOf is how many cells a line of w holds; false where w is no terminal.
func widthOf(w io.Writer) (width int, ok bool) {
	fd, ok := terminal(w)
	if !ok {
		return usualWidth, false
	}
	if width, _, err := term.GetSize(fd); err == nil && width > 0 {
		return width, true
	}
	return usualWidth, true
}

// unseen says whether a terminal acts on r, or shows nothing where r stands: control
// characters, those that turn the direction of what follows, and what hides. The two
// joiners stay, which emoji and some scripts are written with.
func unseen(r rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d':
		return false
	case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs):
		return true
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	default:
		return unicode.Is(unicode.Noncharacter_Code_Point, r)
	}
}

// visible is somebody's text as a terminal may have it: what a terminal would act on or
// hide is written out, as \x1b for one. Line breaks stay.
func visible(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case unseen(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// oneLine is visible text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }

// cut is the start of s that fits in width cells, with an ellipsis where that is not
// all of it.
func cut(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	head, _ := split(s, width-1)
	if uniseg.StringWidth(head) >= width {
		head = "" // not even one character fits
	}
	return head + "…"
}

// split parts s where width cells are full, never within what a reader sees as one
// character; the head has at least one.
func split(s string, width int) (head, rest string) {
	at, cells := 0, 0
	for state, rest := -1, s; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if at > 0 && cells+w > width {
			break
		}
		at, cells = at+len(cluster), cells+w
	}
	return s[:at], s[at:]
}

// wrap breaks text into lines of at most width cells, where its script allows it.
func wrap(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(line, width)...)
	}
	return lines
}

func wrapLine(line string, width int) []string {
	var lines []string
	var now strings.Builder
	cells, state := 0, -1
	for rest := line; rest != ""; {
		var piece string
		piece, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		if cells > 0 && cells+uniseg.StringWidth(strings.TrimRight(piece, " ")) > width {
			lines = append(lines, strings.TrimRight(now.String(), " "))
			now.Reset()
			cells = 0
		}
		for uniseg.StringWidth(strings.TrimRight(piece, " ")) > width { // a word wider than a line
			var head string
			head, piece = split(piece, width)
			lines = append(lines, head)
		}
		now.WriteString(piece)
		cells += uniseg.StringWidth(piece)
	}
	return append(lines, strings.TrimRight(now.String(), " "))
}

// printDocument prints v as indented JSON. What a terminal would act on is written as
// an escape, which means the same to whoever reads JSON.
func printDocument(w io.Writer, v any) error {
	raw, err := json.Marshal(v, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", escaped(raw))
	return err
}

// printOnOneLine prints v as JSON on one line.
func printOnOneLine(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", escaped(raw))
	return err
}

// escaped is JSON with every unseen character of its strings as an escape.
func escaped(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r < 0x7f || !unseen(r) {
			out = append(out, raw[:size]...)
		} else {
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		raw = raw[size:]
	}
	return out
}

// page prints text: on a terminal through the pager of whoever looks, else as it is.
func page(e *env, text string) error {
	if _, ok := terminal(e.stdout); ok {
		if shown := throughPager(e, text); shown {
			return nil
		}
	}
	_, err := io.WriteString(e.stdout, text)
	return err
}

// noCommand is from where on a shell's exit codes say that there is no such command.
const noCommand = 126

// throughPager shows text in the pager, and says whether there was one.
func throughPager(e *env, text string) bool {
	name, args := "less", []string{"-FRX"}
	if pager := e.getenv("PAGER"); strings.TrimSpace(pager) != "" {
		name, args = "sh", []string{"-c", pager}
	}
	// The pager gets the keyboard's interrupts itself, and ends when its reader says so.
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = strings.NewReader(text), e.stdout, e.stderr, e.environ()
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return false
	}
	return err == nil || !slices.Contains([]int{noCommand, noCommand + 1}, cmd.ProcessState.ExitCode())
}
