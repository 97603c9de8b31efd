package result

import (
	"cmp"
	"slices"
	"strings"
)

// Coverage lists the parts that a project declares, with the number of trials that touched each of them.
type Coverage struct {
	Project     string    `json:"project,omitempty"` // prefix of the ids of its trials; "" in a run of one project
	File        string    `json:"file,omitempty"`    // its config
	Trials      int       `json:"trials"`            // trials of the project in which a turn was run
	Start       string    `json:"start,omitempty"`   // state of the workflow in which trials begin by default
	States      []Covered `json:"states,omitempty"`
	Transitions []Covered `json:"transitions,omitempty"`
	Skills      []Covered `json:"skills,omitempty"` // that a model activated, or that were active from the start
	Steps       []Covered `json:"steps,omitempty"`  // of compositions; for a branch, its ways
	Tools       []Covered `json:"tools,omitempty"`  // tools that returned a result
}

// Covered is one part of a project. A transition has no name. It has no event when it is the redirect of a state that
// is full.
type Covered struct {
	Name   string `json:"name,omitempty"`
	From   string `json:"from,omitempty"`
	Event  string `json:"event,omitempty"`
	To     string `json:"to,omitempty"`
	Trials int    `json:"trials"` // number of trials that touched it
	// ActiveIn are the states in which a preloaded skill is active without a call; "" stands for no workflow.
	ActiveIn []string `json:"active_in,omitempty"`

	last int // number of the last trial that touched it
}

// skillTool is the tool that activates a skill.
const skillTool = "skill__activate"

// Parts returns the lists of a coverage by kind.
func (c *Coverage) Parts() []Parts {
	return []Parts{
		{"state", c.States}, {"transition", c.Transitions}, {"skill", c.Skills}, {"step", c.Steps},
		{"tool", c.Tools},
	}
}

// Parts are the parts of one kind.
type Parts struct {
	Kind string // in the singular
	List []Covered
}

// Empty reports whether nothing is declared.
func (c *Coverage) Empty() bool {
	return !slices.ContainsFunc(c.Parts(), func(p Parts) bool { return len(p.List) > 0 })
}

// Map returns a copy with f applied to every text.
func (c *Coverage) Map(f func(string) string) Coverage {
	all := *c
	all.Project, all.File, all.Start = f(c.Project), f(c.File), f(c.Start)
	for _, list := range []*[]Covered{&all.States, &all.Transitions, &all.Skills, &all.Steps, &all.Tools} {
		*list = slices.Clone(*list)
		for i := range *list {
			p := &(*list)[i]
			p.Name, p.From, p.Event, p.To = f(p.Name), f(p.From), f(p.Event), f(p.To)
			p.ActiveIn = slices.Clone(p.ActiveIn)
			for k := range p.ActiveIn {
				p.ActiveIn[k] = f(p.ActiveIn[k])
			}
		}
	}
	return all
}

// coverSum counts the coverage of a run.
type coverSum struct {
	projects []*coverCount
}

type coverCount struct {
	Coverage

	transitions map[[2]string]*Covered // by the state that is left or full, and the event
	named       map[[2]string]*Covered // by kind and name
	active      map[string][]*Covered  // preloaded skills, by the state in which they are active
	prefix      string                 // of the ids of trials
}

// Cover sets what the projects of the run declare. Call it before the first Add.
func (c *Collector) Cover(declared []Coverage) {
	c.coverage = coverSum{}
	for i := range declared {
		p := &coverCount{
			Coverage: declared[i].Map(func(text string) string { return text }),
			named:    map[[2]string]*Covered{}, transitions: map[[2]string]*Covered{}, active: map[string][]*Covered{},
		}
		p.Trials, p.prefix = 0, p.Project
		for _, part := range p.Parts() {
			for k := range part.List {
				one := &part.List[k]
				one.Trials = 0
				if part.Kind == "transition" {
					p.transitions[[2]string{one.From, one.Event}] = one
					continue
				}
				p.named[[2]string{part.Kind, one.Name}] = one
				for _, state := range one.ActiveIn {
					p.active[state] = append(p.active[state], one)
				}
			}
		}
		c.coverage.projects = append(c.coverage.projects, p)
	}
}

// add counts the parts that a trial touched.
func (s *coverSum) add(t *Trial) {
	if len(s.projects) == 0 || t.Gone || !t.ran() {
		return
	}
	for _, p := range s.projects {
		if rest, own := strings.CutPrefix(t.ID, p.prefix); own && strings.HasPrefix(rest, t.Scenario) {
			p.add(t)
			return
		}
	}
}

// ran reports whether a turn of the trial was run.
func (t *Trial) ran() bool {
	for i := range t.Turns {
		if t.Turns[i].NotRun == "" {
			return true
		}
	}
	return false
}

func (p *coverCount) add(t *Trial) {
	p.Trials++
	if w := t.Workflow; w != nil {
		p.enter(w.Start)
		for i := range w.Transitions {
			step := &w.Transitions[i]
			p.enter(step.To)
			if step.Redirected != "" {
				p.touch(p.transitions[[2]string{step.Redirected, ""}])
				continue
			}
			p.touch(p.transitions[[2]string{step.From, step.Event}])
		}
	} else {
		p.enter("")
	}
	for i := range t.Turns {
		if c := t.Turns[i].Composition; c != nil {
			for k := range c.Steps {
				p.touch(p.named[[2]string{"step", StepName(c.Name, &c.Steps[k])}])
			}
		}
		for k := range t.Turns[i].ToolCalls {
			call := &t.Turns[i].ToolCalls[k]
			if call.Error != "" {
				continue
			}
			p.touch(p.named[[2]string{"tool", call.Name}])
			if name, ok := call.Args["name"].(string); ok && call.Name == skillTool {
				p.touch(p.named[[2]string{"skill", name}])
			}
		}
	}
}

// enter touches a state, and the skills that are active in it from the start.
func (p *coverCount) enter(state string) {
	p.touch(p.named[[2]string{"state", state}])
	for _, one := range p.active[state] {
		p.touch(one)
	}
}

// StepName returns the name under which a step of a composition is counted: for a branch, that of the way it took. A
// step that did not end has none.
func StepName(composition string, s *Step) string {
	switch {
	case s.Skipped || s.Error != "":
		return ""
	case s.Kind == "branch":
		return BranchName(composition, s.ID, s.Target)
	}
	return composition + "." + s.ID
}

// BranchName returns the name under which a way of a branch is counted. target is "" when the way leads to no step.
func BranchName(composition, branch, target string) string {
	return composition + "." + branch + " → " + cmp.Or(target, "what follows")
}

// touch counts a part once for a trial. It ignores nil, a part that was not declared.
func (p *coverCount) touch(part *Covered) {
	if part != nil && part.last != p.Trials {
		part.last = p.Trials
		part.Trials++
	}
}

// total returns the coverage so far; nil when nothing is declared.
func (s *coverSum) total() (all []Coverage) {
	for _, p := range s.projects {
		all = append(all, p.Coverage)
	}
	return all
}
