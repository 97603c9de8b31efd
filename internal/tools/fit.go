package tools

import (
	"errors"

	"github.com/arena-evals/arena/internal/chat"
)

// Has reports whether the project has a tool of this name that can be called.
func (r *Registry) Has(name string) bool { return r.byName[name] != nil }

// Takes validates arguments against the input_schema of a tool, after the repairs that calls make.
func (r *Registry) Takes(name string, args map[string]any) error {
	if !r.Has(name) {
		return errors.New(chat.UnknownTool(name))
	}
	input := r.byName[name].input
	return input.validate(input.coerce(args))
}
