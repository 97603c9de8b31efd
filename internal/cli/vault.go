package cli

import (
	"os"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/scenario"
)

// vault knows what no file may hold: the keys of providers, and what stands in the environment under a name that speaks
// of secrets. It is safe for concurrent use.
type vault struct {
	mu    sync.Mutex
	known map[string]bool
}

func newVault(env map[string]string) *vault {
	v := &vault{known: map[string]bool{}}
	for name, value := range env {
		v.look(name, value)
	}
	return v
}

func (v *vault) look(name, value string) {
	if confidential(name) {
		v.keep(value)
	}
}

func (v *vault) keep(value string) {
	if value = strings.TrimSpace(value); value != "" {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.known[value] = true
	}
}

// confidential reports whether a variable is of those that hold credentials, by its name.
func confidential(name string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' }) {
		switch word {
		case "key", "apikey", "token", "secret", "secrets", "password", "passwd", "auth", "credential", "credentials", "pat":
			return true
		}
	}
	return false
}

// watch makes the vault know the keys of a project, and what is looked up in its environment, .env included.
func (v *vault) watch(p *scenario.Project) {
	names := map[string]bool{}
	for _, spec := range p.Providers {
		v.keep(spec.APIKey)
		names[spec.KeyEnv] = spec.KeyEnv != ""
		if spec.KeyFile != "" {
			if data, err := os.ReadFile(spec.KeyFile); err == nil { // one that cannot be read is reported when it is needed
				v.keep(string(data))
			}
		}
		for name, value := range spec.Headers {
			if confidential(name) || strings.Contains(strings.ToLower(name), "auth") {
				v.keep(strings.TrimPrefix(value, "Bearer "))
			}
		}
	}
	getenv := p.Getenv
	if getenv == nil {
		return
	}
	p.Getenv = func(name string) (string, bool) {
		value, set := getenv(name)
		if names[name] {
			v.keep(value)
		} else {
			v.look(name, value)
		}
		return value, set
	}
	for name := range names {
		_, _ = p.Getenv(name)
	}
}

// secrets are the texts that are known so far.
func (v *vault) secrets() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make([]string, 0, len(v.known))
	for value := range v.known {
		out = append(out, value)
	}
	return out
}
