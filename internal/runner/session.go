package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/memory"
)

// session is the state of one trial. It belongs to one goroutine.
type session struct {
	opts        *Options
	trial       *Trial // &own
	own         Trial
	out         *result.Trial
	clock       *clock // &ownClock, but for steps
	ownClock    clock
	limit       *timeLimit         // of the conversation; nil: it may take any time
	preview     *preview           // nil: the trial is run
	emit        *emitter           // nil: no sink wants events
	onDelta     func(chat.Delta)   // gets each piece of a streamed reply; nil: no listener
	recordError error              // the cassette cannot be written, which ends the run
	recorder    *cassette.Recorder // nil: the trial is neither recorded nor replayed
	recordedID  string             // of a recorded session; "": none

	// The conversation.
	messages         []chat.Message // the transcript, the system prompt first
	turnStart        int            // index of the turn's first message
	window           contextWindow  // what of it a model is sent
	values           *values
	variables        map[string]string // for checks
	stance           stance
	agent            *providers.Trial  // the trial, as providers know it that are agents of their own
	trace            *chat.Trace       // in the last reply; nil: none
	inputValidations []chat.Validation // of the user's message; the reply carries them

	// Its tools, states and steps.
	calls       []checks.Call
	toolResults []chat.ToolResult // in the last reply, of tools that the server ran
	ranCalls    []chat.ToolCall   // in the last reply, of an agent that has made them
	box         *tools.Box        // &ownBox, but for steps
	ownBox      tools.Box
	servers     toolServers
	memory      *memory.Store  // nil: the trial remembers nothing
	skills      *skill.Session // nil: there are none
	flow        *flow          // nil: there is no workflow
	step        *step          // nil: the session is that of the whole trial
	judgedStep  string         // of a composition, whose output evals judge now; "": none

	// What it cost.
	spend        spend
	spentBefore  float64 // in US dollars, before the step
	otherSources map[*Endpoint]string
	users        sideSpend     // of the models that play users
	userTime     time.Duration // that these took

	// What checks say of it.
	decided     decided             // by the checks so far
	judgeGate   string              // why judges are skipped; "": they are not
	evalResults []checks.EvalResult // so far
	dispatched  []dispatchedEvals   // evals that workers run
	checkTime   time.Duration       // spent on checks
	pending     pendingWarnings
}

// errStopped ends trials early when the user stops the run.
var errStopped = errors.New("the run was stopped")

// tooManyFailures ends trials early after the limit of failed trials.
type tooManyFailures int

func (n tooManyFailures) Error() string {
	if n == 1 {
		return "an earlier trial failed and --fail-fast is set"
	}
	return fmt.Sprintf("%d trials have failed, and --max-failures %[1]d is set", int(n))
}

// endsRun reports whether an error is the end of the whole run.
func endsRun(err error) bool {
	_, failures := errors.AsType[tooManyFailures](err)
	return failures || errors.Is(err, errStopped)
}

// timeoutError ends a trial that exceeds its time limit.
type timeoutError struct {
	limit time.Duration
	by    string // what sets it
}

func (e timeoutError) Error() string {
	return fmt.Sprintf("timeout: %s %s (%s)", result.TookLonger, e.limit, e.by)
}

// timeLimit limits the time of a conversation.
type timeLimit struct {
	error timeoutError
	stop  context.CancelCauseFunc // ends the conversation
}

// overrun ends a conversation whose simulated time exceeds its limit: no timer does.
func (s *session) overrun(by time.Duration) error {
	if s.limit == nil || !s.clock.simulated || s.clock.elapsed()+by <= s.limit.error.limit {
		return nil
	}
	s.limit.stop(s.limit.error)
	return s.limit.error
}

