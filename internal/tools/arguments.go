package tools

import "github.com/arena-evals/arena/internal/scenario"

// Arguments lists the arguments that the schema of a tool knows, sorted. listed is false where a call may have others,
// because there is no schema, or one that leaves that open.
func (r *Registry) Arguments(name string) (args []string, listed bool) {
	t := r.byName[name]
	if t == nil || t.input == nil {
		return nil, false
	}
	return scenario.Arguments(t.input.doc)
}
