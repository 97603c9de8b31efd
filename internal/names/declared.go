package names

import (
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/workflow"
)

// Join returns the names that any of several projects declares; nil when not all of them are known.
func Join(list []*result.Declared) *result.Declared {
	if len(list) == 0 || slices.Contains(list, nil) {
		return nil
	}
	if !slices.ContainsFunc(list, func(d *result.Declared) bool { return d != list[0] }) {
		one := *list[0]
		return &one
	}
	out := &result.Declared{Names: map[string][]string{}}
	var met []*result.Declared
	for _, d := range list {
		if slices.Contains(met, d) {
			continue
		}
		for kind, names := range d.Names {
			if len(met) == 0 || out.Names[kind] != nil {
				out.Names[kind] = sorted(append(slices.Clone(out.Names[kind]), names...))
			}
		}
		for kind := range out.Names {
			if d.Names[kind] == nil {
				delete(out.Names, kind)
			}
		}
		met = append(met, d)
	}
	return out
}

// Declared are the names that a project declares. prefix is that of the ids of its trials. anyTool: its agents may call
// tools that it does not declare.
func Declared(p *scenario.Project, registry *tools.Registry, prefix string, anyTool bool) result.Declared {
	names := map[string][]string{
		result.DeclaredServers: {}, result.DeclaredAgents: sorted(agentNames(p)),
		result.DeclaredGuardrails: enabledGuardrails(p), result.DeclaredSkills: {}, result.DeclaredSteps: {},
	}
	for _, s := range p.Servers {
		names[result.DeclaredServers] = append(names[result.DeclaredServers], s.Name)
	}
	if !anyTool {
		names[result.DeclaredTools] = sorted((&Checker{Project: p}).knownTools())
		for _, t := range p.Tools {
			if args, listed := registry.Arguments(t.ID); listed {
				names[result.DeclaredArguments(t.ID)] = sorted(args)
			}
		}
	}
	if p.Skills != nil {
		names[result.DeclaredSkills] = sorted(p.Skills.Names())
	}
	names[result.DeclaredToolSums] = ToolSums(p)
	names[result.DeclaredSkillSums] = SkillSums(p)
	opens := false
	for _, prompt := range p.Prompts {
		names[result.DeclaredRules(prompt.TaskType)] = GuardrailsOf(prompt)
		opens = opens || HasOpenGuardrails(prompt)
	}
	for _, s := range p.Scenarios {
		if opens {
			names[result.DeclaredFill(s.ID)] = FillOf(s)
		}
	}
	for s := range stepsOf(p) {
		names[result.DeclaredSteps] = append(names[result.DeclaredSteps], s.ID)
		if s.Kind == composition.Branch {
			kind := result.DeclaredTargets(s.ID)
			names[kind] = append(names[kind], targetsOf(s)...)
		}
	}
	states := stateNames(p)
	maps.Copy(names, states)
	for _, kind := range []string{result.DeclaredServers, result.DeclaredSteps} {
		names[kind] = sorted(names[kind])
	}
	return result.Declared{Project: prefix, File: p.File, Names: names}
}

// stateNames are the names that the workflow of a project declares, by kind.
func stateNames(p *scenario.Project) map[string][]string {
	names := map[string][]string{
		result.DeclaredStates: {}, result.DeclaredEntered: {}, result.DeclaredEnds: {}, result.DeclaredWays: {},
		result.DeclaredArtifacts: {}, result.DeclaredEvents: {},
	}
	w := p.Workflow
	if w == nil || w.Graph == nil {
		return names
	}
	add := func(kind, name string) { names[kind] = append(names[kind], name) }
	for _, s := range w.States {
		add(result.DeclaredStates, s.Name)
		if s.Ends() {
			add(result.DeclaredEnds, s.Name)
		}
	}
	for _, e := range w.Graph.Edges() {
		add(result.DeclaredEntered, e.To)
		add(result.DeclaredWays, result.Way(e.From, e.Event, e.To))
	}
	names[result.DeclaredArtifacts] = append(names[result.DeclaredArtifacts], w.Graph.ArtifactNames()...)
	names[result.DeclaredEvents] = append(names[result.DeclaredEvents], w.Graph.EventNames()...)
	for kind := range names {
		names[kind] = sorted(names[kind])
	}
	return names
}

// targetsOf are the steps to which a branch leads.
func targetsOf(s *composition.Step) []string {
	if s.Else == "" {
		return []string{s.Then}
	}
	return []string{s.Then, s.Else}
}

// enabledGuardrails are the types of the guardrails that prompts of a project have, sorted.
func enabledGuardrails(p *scenario.Project) []string {
	var types []string
	for _, prompt := range p.Prompts {
		for _, v := range prompt.Validators {
			if check, ok := inventory.Sample(v.Compiled).(*checks.Compiled); ok && v.Enabled {
				types = append(types, check.Type)
			}
		}
	}
	return sorted(types)
}

// GuardrailsOf are the enabled guardrails of a prompt, sorted: the type of each, with a digest of its parameters, in
// which the prompt's placeholders are filled in.
func GuardrailsOf(prompt *scenario.Prompt) []string {
	rules := []string{}
	for _, v := range prompt.Validators {
		if !v.Enabled {
			continue
		}
		sum := scenario.Digest(v)
		if inventory.IsOpen(v.Compiled) {
			sum = scenario.Digest(sum[:], prompt.Variables)
		}
		rules = append(rules, fmt.Sprintf("%s %x", v.Type, sum[:6]))
	}
	slices.Sort(rules)
	return rules
}

// HasOpenGuardrails reports whether a scenario fills in a guardrail of a prompt.
func HasOpenGuardrails(prompt *scenario.Prompt) bool {
	return slices.ContainsFunc(prompt.Validators, func(v *scenario.Validator) bool {
		return v.Enabled && inventory.IsOpen(v.Compiled)
	})
}

// FillOf is a sum of the variables of a scenario.
func FillOf(s *scenario.Scenario) []string {
	sum := scenario.Digest(s.Variables)
	return []string{fmt.Sprintf("%x", sum[:6])}
}

// ToolSums are the tools of a project, each with a sum of what it is. They are sorted.
func ToolSums(p *scenario.Project) []string {
	all := make([]string, 0, len(p.Tools))
	for _, t := range p.Tools {
		sum := scenario.Digest(*t)
		all = append(all, fmt.Sprintf("%s %x", t.ID, sum[:6]))
	}
	return sorted(all)
}

// SkillSums are the skills of a project, each with a sum of what the model is told. They are sorted.
func SkillSums(p *scenario.Project) []string {
	all := []string{}
	if p.Skills == nil {
		return all
	}
	for _, one := range p.Skills.All() {
		sum := scenario.Digest(one.Description, one.Instructions, one.Tools)
		all = append(all, fmt.Sprintf("%s %x", one.Name, sum[:6]))
	}
	return sorted(all)
}

// sorted returns names sorted, each once; never nil.
func sorted(names []string) []string {
	slices.Sort(names)
	if names = slices.Compact(names); names == nil {
		return []string{}
	}
	return names
}

// movesOn reports whether a workflow has a transition into a state.
func movesOn(w *workflow.Graph, into string) bool {
	return slices.ContainsFunc(w.Edges(), func(e workflow.Edge) bool { return e.To == into })
}
