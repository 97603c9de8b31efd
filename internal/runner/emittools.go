package runner

import (
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// toolRound reports the tool calls of one reply, which may run concurrently. Only the goroutine of the trial uses it.
// It is nil when there is no sink.
type toolRound struct {
	emit    *emitter
	calls   []chat.ToolCall
	numbers []int
}

func (t *emitter) toolRound(calls []chat.ToolCall) *toolRound {
	if t == nil {
		return nil
	}
	return &toolRound{t, calls, make([]int, len(calls))}
}

func (r *toolRound) started(i int) {
	if r != nil {
		r.numbers[i] = r.emit.toolStarted(&r.calls[i], false)
	}
}

func (r *toolRound) done(i int, res *chat.ToolResult) {
	if r != nil {
		r.emit.toolCompleted(r.numbers[i], &r.calls[i], res, false)
	}
}

// toolStarted sends the start of a tool call, and returns its number; 0 when there is no sink.
func (t *emitter) toolStarted(call *chat.ToolCall, byCheck bool) int {
	if t == nil {
		return 0
	}
	n := t.nextCall()
	t.send(result.ToolStarted{
		At: t.at(), Number: n, ID: call.ID, Name: call.Name, Args: call.Args, BadArgs: call.BadArgs, ByCheck: byCheck,
	})
	return n
}

// toolCompleted sends the result of the call with number n.
func (t *emitter) toolCompleted(n int, call *chat.ToolCall, res *chat.ToolResult, byCheck bool) {
	if t == nil {
		return
	}
	t.send(result.ToolCompleted{
		At: t.at(), Number: n, ID: call.ID, Name: call.Name, Result: res.Text(), Error: res.Error,
		ErrorType: res.ErrorType, LatencyMS: res.LatencyMS, ByCheck: byCheck,
	})
}
