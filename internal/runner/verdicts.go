package runner

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// checksAtOnce is how many external checks of one trial run concurrently.
const checksAtOnce = 8

// stage is a group of checks that run together. Cheaper stages run first.
type stage int

const (
	inProcess stage = iota // in the process, sequential
	viaTools               // calls the project's tools, sequential because calls may change state
	external               // programs, endpoints and embedding models, concurrent
	byModel                // judges, concurrent
	stages
)

func stageOf(needs checks.Needs) stage {
	switch {
	case needs&checks.NeedsModel != 0:
		return byModel
	case needs&checks.NeedsTool != 0:
		return viaTools
	case needs&(checks.NeedsProcess|checks.NeedsNetwork|checks.NeedsEmbedding) != 0:
		return external
	}
	return inProcess
}

// judge runs checks on a subject and returns their verdicts in the order of the list. Cheap checks run first, and those
// that wait for a server run concurrently.
func (s *session) judge(ctx context.Context, list []scenario.Placed, subject *checks.Subject) []result.Verdict {
	return s.verdicts(ctx, list, subject, s.closeJudgeGate)
}

// verdicts is judge for any surface. It calls after, which may be nil, after each stage that asks no judge.
func (s *session) verdicts(
	ctx context.Context, list []scenario.Placed, subject *checks.Subject,
	after func(list []scenario.Placed, places []int, verdicts []result.Verdict, turn int),
) []result.Verdict {
	began := s.clock.elapsed()
	defer func() { s.checkTime += s.clock.elapsed() - began }()
	out := make([]result.Verdict, len(list))
	var staged [stages][]int
	for i, c := range list {
		at := stageOf(compiled(c).Needs())
		staged[at] = append(staged[at], i)
	}
	for at, places := range staged {
		if len(places) == 0 {
			continue
		}
		gate := ""
		if stage(at) == byModel {
			gate = s.judgeGate
		}
		judge := func(ctx context.Context, i int, subject *checks.Subject, lane *cassette.Lane) {
			out[i] = s.verdict(ctx, compiled(list[i]), subject, gate, lane)
		}
		s.stage(ctx, s.atOnce(stage(at)), list, places, subject, judge)
		if stage(at) != byModel && after != nil {
			after(list, places, out, subject.Turn)
		}
	}
	for i, c := range list {
		if after != nil || compiled(c).Gates() {
			s.decide(compiled(c), &out[i], subject)
		}
	}
	s.remark(ctx, list, out, subject, after == nil)
	if after != nil {
		s.remarkFailedCalls(ctx, list, out, subject)
	}
	s.remarkJudges(list, out, after == nil)
	return out
}

// remark warns of passed verdicts that mean less than they seem to. What the files of a scenario show is reported
// before the run.
func (s *session) remark(ctx context.Context, list []scenario.Placed, verdicts []result.Verdict,
	subject *checks.Subject, evals bool) {
	for i, c := range list {
		if evals && !compiled(c).Gates() {
			continue
		}
		if verdicts[i].Status == result.Passed {
			if text := compiled(c).CalledAlike(subject); text != "" {
				s.warnOfVerdict(text)
			}
			for _, text := range compiled(c).Doubts(subject) {
				s.warnOfVerdict(text)
			}
		}
		if verdicts[i].Status == result.Passed && !s.trial.unpaid() && compiled(c).ByEstimate(subject) {
			s.warnOfVerdict(compiled(c).Type + " passed by an estimate: the server does not say how many tokens its model " +
				"read and wrote, and what is guessed from the lengths of the texts leaves out tools, thoughts and templates")
		}
		if subject.Session && s.trial.Recorded == nil {
			continue
		}
		for _, text := range compiled(c).Remarks(ctx, subject, &verdicts[i]) {
			s.warnOfVerdict(text)
		}
	}
}

// atOnce reports whether the checks of a stage run concurrently. Simulated judges are asked in a fixed order, so that a
// run repeats.
func (s *session) atOnce(at stage) bool {
	if pool := s.trial.Project.judges; at == byModel && pool != nil && pool.Simulated() {
		return false
	}
	return at >= external
}

