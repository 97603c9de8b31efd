package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// calling is a plan of one turn in which the model makes these calls in its first reply, and answers after that. The
// argument of the i-th call is n[i].
func calling(t *testing.T, turn scenario.Turn, before func(), n ...int) *Plan {
	t.Helper()
	client := answer(func(_ context.Context, req *chat.Request) (chat.Reply, error) {
		if req.Origin.Reply > 0 {
			return chat.Reply{Content: "done", FinishReason: "stop"}, nil
		}
		before()
		r := chat.Reply{FinishReason: "tool_calls"}
		for i, n := range n {
			r.ToolCalls = append(r.ToolCalls, chat.ToolCall{
				ID: fmt.Sprint(i), Name: "run_tests", Args: map[string]any{"n": json.Number(fmt.Sprint(n))},
			})
		}
		return r, nil
	})
	turn.Role, turn.Content = "user", "go"
	plan := planOf(t, 1, client, turn)
	plan.spans[0].Project = withTools(t)
	plan.spans[0].Prompt = &scenario.Prompt{AllowedTools: []string{"run_tests"}}
	return plan
}

// TestCallsAreBooked: however the conversation ends, the turn has the calls that ran with their results, and each start
// event has an end event.
func TestCallsAreBooked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		turn   scenario.Turn
		calls  []int
		booked string // of each call: ran, or the beginning of its error
		err    string
	}{
		{name: "two at once", calls: []int{1, 2}, booked: "ran ran"},
		{name: "four alike", calls: []int{1, 1, 1, 1}, booked: "ran ran refused",
			err: "turn 1: the model is stuck: it called run_tests 4 times with the same arguments"},
		{name: "four alike and others", calls: []int{1, 2, 1, 1, 3, 1, 4}, booked: "ran ran ran refused ran",
			err: "the model is stuck"},
		{name: "more than fit at once", calls: slices.Repeat([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 2),
			booked: strings.TrimSpace(strings.Repeat("ran ", 24))},
		{name: "many, and then stuck", calls: append(slices.Repeat([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 2), 1, 1),
			booked: strings.Repeat("ran ", 24) + "refused", err: "the model is stuck"},
		{name: "slow ones", turn: scenario.Turn{Rare: &scenario.RareTurn{
			Chaos: []scenario.ToolFailure{{Tool: "run_tests", Mode: "slow"}},
		}},
			calls: []int{1, 1, 1, 1}, booked: "ran ran refused", err: "the model is stuck"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := listen(t, t.Context(), calling(t, c.turn, func() {}, c.calls...), 1)
			trial := l.trial(t)
			if got := booked(trial.Turns[0].ToolCalls); got != c.booked {
				t.Errorf("booked %s, want %s", got, c.booked)
			}
			if !strings.Contains(trial.Error, c.err) || (c.err == "") != (trial.Error == "") {
				t.Errorf("error %q, want %q", trial.Error, c.err)
			}
			if diff := cmp.Diff(l.ended(t), booked(trial.Turns[0].ToolCalls)); diff != "" {
				t.Errorf("told and booked are not the same:\n%s", diff)
			}
		})
	}
}

// TestNoCallAfterTheEnd: no call starts after the end of the run.
func TestNoCallAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	l := listen(t, ctx, calling(t, scenario.Turn{}, func() { cancel(Stop()) }, 1, 2, 3), 1)
	if trial := l.trial(t); trial.Status != result.Cancelled || len(trial.Turns[0].ToolCalls) > 0 || l.ended(t) != "" {
		t.Errorf("%s %+v %s", trial.Status, trial.Turns, l.ended(t))
	}
}

func booked(calls []result.ToolCall) string {
	words := make([]string, len(calls))
	for i, c := range calls {
		words[i] = came(c.Error)
	}
	return strings.Join(words, " ")
}

func came(problem string) string {
	switch {
	case problem == "":
		return "ran"
	case strings.Contains(problem, "was not run again"):
		return "refused"
	}
	return problem
}

// trial returns the only trial.
func (l *listener) trial(t *testing.T) *result.Trial {
	t.Helper()
	for _, e := range l.events {
		if done, ok := e.(result.TrialDone); ok {
			return done.Trial
		}
	}
	t.Fatal("no trial ended")
	return nil
}

// ended lists how the started calls ended, in order.
func (l *listener) ended(t *testing.T) string {
	t.Helper()
	var numbers []int
	var words []string
	for _, e := range l.events {
		switch e := e.(type) {
		case result.ToolStarted:
			numbers = append(numbers, e.Number)
		case result.ToolCompleted:
			if i := len(words); i >= len(numbers) || numbers[i] != e.Number {
				t.Errorf("call %d ended, and did not begin", e.Number)
			}
			words = append(words, came(e.Error))
		}
	}
	if len(words) != len(numbers) {
		t.Errorf("%d calls began, %d ended", len(numbers), len(words))
	}
	return strings.Join(words, " ")
}
