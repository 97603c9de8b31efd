package runner

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
)

// reportOfflineServers reports MCP servers behind a network that chosen scenarios need.
func (m *matrix) reportOfflineServers(p *scenario.Project, chosen []*scenario.Scenario) {
	for _, s := range preflight.WantedServers(p, chosen) {
		if s.Command == "" {
			m.diags.Errorf(s.WayPos, 1, "offline", "the MCP server %q needs the network, and --offline is set", s.Name).Hint =
				"choose scenarios that do without it, or replay a recording: --replay FOLDER"
		}
	}
}

// serverFiles sums the programs of servers, and the files that their command lines name.
func serverFiles(p *scenario.Project, files programSums) {
	for _, s := range p.Servers {
		if s.Command == "" {
			continue
		}
		args := make([]string, len(s.Args))
		for i, word := range s.Args {
			args[i] = scenario.Expand(word, p.Getenv).Text
		}
		files.add(s.Dir, scenario.Expand(s.Command, p.Getenv).Text, args)
	}
}

// checkIdleServers warns of MCP servers of whose tools nobody is offered one: they are never started.
func (n *nameChecker) checkIdleServers(setups []*setup) {
	if len(n.p.Servers) == 0 || anyRecorded(setups) || len(n.p.Prompts) == 0 {
		return
	}
	wanted := preflight.WantedServers(n.p, n.p.Scenarios)
	var brought []string
	if n.p.Skills != nil {
		for _, one := range n.p.Skills.All() {
			brought = append(brought, one.Tools...)
		}
	}
	for _, s := range n.p.Servers {
		if slices.Contains(wanted, s) || s.MayServe(brought) {
			continue
		}
		hint := "list its tools under allowed_tools of a prompt"
		if prefix := s.Prefix(); prefix != "" {
			hint += ": " + prefix + "*"
		}
		n.diags.Warnf(s.Pos, diag.Width(s.Name), "not-offered",
			"no prompt is offered a tool of the MCP server %q, so it is never started", s.Name).Hint = hint
	}
}
