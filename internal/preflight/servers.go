package preflight

import (
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
)

// NeededServers are the MCP servers whose tools agents or checks of chosen scenarios may call.
func NeededServers(p *scenario.Project, chosen []*scenario.Scenario) (list []*scenario.Server) {
	if len(p.Servers) == 0 {
		return nil
	}
	var allowed []string
	for prompt := range inventory.ModelPrompts(p, chosen) {
		allowed = append(allowed, prompt.AllowedTools...)
	}
	inventory.EachCheck(p, chosen, func(c *checks.Compiled) {
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

// Servers looks for what keeps MCP servers from running that chosen scenarios may call. It starts nothing.
func Servers(p *scenario.Project, chosen []*scenario.Scenario) []diag.Diagnostic {
	var found diag.List
	for _, s := range NeededServers(p, chosen) {
		program := s.Command
		if s.Image != nil {
			program = "docker"
		}
		for _, name := range unsetVariables(s, p.Getenv) {
			found.Errorf(s.Pos, diag.Width(s.Name), "unset-variable",
				"MCP server %q: the environment has no %s", s.Name, name).Hint =
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
	for _, text := range ServerTexts(s) {
		for _, name := range scenario.Expand(text, getenv).Unset {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// ServerTexts are the texts of a server in which ${NAME} is replaced by an environment variable.
func ServerTexts(s *scenario.Server) []string {
	texts := slices.Concat([]string{s.Command, s.URL}, s.Args, s.Env, slices.Collect(maps.Values(s.Headers)))
	if s.Image != nil {
		texts = append(texts, s.Image.Env...)
	}
	return texts
}

// ServedBy is the server whose tool has a name, also of one in a container, whose tools have no prefix; nil: none.
func ServedBy(p *scenario.Project, tool string) *scenario.Server {
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
