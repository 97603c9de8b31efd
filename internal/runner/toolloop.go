package runner

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// Defaults of a tool policy, and how a slow tool is simulated.
const (
	defaultRounds    = 50
	defaultIdentical = 3
	defaultCostUSD   = 2.00
	parallelCalls    = 10
	slowTool         = 2 * time.Second
	failuresToDrop   = 2 // failed calls after which a tool is no longer offered in the turn
)

// toolLoop is the tool calls of one turn with the guards around them.
type toolLoop struct {
	s         *session
	turn      int
	policy    scenario.ToolPolicy
	log       []result.ToolCall
	identical map[string]int // name and arguments → how often
	failures  map[string]int // name → how often
}

func newToolLoop(s *session, turn int) *toolLoop {
	return &toolLoop{s: s, turn: turn, policy: s.stance.policy, log: []result.ToolCall{}}
}

// enter is called before each model call of the turn.
func (l *toolLoop) enter(round int) error {
	if round == 0 {
		return nil
	}
	if round >= l.policy.MaxRounds {
		return fmt.Errorf("the tool loop did not end within %d rounds (tool_policy.max_rounds)", l.policy.MaxRounds)
	}
	if l.s.spend.usd > l.policy.MaxCostUSD {
		return fmt.Errorf("the conversation has cost $%.4f; tool_policy.max_cost_usd allows $%.2f",
			l.s.spend.usd, l.policy.MaxCostUSD)
	}
	return nil
}

// offer is the tools of a round and the choice that the model has: tool_choice counts for the first round only.
func (l *toolLoop) offer(round int) ([]chat.Tool, string) {
	if l.policy.Choice == "none" || len(l.s.stance.offered) == 0 {
		return nil, ""
	}
	offered := l.s.stance.offered
	if len(l.failures) > 0 {
		offered = slices.DeleteFunc(slices.Clone(offered), func(t chat.Tool) bool {
			return l.failures[t.Name] >= failuresToDrop
		})
	}
	if round > 0 {
		return offered, "auto"
	}
	return offered, cmp.Or(l.policy.Choice, "auto")
}

