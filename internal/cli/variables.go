package cli

import (
	"maps"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// askedVariables records the names of the variables that the files of a run use.
type askedVariables struct {
	mu    sync.Mutex
	names map[string]bool
}

// noting wraps getenv to record names.
func (a *askedVariables) noting(getenv func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		a.mu.Lock()
		if a.names == nil {
			a.names = map[string]bool{}
		}
		a.names[name] = true
		a.mu.Unlock()
		return getenv(name)
	}
}

// named are the variables that the files use: those that are set, here or in .env, and those that are not.
func (a *askedVariables) named(suite *scenario.Suite) (set, unset []string) {
	a.mu.Lock()
	names := maps.Clone(a.names)
	a.mu.Unlock()
	found := map[string]bool{}
	for _, p := range suite.Projects {
		if p.Getenv == nil {
			continue
		}
		for _, name := range slices.Concat(slices.Collect(maps.Keys(names)), runner.Variables(p)) {
			value, is := p.Getenv(name)
			found[name] = found[name] || is && value != ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		switch {
		case name == "":
		case found[name]:
			set = append(set, name)
		default:
			unset = append(unset, name)
		}
	}
	return set, unset
}
