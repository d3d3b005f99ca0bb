// Package secrets holds what nobody else may know: the tokens of projects and of
// callers, and such things as a calendar's password. They come from the secrets file,
// from the process's environment, which wins over it, and from systemd's credentials,
// which win over both (spec 1).
package secrets

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/askhub/askhub/ask"
)

const (
	projectPrefix = "PROJECT_TOKEN_"
	callerPrefix  = "HUB_TOKEN_"
	// approvalPrefix is that of the admin app's tokens at projects, which the Hub never reads.
	approvalPrefix = "APPROVAL_TOKEN_"
	// maxFile is the largest secrets file or credential that is read, in bytes.
	maxFile = 64 << 10
)

// Digest is the SHA-256 of a token: all that is kept of an inbound one.
type Digest [sha256.Size]byte

// DigestOf is the token's digest.
func DigestOf(token string) Digest {
	// A copy on the stack keeps this off the heap; no token of ours is longer.
	var buf [128]byte
	if len(token) <= len(buf) {
		return sha256.Sum256(buf[:copy(buf[:], token)])
	}
	return sha256.Sum256([]byte(token))
}

// Short is the digest's first eight hex digits: enough to tell tokens apart by eye.
func (d Digest) Short() string { return fmt.Sprintf("%x", d[:4]) }

// EnvName is the name in the environment that belongs to a name of ours: capitals,
// and _ for whatever is no letter or digit.
func EnvName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// ProjectVar is the variable that holds a project's token, CallerVar a caller's.
func ProjectVar(name string) string { return projectPrefix + EnvName(name) }

// CallerVar is the variable that holds a caller's token.
func CallerVar(name string) string { return callerPrefix + EnvName(name) }

// Secrets are the secrets as they stand now. All methods are safe to call from
// several goroutines.
type Secrets struct {
	path    string
	environ []string
	log     *slog.Logger

	reloading sync.Mutex // one reload at a time
	state     atomic.Pointer[state]
	mu        sync.Mutex
	changed   chan struct{}
	problem   error
}

// state is one reading of all sources.
type state struct {
	projects map[string]ask.BearerToken
	callers  map[Digest]string
	// fromFile are the callers whose token came from the file.
	fromFile map[Digest]bool
}

// Open reads the secrets file at path (which need not exist), the environment as
// os.Environ gives it, and the folder that CREDENTIALS_DIRECTORY names. A file that
// others can read, a token that is too short and one token under two names are errors
// that name the mend.
func Open(path string, environ []string) (*Secrets, error) {
	s := &Secrets{path: path, changed: make(chan struct{}), log: slog.New(slog.DiscardHandler)}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	s.environ = withoutCopies(data, environ)
	st, problems, err := s.read(data)
	if err != nil {
		return nil, err
	}
	s.state.Store(st)
	s.problem = errors.Join(problems...)
	return s, nil
}

// withoutCopies leaves out the variables that only repeat the file. The user's
// systemd puts the file's lines into every service's environment; were those to win, no
// edit of the file would take effect without a restart.
func withoutCopies(data []byte, environ []string) []string {
	inFile := map[string]string{}
	list, _, _ := parse(data)
	resolve(list, environ, func(name, value string, _ int) { inFile[name] = value })
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, value, _ := strings.Cut(pair, "=")
		was, ok := inFile[name]
		return ok && was == value
	})
}

// SetLog says where a watch reports; it is to be called before Watch.
func (s *Secrets) SetLog(log *slog.Logger) { s.log = log }

// Project is the token that the Hub presents to the project.
func (s *Secrets) Project(name string) (ask.BearerToken, bool) {
	t, ok := s.state.Load().projects[ProjectVar(name)]
	return t, ok
}

// Named is any other secret, such as a calendar's password. It is read when asked
// for, so that a process holds only what it uses.
func (s *Secrets) Named(name string) (string, bool) {
	found, err := Lookup(s.path, s.environ, name)
	if err != nil {
		return "", false
	}
	v, ok := found[name]
	return v, ok
}

// Callers are the digests of the callers' tokens, with each caller's name: "phone"
// for HUB_TOKEN_PHONE.
func (s *Secrets) Callers() map[Digest]string { return maps.Clone(s.state.Load().callers) }

// Caller is who holds the token.
//
// The lookup is by the token's SHA-256. How long a map takes depends on the digest,
// which nobody can steer towards another digest without breaking SHA-256, so the time
// tells nothing about a token; comparing tokens themselves would.
func (s *Secrets) Caller(token string) (name string, ok bool) {
	name, ok = s.state.Load().callers[DigestOf(token)]
	return name, ok
}

// Changed is closed when a token has come, gone or changed. Ask for it anew each time,
// and before looking a token up.
func (s *Secrets) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Problem is what is wrong with the secrets file as it stands, nil where nothing is:
// lines that have no effect, or an edit that was not taken.
func (s *Secrets) Problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// String keeps secrets out of a log that prints this.
func (s *Secrets) String() string { return "[secrets]" }

// GoString keeps %#v from it too.
func (s *Secrets) GoString() string { return "[secrets]" }

// Lookup reads only the named secrets, for a process that needs no more. A token
// among them is checked as Open does; a name that is nowhere is not in the map.
func Lookup(path string, environ []string, names ...string) (map[string]string, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	all, _, err := gather(path, data, environ, func(name string) bool { return slices.Contains(names, name) })
	if err != nil {
		return nil, err
	}
	found := make(map[string]string, len(all))
	for _, e := range all {
		if isToken(e.name) {
			if err := checkToken(e); err != nil {
				return nil, err
			}
		}
		found[e.name] = e.value
	}
	return found, nil
}

