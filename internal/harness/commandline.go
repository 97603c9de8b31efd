package harness

import (
	"strings"

	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
)

// learnCommandLines learns the secrets in the arguments of all programs of a project, and in what is set in the
// environment of those that scenarios name.
func (s *Secrets) learnCommandLines(p *scenario.Project) {
	for _, spec := range p.Providers {
		if spec.Program != nil {
			s.learnArguments(spec.Program.Command)
		}
	}
	for _, one := range p.Scenarios {
		if one.Agent != nil && one.Agent.Program != nil {
			s.learnArguments(one.Agent.Program.Command)
			s.learnOverrides(one.Agent.Program.Env, p.Getenv)
		}
	}
	for _, h := range p.Handlers {
		s.learnArguments(h.Args)
	}
	for _, server := range p.Servers {
		s.learnArguments(server.Args)
	}
	for _, t := range p.Tools {
		if t.Exec != nil {
			s.learnArguments(t.Exec.Args)
		}
	}
}

// learnArguments learns the secrets in the arguments of a program: values behind a name that suggests a secret, such as
// --password abc, --api-key=abc or "Authorization: Bearer abc", and passwords in addresses.
func (s *Secrets) learnArguments(args []string) {
	for i, arg := range args {
		s.learnPasswords("an argument of a program", arg)
		if name, isOption := option(arg); isOption && i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
			s.learnArgument(name, args[i+1])
		}
		if at := strings.IndexAny(arg, "=:"); at > 0 {
			s.learnArgument(arg[:at], arg[at+1:])
		}
	}
}

// option is the name of an option that has no value of its own: --password.
func option(arg string) (name string, ok bool) {
	return strings.TrimLeft(arg, "-"), strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "=: ")
}

// learnArgument learns the value of an argument whose name suggests a secret. If the name only contains such a word, as
// --token-limit does, numbers and words do not count.
func (s *Secrets) learnArgument(name, value string) {
	name, value = strings.TrimLeft(strings.TrimSpace(name), "-"), strings.TrimSpace(value)
	plain := secret.IsWords(value) || strings.Trim(value, "0123456789.") == ""
	if len(value) < minVariable || !secret.NamesSecret(name) || namesFile(name, value) {
		return
	}
	if secret.CallsSecret(name) || !plain {
		s.learnSetting(name, value)
	}
}

// learnOverrides learns the variables that are set for a program. Variables that are only passed on are known already.
func (s *Secrets) learnOverrides(env []string, getenv func(string) (string, bool)) {
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
			s.learnVariable(name, text)
		}
	}
}

// learnPasswords learns the passwords of an address.
func (s *Secrets) learnPasswords(where, text string) {
	for _, password := range secret.InAddress(text) {
		if len(password) >= minVariable {
			s.learn("a password in "+where, password)
		}
	}
}
