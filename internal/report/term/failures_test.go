package term_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/term"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestAlikeFailures breaks many scenarios in the same way.
func TestAlikeFailures(t *testing.T) {
	t.Parallel()
	var trials []*result.Trial
	for _, scenario := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		for _, provider := range []string{"gpt-4o", "claude-haiku"} {
			trials = append(trials, &result.Trial{
				ID: scenario + "/" + provider, Scenario: scenario, Provider: provider, Trials: 1,
				Error: "provider: 401: the key is not accepted",
			})
		}
	}
	var out bytes.Buffer
	play(t, resulttest.NewRun("alike", trials...), term.Options{Out: &out, Width: columns(100), Quiet: true, Rerun: rerun})
	golden.Check(t, "alike.txt", out.Bytes())
}

// TestManyFailures shows the first hundred ways to fail.
func TestManyFailures(t *testing.T) {
	t.Parallel()
	run := resulttest.Big(2000)
	var out bytes.Buffer
	play(t, run, term.Options{Out: &out, Quiet: true, Rerun: rerun})
	if got := strings.Count(out.String(), "  again: "); got != 100 {
		t.Errorf("%d failures shown, want 100", got)
	}
	if !strings.Contains(out.String(), "more failures; the reports and -v list all") {
		t.Error("it is not said that there are more")
	}
}

// TestEvidence shows what the fixtures have little of: a variant, values expected and got, judges with limits, many
// turns and checks, a conversation that failed.
func TestEvidence(t *testing.T) {
	t.Parallel()
	score, limit := 0.41, 0.7
	at := func(line int32) diag.Pos { return diag.Pos{File: "scenarios/order.yaml", Line: line} }
	several := func(n int) (all []result.Verdict) {
		for i := range n {
			all = append(all, result.Verdict{
				Type: "contains", Status: result.Failed, Explanation: `missing "x"`, Position: at(int32(20 + i)),
			})
		}
		return all
	}
	trial := &result.Trial{
		ID: "order/gpt-4o/eu#3", Scenario: "order", Provider: "gpt-4o", Region: "eu", Trial: 3, Trials: 4, Position: at(3),
		Variant: map[string]string{"Tone": "rude"},
		Turns: []result.Turn{
			{User: "What is the total?", Assistant: `{"total": 12}`, Assertions: []result.Verdict{
				{Type: "json_path", Status: result.Failed, Explanation: "$.total is another value", Position: at(12),
					Details: map[string]any{"expected": 10, "actual": 12}},
				{Type: "a_check_with_a_name_that_is_much_too_long_to_be_good", Status: result.Errored, Error: "exit status 3"},
			}},
			{Index: 1, User: "And now?", Assistant: "No.", Assertions: several(10)},
			{Index: 2, User: "Now?", Assistant: "Yes.", Assertions: several(1)},
			{Index: 3, User: "Really?", Assistant: "Yes.", Assertions: several(1)},
			{Index: 4, User: "Thanks", NotRun: "on_failure: stop"},
			{Index: 5, User: "Bye", NotRun: "on_failure: stop"},
		},
	}
	onlyConversation := &result.Trial{
		ID: "polite/gpt-4o/eu", Scenario: "polite", Provider: "gpt-4o", Region: "eu", Trials: 1, Position: at(50),
		Turns: []result.Turn{{User: "hi", Assistant: "What do you want?"}},
		Conversation: []result.Verdict{{
			Type: "llm_judge_conversation", Status: result.Failed, Score: &score, MinScore: &limit, Position: at(61),
			Message: "stays polite", Explanation: "The agent is curt: " + strings.Repeat("it asks without a greeting, ", 14),
		}},
	}
	for name, o := range map[string]term.Options{
		"80":  {Width: columns(80)},
		"120": {Width: columns(120)},
		"200": {Width: columns(200)},
		"vv":  {Width: columns(80), Verbosity: 2},
	} {
		var out bytes.Buffer
		o.Out, o.Rerun = &out, rerun
		if err := term.New(o).Finish(resulttest.NewRun("evidence", trial, onlyConversation)); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "evidence."+name+".txt", out.Bytes())
	}
}
