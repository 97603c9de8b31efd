package names

import (
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/preflight"
)

// checkIdleServers warns of MCP servers whose tools no prompt is offered: they are never started.
func (n *Checker) checkIdleServers(setups []*setup) {
	if len(n.Project.Servers) == 0 || anyRecorded(setups) || len(n.Project.Prompts) == 0 {
		return
	}
	wanted := preflight.NeededServers(n.Project, n.Project.Scenarios)
	var brought []string
	if n.Project.Skills != nil {
		for _, one := range n.Project.Skills.All() {
			brought = append(brought, one.Tools...)
		}
	}
	for _, s := range n.Project.Servers {
		if slices.Contains(wanted, s) || s.MayServe(brought) {
			continue
		}
		hint := "list its tools under allowed_tools of a prompt"
		if prefix := s.Prefix(); prefix != "" {
			hint += ": " + prefix + "*"
		}
		n.Diags.Warnf(s.Pos, diag.Width(s.Name), "not-offered",
			"no prompt is offered a tool of the MCP server %q, so it is never started", s.Name).Hint = hint
	}
}
