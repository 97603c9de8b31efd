package conformance

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// vectorTool is a tool whose answer is in the vector.
type vectorTool struct {
	Result      any             `json:"result"`
	Error       string          `json:"error"`
	SleepMS     int             `json:"sleep_ms"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// vectorTools are the tools of a vector. They remember the arguments of the last call.
type vectorTools struct {
	byName map[string]vectorTool

	mu   sync.Mutex
	args chat.Args // nil: nothing was called
}

// subject is the subject of the vector's check, with the tools that it may call.
func (v *Vector) subject(scope string) (*checks.Subject, *vectorTools) {
	s := v.Context.subject(scope)
	if v.Tools == nil {
		return s, nil
	}
	tools := &vectorTools{byName: v.Tools}
	s.Tools = tools
	return s, tools
}

func (t *vectorTools) Has(name string) bool {
	_, ok := t.byName[name]
	return ok
}

func (t *vectorTools) Fits(call *checks.Call) error {
	tool := t.byName[call.Name]
	if len(tool.InputSchema) == 0 {
		return nil
	}
	args := call.Args
	if args == nil {
		args = chat.Args{}
	}
	return checks.FitsSchema(tool.InputSchema, args)
}

func (t *vectorTools) Call(ctx context.Context, name string, args chat.Args) chat.ToolResult {
	t.mu.Lock()
	t.args = args
	t.mu.Unlock()
	tool := t.byName[name]
	// A tool that is late lets its time run out; one that is not answers at once. Whether it is late follows from the
	// vector, however busy the machine is.
	takes := time.Duration(tool.SleepMS) * time.Millisecond
	if deadline, limited := ctx.Deadline(); limited && time.Until(deadline) <= takes {
		<-ctx.Done()
	}
	if err := ctx.Err(); err != nil {
		return chat.ToolResult{Name: name, Error: err.Error(), ErrorType: chat.ErrorExecution}
	}
	res := chat.ToolResult{Name: name, Error: tool.Error}
	if tool.Result != nil {
		res.Content = jsonvalue.Text(tool.Result)
	}
	if tool.Error != "" {
		res.ErrorType = chat.ErrorExecution
	}
	return res
}

// called returns the arguments of the last call; nil: there was none. A vector without tools calls nothing.
func (t *vectorTools) called() jsonvalue.Object {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.args
}
