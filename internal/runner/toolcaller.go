package runner

import (
	"context"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/tools"
)

// toolCaller lets checks of a trial call the tools of its agent.
type toolCaller struct {
	s    *session
	lane *cassette.Lane
}

func (t toolCaller) Has(name string) bool { return t.s.box.Has(name) || t.s.unfound[name] != nil }

func (t toolCaller) Fits(name string, args map[string]any) error {
	return t.s.box.Fits(name, args)
}

// Takes returns why a call with these arguments would be refused before the tool gets it.
func (t toolCaller) Takes(name string, args map[string]any) error {
	if !t.s.box.Has(name) {
		return nil // Call says why
	}
	return t.s.box.Takes(name, args)
}

// StateGone reports whether the conversation was had before: what it did to a tool that is more than its file is not
// there any more.
func (t toolCaller) StateGone(name string) bool {
	over := t.s.trial.Finished != nil || t.s.trial.Recorded != nil
	return over && !t.s.trial.Project.tools.Simulated(name)
}

func (t toolCaller) Call(ctx context.Context, name string, args map[string]any) chat.ToolResult {
	began := t.s.opts.Now()
	call := chat.ToolCall{Name: name, Args: args}
	if err := t.s.unfound[name]; err != nil {
		return tools.Failure(call, chat.ErrorMock, err.Error()) // nobody can judge then
	}
	n := t.s.emit.toolStarted(&call, true)
	before := t.lane.Spent()
	res := t.s.callTool(ctx, t.lane, call)
	if err := t.s.recorder.Err(); err != nil && res.Error != "" {
		res = tools.Failure(call, chat.ErrorMock, err.Error()) // nobody was asked: the recording has no such call
	}
	switch {
	case t.s.trial.Endpoint.Simulated:
	case t.lane != nil:
		res.LatencyMS = milliseconds(t.lane.Spent() - before)
	default:
		res.LatencyMS = milliseconds(t.s.opts.Now().Sub(began))
	}
	t.s.emit.toolCompleted(n, &call, &res, true)
	return res
}
