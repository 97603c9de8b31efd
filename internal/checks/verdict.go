package checks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/contain"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// slack is the rounding error that a score may have at a threshold.
const slack = 1e-9

// Judge judges the check as an assertion. It always returns a verdict. The caller sets its duration.
func (c *Compiled) Judge(ctx context.Context, s *Subject) result.Verdict {
	v, _ := c.judge(ctx, s)
	return v
}

// judge also returns the finding of the verdict, which is empty if there was none.
func (c *Compiled) judge(ctx context.Context, s *Subject) (v result.Verdict, f Finding) {
	v = c.EmptyVerdict()
	if c.When != nil && s.isUnreported(chat.UnreportedToolCalls) {
		return c.Unable(errCallsUnreported), Finding{}
	}
	if reason := c.When.unmet(s.Calls); reason != "" {
		return skipped(v, reason), Finding{}
	}
	var judged *grading.Ledger
	if c.Needs()&NeedsModel != 0 {
		ctx, judged = grading.WithLedger(ctx)
	}
	f, err := c.Eval(ctx, s)
	v.Judgements = judged.Judgements()
	if err == nil && !c.settled(f) {
		err = f.doubt.reason()
	}
	if err == nil && f.silent && c.passes(f) {
		err = f.notKnown()
	}
	switch {
	case err == nil:
		v.Score, v.Explanation, v.Details = &f.Score, f.Explanation, f.Details
		v.Status, v.Passed = result.Failed, c.passes(f)
		if v.Passed {
			v.Status = result.Passed
		}
	case errors.Is(err, ErrNotApplicable):
		return skipped(v, err.Error()), Finding{}
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		v.Status, v.Error, v.Details = result.Cancelled, err.Error(), f.Details
	default:
		v.Status, v.Error, v.Details = result.Errored, err.Error(), f.Details
	}
	return v, f
}

// notKnown is the error of a verdict that would pass only because nobody replied.
func (f *Finding) notKnown() error {
	text := "not known: " + f.Explanation
	if f.way != "" {
		text += "; " + f.way
	}
	return errors.New(text)
}

// Unable is the verdict of a check that could not judge: an error.
func (c *Compiled) Unable(err error) result.Verdict {
	v := c.EmptyVerdict()
	v.Status, v.Error = result.Errored, err.Error()
	return v
}

// EmptyVerdict is a verdict without a decision. It names the check and its limits.
func (c *Compiled) EmptyVerdict() result.Verdict {
	v := result.Verdict{
		Type: c.Type, Message: c.Message, Position: c.Pos,
		MinScore: c.MinScore, MaxScore: c.MaxScore, PassThreshold: c.PassThreshold,
	}
	if c.Wrapped {
		v.Type, v.Check = scenario.Wrapper, c.Type
	}
	return v
}

func skipped(v result.Verdict, reason string) result.Verdict {
	v.Status, v.Passed, v.Skipped, v.SkipReason = result.Skipped, true, true, reason
	return v
}

// Eval runs the check without a decision. Every surface uses it. A panic, a score outside 0 to 1, and a subject with
// nothing to judge are errors.
func (c *Compiled) Eval(ctx context.Context, s *Subject) (f Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = Finding{}, contain.Panicked("the check", p)
		}
	}()
	if c.session {
		s = s.Conversation()
	}
	if c.Nested() == nil && c.LacksReply(s) { // each part of a combined check tests this itself
		if s.last() != nil && s.hasParts() {
			return Finding{}, errNoText
		}
		return Finding{}, errNoReply
	}
	if err := c.unreportedCalls(s); err != nil {
		return Finding{}, err
	}
	if err := c.argsUnclear(s); err != nil {
		return Finding{}, err
	}
	if f, err = c.Check.Eval(ctx, s); err != nil {
		return Finding{Details: f.Details}, err
	}
	if f, err = c.inEarlierSteps(ctx, s, f); err != nil {
		return Finding{}, err
	}
	if err := scoreFits(f.Score); err != nil {
		return Finding{}, err
	}
	if why := c.unreadArgs(ctx, s, f); why != "" {
		f.silent, f.way = true, why
	}
	f.doubt = c.doubt(ctx, s, f)
	return f, nil
}

