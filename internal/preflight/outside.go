package preflight

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// Outside reports missing programs and endpoints that the tools of scenarios need, which are run, and the checks
// of all that are judged. Conversations that are judged again call no tool.
func Outside(p *scenario.Project, run, judged []*scenario.Scenario, d *diag.List) {
	reportOutside(p, run, judged, func(problem diag.Diagnostic) { d.Add(problem) })
}

// ForeseeOutside reports the same as warnings, for files that may run on another machine.
func ForeseeOutside(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	warn := func(problem diag.Diagnostic) {
		problem.Severity = diag.Warning
		d.Add(problem)
	}
	reportOutside(p, chosen, chosen, warn)
	var found diag.List
	for _, spec := range p.Providers {
		AgentProgram(spec, p.Getenv, &found)
	}
	for _, problem := range found.Sorted() {
		warn(problem)
	}
}

// reportOutside reports each problem once, however many checks share it.
func reportOutside(p *scenario.Project, run, judged []*scenario.Scenario, report func(diag.Diagnostic)) {
	if p.Getenv == nil {
		return
	}
	type place struct {
		pos diag.Pos
		msg string
	}
	seen := map[place]bool{}
	if len(p.Agents) > 0 ||
		slices.ContainsFunc(p.Tools, func(t *scenario.Tool) bool { return t.Exec != nil || t.HTTP != nil }) {
		for _, problem := range callableTools(p, run) {
			report(problem)
		}
	}
	for _, problem := range Servers(p, run) {
		report(problem)
	}
	inventory.EachCheck(p, judged, func(c *checks.Compiled) {
		if c.Needs()&(checks.NeedsProcess|checks.NeedsNetwork) == 0 {
			return
		}
		for _, problem := range c.Preflight(p.Getenv) {
			if at := (place{problem.Pos, problem.Msg}); !seen[at] {
				seen[at] = true
				report(problem)
			}
		}
	})
}
