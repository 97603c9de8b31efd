package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// ToolCaller gives checks access to the tools of a project. It is safe for concurrent use.
type ToolCaller interface {
	// Has reports whether the project declares a tool with this name.
	Has(name string) bool
	// Fits returns why arguments do not fit the input_schema of a tool; nil when they do. It does not change them.
	Fits(name string, args map[string]any) error
	// Call runs a tool, and returns soon after ctx ends. Errors are in the result. It does not change args.
	Call(ctx context.Context, name string, args map[string]any) chat.ToolResult
}
