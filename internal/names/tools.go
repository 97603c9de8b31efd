package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// checkTool compares the name of a tool, or a pattern, with the tools that agents can call.
func (n *Checker) checkTool(check string, use *checks.NameUse, setups []*setup) {
	if n.checkServed(check, use, setups) {
		return
	}
	n.serveFinished(check, use)
	fits := func(name string) bool { return name == use.Name }
	switch {
	case use.Pattern != nil:
		fits = use.Pattern.MatchString
	case use.Kind == checks.AgentName:
		fits = func(name string) bool {
			return name == use.Name || a2a.Asks(name, use.Name) || n.Tools.Agent(name) == use.Name
		}
	}
	if n.checkAsked(check, use, setups, fits) {
		return
	}
	known := n.knownTools()
	switch {
	case slices.ContainsFunc(setups, func(w *setup) bool { return slices.ContainsFunc(w.offered, fits) }):
	case use.Kind == checks.AgentName && n.isRemoteAgent(use.Name):
	case n.anyMockCall(setups, fits): // mock replies call it
	case anyToolAllowed(setups) || n.mayBeServed(use):
		if !slices.ContainsFunc(known, fits) {
			n.awaitOrWarn(check, use)
		}
	case anyRecorded(setups) && len(known) == 0: // no project declares tools
		n.awaitOrWarn(check, use)
	case slices.ContainsFunc(known, fits) && anyRecorded(setups):
	case slices.ContainsFunc(known, fits):
		n.warnNotOffered(check, use)
	default:
		if use.Kind == checks.AgentName {
			known = append(agentNames(n.Project), known...)
		}
		n.reportUnknownTool(check, use, known)
	}
}

// checkConsents reports consent_overrides for tools that no prompt of the scenario offers: nobody would be asked.
func (n *Checker) checkConsents(s *scenario.Scenario, setups []*setup) {
	if anyToolAllowed(setups) || anyRecorded(setups) {
		return
	}
	for i := range s.Turns {
		for _, c := range s.Turns[i].More().Consent {
			offered := slices.ContainsFunc(setups, func(w *setup) bool { return slices.Contains(w.offered, c.Tool) })
			if _, known := slices.BinarySearch(n.knownTools(), c.Tool); offered || !known {
				continue // an unknown tool is reported as that, or comes from a server
			}
			n.problem(c.Pos, c.Tool, "not-offered",
				"consent_overrides: the tool %s is not offered here, so the user is not asked", c.Tool).Hint =
				"list it under allowed_tools of the prompt"
		}
	}
}

// checkChoice reports a tool_choice that no prompt of the scenario offers: no server would answer.
func (n *Checker) checkChoice(s *scenario.Scenario, setups []*setup) {
	if anyToolAllowed(setups) || anyRecorded(setups) {
		return
	}
	n.checkRequired(s, setups)
	for _, w := range setups {
		policy := s.PolicyUnder(w.prompt, nil)
		_, known := slices.BinarySearch(n.knownTools(), policy.Choice)
		if !known || !policy.ChoosesTool() ||
			slices.ContainsFunc(setups, func(w *setup) bool { return slices.Contains(w.offered, policy.Choice) }) {
			continue // an unknown tool is reported as that, or comes from a server
		}
		n.problem(s.Pos, s.ID, "not-offered", "tool_policy.tool_choice: the tool %s is not offered in scenario %q, so no "+
			"server would answer", policy.Choice, s.ID).Hint = "list it under allowed_tools of the prompt"
		return
	}
}

// checkRequired reports a tool_choice that requires a call where no prompt of the scenario offers a tool.
func (n *Checker) checkRequired(s *scenario.Scenario, setups []*setup) {
	_, servers := n.Project.Has(scenario.FeatureServers)
	idle := func(w *setup) bool { return s.PolicyUnder(w.prompt, nil).Choice == "required" && len(w.offered) == 0 }
	if servers || len(n.Project.Agents) > 0 || len(setups) == 0 || slices.ContainsFunc(setups,
		func(w *setup) bool { return !idle(w) }) {
		return
	}
	n.problem(s.Pos, s.ID, "not-offered", "tool_policy.tool_choice: required, but no tool is offered in scenario %q, so "+
		"nothing is required", s.ID).Hint = "list the tools under allowed_tools of the prompt"
}

// warnNotOffered warns of a tool that no prompt offers: the agent cannot call it.
func (n *Checker) warnNotOffered(check string, use *checks.NameUse) {
	what := fmt.Sprintf("the tool %s is", use.Name)
	if use.Pattern != nil {
		what = "the tools that it matches are"
	}
	n.Diags.Warnf(use.Pos, diag.Width(use.Name), "not-offered", "%s: %s: %s not offered here, so it cannot be called",
		check, use.Param, what).Hint = "list it under allowed_tools of the prompt"
}

