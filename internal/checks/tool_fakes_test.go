package checks

import (
	"context"
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
)

// fakeTools are tools that answer what a test wrote down.
type fakeTools map[string]fakeTool

type fakeTool struct {
	result string
	slow   bool // it answers when its time is over, and not before
	schema json.RawMessage
}

func (f fakeTools) Has(name string) bool {
	_, ok := f[name]
	return ok
}

func (f fakeTools) Fits(name string, args map[string]any) error {
	if len(f[name].schema) == 0 {
		return nil
	}
	return FitsSchema(f[name].schema, args)
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
