package harness

import (
	"strings"

	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// commandLines learns the secrets in the arguments of all programs of a project, and in what is set in the environment
// of those that scenarios name.
func (s *Secrets) commandLines(p *scenario.Project) {
	for _, spec := range p.Providers {
		if spec.Program != nil {
			s.arguments(spec.Program.Command)
		}
	}
	for _, one := range p.Scenarios {
		if one.Agent != nil && one.Agent.Program != nil {
			s.arguments(one.Agent.Program.Command)
			s.overrides(one.Agent.Program.Env, p.Getenv)
		}
	}
	for _, h := range p.Handlers {
		s.arguments(h.Args)
	}
	for _, server := range p.Servers {
		s.arguments(server.Args)
	}
	for _, t := range p.Tools {
		if t.Exec != nil {
			s.arguments(t.Exec.Args)
		}
	}
}

// arguments learns what stands in the arguments of a program behind a name that speaks of secrets: --password abc,
// --api-key=abc, "Authorization: Bearer abc"; and the passwords in addresses.
func (s *Secrets) arguments(args []string) {
	for i, arg := range args {
		s.inAddress("an argument of a program", arg)
		if name, isOption := option(arg); isOption && i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
			s.argument(name, args[i+1])
		}
		if at := strings.IndexAny(arg, "=:"); at > 0 {
			s.argument(arg[:at], arg[at+1:])
		}
	}
}

// option is the name of an option that has no value of its own: --password.
func option(arg string) (name string, ok bool) {
	return strings.TrimLeft(arg, "-"), strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "=: ")
}

// argument learns the value of an argument whose name speaks of secrets. In one such as --token-limit a number or a
// word is none.
func (s *Secrets) argument(name, value string) {
	name, value = strings.TrimLeft(strings.TrimSpace(name), "-"), strings.TrimSpace(value)
	plain := secret.IsWords(value) || strings.Trim(value, "0123456789.") == ""
	if len(value) < minVariable || !secret.NamesSecret(name) || namesFile(name, value) {
		return
	}
	if secret.CallsSecret(name) || !plain {
		s.setting(name, value)
	}
}

// overrides learns what is set in the environment of a program. The variables that are only passed on are known
// by their names already.
func (s *Secrets) overrides(env []string, getenv func(string) (string, bool)) {
	if getenv == nil {
		getenv = func(string) (string, bool) { return "", false }
	}
	for _, entry := range env {
		name, value, sets := strings.Cut(entry, "=")
		if !sets {
			continue
		}
		filled := scenario.Expand(value, getenv)
		for _, text := range append(filled.Values, filled.Text) {
			s.variable(name, text)
		}
	}
}

// inAddress learns the passwords of an address.
func (s *Secrets) inAddress(where, text string) {
	for _, password := range secret.InAddress(text) {
		if len(password) >= minVariable {
			s.learn("a password in "+where, password)
		}
	}
}
