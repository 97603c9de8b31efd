// Package skill holds the skills of agents: instructions that a model gets when it asks for them, and the tools that
// come with them. It reads SKILL.md files, decides which skills a state allows, and tracks the active ones.
package skill

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
)

// The tools by which a model works with skills.
const (
	ActivateTool   = "skill__activate"
	DeactivateTool = "skill__deactivate"
	ResourceTool   = "skill__read_resource"
)

// ToolNames are all of them.
var ToolNames = []string{ActivateTool, DeactivateTool, ResourceTool}

// A Skill is read once and shared by all trials; it never changes.
type Skill struct {
	Name         string
	Description  string // one line for the model that chooses
	Instructions string
	Text         string   // its SKILL.md as it stands there; "" for a skill that a config holds itself
	Tools        []string // names of tools that are offered while it is active
	ToolsPos     diag.Pos // where they are named; zero: nowhere
	Dir          string   `digest:"-"` // folder of its resources; "" for a skill that a config holds itself
	Path         string   // the folder as filters see it: with slashes, relative to the config; "" without a folder
	Preload      bool     // active in every state that allows it
	Pos          diag.Pos
}

// File is the name of the file that makes a folder a skill.
const File = "SKILL.md"

// MaxName and MaxDescription are the longest name and description, in characters.
const (
	MaxName        = 64
	MaxDescription = 1024
)

// MaxFile is the size, in bytes, of the largest SKILL.md and of the largest resource.
const MaxFile = 1 << 20

var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`) })

// IsName reports whether a text can be a skill's name: small letters, digits and single hyphens between them.
func IsName(text string) bool { return len(text) <= MaxName && namePattern().MatchString(text) }

// A Set is the skills of a project, sorted by name.
type Set struct {
	skills []*Skill
	byName map[string]*Skill
}

// NewSet makes a set. Of two skills with one name the first stays; where the other is preloaded, so is the first.
func NewSet(skills ...*Skill) *Set {
	set := &Set{byName: make(map[string]*Skill, len(skills))}
	for _, s := range skills {
		first := set.byName[s.Name]
		switch {
		case first == nil:
			set.byName[s.Name] = s
			set.skills = append(set.skills, s)
		case s.Preload && !first.Preload:
			preloaded := *first
			preloaded.Preload = true
			set.byName[s.Name] = &preloaded
			set.skills[slices.Index(set.skills, first)] = &preloaded
		}
	}
	slices.SortFunc(set.skills, func(a, b *Skill) int { return strings.Compare(a.Name, b.Name) })
	return set
}

// WithTools is the set with those of its tools that there are: has reports which.
func (s *Set) WithTools(has func(name string) bool) *Set {
	list := make([]*Skill, len(s.skills))
	for i, one := range s.skills {
		known := *one
		known.Tools = slices.DeleteFunc(slices.Clone(one.Tools), func(name string) bool { return !has(name) })
		list[i] = &known
	}
	return NewSet(list...)
}

// All are the skills, sorted by name. The caller leaves them as they are.
func (s *Set) All() []*Skill { return s.skills }

// Names are the names of all skills, sorted.
func (s *Set) Names() []string {
	names := make([]string, len(s.skills))
	for i, skill := range s.skills {
		names[i] = skill.Name
	}
	return names
}

// Allowed are the skills that a filter lets through, sorted by name.
func (s *Set) Allowed(f Filter) (allowed []*Skill) {
	for _, skill := range s.skills {
		if f.Allows(skill) {
			allowed = append(allowed, skill)
		}
	}
	return allowed
}
