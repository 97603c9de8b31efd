package runner

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
)

// wantedServers are the MCP servers whose tools agents or checks of chosen scenarios may call.
func wantedServers(p *scenario.Project, chosen []*scenario.Scenario) (list []*scenario.Server) {
	if len(p.Servers) == 0 {
		return nil
	}
	var allowed []string
	for prompt := range modelPrompts(p, chosen) {
		allowed = append(allowed, prompt.AllowedTools...)
	}
	eachCheck(p, chosen, func(c *checks.Compiled) {
		for _, use := range c.ToolUses() {
			allowed = append(allowed, use.Name)
		}
	})
	for _, server := range p.Servers {
		if server.MayServe(allowed) {
			list = append(list, server)
		}
	}
	return list
}

// preflightServers looks for what keeps MCP servers from running that chosen scenarios may call. It starts nothing.
func preflightServers(p *scenario.Project, chosen []*scenario.Scenario) []diag.Diagnostic {
	var found diag.List
	for _, s := range wantedServers(p, chosen) {
		program := s.Command
		if s.Image != nil {
			program = "docker"
		}
		for _, name := range unsetVariables(s, p.Getenv) {
			found.Errorf(s.Pos, width(s.Name), "unset-variable", "MCP server %q: the environment has no %s", s.Name, name).Hint =
				"set it, write it into .env, or give a default: ${" + name + ":-…}"
		}
		if program == "" {
			continue
		}
		program = scenario.Expand(program, p.Getenv).Text
		if err := process.Find(s.Dir, program); err != nil {
			d := found.Errorf(s.WayPos, 1, "missing-program", "MCP server %q: %q cannot be started: %v", s.Name, program, err)
			if s.Image == nil {
				d.Hint = programHint(program, s.Dir)
			}
		}
	}
	return found.Sorted()
}

// unsetVariables are those of the environment that a server makes use of and that are not set, sorted.
func unsetVariables(s *scenario.Server, getenv func(string) (string, bool)) []string {
	names := map[string]bool{}
	for _, text := range serverTexts(s) {
		for _, name := range scenario.Expand(text, getenv).Unset {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// serverTexts are the texts of a server in which ${NAME} stands for the environment.
func serverTexts(s *scenario.Server) []string {
	texts := slices.Concat([]string{s.Command, s.URL}, s.Args, s.Env, slices.Collect(maps.Values(s.Headers)))
	if s.Image != nil {
		texts = append(texts, s.Image.Env...)
	}
	return texts
}

// reportOfflineServers reports MCP servers behind a network that chosen scenarios need.
func (m *matrix) reportOfflineServers(p *scenario.Project, chosen []*scenario.Scenario) {
	for _, s := range wantedServers(p, chosen) {
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

// servedBy is the server whose tool has a name, also of one in a container, whose tools have no prefix; nil: none.
func servedBy(p *scenario.Project, tool string) *scenario.Server {
	if s := p.ServerOf(tool); s != nil || strings.Contains(tool, "__") || tool == "*" {
		return s
	}
	for _, s := range p.Servers {
		if s.Image != nil {
			return s
		}
	}
	return nil
}

// checkIdleServers warns of MCP servers of whose tools nobody is offered one: they are never started.
func (n *nameChecker) checkIdleServers(setups []*setup) {
	if len(n.p.Servers) == 0 || anyRecorded(setups) || len(n.p.Prompts) == 0 {
		return
	}
	wanted := wantedServers(n.p, n.p.Scenarios)
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
		n.diags.Warnf(s.Pos, width(s.Name), "not-offered",
			"no prompt is offered a tool of the MCP server %q, so it is never started", s.Name).Hint = hint
	}
}
