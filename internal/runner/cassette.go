package runner

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// openCassette opens the trial's cassette, if there is one. From then on the trial's clock advances by the durations of
// exchanges, so that a replay measures the same as the recorded trial. The caller calls done at the end of the trial.
func (s *session) openCassette(ctx context.Context) (_ context.Context, done func(), err error) {
	folder := s.opts.Cassettes
	if folder == nil || s.trial.Finished.isUnjudgedOnly() {
		return ctx, func() {}, nil
	}
	again := func(all bool) string { return s.opts.Again(s.out, all) }
	s.recorder, err = folder.Open(s.trial.Cassette(), s.trial.Simulated(), again)
	if err != nil {
		return ctx, func() {}, err
	}
	if row := s.trial.Scenario.Row; row != nil {
		s.recorder.LearnFields(row.Values)
	}
	s.clock.simulated, s.clock.waits = true, !s.trial.Simulated() && !s.recorder.Plays()
	ctx, end := context.WithCancelCause(ctx)
	s.recorder.OnTimeout(end)
	if s.recorder.Plays() {
		s.out.Asked = result.CheckedAsBefore(s.out.Asked, s.recorder.CheckedBy())
	} else {
		s.recorder.SetCheckedBy(result.CheckersOf(s.out.Asked))
		s.recorder.SetSource(sourceOf(s.trial.Endpoint))
		s.otherSources = s.trial.otherSources()
	}
	if s.emit != nil {
		s.emit.buffering = s.recorder.LearnsSecrets()
	}
	if s.emit != nil && (s.emit.buffering || s.recorder.Redacts()) {
		s.emit.redact = func(e result.Event) result.Event { return cassette.Redact(s.recorder, e, unredactedTypes()...) }
	}
	return ctx, func() { end(nil) }, nil
}

// Cassette names the trial and its cassette. With a variant, that goes by the variant and by how often it is repeated:
// the number of a trial depends on which other variants there are, and in which order.
func (t *Trial) Cassette() cassette.Trial {
	id := t.ID()
	if len(t.Variant) == 0 {
		return cassette.Trial{ID: id, Name: id}
	}
	name := t.Group() + t.rowSuffix() + t.Variant.sorted().String()
	if n := t.Repetition(); n > 1 {
		name += "#" + strconv.Itoa(n)
	}
	return cassette.Trial{ID: id, Name: name}
}

// closeCassette closes the cassette before the trial is settled, because a failure to write it, or an exchange missing
// in it, is an error of the trial.
func (s *session) closeCassette(finished bool) {
	if s.recorder == nil {
		return
	}
	if so := *s.out; finished && !s.recorder.Plays() {
		if so.Settle(); so.Status != result.Passed {
			s.recorder.KeepOlder()
		}
	}
	notice, err := s.recorder.Close(finished)
	if notice != "" && s.out.Error == "" {
		s.notice(notice)
	}
	s.noteUnrecorded(s.out, err)
}

// noteUnrecorded makes a trial an error whose cassette could not be kept; err is why.
func (s *session) noteUnrecorded(out *result.Trial, err error) {
	if err == nil || out.Status == result.Cancelled {
		return
	}
	if _, full := errors.AsType[*cassette.WriteError](err); full {
		s.recordError = err
		out.Unrecorded = out.Error == ""
	}
	switch {
	case out.Error == "":
		out.Error = err.Error()
	case !strings.Contains(out.Error, err.Error()): // unless it is the error that ended the trial
		out.Error += "\n" + err.Error()
	}
}

// unredactedTypes are types whose texts come from the plan.
func unredactedTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[result.At](), reflect.TypeFor[diag.Pos](), reflect.TypeFor[time.Time]()}
}

// redacted returns the trial without secrets. Names and ids stay.
func (s *session) redacted() *result.Trial {
	if !s.recorder.Redacts() {
		return s.out
	}
	clean, keep := *s.out, unredactedTypes()
	clean.Error, clean.Skip = cassette.Redact(s.recorder, clean.Error), cassette.Redact(s.recorder, clean.Skip)
	clean.System, clean.Notices = cassette.Redact(s.recorder, clean.System), cassette.Redact(s.recorder, clean.Notices)
	clean.Turns = cassette.Redact(s.recorder, clean.Turns, keep...)
	clean.Workflow = cassette.Redact(s.recorder, clean.Workflow)
	clean.Memory = cassette.Redact(s.recorder, clean.Memory, keep...)
	clean.Conversation = cassette.Redact(s.recorder, clean.Conversation, keep...)
	clean.Evals = cassette.Redact(s.recorder, clean.Evals, keep...)
	return &clean
}

