package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/workflow"
)

// checkRan compares the names in a check with those of the judged run. A name that was introduced or changed since then
// never occurred there, so a check that forbids it would always pass.
func (n *Checker) checkRan(c *checks.Compiled, names []checks.NameUse) {
	then := n.then()
	if then == nil {
		return
	}
	for i := range names {
		use := &names[i]
		switch use.Kind {
		case checks.ToolName, checks.AgentName, checks.ToolPattern:
			n.checkRanTool(c.Type, use, then)
		case checks.ArgumentName:
			n.lacks(c.Type, use, use.Name, use.Pos, then, "argument of "+use.Of, result.DeclaredArguments(use.Of))
			n.checkRanValues(c.Type, use, then)
		case checks.SkillName:
			n.lacks(c.Type, use, use.Name, use.Pos, then, string(use.Kind), result.DeclaredSkills)
		case checks.StateName:
			if !n.lacks(c.Type, use, use.Name, use.Pos, then, string(use.Kind), result.DeclaredStates) {
				n.checkRanEntry(c, use, then)
			}
		case checks.StepName:
			n.checkRanStep(c.Type, use, names[:i], then)
		default: // not a name that a project declares
		}
	}
	if c.Def.Name == "workflow_complete" {
		n.checkRanEnds(c, then)
	}
}

// then returns the declarations of the judged run; nil: not known.
func (n *Checker) then() *result.Declared {
	if n.Ran == nil {
		return nil
	}
	d, known := n.rans[n.within]
	if !known {
		d = n.Ran(n.within)
		if n.rans == nil {
			n.rans = map[*scenario.Scenario]*result.Declared{}
		}
		n.rans[n.within] = d
	}
	return d
}

// lacks reports a name that the judged run did not have.
func (n *Checker) lacks(
	check string, use *checks.NameUse, name string, pos diag.Pos, then *result.Declared, what, kind string,
) bool {
	if !then.KnownAbsent(kind, name) {
		return false
	}
	n.notInRun(pos, name, fmt.Sprintf("%s: %s", check, use.Param), what, then.Names[kind])
	return true
}

// notInRun reports a name that the judged run did not have, once for each place.
func (n *Checker) notInRun(pos diag.Pos, name, where, what string, had []string) {
	if at := (claims.Name{Pos: pos, Name: name}); n.reportedRan[at] {
		return
	} else if n.reportedRan == nil {
		n.reportedRan = map[claims.Name]bool{at: true}
	} else {
		n.reportedRan[at] = true
	}
	if n.reportedAt(pos) {
		return
	}
	hint := diag.HintKnown(name, had)
	if len(had) == 0 {
		hint = "it had none"
	}
	n.problem(pos, name, "not-in-judged-run", "%s: the judged run had no %s %q, so nothing there can tell", where, what,
		name).Hint = hint + "; run it again to judge it by today's names"
}

// reportedAt reports whether there is already a problem at a position.
func (n *Checker) reportedAt(pos diag.Pos) bool {
	return slices.ContainsFunc(n.Diags.Sorted(), func(d diag.Diagnostic) bool {
		return d.Pos == pos && d.Severity == diag.Error
	})
}

// checkRanTool compares the name of a tool or agent, or a pattern, with those that agents could call in the judged run.
// Tools of servers are compared in the trials.
func (n *Checker) checkRanTool(check string, use *checks.NameUse, then *result.Declared) {
	tools, known := then.Names[result.DeclaredTools]
	served := len(then.Names[result.DeclaredServers])+len(then.Names[result.DeclaredAgents]) > 0
	switch {
	case use.Pattern != nil:
		if known && !served && !slices.ContainsFunc(tools, use.Pattern.MatchString) {
			n.notInRun(use.Pos, use.Name, fmt.Sprintf("%s: %s", check, use.Param), "tool that matches", tools)
		}
	case slices.Contains(tools, use.Name) || !known:
	case use.Kind == checks.AgentName:
		if !then.KnownAbsent(result.DeclaredAgents, use.Name) || n.isCard(use.Name, then) {
			return
		}
		n.notInRun(use.Pos, use.Name, fmt.Sprintf("%s: %s", check, use.Param), "agent", then.Names[result.DeclaredAgents])
	case strings.HasPrefix(use.Name, scenario.ServerPrefix):
		n.checkRanServer(check, use, then)
	case strings.HasPrefix(use.Name, a2a.Prefix) && len(then.Names[result.DeclaredAgents]) > 0:
	default:
		n.notInRun(use.Pos, use.Name, fmt.Sprintf("%s: %s", check, use.Param), "tool", tools)
	}
}

// isCard reports whether a name may be that on the card of an agent of the run, which only its trials tell: today's
// project does not have it from its files.
func (n *Checker) isCard(name string, then *result.Declared) bool {
	return len(then.Names[result.DeclaredAgents]) > 0 && !slices.Contains(agentNames(n.Project), name)
}

// checkRanServer reports the tool of a server that the judged run did not have.
func (n *Checker) checkRanServer(check string, use *checks.NameUse, then *result.Declared) {
	servers, known := then.Names[result.DeclaredServers]
	has := func(server string) bool {
		return strings.HasPrefix(use.Name, (&scenario.Server{Name: server}).Prefix())
	}
	if known && !slices.ContainsFunc(servers, has) {
		n.notInRun(use.Pos, use.Name, fmt.Sprintf("%s: %s", check, use.Param), "MCP server with the tool", servers)
	}
}