// newSession makes the session of a trial. It sends its events to events, which may be nil.
func newSession(planned Trial, opts *Options, events chan<- result.Event) *session {
	s := &session{opts: opts, own: planned.filled(), ownClock: clock{now: opts.Now, simulated: planned.Simulated()}}
	t := &s.own
	s.trial, s.values, s.out, s.clock = t, valuesOf(t), newResult(t), &s.ownClock
	s.agent = &providers.Trial{ID: s.out.ID, Scenario: t.Scenario.ID}
	s.ownBox = t.Project.tools.Box(t.Scenario.ID)
	s.box = &s.ownBox
	s.remember()
	s.flow = newFlow(t)
	s.skills = t.Project.skills.open(t)
	s.takeStance(t.Prompt)
	s.out.Describe, _ = s.values.at(noTurn).UserText(t.Scenario.Description)
	if events != nil {
		s.emit = &emitter{
			events: events, started: opts.Started, clock: s.clock, trial: t, id: s.out.ID, turn: result.NoTurn,
		}
	}
	return s
}

// run runs the trial and settles it. Errors are in the result.
func (s *session) run(ctx context.Context) {
	t := s.trial
	s.clock.start()
	ended := ctx
	defer func() {
		p := recover()
		if p != nil {
			s.out.Error = fmt.Sprintf("arena crashed in this trial: %v", p)
			s.opts.Crash(t.ID(), p, debug.Stack())
		}
		s.closeBox()
		whole := s.endAgent(ended)
		s.closeCassette(p == nil && whole && stopCause(ended) == nil)
		s.finish()
	}()
	if t.Scenario.Skip != "" && t.Finished == nil {
		s.out.Status, s.out.Skip = result.Skipped, t.Scenario.Skip
		return
	}
	if err := s.checkRow(); err != nil && t.Finished == nil {
		s.out.Error = err.Error()
		s.abandon(0, "the row cannot be used")
		return
	}
	ctx = providers.InTrial(ctx, s.agent)
	running := ctx // without the time limit of the conversation
	if limit := t.Limit(); limit > 0 {
		var cancel context.CancelFunc
		s.limit = &timeLimit{error: timeoutError{limit, t.limitedBy()}}
		ctx, cancel = context.WithTimeoutCause(ctx, limit, s.limit.error)
		defer cancel()
		ctx, s.limit.stop = context.WithCancelCause(ctx)
		defer s.limit.stop(nil)
	}
	ended = ctx
	ctx, done, err := s.openCassette(ctx)
	defer done()
	if err != nil {
		s.out.Error = err.Error()
		s.abandon(0, err.Error())
		return
	}
	switch {
	case t.Finished != nil:
		s.rejudge(ctx)
		return
	case t.Recorded != nil:
		s.judgeRecorded(ctx)
	default:
		s.drive(ctx)
	}
	s.awaitEvals(running)
}

// Limit is the time limit of the conversation; 0: none.
func (t *Trial) Limit() time.Duration {
	if limit := t.Project.Defaults.RunLimit; limit > 0 {
		return limit
	}
	if t.Scenario.Timeout > 0 {
		return t.Scenario.Timeout
	}
	return t.Project.timeout
}

// limitedBy names the setting of the limit.
func (t *Trial) limitedBy() string {
	switch {
	case t.Project.Defaults.RunLimit > 0:
		return "--timeout"
	case t.Scenario.Timeout > 0:
		return "timeout of the scenario"
	}
	return "run_timeout"
}

func newResult(t *Trial) *result.Trial {
	out := &result.Trial{
		Index: t.Index, ID: t.ID(), Scenario: t.Scenario.ID, Provider: t.Endpoint.Spec.ID, Model: t.Endpoint.Spec.Model,
		Region: t.Region, Row: t.resultRow(), Trial: t.N, Trials: t.Of, Variant: t.Variant.label(), Tags: t.Scenario.Tags,
		Labels: t.Scenario.Labels, Position: t.Scenario.Pos, Describe: t.Scenario.Description, Metadata: t.Scenario.Metadata,
		Turns: []result.Turn{}, Conversation: []result.Verdict{}, Simulated: t.Mocked(),
		Replacement: t.N > t.Of,
	}
	if r := t.Recorded; r != nil {
		out.Recording = &result.Recording{File: r.File, Name: r.Name}
	} else {
		out.TaskType, out.Policy = t.Scenario.TaskType, windowWords(t.Scenario)
	}
	return out
}

