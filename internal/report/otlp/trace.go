// Package otlp sends what happens in a run to an OpenTelemetry collector, as spans: the run in a trace of its own, and
// a trace a trial, with its turns and calls of models and tools, that links to the run. Names and attributes follow the
// semantic conventions for generative AI.
package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// trace builds spans from events. It belongs to one goroutine.
type trace struct {
	id      string // hexadecimal; of the run's trace
	content bool   // spans hold the contents of messages
	emit    func(*span)
	run     *span
	trials  map[string]*trial // that are running
}

// trial is a running trial.
type trial struct {
	span     *span
	provider string           // as the conventions name it
	model    string           // of the agent
	turn     *span            // nil: between turns
	calls    map[int]*span    // of models and tools
	steps    map[string]*span // of compositions, by id
	broken   bool             // a tool step failed
	input    int64            // tokens of the agent in the turn
	output   int64
}

// Handle takes the next event.
func (t *trace) Handle(e result.Event) {
	at := e.Place()
	switch e := e.(type) {
	case result.RunStarted:
		t.runStarted(&e)
		return
	case result.RunCompleted:
		t.runCompleted(&e)
		return
	case result.TrialStarted:
		t.trialStarted(&e)
		return
	}
	if c := t.trials[at.Trial]; c != nil { // else the trial never started and has no span
		t.handleTrial(c, e, at)
	}
}

// handleTrial takes an event of a trial under way.
func (t *trace) handleTrial(c *trial, e result.Event, at result.At) {
	switch e := e.(type) {
	case result.TurnStarted:
		t.turnStarted(c, at)
	case result.TurnCompleted:
		t.turnCompleted(c, &e)
	case result.CallStarted:
		t.callStarted(c, &e)
	case result.CallCompleted:
		t.callCompleted(c, &e)
	case result.CallFailed:
		t.callFailed(c, &e)
	case result.ToolStarted:
		t.toolStarted(c, &e)
	case result.ToolCompleted:
		t.toolCompleted(c, &e)
	case result.StepStarted:
		t.stepStarted(c, &e)
	case result.StepCompleted:
		t.stepCompleted(c, &e)
	case result.StateChanged:
		c.stateChanged(&e)
	case result.VerdictGiven:
		c.evaluated(at, t.verdict(&e))
	case result.ValidationFailed:
		c.evaluated(at, t.validation(&e))
	case result.EvalCompleted:
		c.evaluated(at, t.eval(&e))
	case result.EvalFailed:
		c.evaluated(at, t.brokenEval(&e))
	case result.TrialDone:
		t.trialDone(c, &e)
	}
}

func (t *trace) runStarted(e *result.RunStarted) {
	t.run = start(t.id, "arena run", "", "", internal, e.Time)
	t.run.text("arena.version", e.Arena)
	t.run.text("arena.run.name", e.Name)
	t.run.setInt("arena.run.planned", int64(e.Planned))
}

func (t *trace) runCompleted(e *result.RunCompleted) {
	s := t.run
	if s == nil {
		return
	}
	t.run = nil
	for _, n := range []struct {
		key string
		n   int
	}{{"trials", e.Trials}, {"passed", e.Passed}, {"failed", e.Failed}, {"errors", e.Errors}, {"skipped", e.Skipped},
		{"cancelled", e.Cancelled}, {"kept", e.Kept}, {"undecided", e.Undecided}} {
		if (n.key == "kept" || n.key == "undecided") && n.n == 0 {
			continue // the run was not resumed, or had no gate that is
		}
		s.setInt("arena.run."+n.key, int64(n.n))
	}
	s.text("arena.run.status", e.Status.String())
	s.number("arena.cost_usd", e.CostUSD)
	s.failIf(e.Status, fmt.Sprintf("%d of %d trials failed, %d had an error", e.Failed, e.Trials, e.Errors))
	s.end(e.Time)
	t.emit(s)
}

// failIf marks the span of something that did not pass.
func (s *span) failIf(st result.Status, message string) {
	if st == result.Failed || st == result.Errored || st == result.Undecided {
		s.fail(st.String(), message)
	}
}

