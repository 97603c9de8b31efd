package preflight

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools/open"
)

// callableTools looks for what keeps tools from running that chosen scenarios may call: programs that are not there,
// variables that are not set. It starts nothing and sends nothing.
func callableTools(p *scenario.Project, chosen []*scenario.Scenario) []diag.Diagnostic {
	var found diag.List
	if AsksAgents(p, chosen) {
		RemoteAgents(p, &found)
	}
	called := CalledTools(p, chosen)
	for _, t := range p.Tools {
		switch {
		case !called[t.ID]:
		case t.Exec != nil:
			ToolProgram(t, p.Getenv, &found)
		case t.HTTP != nil:
			ToolEndpoint(t, p.Getenv, &found)
		}
	}
	return found.Sorted()
}

// AsksAgents reports whether models of chosen scenarios are offered remote agents: whoever has a prompt is.
func AsksAgents(p *scenario.Project, chosen []*scenario.Scenario) bool {
	return len(p.Agents) > 0 && len(slices.Collect(inventory.ModelPrompts(p, chosen))) > 0
}

// CalledTools are the tools that agents and checks of chosen scenarios may call.
func CalledTools(p *scenario.Project, chosen []*scenario.Scenario) map[string]bool {
	called := map[string]bool{}
	registry, err := open.Registry(p, open.World{})
	if err != nil {
		return called // reported elsewhere
	}
	for prompt := range inventory.ModelPrompts(p, chosen) {
		for _, offered := range registry.Offered(prompt.AllowedTools) {
			called[offered.Name] = true
		}
	}
	for _, s := range chosen {
		for _, c := range p.CompositionsFor(s) {
			for step := range c.All() {
				called[step.Tool] = true
			}
		}
	}
	inventory.EachCheck(p, chosen, func(c *checks.Compiled) {
		for _, use := range c.ToolUses() {
			called[use.Name] = true
		}
	})
	return called
}

// RemoteAgents looks for what keeps agents from being asked. A model is offered all of them whatever its prompt
// allows.
func RemoteAgents(p *scenario.Project, d *diag.List) {
	for _, a := range p.Agents {
		for _, unset := range a.Unset {
			unset.Report("agent "+a.Name, d)
		}
		for _, from := range append(slices.Clone(a.FromEnv), a.TokenFrom) {
			if from.Variable == "" {
				continue
			}
			if value, set := p.Getenv(from.Variable); !set || value == "" {
				d.Errorf(from.Pos, 1, "unset-variable", "agent %s: the environment has no %s for the header %s", a.Name,
					from.Variable, from.Name).Hint = "set it, or write it into .env"
			}
		}
	}
}

// ToolEndpoint looks for variables that are not set, of those that the endpoint of a tool needs.
func ToolEndpoint(t *scenario.Tool, getenv func(string) (string, bool), d *diag.List) {
	for _, unset := range t.HTTP.Unset {
		unset.Report("tool "+t.ID, d)
	}
	for _, from := range t.HTTP.FromEnv {
		if value, set := getenv(from.Variable); !set || value == "" {
			d.Errorf(from.Pos, diag.Width(from.Name+"="+from.Variable), "unset-variable",
				"tool %s: the environment has no %s for the header %s", t.ID, from.Variable, from.Name).
				Hint = "set it, or write it into .env"
		}
	}
}

// programHint says where a program was looked for.
func programHint(command, dir string) string {
	if filepath.Base(command) == command {
		return "it is looked up in PATH; a program beside the config is written with its path: ./" + command
	}
	if filepath.IsAbs(command) {
		return "write the path of a program that this machine has"
	}
	from := "the working directory"
	if dir != "" && dir != "." {
		from = filepath.ToSlash(dir)
	}
	hint := "the path starts from " + from
	entries, _ := os.ReadDir(filepath.Join(dir, filepath.Dir(command))) // what cannot be read gives no hint
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near := diag.Nearest(filepath.Base(command), names); near != "" && near != filepath.Base(command) {
		hint += fmt.Sprintf("; did you mean %q?", "./"+filepath.ToSlash(filepath.Join(filepath.Dir(command), near)))
	}
	return hint
}

// ToolProgram looks for what keeps the program of a tool from running. It starts nothing.
func ToolProgram(t *scenario.Tool, getenv func(string) (string, bool), d *diag.List) {
	e := t.Exec
	if err := process.Find(e.Dir, e.Command); err != nil {
		d.Errorf(e.CommandPos, diag.Width(e.Command), "missing-program", "tool %s: %q cannot be started: %v", t.ID, e.Command,
			err).Hint = programHint(e.Command, e.Dir)
	}
	reportUnset("tool "+t.ID, e.Env, e.EnvPos, getenv, d)
}

// reportUnset looks for variables that are not set, of those that a program is given.
func reportUnset(who string, env []string, at diag.Pos, getenv func(string) (string, bool), d *diag.List) {
	for _, entry := range env {
		name, value, sets := strings.Cut(entry, "=")
		if !sets {
			if _, set := getenv(name); !set {
				d.Warnf(at, 1, "unset-variable", "%s: the environment has no %s to pass on", who, name)
			}
			continue
		}
		for _, unset := range scenario.Expand(value, getenv).Unset {
			d.Errorf(at, 1, "unset-variable", "%s: the environment has no %s, of which env makes use", who, unset).
				Hint = "set it, write it into .env, or give a default: ${" + unset + ":-…}"
		}
	}
}