// stage runs the checks at the given indexes, each with its own subject when they run concurrently.
func (s *session) stage(
	ctx context.Context, atOnce bool, list []scenario.Placed, places []int, subject *checks.Subject,
	judge func(context.Context, int, *checks.Subject, *cassette.Lane),
) {
	lanes := lanes{s: s}
	atOnce = atOnce && len(places) > 1
	var g errgroup.Group
	g.SetLimit(checksAtOnce)
	for _, i := range places {
		own, lane := subject, lanes.next(subject.Turn, "check", i+1, compiled(list[i]).Type)
		if atOnce || lane != nil {
			own = subject.Fork()
			s.routeThrough(own, lane)
		}
		if !atOnce {
			judge(ctx, i, own, lane)
			continue
		}
		g.Go(func() error {
			judge(ctx, i, own, lane)
			return nil
		})
	}
	_ = g.Wait() // judges return no error
	s.advanceBy(&lanes, atOnce)
}

// verdict runs one check. After a stop no check outside of the process starts. It is called by several goroutines.
func (s *session) verdict(
	ctx context.Context, c *checks.Compiled, subject *checks.Subject, gate string, lane *cassette.Lane,
) result.Verdict {
	if cause := stopCause(ctx); cause != nil && stageOf(c.Needs()) != inProcess {
		return unjudged(c, result.Cancelled, notEvaluatedPrefix+cause.Error())
	}
	if gate != "" {
		return unjudged(c, result.Skipped, gate)
	}
	if err := s.redactedArgument(c); err != nil {
		return c.Unable(err)
	}
	began := s.opts.Now()
	v := c.Judge(ctx, subject)
	switch {
	case lane == nil && !s.clock.simulated:
		v.DurationMS = milliseconds(s.opts.Now().Sub(began))
	case !s.trial.Simulated():
		v.DurationMS = milliseconds(lane.Spent())
	}
	if cause := stopCause(ctx); cause != nil && (v.Status == result.Errored || v.Status == result.Cancelled) {
		v.Status, v.SkipReason, v.Error = result.Cancelled, notEvaluatedPrefix+cause.Error(), ""
	}
	return v
}

// redactedArgument returns an error for a check of argument values that were redacted in the recording.
func (s *session) redactedArgument(c *checks.Compiled) error {
	left := s.recorder.RedactedFields()
	if len(left) == 0 {
		return nil
	}
	for _, use := range c.Names() {
		if use.Kind == checks.ArgumentName && left[strings.ToLower(use.Name)] {
			return fmt.Errorf("the values of %s are redacted in the recording (--redact), so the check cannot judge", use.Name)
		}
	}
	return nil
}

// stopCause is why the run ends; nil while it continues, also when this trial exceeded its time limit.
func stopCause(ctx context.Context) error {
	if cause := context.Cause(ctx); endsRun(cause) {
		return cause
	}
	return nil
}

// closeJudgeGate closes the judge gate after a check without a judge failed, if the trial has one. A check that may
// fail in some of the trials does not count.
func (s *session) closeJudgeGate(list []scenario.Placed, places []int, verdicts []result.Verdict, turn int) {
	if s.judgeGate != "" || !s.trial.judgeGate(s.opts) {
		return
	}
	for _, i := range places {
		v := &verdicts[i]
		if mayFail(v) || v.Status != result.Failed && v.Status != result.Errored {
			continue
		}
		s.judgeGate = fmt.Sprintf("judge_gate: %s failed", v.Name())
		if v.Status == result.Errored {
			s.judgeGate = fmt.Sprintf("judge_gate: %s had an error", v.Name())
		}
		if turn >= 0 {
			s.judgeGate += fmt.Sprintf(" in turn %d", turn+1)
		}
		return
	}
}

func (t *Trial) judgeGate(opts *Options) bool {
	if gate := firstSet(opts.JudgeGate, t.Scenario.JudgeGate); gate != nil {
		return *gate
	}
	return t.Project.Defaults.JudgeGate
}

const notEvaluatedPrefix = "not evaluated: "

// notEvaluated returns verdicts for checks that did not run. They never pass.
func notEvaluated(list []scenario.Placed, reason string) []result.Verdict {
	out := make([]result.Verdict, len(list))
	for i, placed := range list {
		out[i] = unjudged(compiled(placed), result.Cancelled, notEvaluatedPrefix+reason)
	}
	return out
}

// unjudged is the verdict of a check that did not run.
func unjudged(c *checks.Compiled, status result.Status, reason string) result.Verdict {
	v := c.EmptyVerdict()
	v.Status, v.SkipReason = status, reason
	return v
}
