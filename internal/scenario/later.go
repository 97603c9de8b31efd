package scenario

import (
	"slices"
	"strings"
)

// Needs returns the missing features without which a scenario cannot run with a provider, in the order of the files.
// The provider may be nil when it is replaced by a mock.
func (p *Project) Needs(s *Scenario, prompts []*Prompt, provider *Provider) []Feature {
	var list []Feature
	for _, f := range p.Later {
		if f.touches(prompts, provider) || f.Tool != "" && p.stepCalls(s, f.Tool) {
			list = append(list, f)
		}
	}
	return list
}

// stepCalls reports whether a step of a composition that a scenario may run calls a tool.
func (p *Project) stepCalls(s *Scenario, tool string) bool {
	for _, c := range p.CompositionsFor(s) {
		for step := range c.All() {
			if step.Tool != "" && Offers([]string{step.Tool}, tool) {
				return true
			}
		}
	}
	return false
}

func (f *Feature) touches(prompts []*Prompt, provider *Provider) bool {
	switch {
	case f.Provider != "":
		return provider != nil && f.Provider == provider.ID
	case f.Prompt != "":
		return slices.ContainsFunc(prompts, func(q *Prompt) bool { return q != nil && f.Prompt == q.TaskType })
	case f.Tool != "":
		return slices.ContainsFunc(prompts, func(q *Prompt) bool { return q != nil && Offers(q.AllowedTools, f.Tool) })
	}
	return true
}

// Offers reports whether a list of allowed tools includes a tool. Both may end in *.
func Offers(allowed []string, tool string) bool {
	for _, a := range allowed {
		prefix, wild := strings.CutSuffix(a, "*")
		stem, any := strings.CutSuffix(tool, "*")
		switch {
		case a == tool, wild && strings.HasPrefix(tool, prefix), any && strings.HasPrefix(a, stem):
			return true
		case wild && any && strings.HasPrefix(prefix, stem):
			return true
		}
	}
	return false
}
