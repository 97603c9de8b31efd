package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/preflight"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/tools"
)

// toolCaller lets checks of a trial call the tools of its agent.
type toolCaller struct {
	s    *session
	lane *cassette.Lane
}

func (t toolCaller) Has(name string) bool {
	return t.s.box.Has(name) || t.s.servers.listErrors[name] != nil || t.wasServed(name) ||
		slices.Contains(t.s.trial.Project.OwnTools(), name)
}

// over reports whether the conversation was had before. No server is asked for its tools then.
func (t toolCaller) over() bool { return t.s.trial.Finished != nil || t.s.trial.Recorded != nil }

// wasServed reports whether a server or an agent may have had a tool in a conversation that was had before.
func (t toolCaller) wasServed(name string) bool {
	p := t.s.trial.Project.Project
	server := preflight.ServedBy(p, name)
	asks := strings.HasPrefix(name, a2a.Prefix) && len(p.Agents) > 0
	if !t.over() || server == nil && !asks {
		return false
	}
	if why, _ := p.NotServed(name); server != nil && server.Image == nil && why != "" {
		return false
	}
	known := t.s.servedBy(server)
	return known == nil || slices.Contains(known.names, name)
}

func (t toolCaller) Fits(call *checks.Call) error {
	if own, err := t.s.trial.Project.ownFit(call); own {
		return err
	}
	if !t.s.box.Has(call.Name) && t.wasServed(call.Name) {
		return fmt.Errorf("%w: the schema of %s is not kept with the conversation: judge it in the run itself",
			checks.ErrUnchecked, call.Name)
	}
	args := call.Args
	if args == nil {
		args = map[string]any{}
	}
	err := t.s.box.Fits(call.Name, args)
	if unchecked, ok := errors.AsType[*tools.UncheckedError](err); ok {
		return fmt.Errorf("%w: %s", checks.ErrUnchecked, say.Content(say.OneLine(unchecked.Error())))
	}
	return err
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
	return t.over() && !t.s.trial.Project.tools.Simulated(name)
}

func (t toolCaller) Call(ctx context.Context, name string, args map[string]any) chat.ToolResult {
	began := t.s.opts.Now()
	call := chat.ToolCall{Name: name, Args: args}
	if err := t.s.servers.listErrors[name]; err != nil {
		return tools.Failure(call, chat.ErrorMock, err.Error()) // no check can judge then
	}
	n := t.s.emit.toolStarted(&call, true)
	before := t.lane.Spent()
	res := t.s.callTool(ctx, t.lane, call)
	if err := t.s.recorder.Err(); err != nil && res.Error != "" {
		res = tools.Failure(call, chat.ErrorMock, err.Error()) // no tool was called: the recording has no such call
	}
	switch {
	case t.s.trial.Simulated():
	case t.lane != nil:
		res.LatencyMS = milliseconds(t.lane.Spent() - before)
	default:
		res.LatencyMS = milliseconds(t.s.opts.Now().Sub(began))
	}
	t.s.emit.toolCompleted(n, &call, &res, true)
	return res
}
