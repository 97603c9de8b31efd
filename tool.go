package arena

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// ToolFunc is a tool in Go. Its arguments are valid by the input_schema of its file; numbers are json.Number. The model
// gets the result: a text unchanged, everything else as JSON. An error, or a panic, is sent to the model as the error
// of the tool. A ToolFunc must be safe for concurrent use.
type ToolFunc func(ctx context.Context, args map[string]any) (any, error)

// registerTools replaces the tools of all projects that have the name of a tool in Go.
func registerTools(suite *scenario.Suite, funcs map[string]ToolFunc, d *diag.List) {
	for _, name := range slices.Sorted(maps.Keys(funcs)) {
		found, known := false, []string(nil)
		for _, p := range suite.Projects {
			for i, t := range p.Tools {
				known = append(known, t.ID)
				if t.ID == name {
					found = true
					p.Tools[i] = toolOfProgram(t, funcs[name])
				}
			}
		}
		if !found {
			d.Errorf(diag.Pos{}, 0, "unknown-tool", "Tools: no file describes a tool %q", name).Hint =
				diag.DidYouMean(name, known)
		}
	}
}

// toolOfProgram returns the tool that a file describes, with a function that runs it.
func toolOfProgram(t *scenario.Tool, f ToolFunc) *scenario.Tool {
	return &scenario.Tool{
		Meta: t.Meta, File: t.File, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		InputPos: t.InputPos, OutputPos: t.OutputPos, Timeout: t.Timeout, Mode: scenario.ToolOfProgram,
		Run: func(ctx context.Context, args map[string]any) (chat.ToolResult, error) {
			if t.Timeout > 0 {
				var stop func()
				ctx, stop = context.WithTimeoutCause(ctx, t.Timeout, tooSlow(t.Timeout))
				defer stop()
			}
			v, err := contain.Call(ctx, "the tool", func() (any, error) { return f(ctx, cloneMap(args)) })
			if err != nil {
				return chat.ToolResult{}, err
			}
			return toolResult(v)
		},
	}
}

func tooSlow(limit time.Duration) error { return fmt.Errorf("no answer within %s", limit) }

func toolResult(v any) (chat.ToolResult, error) {
	if text, ok := v.(string); ok {
		return chat.ToolResult{Content: text}, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return chat.ToolResult{}, fmt.Errorf("the result cannot be written as JSON: %w", err)
	}
	return chat.ToolResult{Content: tools.Present(data)}, nil
}
