package harness

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// Trials, recordings and files are found by their names, so secrets cannot be redacted in names. If a known secret is
// part of a name, there are two cases. A secret that consists of words is not treated as a secret any more, with a
// warning. Any other secret is an error, and nothing is run.

// Named is a name that arena writes.
type Named struct {
	What       string // "the scenario"
	Name       string
	Pos        diag.Pos // zero: the name is not from a file
	Redactable bool     // nothing is found by this name, so secrets in it are redacted
}

// partOfName is a secret that is a part of names.
type partOfName struct {
	value, origin string
	first         Named
	more          int
}

// CheckNames reports, once each, the known secrets that are part of a name: as a warning for one that consists of
// words, which is not treated as a secret any more, and as an error for others.
func (s *Secrets) CheckNames(names iter.Seq[Named], d *diag.List) {
	set := s.Set()
	if set == nil {
		return
	}
	found := map[string]*partOfName{}
	for n := range names {
		if set.In([]byte(n.Name)) {
			s.partsOf(n, found)
		}
	}
	order := func(a, b *partOfName) int {
		return cmp.Or(cmp.Compare(a.origin, b.origin), cmp.Compare(a.value, b.value))
	}
	for _, p := range slices.SortedFunc(maps.Values(found), order) {
		s.reportPart(p, d)
	}
}

// partsOf adds the secrets that are part of a name.
func (s *Secrets) partsOf(n Named, to map[string]*partOfName) {
	for _, value := range s.Known() {
		if n.Redactable && !secret.IsWords(value) || !secret.NewSet([]string{value}).In([]byte(n.Name)) {
			continue
		}
		if p := to[value]; p != nil {
			p.more++
			continue
		}
		s.mu.Lock()
		to[value] = &partOfName{value: value, origin: cmp.Or(s.origins[value], "a secret"), first: n}
		s.mu.Unlock()
	}
}

func (s *Secrets) reportPart(p *partOfName, d *diag.List) {
	if secret.IsWords(p.value) {
		s.Spare(p.value)
	}
	s.mu.Lock()
	reported := s.reported[p.value]
	if s.reported == nil {
		s.reported = map[string]bool{}
	}
	s.reported[p.value] = true
	s.mu.Unlock()
	if reported {
		return
	}
	others := ""
	if p.more > 0 {
		others = " (and of " + plural.Of(p.more, "other name", "other names") + ")"
	}
	if secret.IsWords(p.value) {
		d.Warnf(p.first.Pos, 0, "secret-in-name", "the value of %s is a part of %s, %q%s, so it is taken for a "+
			"name and left in whatever arena writes", p.origin, p.first.What, s.Text(p.first.Name), others).Hint =
			"if it is a secret, choose another one; if it is none, call the variable otherwise, or unset it for arena"
		return
	}
	d.Errorf(p.first.Pos, 0, "secret-in-name", "the value of %s is a part of %s%s: whatever arena writes would show it",
		p.origin, p.first.What, others).Hint =
		"call one of them otherwise; if the value is no secret, call the variable otherwise, or unset it for arena"
}

// CheckSuiteNames calls CheckNames with all names in a suite.
func (s *Secrets) CheckSuiteNames(suite *scenario.Suite, d *diag.List) {
	s.CheckNames(func(yield func(Named) bool) {
		for _, p := range suite.Projects {
			if !projectNames(p, func(what, name string, pos diag.Pos) bool {
				return name == "" || yield(Named{What: what, Name: name, Pos: pos})
			}) {
				return
			}
		}
	}, d)
}

// CheckSpecNames calls CheckNames with the texts in the options of a run: files, folders and filters.
func (s *Secrets) CheckSpecNames(spec *result.Spec, d *diag.List) {
	s.CheckNames(func(yield func(Named) bool) {
		for field, value := range reflect.ValueOf(spec).Elem().Fields() {
			flag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			what := "--" + strings.ReplaceAll(flag, "_", "-")
			switch v := value.Interface().(type) {
			case string:
				if !yield(Named{What: what, Name: v}) {
					return
				}
			case []string:
				for _, name := range v {
					if !yield(Named{What: what, Name: name}) {
						return
					}
				}
			}
		}
	}, d)
}