func (t *trace) trialStarted(e *result.TrialStarted) {
	s := start(t.traceOf(e.Trial), "trial "+e.Scenario, e.Trial, "", internal, e.Time)
	if t.run != nil {
		s.Links = []link{{t.run.TraceID, t.run.SpanID}}
	}
	s.text("gen_ai.conversation.id", e.Trial)
	s.text("arena.scenario", e.Scenario)
	s.text("arena.provider", e.Provider)
	s.text("arena.region", e.Region)
	s.setInt("arena.trial.number", int64(e.Number))
	s.texts("arena.tags", e.Tags...)
	s.text("code.file.path", e.Position.File)
	if e.Position.Line > 0 {
		s.setInt("code.line.number", int64(e.Position.Line))
	}
	c := &trial{span: s, provider: providerName(e.Type), model: e.Model, calls: map[int]*span{}}
	s.text("gen_ai.provider.name", c.provider)
	s.text("gen_ai.request.model", c.model)
	t.trials[e.Trial] = c
}

func (t *trace) trialDone(c *trial, e *result.TrialDone) {
	delete(t.trials, e.Place().Trial)
	t.endTurn(c, e.Time)
	o := e.Outcome()
	s := c.span
	s.text("arena.trial.status", o.Status.String())
	s.text("arena.worker", o.Worker)
	s.number("arena.cost_usd", o.CostUSD)
	message := t.failure(c, o.Error)
	if message == "" {
		message = "a check failed"
	}
	s.failIf(o.Status, message)
	s.end(e.Time)
	t.emit(s)
}

func (t *trace) turnStarted(c *trial, at result.At) {
	t.endTurn(c, at.Time)
	s := c.span.child(join("invoke_agent", at.Provider), at.Trial, "turn/"+strconv.Itoa(at.Turn), internal, at.Time)
	s.text("gen_ai.operation.name", "invoke_agent")
	s.text("gen_ai.agent.name", at.Provider)
	s.text("gen_ai.provider.name", c.provider)
	s.text("gen_ai.request.model", c.model)
	s.text("gen_ai.conversation.id", at.Trial)
	s.setInt("arena.turn", int64(at.Turn))
	c.turn, c.input, c.output = s, 0, 0
}

func (t *trace) turnCompleted(c *trial, e *result.TurnCompleted) {
	if c.turn == nil {
		return
	}
	c.turn.setInt("gen_ai.usage.input_tokens", c.input)
	c.turn.setInt("gen_ai.usage.output_tokens", c.output)
	if e.Error != "" {
		c.turn.fail("error", t.failure(c, e.Error))
	}
	t.endTurn(c, e.Time)
}

// endTurn ends the turn, if there is one, and its calls that have not ended.
func (t *trace) endTurn(c *trial, at time.Time) {
	for _, n := range slices.Sorted(maps.Keys(c.calls)) {
		s := c.calls[n]
		delete(c.calls, n)
		s.fail("cancelled", "the conversation ended before")
		s.end(at)
		t.emit(s)
	}
	t.endSteps(c, at)
	if c.turn != nil {
		c.turn.end(at)
		t.emit(c.turn)
		c.turn = nil
	}
}

// parent returns the parent of a new call's span: the step of a composition, the turn, or the trial between turns.
func (c *trial) parent(step string) *span {
	if s := c.steps[step]; s != nil {
		return s
	}
	if c.turn != nil {
		return c.turn
	}
	return c.span
}

// start begins the first span of a trace. The id of a span is derived from the trial and the place in the trial, so
// that runs can be compared.
func start(trace, name, trial, place string, kind int, at time.Time) *span {
	return &span{TraceID: trace, SpanID: spanID(trial, place), Name: name, Kind: kind, Start: nanos(at)}
}

// child begins a span within s.
func (s *span) child(name, trial, place string, kind int, at time.Time) *span {
	c := start(s.TraceID, name, trial, place, kind, at)
	c.Parent = s.SpanID
	return c
}

// traceOf returns the id of a trial's trace. It is derived from that of the run, so that it can be computed again.
func (t *trace) traceOf(trial string) string {
	sum := sha256.Sum256([]byte(t.id + "\x00" + trial))
	sum[0] |= 1 // an id of all zeros is invalid
	return hex.EncodeToString(sum[:16])
}

func spanID(trial, place string) string {
	sum := sha256.Sum256([]byte(trial + "\x00" + place))
	sum[0] |= 1 // an id of all zeros is invalid
	return hex.EncodeToString(sum[:8])
}

// providerName returns the type of a provider in the words of the conventions.
func providerName(kind string) string {
	switch kind {
	case "":
		return "_OTHER"
	case "azure":
		return "azure.ai.openai"
	case "gemini":
		return "gcp.gemini"
	}
	return kind // the conventions know openai and anthropic by these names, and allow other names
}