func scoreFits(score float64) error {
	if math.IsNaN(score) || score < 0 || score > 1 {
		return fmt.Errorf("the check gave the score %v; scores are between 0 and 1", score)
	}
	return nil
}

var (
	errNoReply = errors.New("there is no reply to look at")
	errNoText  = errors.New("the reply has no text to look at, only media")
)

// LacksReply reports whether the check needs replies or calls, and there are none. A message with only tool calls is
// not a reply, unless the check is Wordless.
func (c *Compiled) LacksReply(s *Subject) bool {
	needs := c.Needs()
	switch {
	case needs&(NeedsReply|NeedsCalls) == 0 || s.Replied():
		return false
	case needs&NeedsCalls != 0:
		return len(s.Calls) == 0 && !s.HasReply()
	case needs&NeedsMedia != 0:
		return !s.hasParts()
	}
	return !c.Def.Wordless || !s.HasReply()
}

// hasParts reports whether an agent or a tool gave more than text in scope.
func (s *Subject) hasParts() bool {
	return slices.ContainsFunc(s.Messages[s.Start:], func(m chat.Message) bool {
		return m.Role == chat.Assistant && len(m.Parts) > 0 || m.ToolResult != nil && len(m.ToolResult.Parts) > 0
	})
}

// passes compares a finding with the thresholds, which are inclusive. Without thresholds the check's own limit decides
// or, if there is none, a score of 1 passes. The same holds with MustPass and no lower threshold.
//
// A min_score replaces the default rule of the check, but not a limit that the author gave besides: both must hold.
func (c *Compiled) passes(f Finding) bool {
	if c.MinScore == nil && (c.MaxScore == nil || c.MustPass) {
		holds := f.Score >= 1-slack
		if f.Holds != nil {
			holds = *f.Holds
		}
		return holds && (c.MaxScore == nil || f.Score <= *c.MaxScore+slack)
	}
	return (c.MinScore == nil || c.keptScore(f) >= *c.MinScore-slack) &&
		(c.MaxScore == nil || f.Score <= *c.MaxScore+slack)
}

// brokenLimit is less than every min_score.
const brokenLimit = -1

// keptScore is the score of a finding, reduced if it breaks limits other than thresholds that the author gave.
func (c *Compiled) keptScore(f Finding) float64 {
	switch {
	case f.kept != nil:
		return *f.kept
	case f.Holds != nil && !*f.Holds && c.limitedItself():
		return brokenLimit
	}
	return f.Score
}

// limitedItself reports whether the author gave the check a limit other than thresholds, or gave its parts any limit.
func (c *Compiled) limitedItself() bool {
	own, ok := c.Check.(interface{ limitedItself() bool })
	return ok && own.limitedItself()
}

// Decide compares a score from elsewhere with the thresholds. It ignores the check's own limit; see DecidesItself.
func (c *Compiled) Decide(score float64) result.Status {
	if c.passes(Finding{Score: score}) {
		return result.Passed
	}
	return result.Failed
}

// Gates reports whether the check decides as an eval: it has a threshold.
func (c *Compiled) Gates() bool { return c.MustPass || c.MinScore != nil || c.MaxScore != nil }

// Limits returns the thresholds, from the parameters or beside them; nil: no threshold. passed: without a lower
// threshold the check must pass by its own rule.
func (c *Compiled) Limits() (low, high *float64, passed bool) {
	return c.MinScore, c.MaxScore, c.MustPass
}

// DecidesItself reports whether the check's own limit makes the verdict, so that the score alone does not decide.
func (c *Compiled) DecidesItself() bool {
	switch {
	case c.MinScore != nil:
		return c.limitedItself()
	case c.MaxScore != nil && !c.MustPass:
		return false
	}
	return c.Def.Decides
}
