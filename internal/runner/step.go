package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/secret"
	"github.com/arena-evals/arena/internal/tools/own"
)

// step is what a session knows that runs a step of a composition, and not the whole trial.
type step struct {
	spec     *composition.Step
	within   *composition.Step // the parallel step, beside whose other branches it runs; nil: none
	order    *cassette.Order   // nil: nothing runs beside it, or there is no cassette
	before   int               // replies of the conversation before it
	later    bool              // another step ran before it in this turn
	feeds    bool              // another step reads its output
	executed int               // tool calls that nothing refused
	attempts int               // begun so far
}

// stepHost runs the steps of a composition for one turn of a trial.
type stepHost struct {
	s      *session
	c      *composed
	turn   *result.Turn
	user   chat.Message
	before int           // replies of the conversation so far
	began  time.Duration // on the clock of the trial
	ran    bool          // a step is over

	orders []*cassette.Order // of the branches of a parallel step that are still to be opened
	span   time.Duration     // of the longest one that is closed
	spend  spend             // of all steps
	log    []result.ToolCall
	took   map[*composition.Step]*stepTook
}

// stepTook is what a leaf step took.
type stepTook struct {
	spend    spend
	span     time.Duration
	messages []chat.Message         // of the last attempt
	failed   []result.FailedAttempt // before it
}

// stepLeaf is a leaf step about to run, in a session of its own.
type stepLeaf struct {
	h     *stepHost
	s     *session
	turn  result.Turn // that of the step
	log   []result.ToolCall
	calls int // tool calls of the turn before it
	began time.Duration

	failed []result.FailedAttempt
	broke  error // why the last attempt failed
}

// Begin implements composition.Host.
func (h *stepHost) Begin(s *composition.Step) {
	h.s.emit.stepStarted(s, nil)
	if s.Kind == composition.Parallel {
		h.orders, h.span = h.s.recorder.Orders(len(s.Branches)), 0
	}
}

// Words implements composition.Host. The variables are those of the prompt of the step, or of the state.
func (h *stepHost) Words(spec *composition.Step, text string) (string, error) {
	if !scenario.Templated(text) {
		return text, nil
	}
	t := h.s.trial
	v := t.Project.StepValues(spec, h.s.stance.prompt, t.Scenario, t.Region)
	return v.UserText(text)
}

// End implements composition.Host.
func (h *stepHost) End(rec *composition.Record) {
	if rec.Step.Kind == composition.Parallel && !rec.Skipped {
		h.s.clock.advance(h.span)
		h.setTook(rec.Step, &stepTook{span: h.span})
	}
	if !rec.Skipped {
		h.s.emit.stepCompleted(rec, h.step(rec))
	}
}

// Unknown implements composition.Host: a redacted recording has a mark in place of the text.
func (h *stepHost) Unknown(v any) bool {
	if len(h.s.recorder.RedactedFields()) == 0 {
		return false
	}
	return strings.Contains(composition.Text(v), secret.Redacted)
}

func (h *stepHost) setTook(s *composition.Step, took *stepTook) {
	if h.took == nil {
		h.took = map[*composition.Step]*stepTook{}
	}
	h.took[s] = took
}

// Open implements composition.Host. The session of the step shares tools, memory and skills with that of the trial.
func (h *stepHost) Open(spec, within *composition.Step) composition.Leaf {
	s := h.s
	out := *s.out
	out.Notices, out.Retries, out.Turns, out.Evals = nil, 0, nil, nil
	c := &session{
		opts: s.opts, trial: s.trial, out: &out, clock: s.clock, emit: s.emit, recorder: s.recorder, box: s.box,
		calls: slices.Clip(s.calls), values: s.values, variables: s.variables, flow: s.flow, memory: s.memory,
		skills: s.skills, recordedID: s.recordedID, evalResults: s.evalResults, judgeGate: s.judgeGate,
		step:        &step{spec: spec, within: within, feeds: h.c.Feeds(spec.ID), before: h.before, later: h.ran},
		spentBefore: s.spentBefore + s.spend.usd, preview: s.preview, limit: s.limit,
	}
	if within != nil {
		c.ownClock = *s.clock
		c.clock = &c.ownClock
		c.emit = s.emit.concurrent(c.clock)
		at := slices.Index(within.Branches, spec)
		c.step.order = h.orders[at]
		if at > 0 && s.preview != nil { // a preview shows only the first step
			c.preview = &preview{turn: s.preview.turn}
		}
	}
	c.emit.inStep(spec.ID)
	c.emit.stepStarted(spec, within)
	turn := result.Turn{Index: h.turn.Index, Scripted: h.turn.Scripted}
	return &stepLeaf{h: h, s: c, began: c.clock.elapsed(), turn: turn, calls: len(h.log)}
}

