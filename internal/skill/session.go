package skill

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
)

// A Session is the skills of one trial: which its state allows, and which are active. It is safe for concurrent use.
type Session struct {
	set *Set

	mu      sync.Mutex
	allowed map[string]*Skill
	active  map[string]*Skill
}

// Open begins a trial in a state with a filter.
func (s *Set) Open(f Filter) *Session {
	t := &Session{set: s, active: map[string]*Skill{}}
	t.Enter(f)
	return t
}

// Enter moves to a state with another filter. Skills that it does not allow are no longer active.
func (t *Session) Enter(f Filter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.allowed = map[string]*Skill{}
	for _, skill := range t.set.Allowed(f) {
		t.allowed[skill.Name] = skill
		if skill.Preload {
			t.active[skill.Name] = skill
		}
	}
	maps.DeleteFunc(t.active, func(name string, _ *Skill) bool { return t.allowed[name] == nil })
}

// Allowed are the skills of the state, sorted by name.
func (t *Session) Allowed() []*Skill { return t.list(&t.allowed) }

// Active are the skills that are active, sorted by name.
func (t *Session) Active() []*Skill { return t.list(&t.active) }

// Preloaded are those of the state that are active without being asked for, sorted by name.
func (t *Session) Preloaded() []*Skill {
	return slices.DeleteFunc(t.Allowed(), func(s *Skill) bool { return !s.Preload })
}

func (t *Session) list(from *map[string]*Skill) []*Skill {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.SortedFunc(maps.Values(*from), func(a, b *Skill) int { return strings.Compare(a.Name, b.Name) })
}

// Tools are the names of the tools that active skills add, sorted, each once.
func (t *Session) Tools() []string {
	var names []string
	for _, skill := range t.Active() {
		names = append(names, skill.Tools...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Activate makes a skill active; one that is active stays so. The error is for the model.
func (t *Session) Activate(name string) (*Skill, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	skill, err := t.find(name)
	if err == nil {
		t.active[name] = skill
	}
	return skill, err
}

// Deactivate ends a skill and returns the tools that are no longer offered for it. The error is for the model.
func (t *Session) Deactivate(name string) (removed []string, err error) {
	before := t.Tools()
	t.mu.Lock()
	skill := t.active[name]
	switch {
	case skill == nil:
		err = fmt.Errorf("the skill %q is not active", name)
	case skill.Preload:
		err = fmt.Errorf("the skill %q is always active", name)
	default:
		delete(t.active, name)
	}
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	after := t.Tools()
	return slices.DeleteFunc(before, func(tool string) bool { return slices.Contains(after, tool) }), nil
}

// Resource reads a text file of a skill's folder. The path is relative to the folder; one that leads out of it, also by
// a link, is refused. The error is for the model, and names no path of this machine.
func (t *Session) Resource(name, path string) (string, error) {
	t.mu.Lock()
	skill, err := t.find(name)
	t.mu.Unlock()
	switch {
	case err != nil:
		return "", err
	case skill.Dir == "":
		return "", fmt.Errorf("the skill %q has no files", name)
	}
	data, err := plainfile.ReadIn(skill.Dir, path, MaxFile)
	switch {
	case err != nil:
		return "", fmt.Errorf("the skill %q has no file %q that can be read: %w", name, path, err)
	case !utf8.Valid(data):
		return "", fmt.Errorf("the file %q of the skill %q is not text in UTF-8", path, name)
	}
	return string(data), nil
}

// find is an allowed skill. The caller holds the lock.
func (t *Session) find(name string) (*Skill, error) {
	if skill := t.allowed[name]; skill != nil {
		return skill, nil
	}
	if t.set.byName[name] != nil {
		return nil, fmt.Errorf("the skill %q is not available in this state", name)
	}
	text := fmt.Sprintf("there is no skill %q", name)
	if near := diag.Nearest(name, slices.Sorted(maps.Keys(t.allowed))); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return nil, errors.New(text)
}
