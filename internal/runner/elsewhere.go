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
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Elsewhere takes evals to where they are run. Implementations are safe for concurrent use.
type Elsewhere interface {
	// Send returns once a handover is kept where it cannot get lost.
	Send(ctx context.Context, h *Handover) error
	// Await returns what the evals of a handover measured. With awaits false nobody waits, and there is nothing.
	Await(ctx context.Context, h *Handover) (measured []result.EvalResult, awaits bool, err error)
}

// Handover is the evals of one moment of a conversation.
type Handover struct {
	Trial    *result.Trial // what the conversation is; its turns so far
	Session  string        // samples are drawn by it
	Prompt   string        // task type; "": none, or the only one
	Turn     int           // result.NoTurn at the end
	Evals    []string
	Digests  map[string]string // of what the evals measure, by their ids
	Messages []chat.Message    // so far
	Started  time.Time
}

// handed is a handover with the evals that it asks for.
type handed struct {
	*Handover
	evals evals.Set
}

// handOver sends evals away. What cannot be sent makes the trial an error.
func (s *session) handOver(ctx context.Context, due evals.Set, turn int) {
	if len(due) == 0 {
		return
	}
	h := &Handover{
		Trial: s.out, Session: s.sessionID(), Turn: turn, Messages: slices.Clip(s.messages),
		Started: s.opts.Started, Digests: make(map[string]string, len(due)),
	}
	if s.trial.Prompt != nil {
		h.Prompt = s.trial.Prompt.TaskType
	}
	for _, e := range due {
		h.Evals = append(h.Evals, e.ID)
		h.Digests[e.ID] = e.Digest
	}
	if err := s.opts.Elsewhere.Send(ctx, h); err != nil {
		s.out.Error = cmp.Or(s.out.Error, fmt.Sprintf("%s could not be dispatched: %v", h.about(), err))
		return
	}
	s.out.EvalsDispatched += len(due)
	s.handed = append(s.handed, handed{h, due})
}

// about names the evals of a handover.
func (h *Handover) about() string {
	if h.Turn == result.NoTurn {
		return "the evals of the conversation"
	}
	return fmt.Sprintf("the evals of turn %d", h.Turn+1)
}

// takeBack books what was measured elsewhere as if it had been here. What does not come makes the trial an error.
func (s *session) takeBack(ctx context.Context) {
	for _, h := range s.handed {
		measured, awaits, err := s.opts.Elsewhere.Await(ctx, h.Handover)
		if !awaits {
			return
		}
		for _, e := range h.evals {
			i := slices.IndexFunc(measured, func(r result.EvalResult) bool { return r.ID == e.ID })
			if err == nil && i < 0 {
				err = errors.New("one of them has no result")
			}
			if err != nil {
				s.out.Error = cmp.Or(s.out.Error, fmt.Sprintf("%s were not measured: %v", h.about(), err))
				s.bookMissing(e, h.Turn, err)
				continue
			}
			s.bookForeign(e, h.Turn, &measured[i])
		}
	}
}

// bookForeign takes over what was seen, and decides on it by this project's own file.
func (s *session) bookForeign(e *evals.Eval, turn int, r *result.EvalResult) {
	v := e.Check.Unjudged()
	v.Score, v.Error, v.Explanation, v.Details = r.Score, r.Error, r.Explanation, r.Details
	v.DurationMS, v.Judgements, v.SkipReason = r.DurationMS, r.Judgements, r.SkipReason
	switch {
	case r.Error != "":
		v.Status, v.Score = result.Errored, nil
	case r.Skipped:
		v.Status, v.Score = result.Skipped, nil
	case r.Score == nil || !(*r.Score >= 0 && *r.Score <= 1):
		v.Status, v.Score, v.Error = result.Errored, nil, "the result that came holds no score from 0 to 1"
	default:
		v.Status = e.Check.Decide(*r.Score)
	}
	s.book(e, turn, &v)
	if last := &s.out.Evals[len(s.out.Evals)-1]; last.MetricValue == nil {
		last.MetricValue = r.MetricValue
	}
}

func (s *session) bookMissing(e *evals.Eval, turn int, err error) {
	v := e.Check.Unjudged()
	v.Status, v.Error = result.Errored, err.Error()
	s.book(e, turn, &v)
}

// DispatchMode says where the evals of a plan are run.
type DispatchMode uint8

// The modes.
const (
	InProcess     DispatchMode = iota // by the run itself
	Dispatched                        // elsewhere; the run does not learn what comes of it
	DispatchAwait                     // elsewhere; the run waits for the results
)

// report reports what cannot be had when evals are run elsewhere.
func (mode DispatchMode) report(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	if mode == InProcess {
		return
	}
	used := usedEvals(p, chosen)
	for _, e := range used {
		refuse := func(format, hint string) { d.Errorf(e.Pos, 1, "not-dispatched", format, e.ID).Hint = hint }
		switch {
		case e.Gates() && mode == Dispatched && fires(p, e):
			refuse("the eval %q has a threshold, which cannot hold when nobody waits for its result",
				"wait for the results with --dispatch-wait 5m, or take the threshold out")
		case e.Gates() && e.Check.DecidesItself():
			refuse("the eval %q decides by a limit of its check, of which the score of a worker tells nothing",
				"write threshold: {min_score: …}, or leave it out with --eval-types or --eval-groups")
		case evals.PhaseOf(e.Trigger) == evals.AfterStep && fires(p, e):
			refuse("the eval %q fires at steps of the workflow, of which a worker knows nothing",
				"choose another trigger, or leave it out with --eval-types or --eval-groups")
		case isOpen(e.Compiled):
			refuse("the eval %q has placeholders, and a worker does not know what they stand for in a conversation",
				"leave it out with --eval-types or --eval-groups, or write the text out")
		case e.Check.LooksBack():
			refuse("the eval %q looks at what other evals found, which a worker may not know",
				"leave it out with --eval-types or --eval-groups")
		}
	}
	if len(used) == 0 {
		return
	}
	eachAssertion(p, chosen, func(c *checks.Compiled) {
		if c.LooksBack() {
			d.Errorf(c.Pos, 1, "not-dispatched", "%s looks at what evals found, and these are run elsewhere", c.Type).Hint =
				"run the evals in this process: leave --dispatch out"
		}
	})
}