// call calls a model, through the cassette if the trial has one.
func (s *session) call(
	ctx context.Context, e *Endpoint, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	if s.preview.shows(req) {
		return chat.Reply{}, errPreviewed
	}
	if s.recorder == nil {
		return e.Client.Complete(ctx, req, onDelta)
	}
	at := turnLabel(req.Origin.Turn)
	switch {
	case req.Origin.Summary > 0:
		at += fmt.Sprintf(", summary %d", req.Origin.Summary)
	case req.Origin.Persona != "":
		at += ", persona " + req.Origin.Persona
	case req.Origin.Tool != "":
		at += ", " + req.Origin.Tool
	default:
		return s.lane(at).Complete(ctx, e.Client, e.Spec.Model, req, onDelta)
	}
	lane := s.lane(at).From(s.otherSources[e])
	return lane.Complete(ctx, e.Client, e.Spec.Model, req, onDelta)
}

// callTool calls a tool of the trial, through the cassette if the trial has one.
func (s *session) callTool(ctx context.Context, lane *cassette.Lane, call chat.ToolCall) chat.ToolResult {
	if s.paints(call.Name) { // it asks a model, and that is what is recorded
		return s.paint(ctx, call)
	}
	if lane == nil {
		return s.runTool(ctx, call)
	}
	return lane.Call(ctx, call, s.trial.Project.tools.Definition(call.Name), s.runTool)
}

// runTool runs a tool. The time of one that is not simulated counts, also where the model is.
func (s *session) runTool(ctx context.Context, call chat.ToolCall) chat.ToolResult {
	if res, ok := s.preview.standIn(s, call); ok {
		return res
	}
	if s.trial.Project.tools.Simulated(call.Name) || !s.box.Has(call.Name) {
		return s.box.Call(ctx, call)
	}
	began := s.opts.Now()
	res := s.box.Call(ctx, call)
	res.LatencyMS = milliseconds(s.opts.Now().Sub(began))
	return res
}

// lane opens the next lane of the trial, or of the step that the session runs.
func (s *session) lane(at string) *cassette.Lane {
	if s.step == nil {
		return s.recorder.Lane(at)
	}
	at += ", step " + s.step.spec.ID
	if s.step.order != nil {
		return s.step.order.Lane(at)
	}
	return s.recorder.Lane(at)
}

func turnLabel(turn int) string {
	if turn < 0 {
		return "conversation"
	}
	return fmt.Sprintf("turn %d", turn+1)
}

// lanes are the parts of a cassette for exchanges that may run concurrently.
type lanes struct {
	s    *session
	open []*cassette.Lane
}

// next opens the lane of the n-th exchange of a kind in a turn. It must be called in a fixed order.
func (l *lanes) next(turn int, thing string, n int, name string) *cassette.Lane {
	if l.s.recorder == nil {
		return nil
	}
	lane := l.s.lane(fmt.Sprintf("%s, %s %d (%s)", turnLabel(turn), thing, n, name))
	l.open = append(l.open, lane)
	return lane
}

// elapsed is the time of all exchanges: their sum, or the longest when they ran concurrently.
func (l *lanes) elapsed(atOnce bool) (span time.Duration) {
	for _, lane := range l.open {
		if atOnce {
			span = max(span, lane.Spent())
		} else {
			span += lane.Spent()
		}
	}
	return span
}

// routeThrough makes the tools, judges and embeddings of a subject use a lane.
func (s *session) routeThrough(subject *checks.Subject, lane *cassette.Lane) {
	if lane == nil {
		return
	}
	subject.Tools, subject.Judges = toolCaller{s, lane}, lane.Judges(subject.Judges)
	subject.Embedder, subject.Outside = lane.Embedder(subject.Embedder), lane.Outside()
}

// routeGuardrails makes the subject of guardrails use the cassette. The caller calls done after they judged.
func (s *session) routeGuardrails(subject *checks.Subject) (done func()) {
	if s.recorder == nil {
		return func() {}
	}
	lanes := lanes{s: s}
	s.routeThrough(subject, lanes.next(subject.Turn, "message", len(subject.Messages)+1, "guardrails"))
	return func() { s.advanceBy(&lanes, false) }
}

// advanceBy advances the clock by the time of judging. For a simulated provider judging takes no time.
func (s *session) advanceBy(l *lanes, atOnce bool) {
	if !s.trial.Simulated() {
		s.clock.advance(l.elapsed(atOnce))
	}
}
