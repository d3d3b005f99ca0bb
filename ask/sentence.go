package ask

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long what a project says may be, in code points. A voice speaks about
// fifteen a second, so a sentence takes at most twenty seconds and a list, given
// only to somebody who asked for one, at most forty.
const (
	MaxSentence = 300
	MaxList     = 600
	// maxSafe is where the Hub stops believing that a reply is an answer at all.
	maxSafe = 4000
)

// What can be wrong with a sentence. Each reads on after the name of the field.
var (
	ErrBlank        = errors.New("is blank")
	ErrTooLong      = errors.New("is longer than one short sentence")
	ErrTwoSentences = errors.New("is more than one sentence")
	ErrMarkup       = errors.New("holds markup")
	ErrLink         = errors.New("holds a link")
	ErrControl      = errors.New("holds control or invisible characters")
	ErrSecret       = errors.New("holds something that looks like a token")
	ErrPath         = errors.New("holds a file path")
)

// CheckSentence says why s is not one short sentence that is safe to speak
// aloud (spec 1, rules 3 and 5): one of the errors above, or nil. With list,
// which stands for a question that asked for one, it may be up to MaxList long.
func CheckSentence(s string, list bool) error {
	if err := CheckSafe(s); err != nil {
		return err
	}
	most := MaxSentence
	if list {
		most = MaxList
	}
	if len(s) > most && utf8.RuneCountInString(s) > most {
		return ErrTooLong
	}
	if hasMarkup(s) {
		return ErrMarkup
	}
	if hasLink(s) {
		return ErrLink
	}
	if moreThanOne(s) {
		return ErrTwoSentences
	}
	return nil
}

// CheckSafe is the part of CheckSentence that the Hub insists on before it
// passes words on: not blank, not absurdly long, no control or invisible
// characters, nothing like a token, no file path.
func CheckSafe(s string) error {
	if strings.TrimSpace(s) == "" {
		return ErrBlank
	}
	if len(s) > maxSafe && utf8.RuneCountInString(s) > maxSafe {
		return ErrTooLong
	}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf { // the common case, without decoding
			if s[i] < ' ' || s[i] == 0x7f {
				return ErrControl
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || hidden(r) {
			return ErrControl
		}
		i += size
	}
	if hasPath(s) {
		return ErrPath
	}
	if hasSecret(s) {
		return ErrSecret
	}
	return nil
}

// hidden is a character that shows nothing, turns the order of letters or is
// nobody's. Left-to-right and right-to-left marks are fit: Hebrew and Arabic use them.
func hidden(r rune) bool {
	switch r {
	case '\u200e', '\u200f', '\u061c', '\u00ad':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || invisible(r) || unicode.Is(unicode.Co, r)
}

// WantsList says whether a question asks for a list, which allows a longer answer.
func WantsList(question string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "list", "lists", "all", "every", "everything", "each", "which":
			return true
		}
	}
	return false
}

func hasMarkup(s string) bool {
	if strings.Contains(s, "**") || strings.Contains(s, "__") || strings.Contains(s, "~~") || strings.ContainsAny(s, "`|{}") || strings.Contains(s, "](") {
		return true
	}
	t := strings.TrimLeft(s, " ")
	for _, start := range []string{"# ", "## ", "### ", "> ", "- ", "* ", "+ "} {
		if strings.HasPrefix(t, start) {
			return true
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<': // a tag, and not "5 < 6" or "<3"
			if i+1 < len(s) && (isASCIILetter(s[i+1]) || s[i+1] == '/' || s[i+1] == '!') {
				return true
			}
		case '&': // an entity, and not "M&S; tea"
			if isEntity(s[i+1:]) {
				return true
			}
		case '*', '_': // *emphasis* that opens at a word
			if (i == 0 || s[i-1] == ' ') && i+1 < len(s) && s[i+1] != ' ' && closesEmphasis(s[i+1:], s[i]) {
				return true
			}
		}
	}
	return false
}

func isEntity(s string) bool {
	name, _, found := strings.Cut(s, ";")
	switch {
	case !found:
		return false
	case strings.HasPrefix(name, "#"):
		return len(name) > 1 && len(name) < 9
	}
	switch name {
	case "amp", "lt", "gt", "quot", "apos", "nbsp", "copy", "deg", "pound", "euro", "hellip", "ndash", "mdash":
		return true
	}
	return false
}