// checkRanValues compares arguments that are names with the names of the judged run.
func (n *Checker) checkRanValues(check string, use *checks.NameUse, then *result.Declared) {
	kind := map[string]string{
		workflow.TransitionTool + " event": result.DeclaredEvents, workflow.ArtifactTool + " name": result.DeclaredArtifacts,
		"skill__activate name": result.DeclaredSkills, "skill__deactivate name": result.DeclaredSkills,
		"skill__read_resource skill_name": result.DeclaredSkills,
	}[use.Of+" "+use.Name]
	names, known := then.Names[kind]
	if kind == "" || !known {
		return
	}
	for _, v := range use.Values {
		fits := func(name string) bool { return name == v.Text }
		what := kind
		if v.Pattern != nil {
			fits, what = v.Pattern.MatchString, kind+" that matches"
		}
		if !slices.ContainsFunc(names, fits) {
			n.notInRun(v.Pos, v.Text, fmt.Sprintf("%s: %s: %s", check, use.Param, use.Name), what, names)
		}
	}
}

// checkRanEntry reports a state that the judged run had and into which no transition led: that none did is no merit.
func (n *Checker) checkRanEntry(c *checks.Compiled, use *checks.NameUse, then *result.Declared) {
	w := n.Project.Workflow
	if w == nil || w.Graph == nil || !then.KnownAbsent(result.DeclaredEntered, use.Name) || !movesOn(w.Graph, use.Name) {
		return
	}
	if n.within != nil {
		if start, err := n.Project.Start(n.within); err == nil && start != nil && start.Name == use.Name {
			return
		}
	} else if w.Graph.Entry().Name == use.Name {
		return
	}
	n.problem(use.Pos, use.Name, "not-in-judged-run",
		"%s: %s: in the judged run no transition led to the state %q, and today one does", c.Type, use.Param, use.Name).Hint =
		"run it again to judge it by today's workflow"
}

// checkRanEnds reports a check of the end of a workflow whose terminal states are others than they were.
func (n *Checker) checkRanEnds(c *checks.Compiled, then *result.Declared) {
	was, known := then.Names[result.DeclaredEnds]
	if n.Project.Workflow == nil || !known {
		return
	}
	if now := stateNames(n.Project)[result.DeclaredEnds]; !slices.Equal(was, now) {
		n.problem(c.Pos, c.Type, "not-in-judged-run", "%s: the terminal states of the judged run were others: %s; today: %s",
			c.Type, listOrNone(was), listOrNone(now)).Hint = "run it again to judge it by today's workflow"
	}
}

// checkRanStep compares a step of a composition, or where a branch leads, with those of the judged run.
func (n *Checker) checkRanStep(check string, use *checks.NameUse, before []checks.NameUse, then *result.Declared) {
	if slices.Contains([]string{"branch", "parallel", "step"}, use.Param) {
		n.lacks(check, use, use.Name, use.Pos, then, stepWord(use.Param), result.DeclaredSteps)
		return
	}
	for i := range before {
		if b := &before[i]; b.Kind == checks.StepName && b.Param == "branch" {
			n.lacks(check, use, use.Name, use.Pos, then, "way of the branch "+b.Name+" to", result.DeclaredTargets(b.Name))
		}
	}
}

// checkRanGuardrails compares the guardrails that a check waits for with those of the judged run.
func (n *Checker) checkRanGuardrails(c *checks.Compiled) {
	then := n.then()
	if then == nil {
		return
	}
	had, known := then.Names[result.DeclaredGuardrails]
	for _, use := range c.GuardrailUses() {
		today := slices.ContainsFunc(enabledGuardrails(n.Project), use.Means)
		if !known || use.Name == "" || !today || slices.ContainsFunc(had, use.Means) {
			continue // one that today's project does not have is reported, or is an eval
		}
		n.notInRun(use.Pos, use.Name, use.Type, "guardrail", had)
	}
}

func listOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// OtherTransitions warns if the workflow has other transitions than that of the judged run, which decided the recorded
// paths.
func OtherTransitions(p *scenario.Project, then *result.Declared, d *diag.List) {
	if then == nil || p.Workflow == nil || p.Workflow.Graph == nil {
		return
	}
	was, known := then.Names[result.DeclaredWays]
	now := stateNames(p)[result.DeclaredWays]
	if !known || slices.Equal(was, now) {
		return
	}
	without := func(list, of []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(way string) bool { return slices.Contains(of, way) })
	}
	var parts []string
	if more := without(now, was); len(more) > 0 {
		parts = append(parts, "new: "+plural.Listed(more))
	}
	if gone := without(was, now); len(gone) > 0 {
		parts = append(parts, "gone: "+plural.Listed(gone))
	}
	d.Warnf(p.Workflow.Pos, 1, "other-workflow", "the workflow has other transitions than in the judged run: %s",
		strings.Join(parts, "; ")).Hint = "the verdicts are about the ways that the run had; run it again to test today's"
}
