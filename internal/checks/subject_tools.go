package checks

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// ToolCaller is what checks ask of the tools of a project. It is safe for concurrent use.
type ToolCaller interface {
	// Has reports whether the project declares a tool of this name.
	Has(name string) bool
	// Fits says why arguments do not fit the input_schema that a tool declares, as they stand; nil when they do.
	Fits(name string, args map[string]any) error
	// Call runs a tool and returns soon after ctx is done. What goes wrong is in the result. args stay as they are.
	Call(ctx context.Context, name string, args map[string]any) chat.ToolResult
}
