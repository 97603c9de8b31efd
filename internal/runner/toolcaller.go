package runner

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// toolCaller lets the checks of a trial ask the tools of its project.
type toolCaller struct{ s *session }

func (t toolCaller) Has(name string) bool { return t.s.trial.Project.tools.Has(name) }

func (t toolCaller) Fits(name string, args map[string]any) error {
	return t.s.trial.Project.tools.Fits(name, args)
}

func (t toolCaller) Call(ctx context.Context, name string, args map[string]any) chat.ToolResult {
	began := t.s.opts.Now()
	call := chat.ToolCall{Name: name, Args: args}
	n := t.s.tell.tool(&call, true)
	res := t.s.trial.Project.tools.Call(ctx, call)
	if !t.s.clock.simulated {
		res.LatencyMS = milliseconds(t.s.opts.Now().Sub(began))
	}
	t.s.tell.toolDone(n, &call, &res, true)
	return res
}
