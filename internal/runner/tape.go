package runner

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// openTape begins the trial's cassette, if it has one. From then on the trial's clock runs on what its exchanges take,
// so that a replay measures what the recorded trial did. done is to be called when the trial is over.
func (s *session) openTape(ctx context.Context) (_ context.Context, done func(), err error) {
	deck := s.opts.Cassettes
	if deck == nil {
		return ctx, func() {}, nil
	}
	s.tape, err = deck.Open(s.out.ID, s.trial.Endpoint.Simulated, func() string { return s.opts.Again(s.out) })
	if err != nil {
		return ctx, func() {}, err
	}
	s.clock.simulated, s.clock.waits = true, !s.trial.Endpoint.Simulated && !s.tape.Plays()
	ctx, end := context.WithCancelCause(ctx)
	s.tape.Ends(end)
	if !s.tape.Plays() {
		s.tape.From(sourceOf(s.trial.Endpoint))
	}
	if s.tell != nil {
		s.tell.holds = s.tape.Learns()
	}
	if s.tell != nil && (s.tell.holds || s.tape.Redacts()) {
		s.tell.clean = func(e result.Event) result.Event { return cassette.Clean(s.tape, e, ours()...) }
	}
	return ctx, func() { end(nil) }, nil
}

// closeTape ends the cassette before the trial is settled: what could not be kept, or was not in the recording, must
// not pass.
func (s *session) closeTape(finished bool) {
	if s.tape == nil {
		return
	}
	if so := *s.out; finished && !s.tape.Plays() {
		if so.Settle(); so.Status != result.Passed {
			s.tape.Spare()
		}
	}
	notice, err := s.tape.Close(finished)
	if notice != "" && s.out.Error == "" {
		s.notice(notice)
	}
	if err == nil || s.out.Status == result.Cancelled {
		return
	}
	if _, full := errors.AsType[*cassette.WriteError](err); full {
		s.full = err
	}
	switch {
	case s.out.Error == "":
		s.out.Error = err.Error()
	case !strings.Contains(s.out.Error, err.Error()): // unless it ended the trial, and is told already
		s.out.Error += "\n" + err.Error()
	}
}

// ours are types whose words are those of the plan.
func ours() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[result.At](), reflect.TypeFor[diag.Pos](), reflect.TypeFor[time.Time]()}
}

// written is the trial as it may be written. What names it stays.
func (s *session) written() *result.Trial {
	if !s.tape.Redacts() {
		return s.out
	}
	clean, keep := *s.out, ours()
	clean.Error, clean.Skip = cassette.Clean(s.tape, clean.Error), cassette.Clean(s.tape, clean.Skip)
	clean.System, clean.Notices = cassette.Clean(s.tape, clean.System), cassette.Clean(s.tape, clean.Notices)
	clean.Turns = cassette.Clean(s.tape, clean.Turns, keep...)
	clean.Conversation = cassette.Clean(s.tape, clean.Conversation, keep...)
	clean.Evals = cassette.Clean(s.tape, clean.Evals, keep...)
	return &clean
}

// call runs one model call, by way of the cassette when there is one.
func (s *session) call(
	ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error,
) (chat.Reply, error) {
	e := s.trial.Endpoint
	if s.tape == nil {
		return e.Client.Complete(ctx, req, onDelta)
	}
	return s.tape.Lane(placeOf(req.Origin.Turn)).Complete(ctx, e.Client, e.Spec.Model, req, onDelta)
}

// callTool runs a tool of the trial, by way of the cassette when there is one.
func (s *session) callTool(ctx context.Context, lane *cassette.Lane, call chat.ToolCall) chat.ToolResult {
	if lane == nil {
		return s.box.Call(ctx, call)
	}
	return lane.Call(ctx, call, s.trial.Project.tools.Definition(call.Name), s.box.Call)
}

func placeOf(turn int) string {
	if turn < 0 {
		return "conversation"
	}
	return fmt.Sprintf("turn %d", turn+1)
}

// lanes are the places of a cassette for things that may happen at once. The zero value is of a trial without one.
type lanes struct {
	tape *cassette.Tape
	open []*cassette.Lane
}

// next opens the lane of the n-th thing of its kind in a turn. It is called in the order of the trial.
func (l *lanes) next(turn int, thing string, n int, name string) *cassette.Lane {
	if l.tape == nil {
		return nil
	}
	lane := l.tape.Lane(fmt.Sprintf("%s, %s %d (%s)", placeOf(turn), thing, n, name))
	l.open = append(l.open, lane)
	return lane
}

// took is how long the things took, one after the other or at once.
func (l *lanes) took(atOnce bool) (span time.Duration) {
	for _, lane := range l.open {
		if atOnce {
			span = max(span, lane.Spent())
		} else {
			span += lane.Spent()
		}
	}
	return span
}

// reach makes a subject reach what is outside by way of a lane.
func (s *session) reach(subject *checks.Subject, lane *cassette.Lane) {
	if lane == nil {
		return
	}
	subject.Tools, subject.Judges = toolCaller{s, lane}, lane.Judges(subject.Judges)
	subject.Embedder, subject.Outside = lane.Embedder(subject.Embedder), lane.Outside()
}

// guarded makes the subject of guardrails reach what is outside by way of the cassette. The returned function is to be
// called when they have judged.
func (s *session) guarded(subject *checks.Subject) (done func()) {
	if s.tape == nil {
		return func() {}
	}
	lanes := lanes{tape: s.tape}
	s.reach(subject, lanes.next(subject.Turn, "message", len(subject.Messages)+1, "guardrails"))
	return func() { s.judged(&lanes, false) }
}

// judged lets the time pass that judging took. A simulated provider has no time for that.
func (s *session) judged(l *lanes, atOnce bool) {
	if !s.trial.Endpoint.Simulated {
		s.clock.advance(l.took(atOnce))
	}
}