// Close implements composition.Leaf: what the step took and did becomes part of the turn.
func (l *stepLeaf) Close(rec *composition.Record) {
	h, c, s := l.h, l.s, l.h.s
	took := &stepTook{c.spend, c.clock.elapsed() - l.began, c.messages, l.failed}
	h.setTook(rec.Step, took)
	c.emit.stepCompleted(rec, h.step(rec))
	if rec.Within != nil {
		h.span = max(h.span, took.span)
		s.clock.kept = max(s.clock.kept, c.clock.kept)
		s.emit.join(c.emit)
	} else {
		c.emit.inStep("")
	}
	h.ran = true
	h.spend.join(&c.spend)
	s.spend.join(&c.spend)
	s.window.spend.join(&c.window.spend.spend)
	s.window.spend.mocked += c.window.spend.mocked
	s.calls = append(s.calls, c.calls[len(c.calls)-len(l.log):]...)
	h.log = append(h.log, l.log...)
	s.out.Retries += c.out.Retries
	for _, d := range c.pending.doubts {
		s.pending.doubts = append(s.pending.doubts, doubt{h.turn.Index, d.what})
	}
	for _, text := range c.out.Notices {
		s.notice(text)
	}
	for _, text := range c.pending.others {
		s.warnOnce(text)
	}
	for i := range l.turn.Guardrails {
		l.turn.Guardrails[i].Step = rec.Step.ID
	}
	h.turn.Guardrails = append(h.turn.Guardrails, l.turn.Guardrails...)
	h.turn.GuardJudgements = append(h.turn.GuardJudgements, l.turn.GuardJudgements...)
	h.turn.Streamed = h.turn.Streamed || l.turn.Streamed
	s.checkTime += c.checkTime
	if s.flow.machine != nil {
		s.flow.machine.Called(c.step.executed)
	}
}

// join adds what a step took.
func (s *spend) join(o *spend) {
	s.usage = s.usage.Add(o.usage)
	s.calls += o.calls
	s.usd += o.usd
	s.unknown = s.unknown || o.unknown
	s.cached += o.cached
	s.savedUSD += o.savedUSD
	s.unpriced += o.unpriced
}

// cost is what the steps cost; nil when the price of a call is not known. Steps that call no model cost nothing.
func (h *stepHost) cost() *float64 {
	if h.spend.calls == 0 {
		return new(0.0)
	}
	return h.spend.cost()
}

// Run implements composition.Leaf. Messages of failed attempts are kept apart.
func (l *stepLeaf) Run(ctx context.Context, input any) (any, error) {
	if l.broke != nil {
		l.failed = append(l.failed, result.FailedAttempt{Error: l.broke.Error(), Messages: l.s.messages})
	}
	out, err := l.attempt(ctx, input)
	l.broke = err
	return out, err
}

func (l *stepLeaf) attempt(ctx context.Context, input any) (any, error) {
	s := l.s
	s.step.attempts++
	s.messages, s.turnStart, s.inputValidations, s.toolResults = nil, 0, nil, nil
	s.window.forget()
	s.window.gist = gist{}
	s.takeStance(s.trial.Project.PromptOfStep(s.step.spec))
	if s.step.spec.Kind == composition.Tool {
		return l.callTool(ctx, input)
	}
	system, err := s.systemPrompt(s.stance.prompt)
	if err != nil {
		return nil, err
	}
	if system != "" {
		s.add(chat.Message{Role: chat.System, Content: system})
	}
	user := l.h.user
	if s.step.spec.Input != nil {
		user = chat.Message{Role: chat.User, Content: composition.Text(input)}
	}
	s.add(user)
	if err := s.refreshTools(ctx); err != nil {
		return nil, err
	}
	text, err := l.converse(ctx)
	if err != nil {
		return nil, err
	}
	return l.value(text)
}

// value is the output of a model: text, or with a schema the value that it wrote as JSON.
func (l *stepLeaf) value(text string) (any, error) {
	spec := l.s.step.spec
	if spec.Schema == nil {
		return text, nil
	}
	data := []byte(strings.TrimSpace(text))
	v, err := chat.DecodeJSON(data)
	if key, twice := jsonvalue.KeyTwiceAsWritten(data); err == nil && twice {
		return nil, fmt.Errorf("the reply has the key %q twice in one object, and nobody can tell which one holds", key)
	}
	if err != nil {
		return nil, fmt.Errorf("the reply is not JSON, which its output_schema asks for: %q", cutWords(text))
	}
	if err := l.h.c.fits(spec.ID, v); err != nil {
		return nil, fmt.Errorf("the reply does not fit its output_schema: %w", err)
	}
	return v, nil
}

// callTool makes the call of a tool step, through everything that the calls of models go through.
func (l *stepLeaf) callTool(ctx context.Context, input any) (any, error) {
	s := l.s
	if err := s.refreshTools(ctx); err != nil {
		return nil, err
	}
	loop := l.newLoop()
	loop.policy.Choice = "" // it is no model that chooses
	args, _ := input.(map[string]any)
	call := chat.ToolCall{ID: "step_" + s.step.spec.ID, Name: s.step.spec.Tool, Args: args}
	s.add(chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}})
	err := l.runTools(ctx, loop, []chat.ToolCall{call})
	if err != nil {
		return nil, err
	}
	res := s.messages[len(s.messages)-1].ToolResult
	if res == nil || res.Error != "" {
		return nil, fmt.Errorf("tool %s: %s", call.Name, toolError(res))
	}
	if v, err := chat.DecodeJSON([]byte(strings.TrimSpace(res.Text()))); err == nil {
		return v, nil
	}
	return res.Text(), nil
}

