package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// fault is a failure to inject into a call. Its zero value is none.
type fault struct {
	rule   *scenario.ToolFailure
	number int // of the rule among those of the turn
}

// fault returns the failure to inject into a call: the first of the turn that is for the tool and whose dice fall. They
// depend only on the trial, the turn, and the numbers of the call and the rule, so that a run repeats.
func (l *toolLoop) fault(call chat.ToolCall, inRound int) fault {
	rules := l.s.trial.Scenario.Turns[l.at.script].More().Chaos
	for i := range rules {
		f := &rules[i]
		if f.Fits(call.Name) && (f.Probability == 0 || l.chance(call.Name, inRound, i) < f.Probability) {
			return fault{f, i + 1}
		}
	}
	return fault{}
}

func (l *toolLoop) chance(tool string, inRound, rule int) float64 {
	id, before := evals.SamplingID(l.s.out.ID), len(l.s.calls)+inRound
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s\x00%d\x00%d\x00%s",
		id, l.at.number, tool, before, rule, l.s.stepID()))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// inject lets a call fail. late is by how much the tool was held back.
func (l *toolLoop) inject(
	ctx context.Context, lane *cassette.Lane, call chat.ToolCall, f fault,
) (res chat.ToolResult, late time.Duration) {
	text := l.s.render(l.at, f.rule.Message, false)
	fail := func(what string) chat.ToolResult {
		return tools.Failure(call, chat.ErrorExecution, cmp.Or(text, call.Name+" "+what+" (injected)"))
	}
	switch f.rule.Mode {
	case scenario.FailsByDelay:
		late = f.rule.Delay
		if err := l.s.overrun(late); err != nil {
			return tools.Failure(call, chat.ErrorExecution, err.Error()), 0
		}
		if err := l.s.clock.sleep(ctx, late); err != nil {
			return tools.Failure(call, chat.ErrorExecution, err.Error()), 0
		}
		res = l.call(ctx, lane, call)
	case scenario.FailsByGarbage:
		if res = l.call(ctx, lane, call); res.Error != "" {
			return res, 0 // the tool failed by itself
		}
		res.Parts, res.Content = nil, cmp.Or(text, garbage)
	case scenario.FailsByTimeout:
		res = fail("timed out")
	case scenario.FailsByReset:
		res = fail("failed: connection reset by peer")
	default:
		res = fail("failed")
	}
	res = noted(res, tools.InjectedKey, f.rule.Mode)
	res.Metadata[tools.InjectedRuleKey] = json.Number(fmt.Sprint(f.number))
	return res, late
}

// injectedInto is the mode of the failure that was injected into a call; "": none was.
func injectedInto(res *chat.ToolResult) string {
	mode, _ := res.Metadata[tools.InjectedKey].(string)
	return mode
}

// withoutMarks is a result without marks that only arena may set: that it made the call fail.
func withoutMarks(res chat.ToolResult) chat.ToolResult {
	for _, key := range []string{tools.InjectedKey, tools.InjectedRuleKey} {
		if _, said := res.Metadata[key]; said {
			res.Metadata = maps.Clone(res.Metadata)
			delete(res.Metadata, key)
		}
	}
	return res
}

// garbage replaces a lost result: truncated JSON.
const garbage = `{"status": "ok", "result": {"id": "4f1c`
