package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evals"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// EvalDispatcher has evals run by workers. Implementations are safe for concurrent use.
type EvalDispatcher interface {
	// Send returns when the request is stored durably.
	Send(ctx context.Context, h *EvalRequest) error
	// Await returns the results of a request. When awaits is false the run does not wait for results, and there are none.
	Await(ctx context.Context, h *EvalRequest) (measured []result.EvalResult, awaits bool, err error)
}

// EvalRequest asks for the evals that are due at one moment of a conversation.
type EvalRequest struct {
	Trial    *result.Trial // with its turns so far
	Session  string        // decides sampling
	Prompt   string        // task type; "": no prompt, or the only one
	Turn     int           // result.NoTurn at the end
	Evals    []string
	Digests  map[string]string // of the definitions of evals, by id
	Messages []chat.Message    // so far
	Workflow *result.Workflow  // the path so far; nil: no workflow
	States   []string          // states that speak with the prompt, if there are several prompts
	Started  time.Time
}

// dispatchedEvals are the evals of a request that was sent.
type dispatchedEvals struct {
	*EvalRequest
	evals evals.Set
}

// dispatchSpoken sends the evals of phases to workers: a request for each prompt that was used.
func (s *session) dispatchSpoken(ctx context.Context, subject *checks.Subject, phases ...evals.Phase) {
	due := func(set evals.Set) (all evals.Set) {
		for _, phase := range phases {
			all = append(all, s.due(set, phase, subject.Turn)...)
		}
		return all
	}
	f := s.flow
	if f == nil || f.speaker == nil {
		s.dispatchEvals(ctx, due(s.evalSet()), s.trial.Prompt, subject.Turn)
		return
	}
	last := f.speaker
	if subject.Session {
		for _, k := range f.speakers {
			if k != last {
				s.dispatchEvals(ctx, k.evals(due(k.stance.evals), true), k.prompt, subject.Turn)
			}
		}
	}
	s.dispatchEvals(ctx, due(last.stance.evals), last.prompt, subject.Turn)
}

// dispatchEvals sends evals under a prompt to workers. When that fails the trial is an error.
func (s *session) dispatchEvals(ctx context.Context, due evals.Set, prompt *scenario.Prompt, turn int) {
	if len(due) == 0 {
		return
	}
	h := &EvalRequest{
		Trial: s.out, Session: s.sessionID(), Turn: turn, Messages: slices.Clip(s.messages),
		Started: s.opts.Started, Digests: make(map[string]string, len(due)), Workflow: s.flow.progress(),
	}
	if prompt != nil {
		h.Prompt = prompt.TaskType
	}
	if f := s.flow; f != nil && len(f.speakers) > 1 {
		for _, state := range f.graph.States() {
			if s.speaksUnder(prompt, state.Name) {
				h.States = append(h.States, state.Name)
			}
		}
	}
	for _, e := range due {
		h.Evals = append(h.Evals, e.ID)
		h.Digests[e.ID] = e.Digest
	}
	if err := s.opts.Dispatcher.Send(ctx, h); err != nil {
		s.out.Error = cmp.Or(s.out.Error, fmt.Sprintf("%s could not be dispatched: %v", h.label(), err))
		return
	}
	s.out.EvalsDispatched += len(due)
	s.dispatched = append(s.dispatched, dispatchedEvals{h, due})
}

// label describes the evals of a request in messages.
func (h *EvalRequest) label() string {
	if h.Turn == result.NoTurn {
		return "the evals of the conversation"
	}
	return fmt.Sprintf("the evals of turn %d", h.Turn+1)
}

// awaitEvals waits for the results of the dispatched evals. A missing result makes the trial an error.
func (s *session) awaitEvals(ctx context.Context) {
	for _, h := range s.dispatched {
		measured, awaits, err := s.opts.Dispatcher.Await(ctx, h.EvalRequest)
		if !awaits {
			return
		}
		for _, e := range h.evals {
			i := slices.IndexFunc(measured, func(r result.EvalResult) bool { return r.ID == e.ID })
			if err == nil && i < 0 {
				err = errors.New("one of them has no result")
			}
			if err != nil {
				s.out.Error = cmp.Or(s.out.Error, fmt.Sprintf("%s were not measured: %v", h.label(), err))
				s.recordMissingResult(e, h.Turn, err)
				continue
			}
			s.recordWorkerResult(e, h.EvalRequest, &measured[i])
		}
	}
}