// drive runs the turns, and then judges the conversation.
func (s *session) drive(ctx context.Context) {
	const most = 16 // turns for which there is room from the beginning
	turns := min(len(s.trial.Scenario.Turns), most)
	s.messages, s.out.Turns = slices.Grow(s.messages, 1+2*turns), slices.Grow(s.out.Turns, turns)
	if err := s.prepare(); err != nil {
		s.out.Error = err.Error()
		s.abandon(0, err.Error())
		return
	}
	done := func(turn *result.Turn, err error) outcome { return s.closeTurn(ctx, turn, err) }
	how := goesOn
	for i := 0; i < len(s.trial.Scenario.Turns) && how == goesOn; i++ {
		how = s.play(ctx, i, done)
	}
	if how == aborts {
		return
	}
	if !s.endAgent(ctx) {
		s.abandon(len(s.trial.Scenario.Turns), cmp.Or(s.out.Error, s.out.Skip))
		return
	}
	s.judgeConversation(ctx)
	if err := s.checkServed(true); err != nil {
		s.out.Error = err.Error()
	}
}

// closeTurn judges a finished turn, and returns how the conversation continues.
func (s *session) closeTurn(ctx context.Context, turn *result.Turn, err error) outcome {
	if err != nil {
		s.failTurn(ctx, turn, err)
		return aborts
	}
	s.judgeTurn(ctx, turn)
	stop := s.stopAfter(turn)
	if stop && turn.Persona != "" && turn.Ended == "" {
		turn.Ended = result.EndedByFailure
	}
	s.emit.turnCompleted(turn)
	if stop {
		s.skipTurns(turn.Script()+1, fmt.Sprintf("turn %d failed and on_failure is stop", turn.Index+1))
		return stops
	}
	return goesOn
}

// add appends a message to the transcript.
func (s *session) add(m chat.Message) {
	m.Parts = chat.Offload(m.Parts)
	if m.ToolResult != nil {
		m.ToolResult.Parts = chat.Offload(m.ToolResult.Parts)
	}
	s.messages = append(s.messages, m)
	if s.step != nil { // it is not part of the conversation
		return
	}
	s.emit.message(&s.messages[len(s.messages)-1], len(s.messages)-1)
}

// prepare sets the variables and the system prompt of the conversation.
func (s *session) prepare() error {
	t := s.trial
	system, err := s.systemPrompt(t.Prompt)
	if err != nil {
		return err
	}
	if s.flow != nil {
		s.flow.systemMessages = 1
	}
	if system != "" || s.flow != nil {
		s.out.System = system
		s.add(chat.Message{Role: chat.System, Content: system, State: s.stateName()})
	}
	return nil
}

// failTurn ends the conversation at a turn that did not finish. Checks that need its reply are not evaluated.
func (s *session) failTurn(ctx context.Context, turn *result.Turn, err error) {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if late, ok := errors.AsType[timeoutError](err); ok && s.clock.simulated && s.recorder == nil {
		s.clock.advance(max(late.limit-s.clock.elapsed(), 0)) // the call was cut at its limit of latency
	}
	if endsRun(err) {
		s.out.Status, s.out.Skip = result.Cancelled, err.Error()
	} else {
		s.out.Error = fmt.Sprintf("turn %d: %v", turn.Index+1, err)
	}
	s.out.Rejected = s.trial.pooled() && s.spend.calls == 0 && isRejection(err)
	turn.Error = err.Error()
	if turn.Persona != "" && !endsRun(err) {
		turn.Ended = result.EndedByError
	}
	reason := fmt.Sprintf("turn %d did not end: %v", turn.Index+1, err)
	turn.Assertions = append(turn.Assertions, notEvaluated(s.turnChecks(turn.Script()), reason)...)
	s.emit.turnCompleted(turn)
	s.abandon(turn.Script()+1, reason)
}