func (n *Checker) reportUnknownTool(check string, use *checks.NameUse, known []string) {
	text := fmt.Sprintf("there is no %s %q", use.Kind, use.Name)
	if use.Pattern != nil {
		text = fmt.Sprintf("no tool matches %q", use.Name)
	}
	d := n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: %s", check, use.Param, text)
	if d.Hint = "this project has no tools: list their files under tools in the arena config"; len(known) > 0 {
		d.Hint = diag.HintKnown(use.Name, known)
	}
}

// knownTools returns the tools of the project, including those of modes that do not exist yet.
func (n *Checker) knownTools() []string {
	if n.toolNames != nil {
		return n.toolNames
	}
	names := n.Project.OwnTools()
	for _, t := range n.Project.Tools {
		names = append(names, t.ID)
	}
	for i := range n.Project.Later {
		if f := &n.Project.Later[i]; f.Tool != "" && !strings.Contains(f.Tool, "*") {
			names = append(names, f.Tool)
		}
	}
	slices.Sort(names)
	n.toolNames = slices.Compact(names)
	return n.toolNames
}

// mayBeServed reports whether the name in a check may belong to a server or an agent that was not called yet.
func (n *Checker) mayBeServed(use *checks.NameUse) bool {
	_, servers := n.Project.Has(scenario.FeatureServers)
	switch {
	case use.Pattern != nil:
		return servers || len(n.Project.Agents) > 0
	case use.Kind == checks.AgentName: // its card may call it so
		return n.mayBeListed(use.Name) || len(n.Project.Agents) > 0
	}
	return n.mayBeListed(use.Name)
}

func (n *Checker) mayBeListed(tool string) bool { return mayBeListed(n.Project, tool) }

// mayBeListed reports whether a server or an agent that nobody has asked yet may have a tool of this name.
func mayBeListed(p *scenario.Project, tool string) bool {
	if strings.HasPrefix(tool, a2a.Prefix) {
		return len(p.Agents) > 0
	}
	why, _ := p.NotServed(tool)
	return strings.HasPrefix(tool, scenario.ServerPrefix) && why == "" || p.InContainer(tool)
}

// agentNames are the names of all agents of the config.
func agentNames(p *scenario.Project) (names []string) {
	for _, a := range p.Agents {
		names = append(names, a.Name)
	}
	for _, t := range p.Tools {
		if t.Agent != nil && !slices.Contains(names, t.Agent.Agent) {
			names = append(names, t.Agent.Agent)
		}
	}
	return names
}

// isRemoteAgent reports whether an agent of the config that answers elsewhere has this name.
func (n *Checker) isRemoteAgent(name string) bool {
	return slices.ContainsFunc(n.Project.Agents, func(a *scenario.Agent) bool { return a.Name == name })
}

// hasInstalledSkills reports whether the project names skills that only a package manager knows.
func (n *Checker) hasInstalledSkills() bool {
	_, there := n.Project.Has(scenario.FeatureInstalledSkills)
	return there
}

// awaitOrWarn leaves a name to the tracker. Without a tracker it warns of a name that the project does not have.
func (n *Checker) awaitOrWarn(check string, use *checks.NameUse) {
	switch {
	case n.Tracker != nil:
		n.Tracker.ExpectName(check, use)
	case n.Recorded && len(n.knownTools()) > 0:
		n.Diags.Warnf(use.Pos, diag.Width(use.Name), "unknown-name", "%s: %s: there is no %s %q in this project",
			check, use.Param, use.Kind, use.Name).Hint = diag.HintKnown(use.Name, n.knownTools())
	}
}

// checkFailures warns of failures of tools that no prompt of the scenario offers: their calls do not get so far.
func (n *Checker) checkFailures(s *scenario.Scenario, setups []*setup) {
	if anyToolAllowed(setups) || anyRecorded(setups) {
		return
	}
	for i := range s.Turns {
		rules := s.Turns[i].More().Chaos
		for j := range rules {
			rule := &rules[j]
			offered := slices.ContainsFunc(setups, func(w *setup) bool { return slices.ContainsFunc(w.offered, rule.Fits) })
			if offered || !slices.ContainsFunc(n.knownTools(), rule.Fits) {
				continue // an unknown tool is reported as that, or comes from a server
			}
			n.Diags.Warnf(rule.Pos, diag.Width(rule.Tool), "not-offered",
				"chaos: the tool %s is not offered here, so it cannot fail", rule.Tool).Hint =
				"list it under allowed_tools of the prompt"
		}
	}
}
