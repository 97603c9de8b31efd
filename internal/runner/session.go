package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// session is the state of one trial. It belongs to one goroutine.
type session struct {
	opts  *Options
	trial *Trial // &own, where the session was made by newSession
	own   Trial
	out   *result.Trial
	clock clock
	tell  *teller        // nil: nobody listens
	full  error          // why the trial could not be recorded: no other one can be
	tape  *cassette.Tape // nil: nothing is recorded, or played

	messages []chat.Message // the transcript, the system prompt first
	calls    []checks.Call
	came     []chat.ToolResult // that the last reply brought along
	box      tools.Box
	values   *values
	vars     map[string]string // that are handed to checks
	stance   stance
	spend    spend
	id       string              // of the session, where it is not the trial's
	start    int                 // index in messages of the first one of the turn
	heard    []chat.Validation   // fired on the user's words, for the reply to carry
	gate     string              // why no judge is asked any more; "" while they are
	measured []checks.EvalResult // by the evals so far
	judging  time.Duration       // spent on checks
	handed   []handed            // evals that run elsewhere
}

// spend adds up what the model calls took.
type spend struct {
	usage   chat.Usage
	calls   int
	usd     float64
	unknown bool // a call without a known price

	cached int     // calls that were paid for by earlier runs, and are in no sum of money
	saved  float64 // what they cost then, as far as that is known
	lost   int     // of them, those of which it is not
}

func (s *spend) add(r *chat.Reply) {
	s.usage = s.usage.Add(r.Usage)
	s.calls++
	if r.Cached {
		s.cached++
		if r.CostUSD != nil {
			s.saved += *r.CostUSD
		} else {
			s.lost++
		}
		return
	}
	if r.CostUSD == nil {
		s.unknown = true
		return
	}
	s.usd += *r.CostUSD
}

// waste adds what a call took that failed.
func (s *spend) waste(err error) {
	failed, ok := errors.AsType[*providers.Error](err)
	if !ok || failed.Usage == (chat.Usage{}) {
		return
	}
	s.add(&chat.Reply{Usage: failed.Usage, CostUSD: failed.CostUSD})
}

// hear adds what is known of a message that nobody asked for now.
func (s *spend) hear(m *chat.Message) {
	switch {
	case m.Usage != nil:
		s.add(&chat.Reply{Usage: *m.Usage, CostUSD: m.CostUSD})
	case m.CostUSD != nil:
		s.add(&chat.Reply{CostUSD: m.CostUSD})
	}
}

// fromCache says what was not paid for; "" when everything was. recorded calls of it were in the recording already.
func (s *spend) fromCache(recorded int) string {
	if s.cached == 0 {
		return ""
	}
	where := "the cache"
	switch {
	case recorded >= s.cached:
		where = "the recording"
	case recorded > 0:
		where = "the cache and the recording"
	}
	text := fmt.Sprintf("%d of %d replies came from %s, and cost nothing now", s.cached, s.calls, where)
	saved := "$" + strings.TrimRight(fmt.Sprintf("%.6f", s.saved), "0")
	switch {
	case s.lost == s.cached:
		text += " (cost unknown when they were paid for)"
	case s.lost > 0:
		text += fmt.Sprintf(" (%s and %d of unknown cost when they were paid for)", saved, s.lost)
	case s.saved > 0:
		text += " (" + saved + " when they were paid for)"
	}
	return text
}

// cost is nil when a call has no known price: a sum that leaves something out would be a lie.
func (s *spend) cost() *float64 {
	if s.unknown || s.calls == 0 {
		return nil
	}
	usd := s.usd
	return &usd
}

// The causes for which a trial ends early.
var (
	errStopped  = errors.New("the run was stopped")
	errFailFast = errors.New("an earlier trial failed and --fail-fast is set")
)

// timeoutError ends a trial that takes too long.
type timeoutError struct{ limit time.Duration }

func (e timeoutError) Error() string {
	return fmt.Sprintf("timeout: the conversation took longer than %s (run_timeout)", e.limit)
}

// newSession makes the session of a trial that tells events what happens; nil is nobody.
func newSession(planned Trial, opts *Options, events chan<- result.Event) *session {
	s := &session{opts: opts, own: planned, clock: clock{now: opts.Now, simulated: planned.Endpoint.Simulated}}
	t := &s.own
	s.trial, s.values, s.out = t, valuesOf(t), blank(t)
	s.box = t.Project.tools.Box(t.Scenario.ID)
	s.stand(t.Prompt)
	s.out.Describe, _ = s.values.at(noTurn).UserText(t.Scenario.Description)
	if events != nil {
		s.tell = &teller{
			events: events, started: opts.Started, clock: &s.clock, trial: t, id: s.out.ID, turn: result.NoTurn,
		}
	}
	return s
}

// run drives the conversation and settles the trial. It never fails: what goes wrong is in the trial.
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
		s.closeTape(p == nil && stopping(ended) == nil)
		s.finish()
	}()
	if t.Scenario.Skip != "" && t.Past == nil {
		s.out.Status, s.out.Skip = result.Skipped, t.Scenario.Skip
		return
	}
	running := ctx // without the limit of the conversation
	if limit := t.timeout(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, timeoutError{limit})
		defer cancel()
	}
	ended = ctx
	ctx, done, err := s.openTape(ctx)
	defer done()
	if err != nil {
		s.out.Error = err.Error()
		s.abandon(0, err.Error())
		return
	}
	switch {
	case t.Past != nil:
		s.rejudge(ctx)
		return
	case t.Recorded != nil:
		s.recall(ctx)
	default:
		s.drive(ctx)
	}
	s.takeBack(running)
}

