package checks

import (
	"context"
	"errors"

	"github.com/arena-evals/arena/internal/chat"
)

// ToolCaller gives checks access to the tools of a project. It is safe for concurrent use.
type ToolCaller interface {
	// Has reports whether the project declares a tool with this name.
	Has(name string) bool
	// Fits returns why the arguments of a call do not fit the input_schema of its tool; nil: they do. It does not
	// change them; missing arguments are an empty object. An error that wraps ErrUnchecked means that it is unknown.
	Fits(call *Call) error
	// Call runs a tool, and returns soon after ctx ends. Errors are in the result. It does not change args.
	Call(ctx context.Context, name string, args map[string]any) chat.ToolResult
}

// ErrUnchecked is wrapped by errors about arguments that could not be validated.
var ErrUnchecked = errors.New("arguments were not validated")
