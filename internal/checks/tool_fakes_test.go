package checks

import (
	"context"
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
)

// fakeTools are tools with prepared results.
type fakeTools map[string]fakeTool

type fakeTool struct {
	result string
	slow   bool // it answers when its time limit is reached
	schema json.RawMessage
}

func (f fakeTools) Has(name string) bool {
	_, ok := f[name]
	return ok
}

func (f fakeTools) Fits(call *Call) error {
	if len(f[call.Name].schema) == 0 {
		return nil
	}
	args := call.Args
	if args == nil {
		args = map[string]any{}
	}
	return FitsSchema(f[call.Name].schema, args)
}

func (f fakeTools) Call(ctx context.Context, name string, _ map[string]any) chat.ToolResult {
	if f[name].slow {
		<-ctx.Done()
	}
	if err := ctx.Err(); err != nil {
		return chat.ToolResult{Name: name, Error: err.Error(), ErrorType: chat.ErrorExecution}
	}
	return chat.ToolResult{Name: name, Content: f[name].result}
}