var tokenForm = regexp.MustCompile(`^(` + projectPrefix + `|` + callerPrefix + `)[A-Z0-9_]+$`)

func isToken(name string) bool { return tokenForm.MatchString(name) }

func isApproval(name string) bool {
	return len(name) > len(approvalPrefix) && strings.HasPrefix(name, approvalPrefix)
}

// nearToken is a name that somebody meant for a token's.
func nearToken(name string) bool {
	upper := strings.ToUpper(name)
	return !isToken(name) && (strings.HasPrefix(upper, projectPrefix) || strings.HasPrefix(upper, callerPrefix))
}

// Source says where a secret comes from.
type Source string

// The sources, the weakest first.
const (
	FromFile        Source = "file"
	FromEnvironment Source = "environment"
	FromCredential  Source = "credential"
)

// entry is one secret from the source that won.
type entry struct {
	name, value string
	from        Source
	where       string // for a person: the file and line, or the variable
	// hides is set where the file has another value that this one hides.
	hides bool
}

// gather takes the wanted names from all sources, in alphabetical order.
func gather(path string, data []byte, environ []string, want func(string) bool) ([]entry, []error, error) {
	list, problems, err := parse(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, p := range problems {
		problems[i] = fmt.Errorf("%s: %w", path, p)
	}
	found := map[string]entry{}
	resolve(list, environ, func(name, value string, line int) {
		if nearToken(name) {
			problems = append(problems, fmt.Errorf("%s:%d: %s is no token's name; write it in capitals, with a name at its end", path, line, name))
		}
		if want(name) {
			found[name] = entry{name: name, value: value, from: FromFile, where: fmt.Sprintf("%s:%d", path, line)}
		}
	})
	put := func(e entry) {
		// An empty variable is how many tools say "not set".
		if e.value == "" || !want(e.name) {
			return
		}
		old, ok := found[e.name]
		e.hides = ok && (old.hides || old.from == FromFile && old.value != e.value)
		found[e.name] = e
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		put(entry{name: name, value: value, from: FromEnvironment, where: "the environment"})
	}
	creds, err := credentials(environ, want)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range creds {
		put(e)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b entry) int { return strings.Compare(a.name, b.name) }), problems, nil
}

// resolve expands the values in order, each seeing those before it, and gives them out.
func resolve(list []assignment, environ []string, give func(name, value string, line int)) {
	set := map[string]string{}
	lookup := func(name string) string {
		if v, ok := set[name]; ok {
			return v
		}
		for _, pair := range environ {
			if n, v, _ := strings.Cut(pair, "="); n == name {
				return v
			}
		}
		return ""
	}
	for _, a := range list {
		set[a.name] = expand(a.value, lookup)
		give(a.name, set[a.name], a.line)
	}
}

// credentials reads the wanted ones of systemd's credentials (LoadCredential=NAME:…).
func credentials(environ []string, want func(string) bool) ([]entry, error) {
	dir := ""
	for _, pair := range environ {
		if v, ok := strings.CutPrefix(pair, "CREDENTIALS_DIRECTORY="); ok {
			dir = v
		}
	}
	if dir == "" {
		return nil, nil
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("CREDENTIALS_DIRECTORY: %w", err)
	}
	var list []entry
	for _, f := range files {
		if !want(f.Name()) {
			continue
		}
		data, err := readRegular(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("credential %s: %w", f.Name(), err)
		}
		value := strings.TrimRight(string(data), "\r\n")
		list = append(list, entry{name: f.Name(), value: value, from: FromCredential, where: "credential " + f.Name()})
	}
	return list, nil
}

// build checks every token and sorts them by use.
func build(all []entry) (*state, error) {
	st := &state{projects: map[string]ask.BearerToken{}, callers: map[Digest]string{}, fromFile: map[Digest]bool{}}
	var faults []error
	owner := map[Digest]string{}
	for _, e := range all {
		if err := checkToken(e); err != nil {
			faults = append(faults, err)
			continue
		}
		d := DigestOf(e.value)
		if other, taken := owner[d]; taken {
			faults = append(faults, fmt.Errorf("%s: %s is the same token as %s; give each its own, `askhub token rotate` makes one", e.where, e.name, other))
			continue
		}
		owner[d] = e.name
		if name, ok := strings.CutPrefix(e.name, callerPrefix); ok {
			st.callers[d] = strings.ToLower(name)
			st.fromFile[d] = e.from == FromFile
		} else {
			st.projects[e.name] = ask.BearerToken(e.value)
		}
	}
	return st, errors.Join(faults...)
}

// checkToken never shows the token.
func checkToken(e entry) error {
	if len(e.value) < ask.MinToken {
		return fmt.Errorf("%s: %s is shorter than %d characters; `askhub token rotate` makes one that is not", e.where, e.name, ask.MinToken)
	}
	if strings.ContainsFunc(e.value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s: %s holds a space or a character that no header can carry; `askhub token rotate` makes one that does not", e.where, e.name)
	}
	return nil
}

// readFile reads the secrets file; one that is not there is empty. An error still
// comes with what data there is: the whole of a file that others can read, the start
// of one that is too large, and none of what is no file. It is nil where nobody can
// tell what stands in the file.
func readFile(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the secrets file: %w", err)
	}
	data, err := readRegular(path)
	if err != nil {
		return data, fmt.Errorf("the secrets file %s: %w", path, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return data, fmt.Errorf("others can read the secrets file %s (mode %04o); mend it with: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	return data, nil
}

func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return []byte{}, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		err = fmt.Errorf("it is larger than %d KB", maxFile>>10)
	}
	return data, err
}
