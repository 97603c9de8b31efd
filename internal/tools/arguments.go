package tools

import "github.com/arena-evals/arena/internal/scenario"

// Arguments returns the arguments that the schema of a tool declares, sorted. listed is false where calls may have
// other arguments: there is no schema, or it allows them.
func (r *Registry) Arguments(name string) (args []string, listed bool) {
	return r.byName[name].arguments()
}

// Arguments returns the arguments that the schema of a tool declares, as those of a Registry.
func (b *Box) Arguments(name string) (args []string, listed bool) { return b.tool(name).arguments() }

func (t *tool) arguments() (args []string, listed bool) {
	if t == nil || t.input == nil {
		return nil, false
	}
	return scenario.Arguments(t.input.doc)
}
