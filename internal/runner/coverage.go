package runner

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/sortby"
)

// Coverage returns what trials of the plan can cover: the declared tools, states and so on of each project that
// declares any. Nothing is covered yet.
func (p *Plan) Coverage() (all []result.Coverage) {
	p = p.entire()
	var seen []*project
	for i := range p.spans {
		q := p.spans[i].Project
		if q == nil || slices.Contains(seen, q) {
			continue
		}
		seen = append(seen, q)
		if c := q.declared(); !c.Empty() {
			all = append(all, c)
		}
	}
	return all
}

func (p *project) declared() result.Coverage {
	c := result.Coverage{Project: p.prefix, File: p.File}
	if w := p.Workflow; w != nil && w.Graph != nil {
		c.Start = w.Graph.Entry().Name
		for _, s := range w.States {
			c.States = append(c.States, result.Covered{Name: s.Name})
		}
		for _, e := range w.Graph.Edges() {
			c.Transitions = append(c.Transitions, result.Covered{From: e.From, Event: e.Event, To: e.To})
		}
	}
	if p.Skills != nil {
		for _, s := range p.Skills.All() {
			c.Skills = append(c.Skills, result.Covered{Name: s.Name, ActiveIn: p.activeIn(s)})
		}
	}
	for _, q := range p.Project.Compositions {
		c.Steps = append(c.Steps, declaredSteps(q.Composition)...)
	}
	for _, t := range p.Tools {
		c.Tools = append(c.Tools, result.Covered{Name: t.ID})
	}
	sortby.Func(c.Tools, func(a, b result.Covered) int { return strings.Compare(a.Name, b.Name) })
	return c
}

// activeIn are the states in which a skill is active without a call; "" is a project without workflow.
func (p *project) activeIn(s *skill.Skill) (states []string) {
	switch {
	case !s.Preload:
	case p.Workflow == nil || p.Workflow.Graph == nil:
		states = []string{""}
	default:
		for _, state := range p.Workflow.States {
			if p.skills.filters[state].Allows(s) {
				states = append(states, state.Name)
			}
		}
	}
	return states
}

// declaredSteps are the steps of a composition; of a branch its ways.
func declaredSteps(c *composition.Composition) (list []result.Covered) {
	for s := range c.All() {
		switch {
		case s.Kind != composition.Branch:
			list = append(list, result.Covered{Name: result.StepName(c.Name, &result.Step{ID: s.ID})})
		case s.Then == s.Else:
			list = append(list, result.Covered{Name: result.BranchName(c.Name, s.ID, s.Then)})
		default:
			list = append(list, result.Covered{Name: result.BranchName(c.Name, s.ID, s.Then)},
				result.Covered{Name: result.BranchName(c.Name, s.ID, s.Else)})
		}
	}
	return list
}