// isRejection reports whether a provider refused a call before the agent answered.
func isRejection(err error) bool {
	e, ok := errors.AsType[*providers.Error](err)
	if !ok || e.Partial != nil || e.Usage != (chat.Usage{}) {
		return false
	}
	return e.Kind == providers.Auth || e.Kind == providers.RateLimit || e.Kind == providers.Transport
}

// abandon adds the remaining checks, from a turn of the scenario on, as not evaluated.
func (s *session) abandon(from int, reason string) {
	s.skipTurns(from, reason)
	for _, list := range s.conversationChecks() {
		s.out.Conversation = append(s.out.Conversation, notEvaluated(list, reason)...)
	}
	s.emit.verdicts(result.NoTurn, s.out.Conversation)
}

func (s *session) skipTurns(from int, reason string) {
	for i := from; i < len(s.trial.Scenario.Turns); i++ {
		at := s.next(i)
		turn := s.addTurn(at, s.userText(at, &s.trial.Scenario.Turns[i]))
		turn.NotRun, turn.Assertions = reason, notEvaluated(s.turnChecks(i), reason)
		s.emit.verdicts(turn.Index, turn.Assertions)
	}
}

// stopAfter reports whether a turn ends the conversation. A failure that pass_threshold allows in some of the trials
// does not end it: later turns must be judged in all trials.
func (s *session) stopAfter(turn *result.Turn) bool {
	if s.trial.onFailure(s.opts) != "stop" {
		return false
	}
	return slices.ContainsFunc(turn.Assertions, func(v result.Verdict) bool {
		return v.Status != result.Passed && v.Status != result.Skipped && !(v.Status == result.Failed && mayFail(&v))
	})
}

// mayFail reports whether a check may fail in some trials of its group.
func mayFail(v *result.Verdict) bool { return v.PassThreshold != nil && *v.PassThreshold < 1 }

func (t *Trial) onFailure(opts *Options) string {
	for _, choice := range []string{opts.OnFailure, t.Scenario.OnFailure, t.Project.Defaults.OnFailure} {
		if choice != "" {
			return choice
		}
	}
	return "continue"
}

// finish sets the totals and settles the trial.
func (s *session) finish() {
	s.out.DurationMS = s.clock.elapsedMS()
	s.out.Usage = result.Usage{Usage: s.spend.usage, Calls: s.spend.calls, ToolCalls: len(s.calls)}
	s.out.CostUSD = s.spend.cost()
	if s.out.Users == nil { // otherwise it is that of the rejudged conversation
		s.out.Users = s.users.side()
	}
	if s.out.Context == nil {
		s.out.Context = s.window.spend.side()
	}
	all := s.spend.with(&s.users.spend).with(&s.window.spend.spend)
	if text := all.fromCache(s.recorder.Reused()); text != "" {
		s.notice(text)
	}
	s.reportCuts()
	s.reportFailedCalls()
	s.remarkRefusedCalls()
	s.report(s.pending.ofVerdicts)
	s.reportUnparsed()
	if s.pending.overspent != "" && s.out.Error == "" {
		s.warnOnce(s.pending.overspent)
	}
	s.report(s.pending.others)
	s.reportBudget()
	s.flow.report(s.out)
	if s.memory != nil {
		s.out.Memory = s.memory.Memories()
	}
	s.keepListed()
	s.recordTaskType()
	s.out.Judges = result.JudgesOf(s.out)
	s.out.Settle()
}

// recordTaskType records the prompt of guardrails that fired, which a replay needs.
func (s *session) recordTaskType() {
	guarded := slices.ContainsFunc(s.out.Turns, func(t result.Turn) bool { return len(t.Guardrails) > 0 })
	if guarded && s.out.TaskType == "" && s.trial.Prompt != nil && s.trial.Recorded == nil {
		s.out.TaskType = s.trial.Prompt.TaskType
	}
}
