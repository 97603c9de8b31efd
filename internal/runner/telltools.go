package runner

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// toolRound is the tool calls of one reply, which may run at once, as they are told by the trial's own goroutine. It is
// nil when nobody listens.
type toolRound struct {
	tell    *teller
	calls   []chat.ToolCall
	numbers []int
}

func (t *teller) tools(calls []chat.ToolCall) *toolRound {
	if t == nil {
		return nil
	}
	return &toolRound{t, calls, make([]int, len(calls))}
}

func (r *toolRound) started(i int) {
	if r != nil {
		r.numbers[i] = r.tell.tool(&r.calls[i], false)
	}
}

func (r *toolRound) done(i int, res *chat.ToolResult) {
	if r != nil {
		r.tell.toolDone(r.numbers[i], &r.calls[i], res, false)
	}
}

// tool tells that a tool is called, and returns the number of the call; 0 when nobody listens.
func (t *teller) tool(call *chat.ToolCall, byCheck bool) int {
	if t == nil {
		return 0
	}
	n := t.number()
	t.send(result.ToolStarted{
		At: t.at(), Number: n, ID: call.ID, Name: call.Name, Args: call.Args, BadArgs: call.BadArgs, ByCheck: byCheck,
	})
	return n
}

// toolDone tells what came of the call with that number.
func (t *teller) toolDone(n int, call *chat.ToolCall, res *chat.ToolResult, byCheck bool) {
	if t == nil {
		return
	}
	t.send(result.ToolCompleted{
		At: t.at(), Number: n, ID: call.ID, Name: call.Name, Result: res.Text(), Error: res.Error,
		ErrorType: res.ErrorType, LatencyMS: res.LatencyMS, ByCheck: byCheck,
	})
}
