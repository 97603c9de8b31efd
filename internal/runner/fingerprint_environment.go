package runner

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// environment hashes what a project takes from the environment when its trials run: in variables of programs, and in
// addresses and headers of tools, servers, agents and checks. A short hash of each value tells values apart without
// giving them away. Variables with names of secrets do not count, like the keys of providers.
//
// The texts that name the variables are part of the fingerprint of a trial.
func environment(p *scenario.Project, sums map[string]string) {
	if p.Getenv == nil {
		return
	}
	for name, sum := range variables(p.Getenv, variablesOf(p)) {
		sums["$"+name] = sum
	}
}

// Variables are the names of the environment variables that a project uses when its trials run. Some may occur twice.
func Variables(p *scenario.Project) []string {
	names := variablesOf(p)
	for _, spec := range p.Providers {
		names = append(names, spec.AddressVariables()...)
	}
	return names
}

// variables hashes the values of variables that are set and not secret. It ignores empty names.
func variables(getenv func(string) (string, bool), names []string) map[string]string {
	taken := map[string]string{}
	for _, name := range names {
		if value, set := getenv(name); set && name != "" && !secret.NamesSecret(name) {
			sum := sha256.Sum256([]byte(value))
			taken[name] = string(sum[:4])
		}
	}
	return taken
}

// variablesOf are the names of the variables that a project uses when its trials run.
func variablesOf(p *scenario.Project) (names []string) {
	for _, s := range p.Scenarios {
		if s.Agent != nil {
			names = append(names, namedByProgram(s.Agent.Program.Env)...)
		}
	}
	for _, t := range p.Tools {
		if t.Exec != nil {
			names = append(names, namedByProgram(t.Exec.Env)...)
		}
		if h := t.HTTP; h != nil {
			names = append(names, namedIn(h.Written)...)
			names = append(names, namedIn(slices.Collect(maps.Values(h.FileHeads))...)...)
			names = append(names, namedByHeaders(h.FromEnv)...)
		}
	}
	for _, spec := range p.Providers {
		if spec.Program != nil {
			names = append(names, namedByProgram(spec.Program.Env)...)
		}
		if spec.HTTP != nil {
			names = append(names, namedIn(spec.HTTP.Written...)...)
		}
	}
	for _, a := range p.Agents { // a token identifies the user, and is a key
		names = append(names, namedIn(a.Written)...)
		names = append(names, namedIn(slices.Collect(maps.Values(a.FileHeads))...)...)
		names = append(names, namedByHeaders(a.FromEnv)...)
	}
	for _, s := range p.Servers {
		names = append(names, namedIn(preflight.ServerTexts(s)...)...)
	}
	for _, h := range p.Handlers {
		names = append(names, namedByProgram(h.Env)...)
	}
	inventory.AllChecks(p, func(c *checks.Compiled) { names = append(names, namedByCheck(c)...) })
	return names
}

func namedByCheck(c *checks.Compiled) []string {
	names := namedIn(c.Filled()...)
	for _, part := range c.Nested() {
		names = append(names, namedByCheck(part)...)
	}
	return names
}

// namedIn are the variables that occur in texts.
func namedIn(texts ...string) (names []string) {
	for _, text := range texts {
		scenario.Expand(text, func(name string) (string, bool) {
			names = append(names, name)
			return "", true
		})
	}
	return names
}

// namedByProgram are the variables whose values a program gets.
func namedByProgram(env []string) (names []string) {
	for _, entry := range env {
		name, value, sets := strings.Cut(entry, "=")
		if !sets {
			names = append(names, name)
		}
		names = append(names, namedIn(value)...)
	}
	return names
}

func namedByHeaders(headers []scenario.EnvHeader) (names []string) {
	for _, from := range headers {
		names = append(names, from.Variable)
	}
	return names
}