// run executes the calls of one reply, at most ten at once, and appends the results of all that ran in call order,
// however the reply ends. An error ends the conversation; a tool that fails does not.
func (l *toolLoop) run(ctx context.Context, calls []chat.ToolCall) error {
	if err := l.limits(len(calls)); err != nil {
		return err
	}
	refusals, stuck := l.admitted(calls)
	told := l.s.tell.tools(calls)
	results := l.execute(ctx, calls, refusals, told)
	for i := range results {
		told.done(i, &results[i])
		l.book(calls[i], results[i])
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for i := range results {
		if results[i].ErrorType == chat.ErrorMock {
			return fmt.Errorf("tool %s", results[i].Error)
		}
	}
	return stuck
}

// admitted is why each of the calls must not run, "" for those that may. It ends at the call that ends the
// conversation, with the reason.
func (l *toolLoop) admitted(calls []chat.ToolCall) (refusals []string, stuck error) {
	refusals = make([]string, 0, len(calls))
	for _, call := range calls {
		refusal, err := l.admit(call)
		if err != nil {
			return refusals, err
		}
		refusals = append(refusals, refusal)
	}
	return refusals, nil
}

// execute runs calls, of which it leaves out those that are refused, and waits for all that it has begun. It returns
// the results of the calls before the end of ctx, after which none begins.
func (l *toolLoop) execute(
	ctx context.Context, calls []chat.ToolCall, refusals []string, told *toolRound,
) []chat.ToolResult {
	results, begun := make([]chat.ToolResult, len(refusals)), 0
	lanes := lanes{tape: l.s.tape}
	var g errgroup.Group
	g.SetLimit(parallelCalls)
	for i, refusal := range refusals {
		if ctx.Err() != nil {
			break
		}
		call := calls[i]
		told.started(i)
		begun++
		if refusal != "" {
			results[i] = tools.Failure(call, chat.ErrorExecution, refusal)
			continue
		}
		lane := lanes.next(l.turn, "call", len(l.log)+i+1, call.Name)
		switch fault := l.fault(call); {
		case fault != nil:
			results[i] = l.inject(ctx, lane, call, fault)
		case len(calls) == 1:
			results[i] = l.call(ctx, lane, call)
		default:
			g.Go(func() error {
				results[i] = l.call(ctx, lane, call)
				return nil
			})
		}
	}
	_ = g.Wait() // no call returns an error: what goes wrong is its result
	l.s.clock.advance(lanes.took(true))
	return results[:begun]
}

// call runs a tool, or takes the result that came along with the call. It is called by several goroutines at once.
func (l *toolLoop) call(ctx context.Context, lane *cassette.Lane, call chat.ToolCall) chat.ToolResult {
	for _, r := range l.s.came {
		if r.ID == call.ID {
			return r
		}
	}
	return l.s.callTool(ctx, lane, call)
}

// limits refuses more calls than the policy allows before any of them runs.
func (l *toolLoop) limits(more int) error {
	if n, limit := len(l.log)+more, l.policy.MaxPerTurn; limit > 0 && n > limit {
		return fmt.Errorf("%d tool calls in this turn; tool_policy.max_tool_calls_per_turn allows %d", n, limit)
	}
	if n, limit := len(l.s.calls)+more, l.policy.MaxTotal; limit > 0 && n > limit {
		return fmt.Errorf("%d tool calls in the conversation; tool_policy.max_total_tool_calls allows %d", n, limit)
	}
	return nil
}

// admit says why a call must not run, or nothing. A call repeated often enough is refused once, with a text that
// tells the model so; if it comes again the model is stuck and the conversation ends.
func (l *toolLoop) admit(call chat.ToolCall) (refusal string, err error) {
	switch {
	case slices.Contains(l.policy.Blocklist, call.Name):
		return fmt.Sprintf("tool %s is blocked by policy", call.Name), nil
	case l.policy.Choice == "none":
		return fmt.Sprintf("tool %s was not called: tool_choice is none", call.Name), nil
	case l.s.box.Has(call.Name) && !l.offers(call.Name):
		return fmt.Sprintf("tool %s is not offered: the prompt's allowed_tools does not list it", call.Name), nil
	}
	key := call.Name + " " + tools.Canonical(call.Args) + call.BadArgs
	if l.identical == nil {
		l.identical = map[string]int{}
	}
	l.identical[key]++
	switch n := l.identical[key]; {
	case n > l.policy.MaxIdentical:
		return "", fmt.Errorf("the model is stuck: it called %s %d times with the same arguments "+
			"(tool_policy.max_identical_tool_calls is %d)",
			call.Name, n, l.policy.MaxIdentical)
	case n == l.policy.MaxIdentical:
		return fmt.Sprintf("%s was already called %d times with the same arguments and was not run again; "+
			"use the results above or answer without it", call.Name, n-1), nil
	}
	return "", nil
}

func (l *toolLoop) offers(name string) bool {
	return slices.ContainsFunc(l.s.stance.offered, func(t chat.Tool) bool { return t.Name == name })
}

// fault finds the failure that the turn injects into a call. Chance is taken from the trial, the turn and the number
// of the call, so that a run repeats.
func (l *toolLoop) fault(call chat.ToolCall) *scenario.ToolFailure {
	chaos := l.s.trial.Scenario.Turns[l.turn].Chaos
	for i := range chaos {
		f := &chaos[i]
		if f.Tool == call.Name && (f.Probability == 0 || l.chance(call.Name) < f.Probability) {
			return f
		}
	}
	return nil
}

func (l *toolLoop) chance(tool string) float64 {
	h := fnv.New64a()
	id := evals.SamplingID(l.s.out.ID)
	_, _ = fmt.Fprintf(h, "%s\x00%d\x00%s\x00%d", id, l.turn, tool, len(l.s.calls)) // never fails
	return float64(h.Sum64()>>11) / (1 << 53)
}

func (l *toolLoop) inject(
	ctx context.Context, lane *cassette.Lane, call chat.ToolCall, f *scenario.ToolFailure,
) chat.ToolResult {
	switch f.Mode {
	case "slow":
		if err := l.s.clock.sleep(ctx, slowTool); err != nil {
			return tools.Failure(call, chat.ErrorExecution, err.Error())
		}
		return l.call(ctx, lane, call)
	case "timeout":
		return tools.Failure(call, chat.ErrorExecution, cmp.Or(l.words(f), call.Name+" timed out (injected)"))
	}
	return tools.Failure(call, chat.ErrorExecution, cmp.Or(l.words(f), call.Name+" failed (injected)"))
}

// words are what an injected failure says.
func (l *toolLoop) words(f *scenario.ToolFailure) string { return l.s.render(l.turn, f.Message, false) }

// book puts a result into the transcript and the logs.
func (l *toolLoop) book(call chat.ToolCall, res chat.ToolResult) {
	s := l.s
	if res.Error == "" && s.trial.Project.tools.Generic(call.Name) && !slices.ContainsFunc(s.came,
		func(r chat.ToolResult) bool { return r.ID == call.ID }) {
		s.notice(fmt.Sprintf("tool %s has no mock_result: it answers with a generic text", call.Name))
	}
	s.add(chat.Message{Role: chat.ToolRole, ToolResult: &res})
	s.calls = append(s.calls, checks.Call{
		Turn: l.turn, Name: call.Name, Args: call.Args, BadArgs: call.BadArgs, Result: res.Text(), Parts: res.Parts,
		Error: res.Error, ErrorType: res.ErrorType, DurationMS: res.LatencyMS,
	})
	l.log = append(l.log, result.ToolCall{
		Name: call.Name, Args: call.Args, BadArgs: call.BadArgs,
		Result: res.Text(), Error: res.Error, ErrorType: res.ErrorType,
	})
	if res.Error != "" {
		if l.failures == nil {
			l.failures = map[string]int{}
		}
		l.failures[call.Name]++
	}
}
