package composition

import (
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// A Problem is a mistake in a graph that would make each run of it fail, or do nothing that was meant.
type Problem struct {
	Step  string // id of the step; "" for the composition itself
	Key   string // in which it stands
	Value string // the text that is wrong, to find its place in a list or an object
	Text  string
	Hint  string
}

// Problems finds all mistakes that can be known without running the steps.
func (c *Composition) Problems() []Problem {
	f := &finder{c: c, later: map[string]bool{}, seen: map[string]bool{}}
	for _, s := range c.Steps {
		f.later[s.ID] = true
		for _, b := range s.Branches {
			f.later[b.ID] = true
		}
	}
	for _, s := range c.Steps {
		f.step(s)
	}
	if c.Output != "" && !f.seen[c.Output] {
		f.add("", "output", c.Output, fmt.Sprintf("there is no step %q", c.Output), f.near(c.Output))
	}
	if s := c.Step(c.Output); s != nil && s.Kind == Branch {
		f.add("", "output", c.Output, fmt.Sprintf("the step %q is a branch, which gives no output", c.Output), "")
	}
	return f.found
}

// finder goes through the steps in their order.
type finder struct {
	c     *Composition
	later map[string]bool // ids of steps that have not been seen yet
	seen  map[string]bool
	found []Problem
}

func (f *finder) add(step, key, value, text, hint string) {
	f.found = append(f.found, Problem{step, key, value, text, hint})
}

func (f *finder) near(id string) string {
	var ids []string
	for _, s := range f.c.Steps {
		ids = append(ids, s.ID)
	}
	if near := diag.Nearest(id, ids); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

func (f *finder) step(s *Step) {
	f.identify(s)
	for _, id := range s.DependsOn {
		f.earlier(s, "depends_on", id, id)
	}
	f.values(s)
	switch s.Kind {
	case Branch:
		f.branch(s)
	case Parallel:
		f.parallel(s)
	case Agent:
		f.bounds(s)
	case Prompt, Tool:
	}
	f.know(s)
}

func (f *finder) bounds(s *Step) {
	if s.MaxSteps == 0 && s.StopTool == "" {
		f.add(s.ID, "termination", "", "an agent step needs termination",
			"write termination: {max_steps: 5}, or {tool_called: NAME}")
	}
}

func (f *finder) identify(s *Step) {
	switch {
	case !IsID(s.ID):
		f.add(s.ID, "id", s.ID, fmt.Sprintf("%q cannot be the id of a step", s.ID),
			"use letters, digits and _, and begin with a letter or _")
	case s.ID == inputRoot:
		f.add(s.ID, "id", s.ID, "no step can be called input: ${input} is what the user said", "choose another id")
	case f.seen[s.ID]:
		f.add(s.ID, "id", s.ID, fmt.Sprintf("a second step is called %q", s.ID), "give each step its own id")
	}
}

// know makes a step one that later ones can refer to.
func (f *finder) know(s *Step) {
	f.seen[s.ID] = true
	delete(f.later, s.ID)
	for _, b := range s.Branches {
		f.seen[b.ID] = true
		delete(f.later, b.ID)
	}
}

// earlier finds a reference to a step that does not come before this one.
func (f *finder) earlier(s *Step, key, value, id string) {
	switch {
	case f.seen[id]:
	case id == s.ID:
		f.add(s.ID, key, value, fmt.Sprintf("the step %q refers to itself", id), "")
	case f.later[id]:
		f.add(s.ID, key, value, fmt.Sprintf("the step %q comes later", id), "steps run in the order of the file: put it first")
	default:
		f.add(s.ID, key, value, fmt.Sprintf("there is no step %q", id), f.near(id))
	}
}

// values finds references that cannot be resolved in the input or the arguments of a step.
func (f *finder) values(s *Step) {
	references(s.Input, func(text string) { f.refer(s, "input", text) })
	if s.Args != nil {
		references(s.Args, func(text string) { f.refer(s, "args", text) })
	}
}

func (f *finder) refer(s *Step, key, text string) {
	r, err := parse(text)
	switch {
	case err != nil:
		f.add(s.ID, key, text, err.Error(), "")
	case r.root != inputRoot:
		f.earlier(s, key, text, r.root)
		if to := f.c.Step(r.root); to != nil && to.Kind == Branch {
			f.add(s.ID, key, text, fmt.Sprintf("the step %q is a branch, which gives no output", r.root), "")
		}
	}
}

func (f *finder) branch(s *Step) {
	f.target(s, "then", s.Then)
	f.target(s, "else", s.Else)
	if s.If != nil {
		f.predicate(s, s.If)
	}
}

// target finds a way of a branch that leads to no later step.
func (f *finder) target(s *Step, key, id string) {
	outer := slices.ContainsFunc(f.c.Steps, func(t *Step) bool { return t.ID == id })
	switch {
	case id == "":
	case f.seen[id] || id == s.ID:
		f.add(s.ID, key, id, fmt.Sprintf("the step %q does not come after the branch", id),
			"a branch chooses among later steps; there are no loops")
	case f.later[id] && outer:
	case f.later[id]:
		f.add(s.ID, key, id, fmt.Sprintf("the step %q stands inside a parallel step", id), "name the parallel step")
	default:
		f.add(s.ID, key, id, fmt.Sprintf("there is no step %q", id), f.near(id))
	}
}

func (f *finder) predicate(s *Step, p *Predicate) {
	for _, inner := range slices.Concat(p.All, p.Any) {
		f.predicate(s, inner)
	}
	if p.Not != nil {
		f.predicate(s, p.Not)
	}
	if p.Path == "" {
		return
	}
	r, err := parseWhole(p.Path)
	switch {
	case err != nil:
		f.add(s.ID, "predicate", p.Path, err.Error(), "")
	case r.root != inputRoot:
		f.earlier(s, "predicate", p.Path, r.root)
	}
	if _, isList := p.Value.([]any); p.Op.IsIn() && !isList {
		f.add(s.ID, "predicate", p.Path, fmt.Sprintf("%s needs a list of values", p.Op), "write value: [a, b]")
	}
	if p.Op.IsOrder() && !jsonvalue.IsNumber(p.Value) {
		f.add(s.ID, "predicate", p.Path, fmt.Sprintf("%s compares numbers, and value is none", p.Op), "")
	}
}

func (f *finder) parallel(s *Step) {
	if len(s.Branches) < 2 {
		f.add(s.ID, "branches", "", "a parallel step needs two branches or more", "")
	}
	for i, b := range s.Branches {
		if !b.Kind.IsLeaf() {
			f.add(b.ID, "kind", string(b.Kind), fmt.Sprintf("a %s step cannot stand inside a parallel step", b.Kind),
				"prompt, agent and tool can")
		}
		f.identify(b)
		if b.ID == s.ID || slices.ContainsFunc(s.Branches[:i], func(other *Step) bool { return other.ID == b.ID }) {
			f.add(b.ID, "id", b.ID, fmt.Sprintf("a second step is called %q", b.ID), "give each step its own id")
		}
		for _, id := range b.DependsOn {
			f.earlier(b, "depends_on", id, id)
		}
		f.values(b)
		if b.Kind == Agent {
			f.bounds(b)
		}
	}
}
