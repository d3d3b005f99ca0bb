package secrets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/askhub/askhub/internal/filewatch"
)

// Watch takes up each change of the secrets file until ctx ends, within a second. An
// edit that is not good keeps what was, except that a caller's token that stands in
// the file no more is dead. It returns nil when ctx ends.
func (s *Secrets) Watch(ctx context.Context) error {
	if s.path == "" {
		<-ctx.Done()
		return nil
	}
	filewatch.Watch(ctx, s.path, s.reload)
	return nil
}

// reload reads all sources again and takes up what they say.
func (s *Secrets) reload() {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	old := s.state.Load()
	data, err := readFile(s.path)
	var next *state
	var problems []error
	if err == nil {
		next, problems, err = s.read(data)
	}
	problem := errors.Join(problems...)
	if err != nil {
		problem = fmt.Errorf("the secrets file is not taken, what was before holds: %w", err)
		next = old
		if data != nil {
			next = withoutDead(old, data)
		}
	}
	s.state.Store(next)
	s.report(problem, !same(old, next))
}

func (s *Secrets) read(data []byte) (*state, []error, error) {
	all, problems, err := gather(s.path, data, s.environ, isToken)
	if err != nil {
		return nil, nil, err
	}
	next, err := build(all)
	return next, append(problems, s.missing(data, next)...), err
}

// missing is the problem of a Hub that nobody can call because it has no secrets file.
func (s *Secrets) missing(data []byte, st *state) []error {
	if data != nil || len(st.callers) > 0 {
		return nil
	}
	return []error{fmt.Errorf("the secrets file %s is not there; `askhub init` makes one", s.path)}
}

func (s *Secrets) report(problem error, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if problem != nil && (s.problem == nil || s.problem.Error() != problem.Error()) {
		s.log.Warn("secrets", "problem", problem)
	}
	s.problem = problem
	if changed {
		s.log.Info("secrets: tokens have changed", "callers", len(s.state.Load().callers), "projects", len(s.state.Load().projects))
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

func same(a, b *state) bool {
	return maps.Equal(a.callers, b.callers) && maps.Equal(a.projects, b.projects)
}

// withoutDead is the state without the callers whose token stands nowhere in the file.
// The file has a fault, so this cannot trust its syntax: it looks at every word of it
// that is not in a comment. A token it fails to see is dead, which is the safe side.
func withoutDead(old *state, data []byte) *state {
	there := map[Digest]bool{}
	for _, line := range bytes.FieldsFunc(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || line[0] == ';' {
			continue
		}
		for _, word := range bytes.FieldsFunc(line, func(r rune) bool { return r <= ' ' || r == '"' || r == '\'' }) {
			there[DigestOf(string(word))] = true
			if _, value, ok := bytes.Cut(word, []byte("=")); ok {
				there[DigestOf(string(value))] = true
			}
		}
	}
	next := &state{projects: old.projects, callers: map[Digest]string{}, fromFile: old.fromFile}
	for d, name := range old.callers {
		if there[d] || !old.fromFile[d] {
			next.callers[d] = name
		}
	}
	return next
}
