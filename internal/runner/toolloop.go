package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/workflow"
)

const (
	parallelCalls  = 10 // run at once, of one reply
	failuresToDrop = 2  // a tool with so many failed calls is not offered again in the turn
)

// toolLoop runs the tool calls of one turn within the limits of the tool policy.
type toolLoop struct {
	s         *session
	at        turnIndex
	policy    scenario.ToolPolicy
	log       []result.ToolCall
	rounds    int             // of the turn, in whatever state: the state that speaks gives the limit
	calls     int             // the same
	opening   int             // rounds in the turn before the current state began to speak
	spoke     map[string]bool // states of the workflow that spoke before in the turn; nil: none
	identical map[string]int  // name and arguments → how often
	failures  map[string]int  // name → how often
}

func newToolLoop(s *session, at turnIndex) *toolLoop {
	return &toolLoop{s: s, at: at, policy: s.stance.policy, log: []result.ToolCall{}}
}

// enter makes the loop go on in another state of the workflow. The model may call there what it called before: the
// same call means something else.
func (l *toolLoop) enter(from, to string) {
	if l.spoke == nil {
		l.spoke = map[string]bool{}
	}
	l.spoke[from] = true
	if l.opening = l.rounds; l.spoke[to] {
		l.opening = -1 // its opening is over
	}
	l.policy = l.s.stance.policy
	clear(l.identical)
	delete(l.failures, workflow.TransitionTool)
}

// checkRound counts a model call. It returns an error when a limit of the tool policy forbids it.
func (l *toolLoop) checkRound() error {
	l.rounds++
	first := l.rounds == 1 && len(l.log) == 0 && !l.s.followsStep()
	if l.rounds > l.policy.MaxRounds && !first {
		return fmt.Errorf("the tool loop did not end within %s (tool_policy.max_rounds)",
			plural.Count(l.policy.MaxRounds, "round"))
	}
	if why := l.overspent(); why != "" && (l.policy.LimitsCost || !first) {
		return errors.New(why)
	}
	return nil
}

// overspent says that the conversation has cost more than the policy allows; "": it has not.
func (l *toolLoop) overspent() string {
	spent := l.s.spentBefore + l.s.spend.usd
	if spent <= l.policy.MaxCostUSD {
		return ""
	}
	return fmt.Sprintf("the conversation has cost %s; tool_policy.max_cost_usd allows %s", say.Money(spent),
		say.Money(l.policy.MaxCostUSD))
}

// keepOverspent keeps for a warning that a reply has passed a limit: where it is the last, nothing is left to be
// stopped.
func (l *toolLoop) keepOverspent() {
	if why := l.overspent(); why != "" && l.policy.LimitsCost {
		l.s.pending.overspent = fmt.Sprintf("turn %d: %s", l.at.number+1, why)
	}
}

// chooses reports whether the policy's choice is for this round: the first, and the first in each state.
func (l *toolLoop) chooses() bool { return l.rounds <= l.opening+1 }

// checkChoice returns an error when the model would have to call a tool that it is not offered: servers refuse that.
func (l *toolLoop) checkChoice() error {
	if name := l.policy.Choice; l.chooses() && l.policy.ChoosesTool() && !l.offers(name) {
		return fmt.Errorf("tool_policy.tool_choice asks for %s, which is not offered here", name)
	}
	return nil
}

// warnToolChoice warns of a reply that does not keep to the policy's choice of tools: many servers pass it over.
func (l *toolLoop) warnToolChoice(reply *chat.Message) {
	agent := l.s.trial.Endpoint
	if !l.chooses() || agent.Simulated || agent.Spec.IsAgent() || !chat.Complete(reply.FinishReason) {
		return
	}
	choice, named := l.policy.Choice, l.policy.ChoosesTool()
	var did string
	switch calls := reply.ToolCalls; {
	case choice == "none" && len(calls) > 0:
		did = "called " + say.Quote(calls[0].Name)
	case (named || choice == "required" && len(l.s.stance.offered) > 0) && len(calls) == 0:
		did = "called no tool"
	case named && calls[0].Name != choice:
		did = "called " + say.Quote(calls[0].Name)
	default:
		return
	}
	l.s.warnOnce(fmt.Sprintf("tool_policy.tool_choice is %s, and the model %s: its server may not know tool_choice",
		choice, did))
}

// offer returns the tools of a round and the tool choice.
func (l *toolLoop) offer() ([]chat.Tool, string) {
	if l.policy.Choice == "none" || len(l.s.stance.offered) == 0 {
		return nil, ""
	}
	offered := l.s.stance.offered
	if len(l.failures) > 0 {
		offered = slices.DeleteFunc(slices.Clone(offered), func(t chat.Tool) bool {
			return l.failures[t.Name] >= failuresToDrop
		})
	}
	if !l.chooses() {
		return offered, "auto"
	}
	return offered, cmp.Or(l.policy.Choice, "auto")
}

