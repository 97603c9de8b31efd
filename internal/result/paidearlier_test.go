package result_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// TestFullCost: a reply from a cache counts as it did when it was paid for, wherever it stands in a trial.
func TestFullCost(t *testing.T) {
	t.Parallel()
	judged := func(cached bool, usd *float64) result.Verdict {
		return result.Verdict{Judgements: []result.Judgement{{Cached: cached, CostUSD: usd}}}
	}
	step := result.Step{
		Messages: []chat.Message{{Cached: true, CostUSD: new(16.0)}},
		Failed:   []result.FailedAttempt{{Messages: []chat.Message{{Cached: true, CostUSD: new(32.0)}}}},
	}
	for name, c := range map[string]struct {
		trial result.Trial
		want  *float64
	}{
		"nothing kept": {trial: result.Trial{
			CostUSD: new(1.0), Judges: &result.SideCost{CostUSD: new(2.0)}, Users: &result.SideCost{CostUSD: new(4.0)},
			Context: &result.SideCost{CostUSD: new(8.0)}, Conversation: []result.Verdict{judged(false, new(2.0))},
		}, want: new(15.0)},
		"a reply": {trial: result.Trial{CostUSD: new(0.0), Turns: []result.Turn{{
			Messages: []chat.Message{{Cached: true, CostUSD: new(1.0)}, {CostUSD: new(9.0)}},
		}}}, want: new(1.0)},
		"a played user and a summary": {trial: result.Trial{CostUSD: new(0.0), Turns: []result.Turn{{Messages: []chat.Message{
			{Generated: &chat.Generated{Cached: true, CostUSD: new(2.0)}},
			{LeftOut: &chat.LeftOut{Asked: &chat.ContextCall{Cached: true, CostUSD: new(4.0)}}},
		}}}}, want: new(6.0)},
		"a judge": {trial: result.Trial{
			CostUSD: new(0.0), Judges: &result.SideCost{CostUSD: new(0.0)},
			Conversation: []result.Verdict{judged(true, new(8.0))},
		}, want: new(8.0)},
		"steps": {trial: result.Trial{CostUSD: new(0.0), Turns: []result.Turn{{
			Composition: &result.Composition{Steps: []result.Step{step}},
		}}}, want: new(48.0)},
		"unknown now": {trial: result.Trial{}},
		"unknown then": {trial: result.Trial{CostUSD: new(0.0), Turns: []result.Turn{{
			Messages: []chat.Message{{Cached: true}, {Cached: true, CostUSD: new(1.0)}},
		}}}},
	} {
		brief := result.NewBrief(&c.trial)
		for where, got := range map[string]*float64{"trial": c.trial.FullCost(), "brief": brief.FullCost()} {
			if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("%s: the %s costs %v, want %v", name, where, got, c.want)
			}
		}
	}
}