func toolError(res *chat.ToolResult) string {
	if res == nil {
		return "it was not called"
	}
	return res.Error
}

// newLoop returns the tool loop of an attempt. What was called before in the turn counts for its limits.
func (l *stepLeaf) newLoop() *toolLoop {
	loop := newToolLoop(l.s, indexOf(&l.turn))
	loop.calls = l.calls + len(l.log)
	return loop
}

// runTools runs the calls of one round.
func (l *stepLeaf) runTools(ctx context.Context, loop *toolLoop, calls []chat.ToolCall) error {
	before := len(loop.log)
	err := loop.run(ctx, calls)
	l.log = append(l.log, loop.log[before:]...)
	if err != nil {
		return err
	}
	return l.s.recorder.Err()
}

// errNoTools is returned for a model that calls tools where it is offered none.
var errNoTools = errors.New("the model called a tool in a prompt step, which offers none")

// converse asks the model of a step, and runs the tools that an agent calls. It returns the last words.
func (l *stepLeaf) converse(ctx context.Context) (string, error) {
	s, spec := l.s, l.s.step.spec
	loop := l.newLoop()
	if answered, err := s.checkInput(ctx, &l.turn); answered || err != nil {
		return s.lastWords(), err
	}
	for round := 0; ; round++ {
		if err := loop.checkRound(); err != nil {
			return "", err
		}
		if err := loop.checkChoice(); err != nil && spec.Kind == composition.Agent {
			return "", err
		}
		req, err := s.request(ctx, indexOf(&l.turn), round, loop)
		if err != nil {
			return "", err
		}
		l.turn.Streamed = req.Stream
		reply, err := s.generateReply(ctx, &l.turn, req, s.calls[len(s.calls)-len(loop.log):])
		switch {
		case err != nil:
			return "", err
		case len(reply.ToolCalls) == 0:
			before := len(loop.log)
			loop.keepRemovedCalls()
			l.log = append(l.log, loop.log[before:]...)
			return reply.Text(), checkReply(&reply)
		case spec.Kind == composition.Prompt:
			return "", errNoTools
		}
		before := len(loop.log)
		if err := l.runTools(ctx, loop, reply.ToolCalls); err != nil {
			return "", err
		}
		if stopped(loop.log[before:], spec.StopTool) {
			return reply.Text(), nil
		}
		if spec.MaxSteps == 0 || round+1 < spec.MaxSteps {
			continue
		}
		if reply.Text() == "" {
			return "", fmt.Errorf("the model gave no answer within %s (termination.max_steps)",
				plural.Count(spec.MaxSteps, "round"))
		}
		return reply.Text(), nil
	}
}

// stopped reports whether the tool that ends an agent step was called with success.
func stopped(calls []result.ToolCall, tool string) bool {
	return tool != "" && slices.ContainsFunc(calls, func(c result.ToolCall) bool {
		return c.Name == tool && c.Error == ""
	})
}

// stepOffered returns the tools that the step may be offered by the files.
func (s *session) stepOffered() []chat.Tool {
	p := s.trial.Project
	var list []chat.Tool
	switch s.step.spec.Kind {
	case composition.Prompt, composition.Branch, composition.Parallel:
		return nil
	case composition.Agent:
		list = slices.Clone(s.stance.prompts)
	case composition.Tool:
		list = p.tools.Offered([]string{s.step.spec.Tool})
	}
	list = s.withSkills(append(list, p.states[s.flow.machine.Current()]...))
	list = s.step.narrow(list)
	sortTools(list)
	return list
}

// narrow leaves of a list of tools those that the step may be offered.
func (t *step) narrow(list []chat.Tool) []chat.Tool {
	return slices.DeleteFunc(slices.Clone(list), func(tool chat.Tool) bool {
		return !own.StepMayCall(t.spec, t.within != nil, tool.Name)
	})
}

// has reports whether there is a tool with a name.
func (s *session) has(tool string) bool { return s.box.Has(tool) || s.owns(tool) }

// stepID is the id of the step that the session runs; "" when it is that of the whole trial.
func (s *session) stepID() string {
	if s.step == nil {
		return ""
	}
	return s.step.spec.ID
}

// followsStep reports whether the session runs a step behind another one of the same turn.
func (s *session) followsStep() bool { return s.step != nil && s.step.later }

// adapt makes a request that of a step: its reply has the step's own form.
func (t *step) adapt(req *chat.Request) {
	if t == nil {
		return
	}
	req.Origin.Step, req.Origin.Before, req.Origin.Attempt = t.spec.ID, t.before, max(t.attempts-1, 0)
}

// replySchema is the schema of the replies in a step: its own, else that of its prompt. What a scenario asks of replies
// is for those of the conversation.
func (t *step) replySchema(prompt *scenario.Prompt) json.RawMessage {
	if t.spec.Schema == nil && prompt != nil {
		return prompt.OutputSchema
	}
	return t.spec.Schema
}