// run executes the calls of one reply, at most ten concurrently, and appends their results in call order. An error ends
// the conversation. A tool that fails is no error.
func (l *toolLoop) run(ctx context.Context, calls []chat.ToolCall) error {
	if l.s.agentRanCalls() {
		return l.recordAgentCalls(calls, l.s.toolResults)
	}
	if err := l.limits(len(calls)); err != nil {
		return err
	}
	refusals, fatal := l.admitAll(calls)
	round := l.s.emit.toolRound(calls)
	results := l.execute(ctx, calls, refusals, round)
	for i := range results {
		round.done(i, &results[i])
		l.record(calls[i], results[i], refusals[i] == "")
		l.log[len(l.log)-1].Refused = l.refused(calls[i], &results[i])
	}
	l.calls += len(results)
	l.s.countCalls(refusals[:len(results)])
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for i := range results {
		if results[i].ErrorType == chat.ErrorMock {
			return fmt.Errorf("tool %s", results[i].Error)
		}
	}
	return fatal
}

// admitAll returns for each call the reason why it must not run, or "". It ends at a call that ends the conversation,
// with the error.
func (l *toolLoop) admitAll(calls []chat.ToolCall) (refusals []string, fatal error) {
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

// execute runs the calls that are not refused, and waits for them. No call starts after the end of ctx; the results are
// those of the calls before it.
func (l *toolLoop) execute(
	ctx context.Context, calls []chat.ToolCall, refusals []string, round *toolRound,
) []chat.ToolResult {
	results, begun := make([]chat.ToolResult, len(refusals)), 0
	late := map[int]time.Duration{}
	lanes := lanes{s: l.s}
	var g errgroup.Group
	g.SetLimit(parallelCalls)
	for i, refusal := range refusals {
		if ctx.Err() != nil {
			break
		}
		call := calls[i]
		round.started(i)
		begun++
		if refusal != "" {
			results[i] = tools.Failure(call, chat.ErrorExecution, refusal)
			continue
		}
		consent := l.consent(call)
		if consent == denied || consent == silent {
			results[i] = consented(l.declined(call, consent), consent)
			continue
		}
		own := l.s.owns(call.Name) || l.s.remembers(call.Name) || l.s.paints(call.Name)
		var lane *cassette.Lane
		if !own {
			lane = lanes.next(l.at.number, "call", len(l.log)+i+1, call.Name)
		}
		switch fault := l.fault(call, i); {
		case fault.rule != nil:
			results[i], late[i] = l.inject(ctx, lane, call, fault)
			results[i] = consented(results[i], consent)
		case own || len(calls) == 1:
			results[i] = consented(l.call(ctx, lane, call), consent)
		default:
			g.Go(func() error {
				results[i] = consented(l.call(ctx, lane, call), consent)
				return nil
			})
		}
	}
	_ = g.Wait() // calls return no error; failures are results
	l.s.clock.advance(max(lanes.elapsed(true), l.took(calls, results[:begun])))
	for i, d := range late { // the clock knows it already
		results[i].LatencyMS += milliseconds(d)
	}
	return results[:begun]
}

// call runs a tool, or returns the result that came with the reply. It is called by several goroutines.
func (l *toolLoop) call(ctx context.Context, lane *cassette.Lane, call chat.ToolCall) chat.ToolResult {
	if res, own := l.s.ownCall(call, l.at.number); own {
		return res
	}
	for _, r := range l.s.toolResults {
		if r.ID == call.ID {
			return r
		}
	}
	if refusal := l.s.misnamed(call.Name); refusal != "" {
		return tools.Failure(call, chat.ErrorMock, refusal)
	}
	return withoutMarks(l.s.callTool(ctx, lane, call))
}

// limits returns an error when the calls exceed the limits of the tool policy. Then none of them runs.
func (l *toolLoop) limits(more int) error {
	if n, limit := l.calls+more, l.policy.MaxPerTurn; limit > 0 && n > limit {
		return fmt.Errorf("%d tool calls in this turn; tool_policy.max_tool_calls_per_turn allows %d", n, limit)
	}
	if n, limit := len(l.s.calls)+more, l.policy.MaxTotal; limit > 0 && n > limit {
		return fmt.Errorf("%d tool calls in the conversation; tool_policy.max_total_tool_calls allows %d", n, limit)
	}
	return nil
}

// admit returns the reason why a call must not run, or "". A repeated call is refused once, with a text for the model.
// When it comes again the model is stuck, and the error ends the conversation.
func (l *toolLoop) admit(call chat.ToolCall) (refusal string, err error) {
	if refusal := l.forbidden(call.Name); refusal != "" {
		return refusal, nil
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

// forbidden is the reason why the agent may not call a tool here, however it is called; "": it may.
func (l *toolLoop) forbidden(tool string) string {
	switch {
	case slices.Contains(l.policy.Blocklist, tool):
		return fmt.Sprintf("tool %s is blocked by policy", tool)
	case l.policy.Choice == "none":
		return fmt.Sprintf("tool %s was not called: tool_choice is none", tool)
	case l.s.step != nil && l.s.has(tool) && !l.offers(tool):
		return fmt.Sprintf("tool %s is not offered in the step %s", tool, l.s.step.spec.ID)
	case l.s.box.Has(tool) && !l.offers(tool):
		return fmt.Sprintf("tool %s is not offered: the prompt's allowed_tools does not list it", tool)
	}
	return ""
}

// refused reports whether a call got no further than arena: there is no such tool, or the agent may not have it.
func (l *toolLoop) refused(call chat.ToolCall, res *chat.ToolResult) bool {
	return chat.IsUnknownTool(res.Error) || res.Error != "" && res.Error == l.forbidden(call.Name)
}

func (l *toolLoop) offers(name string) bool {
	return slices.ContainsFunc(l.s.stance.offered, func(t chat.Tool) bool { return t.Name == name })
}

// took is how long concurrent calls of tools that are not simulated took, for a simulated clock.
func (l *toolLoop) took(calls []chat.ToolCall, results []chat.ToolResult) (span time.Duration) {
	if l.s.recorder != nil {
		return 0
	}
	for i := range results {
		if !l.s.trial.Project.tools.Simulated(calls[i].Name) && !l.s.paints(calls[i].Name) { // whose calls take their time
			span = max(span, time.Duration(results[i].LatencyMS*float64(time.Millisecond)))
		}
	}
	return span
}

// broken reports whether a tool failed by itself in a call that was to be made: not by its author's word, as a
// simulated one does, nor by arguments, consent or an injected failure.
func (l *toolLoop) broken(call chat.ToolCall, res *chat.ToolResult) bool {
	name, box := call.Name, l.s.box
	own := l.s.owns(name) || l.s.remembers(name)
	if injectedInto(res) != "" || own || !box.Has(name) || l.s.trial.Project.tools.Simulated(name) {
		return false
	}
	switch res.ErrorType {
	case chat.ErrorExecution, chat.ErrorUnavailable:
		return true
	case chat.ErrorValidation: // of its result, unless the agent's arguments are wrong
		return call.Args != nil && box.Takes(name, call.Args) == nil
	}
	return false
}

// doubt is why a call that worked may have failed, by what its result says; "": nothing. Results that somebody wrote
// into a file are meant.
func (l *toolLoop) doubt(tool string, res *chat.ToolResult) string {
	if res.Error != "" || l.s.owns(tool) || l.s.remembers(tool) || l.s.trial.Project.tools.Simulated(tool) {
		return ""
	}
	return tools.FailureDoubt([]byte(res.Content))
}

// record adds a call and its result to the transcript and the result. admitted says that the call was to be made.
func (l *toolLoop) record(call chat.ToolCall, res chat.ToolResult, admitted bool) {
	s := l.s
	if res.Error == "" && s.trial.Project.tools.Generic(call.Name) && !slices.ContainsFunc(s.toolResults,
		func(r chat.ToolResult) bool { return r.ID == call.ID }) {
		s.warnOnce(s.trial.Project.genericTool(call.Name))
	}
	if res.Notice != "" {
		s.notice(res.Notice)
	}
	for _, doubt := range []string{res.Doubt, l.doubt(call.Name, &res)} {
		if doubt != "" {
			s.warnOnce(fmt.Sprintf("tool %s: %s", call.Name, doubt))
		}
	}
	s.warnUnshownMedia(call.Name, &res)
	res.Agent = s.box.Agent(call.Name)
	s.add(chat.Message{Role: chat.ToolRole, ToolResult: &res})
	l.keep(call, &res, admitted)
}

// keep adds a call and its result to the result.
func (l *toolLoop) keep(call chat.ToolCall, res *chat.ToolResult, admitted bool) {
	s := l.s
	s.calls = append(s.calls, checks.Call{
		Turn: l.at.number, Step: s.stepID(), Name: call.Name, Args: call.Args, BadArgs: call.BadArgs, Result: res.Text(),
		Parts: res.Parts,
		Error: res.Error, ErrorType: res.ErrorType, DurationMS: res.LatencyMS, Agent: res.Agent,
		State: s.stateName(),
	})
	l.log = append(l.log, result.ToolCall{
		Step: s.stepID(), Name: call.Name, Args: call.Args, BadArgs: call.BadArgs,
		Result: res.Text(), Error: res.Error, ErrorType: res.ErrorType, Broken: admitted && l.broken(call, res),
		Injected: injectedInto(res),
	})
	if res.Error != "" {
		if l.failures == nil {
			l.failures = map[string]int{}
		}
		l.failures[call.Name]++
	}
}