// recordWorkerResult records the score of a worker. The status is decided by the thresholds of this project.
func (s *session) recordWorkerResult(e *evals.Eval, h *EvalRequest, r *result.EvalResult) {
	v := e.Check.EmptyVerdict()
	v.Score, v.Error, v.Explanation, v.Details = r.Score, r.Error, r.Explanation, r.Details
	v.DurationMS, v.Judgements, v.SkipReason = r.DurationMS, r.Judgements, r.SkipReason
	switch {
	case r.Error != "":
		v.Status, v.Score = result.Errored, nil
	case r.Skipped:
		v.Status, v.Score = result.Skipped, nil
	case r.Score == nil || !(*r.Score >= 0 && *r.Score <= 1):
		v.Status, v.Score, v.Error = result.Errored, nil, "the worker's result has no score from 0 to 1"
	default:
		v.Status = e.Check.Decide(*r.Score)
	}
	if e.Gates() {
		s.decide(e.Check, &v, s.sentSubject(h))
	}
	s.recordEval(e, h.Turn, &v)
	if last := &s.out.Evals[len(s.out.Evals)-1]; last.MetricValue == nil {
		last.MetricValue = r.MetricValue
	}
}

// sentSubject is what a worker judged of the conversation.
func (s *session) sentSubject(h *EvalRequest) *checks.Subject {
	subject := &checks.Subject{Session: h.Turn == result.NoTurn, Messages: h.Messages, Turn: h.Turn, AllCalls: s.calls}
	for i := range s.calls {
		if subject.Session || s.calls[i].Turn == h.Turn {
			subject.Calls = append(subject.Calls, s.calls[i])
		}
	}
	return subject
}

func (s *session) recordMissingResult(e *evals.Eval, turn int, err error) {
	v := e.Check.EmptyVerdict()
	v.Status, v.Error = result.Errored, err.Error()
	s.recordEval(e, turn, &v)
}

// DispatchMode says where the evals of a plan run.
type DispatchMode uint8

// The modes.
const (
	InProcess     DispatchMode = iota // in the process of the run
	Dispatched                        // by workers; the run does not wait for results
	DispatchAwait                     // by workers; the run waits for results
)

// report reports evals and checks that do not work when evals are dispatched.
func (mode DispatchMode) report(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	if mode == InProcess {
		return
	}
	used := inventory.UsedEvals(p, chosen)
	for _, e := range used {
		refuse := func(format, hint string) { d.Errorf(e.Pos, 1, "not-dispatched", format, e.ID).Hint = hint }
		switch {
		case e.Gates() && mode == Dispatched && inventory.CanFire(p, e):
			refuse("the eval %q has a threshold, but the run does not wait for its result",
				"wait for the results with --dispatch-wait 5m, or take the threshold out")
		case e.Gates() && e.Check.DecidesItself():
			refuse("the eval %q passes by a limit of its check, which a worker's score does not include",
				"write threshold: {min_score: …}, or leave it out with --eval-types or --eval-groups")
		case evals.PhaseOf(e.Trigger) == evals.AfterStep && inventory.CanFire(p, e):
			refuse("the eval %q fires at steps of the workflow, which workers do not support",
				"choose another trigger, or leave it out with --eval-types or --eval-groups")
		case inventory.IsOpen(e.Compiled):
			refuse("the eval %q has placeholders, and a worker does not know their values",
				"leave it out with --eval-types or --eval-groups, or write the text out")
		case e.Check.AsksEarlierEvals():
			refuse("the eval %q looks at results of other evals, which a worker may not have",
				"leave it out with --eval-types or --eval-groups")
		}
	}
	if len(used) == 0 {
		return
	}
	inventory.EachAssertion(p, chosen, func(c *checks.Compiled) {
		if c.AsksEarlierEvals() {
			d.Errorf(c.Pos, 1, "not-dispatched", "%s looks at results of evals, which workers run", c.Type).Hint =
				"run the evals in this process: leave --dispatch out"
		}
	})
}