func (t *Trial) timeout() time.Duration {
	if limit := t.Project.Defaults.RunLimit; limit > 0 {
		return limit
	}
	if t.Scenario.Timeout > 0 {
		return t.Scenario.Timeout
	}
	return t.Project.timeout
}

func blank(t *Trial) *result.Trial {
	out := &result.Trial{
		Index: t.Index, ID: t.ID(), Scenario: t.Scenario.ID, Provider: t.Endpoint.Spec.ID, Model: t.Endpoint.Spec.Model,
		Region: t.Region, Trial: t.N, Trials: t.Of, Variant: t.Variant.label(), Tags: t.Scenario.Tags,
		Labels: t.Scenario.Labels, Position: t.Scenario.Pos, Describe: t.Scenario.Description, Metadata: t.Scenario.Metadata,
		Turns: []result.Turn{}, Conversation: []result.Verdict{},
	}
	if r := t.Recorded; r != nil {
		out.Recording = &result.Recording{File: r.File, Name: r.Name}
	} else {
		out.TaskType = t.Scenario.TaskType
	}
	return out
}

// drive runs the turns and then judges the whole.
func (s *session) drive(ctx context.Context) {
	if err := s.open(); err != nil {
		s.out.Error = err.Error()
		s.abandon(0, err.Error())
		return
	}
	for i := range s.trial.Scenario.Turns {
		turn, err := s.turn(ctx, i)
		if err != nil {
			s.fail(ctx, turn, err)
			return
		}
		s.judgeTurn(ctx, turn)
		s.tell.turnCompleted(turn)
		if s.stopAfter(turn) {
			s.skipTurns(i+1, fmt.Sprintf("turn %d failed and on_failure is stop", i+1))
			break
		}
	}
	s.judgeConversation(ctx)
}

// add puts a message at the end of the transcript.
func (s *session) add(m chat.Message) {
	s.messages = append(s.messages, m)
	s.tell.message(&s.messages[len(s.messages)-1], len(s.messages)-1)
}

// open prepares what holds for the whole conversation: variables, system prompt, tools.
func (s *session) open() error {
	t := s.trial
	vars, err := scenario.Variables(t.Prompt, t.Scenario, t.Region)
	if err != nil {
		return err
	}
	s.vars = vars
	if t.Prompt == nil {
		return nil
	}
	system, err := scenario.SystemPrompt(t.Prompt, t.Endpoint.Spec.Model, vars)
	if err != nil {
		return err
	}
	if system != "" {
		s.out.System = system
		s.add(chat.Message{Role: chat.System, Content: system})
	}
	return nil
}

// fail ends the conversation at a turn that could not be finished. Nothing that needs an answer which never came is
// judged.
func (s *session) fail(ctx context.Context, turn *result.Turn, err error) {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errStopped) || errors.Is(err, errFailFast) {
		s.out.Status, s.out.Skip = result.Cancelled, err.Error()
	} else {
		s.out.Error = fmt.Sprintf("turn %d: %v", turn.Index+1, err)
	}
	turn.Error = err.Error()
	reason := fmt.Sprintf("turn %d did not end: %v", turn.Index+1, err)
	turn.Assertions = append(turn.Assertions, notEvaluated(s.turnChecks(turn.Index), reason)...)
	s.tell.turnCompleted(turn)
	s.abandon(turn.Index+1, reason)
}

// abandon lists every check from a turn on, and those of the conversation, as not evaluated.
func (s *session) abandon(from int, reason string) {
	s.skipTurns(from, reason)
	for _, list := range s.conversationChecks() {
		s.out.Conversation = append(s.out.Conversation, notEvaluated(list, reason)...)
	}
	s.tell.verdicts(result.NoTurn, s.out.Conversation)
}

func (s *session) skipTurns(from int, reason string) {
	for i := from; i < len(s.trial.Scenario.Turns); i++ {
		spec := &s.trial.Scenario.Turns[i]
		verdicts := notEvaluated(s.turnChecks(i), reason)
		s.out.Turns = append(s.out.Turns, result.Turn{
			Index: i, User: s.userText(i, spec), NotRun: reason, Messages: []chat.Message{}, ToolCalls: []result.ToolCall{},
			Assertions: verdicts,
		})
		s.tell.verdicts(i, verdicts)
	}
}

func (s *session) stopAfter(turn *result.Turn) bool {
	if s.trial.onFailure(s.opts) != "stop" {
		return false
	}
	for i := range turn.Assertions {
		if st := turn.Assertions[i].Status; st != result.Passed && st != result.Skipped {
			return true
		}
	}
	return false
}

func (t *Trial) onFailure(opts *Options) string {
	for _, choice := range []string{opts.OnFailure, t.Scenario.OnFailure, t.Project.Defaults.OnFailure} {
		if choice != "" {
			return choice
		}
	}
	return "continue"
}

// finish fills in the totals and settles the trial.
func (s *session) finish() {
	s.out.DurationMS = s.clock.elapsedMS()
	s.out.Usage = result.Usage{Usage: s.spend.usage, Calls: s.spend.calls, ToolCalls: len(s.calls)}
	s.out.CostUSD = s.spend.cost()
	if text := s.spend.fromCache(s.tape.Kept()); text != "" {
		s.notice(text)
	}
	s.reportCuts()
	s.nameTask()
	s.out.Judges = result.JudgesOf(s.out)
	s.out.Settle()
}

// nameTask notes the prompt of the guardrails that fired: who tells the conversation again needs them.
func (s *session) nameTask() {
	guarded := slices.ContainsFunc(s.out.Turns, func(t result.Turn) bool { return len(t.Guardrails) > 0 })
	if guarded && s.out.TaskType == "" && s.trial.Prompt != nil && s.trial.Recorded == nil {
		s.out.TaskType = s.trial.Prompt.TaskType
	}
}