func closesEmphasis(s string, mark byte) bool {
	i := strings.IndexByte(s, mark)
	return i > 0 && s[i-1] != ' '
}

func isASCIILetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isDigit(b byte) bool       { return b >= '0' && b <= '9' }

func hasLink(s string) bool {
	for rest := s; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			break
		}
		if i > 0 && isASCIILetter(rest[i-1]) {
			return true
		}
		rest = rest[i+3:]
	}
	for word := range strings.FieldsSeq(s) {
		word = strings.TrimLeft(word, `"'(“‘<[`)
		if hasPrefixFold(word, "www.") || hasPrefixFold(word, "mailto:") || hasPrefixFold(word, "tel:") {
			return true
		}
		host, path, found := strings.Cut(word, "/")
		if found && path != "" && isHost(host) {
			return true
		}
	}
	return false
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// isHost is a name such as bit.ly; "3.30" and "e.g." are none.
func isHost(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || len(s)-dot-1 < 2 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i > dot && !isASCIILetter(c):
			return false
		case !isASCIILetter(c) && !isDigit(c) && c != '-' && c != '.':
			return false
		}
	}
	return true
}

func hasPath(s string) bool {
	if strings.IndexByte(s, '\\') >= 0 || hasFold(s, "file:/") {
		return true
	}
	slash := strings.IndexByte(s, '/')
	if slash < 0 && strings.IndexByte(s, ':') < 0 {
		return false
	}
	for word := range strings.FieldsSeq(s) {
		word = strings.TrimLeft(word, `"'(“‘<[=:`)
		if len(word) > 2 && word[0] == '/' && (isASCIILetter(word[1]) || word[1] == '.' || word[1] == '_') && (isASCIILetter(word[2]) || word[2] == '/' || word[2] == '.' || isDigit(word[2])) {
			return true
		}
		if strings.HasPrefix(word, "~/") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || isDrive(word) || isSourceLine(word) {
			return true
		}
	}
	return false
}

func hasFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if s[i]|0x20 == part[0] && strings.EqualFold(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// isDrive is a path such as C:/Users.
func isDrive(word string) bool {
	return len(word) > 3 && isASCIILetter(word[0]) && word[1] == ':' && word[2] == '/'
}

// isSourceLine is a place in a program, as a stack trace has it: main.go:12.
func isSourceLine(word string) bool {
	for _, ext := range []string{".go:", ".py:", ".js:", ".ts:", ".rs:", ".java:", ".rb:", ".php:"} {
		if i := strings.Index(word, ext); i > 0 && i+len(ext) < len(word) && isDigit(word[i+len(ext)]) {
			return true
		}
	}
	return false
}

// minSecret is the length from which a run of mixed letters and digits counts as
// a token. Parcel numbers and the like are shorter.
const minSecret = 24

// secretPrefixes begin well-known kinds of keys, whatever their length.
var secretPrefixes = []string{"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza", "eyJ"}

func hasSecret(s string) bool {
	for i := 0; i < len(s); {
		if !isTokenByte(s[i]) {
			i++
			continue
		}
		start := i
		var letters, digits int
		for ; i < len(s) && isTokenByte(s[i]); i++ {
			switch {
			case isDigit(s[i]):
				digits++
			case isASCIILetter(s[i]):
				letters++
			}
		}
		run := s[start:i]
		if len(run) >= minSecret && (letters >= 4 && digits >= 2 || flipsCase(run)) {
			return true
		}
		if len(run) >= 16 {
			for _, p := range secretPrefixes {
				if strings.HasPrefix(run, p) {
					return true
				}
			}
		}
		if len(run) == 6 && strings.EqualFold(run, "bearer") && longWordNext(s[i:]) {
			return true
		}
	}
	return false
}

func isTokenByte(b byte) bool {
	return isASCIILetter(b) || isDigit(b) || b == '_' || b == '-' || b == '+' || b == '~'
}

// flipsCase is a run of letters whose case changes as no word's does.
func flipsCase(run string) bool {
	flips := 0
	for i := 1; i < len(run); i++ {
		if isASCIILetter(run[i-1]) && isASCIILetter(run[i]) && run[i-1]&0x20 != 0 && run[i]&0x20 == 0 {
			flips++
		}
	}
	return flips >= 4
}

// longWordNext is what follows "Bearer" in a header, and not in "the bearer of news".
func longWordNext(s string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(s, " "), " ")
	return len(word) >= 16
}