// projectNames calls yield with the names in a project, until it returns false.
func projectNames(p *scenario.Project, yield func(what, name string, pos diag.Pos) bool) bool {
	at := diag.Pos{File: p.File}
	all := yield("the name of the project", p.Name, at) && yield("the name of the config", p.File, at)
	add := func(what string, pos diag.Pos, names ...string) {
		for _, name := range names {
			all = all && yield(what, name, pos)
		}
	}
	o := p.Defaults.Output
	add("the place of the results", at, o.Dir, o.JUnitFile, o.HTMLFile, o.MarkdownFile, o.Recording.Dir)
	for _, one := range p.Scenarios {
		add("the name of the scenario", one.Pos, one.ID, one.Alias, one.File, one.Group)
		add("a tag of the scenario", one.Pos, one.Tags...)
		for i := range one.Turns {
			for _, w := range one.Turns[i].More().Perturbations {
				add("the name of a variant", w.Pos, append([]string{w.Name}, w.Values...)...)
			}
		}
	}
	for _, one := range p.Evals {
		add("the name of the eval", one.Pos, one.ID, one.Alias, one.File)
		add("a tag of the eval", one.Pos, one.Tags...)
	}
	for _, one := range p.Providers {
		add("the name of the provider", one.Pos, one.ID, one.Alias, one.File, one.Model, one.Group, one.MockFile)
	}
	for _, one := range p.Prompts {
		add("the name of the prompt", one.Pos, one.ID, one.TaskType, one.File)
		for _, e := range one.Evals {
			add("the name of the eval", e.IDPos, e.ID)
		}
	}
	for _, list := range [][]*scenario.Eval{p.PackEvals, p.ArenaEvals} {
		for _, e := range list {
			add("the name of the eval", e.IDPos, e.ID)
		}
	}
	for _, one := range p.Tools {
		add("the name of the tool", one.Pos, one.ID, one.Alias, one.File)
		add("an argument of the tool", one.InputPos, properties(one.InputSchema)...)
	}
	for _, one := range p.Judges {
		add("the name of the judge", one.Pos, one.Name)
	}
	for _, one := range p.Agents {
		add("the name of the agent", one.URLPos, one.Name)
	}
	for _, one := range p.Servers {
		add("the name of the server", one.Pos, one.Name)
	}
	for _, one := range p.Handlers {
		add("the name of the check", one.Pos, one.Type)
	}
	flowNames(p, add)
	return all
}

// flowNames adds the names in workflow, compositions and skills.
func flowNames(p *scenario.Project, add func(what string, pos diag.Pos, names ...string)) {
	if p.Workflow != nil {
		for _, state := range p.Workflow.States {
			add("the name of the state", p.Workflow.At(state.Name), state.Name)
			add("an event of the state", p.Workflow.At(state.Name), slices.Sorted(maps.Keys(state.Events))...)
		}
	}
	for _, c := range p.Compositions {
		add("the name of the composition", c.Pos, c.Name)
		for _, step := range c.Steps {
			add("the name of the step", c.At(step), step.ID)
			for _, branch := range step.Branches {
				add("the name of the step", c.At(branch), branch.ID)
			}
		}
	}
	if p.Skills != nil {
		for _, one := range p.Skills.All() {
			add("the name of the skill", one.Pos, one.Name, one.Path)
		}
	}
}

// properties are the names of the fields that a JSON Schema describes, at any depth.
func properties(schema json.RawMessage) (names []string) {
	var v any
	if len(schema) == 0 || json.Unmarshal(schema, &v) != nil {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			fields, _ := v["properties"].(map[string]any)
			names = slices.AppendSeq(names, maps.Keys(fields))
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(v)
	slices.Sort(names)
	return slices.Compact(names)
}
