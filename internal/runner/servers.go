package runner

import (
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
)

// reportOfflineServers reports MCP servers behind a network that chosen scenarios need.
func (m *matrix) reportOfflineServers(p *scenario.Project, chosen []*scenario.Scenario) {
	for _, s := range preflight.NeededServers(p, chosen) {
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
