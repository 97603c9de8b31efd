package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// checksAtOnce is how many checks of one trial that leave the process run at once.
const checksAtOnce = 8

// stage is checks that run together; the cheaper stages come first.
type stage int

const (
	inside  stage = iota // within the process, one after the other
	acting               // through the project's tools, one after the other: they may change something
	outside              // programs, endpoints and models, at once
	graded               // by a language model, at once
	stages
)

func stageOf(needs checks.Needs) stage {
	switch {
	case needs&checks.NeedsModel != 0:
		return graded
	case needs&checks.NeedsTool != 0:
		return acting
	case needs&(checks.NeedsProcess|checks.NeedsNetwork|checks.NeedsEmbedding) != 0:
		return outside
	}
	return inside
}

// judge runs checks over a subject, and returns their verdicts in the order of the list: what is cheap runs first, and
// what waits for others runs at once.
func (s *session) judge(ctx context.Context, list []scenario.Placed, subject *checks.Subject) []result.Verdict {
	return s.verdicts(ctx, list, subject, s.shut)
}

// verdicts is judge for any surface. It tells after, which may be nil, of what was decided without a judge.
func (s *session) verdicts(
	ctx context.Context, list []scenario.Placed, subject *checks.Subject,
	after func(list []scenario.Placed, places []int, verdicts []result.Verdict, turn int),
) []result.Verdict {
	began := s.clock.elapsed()
	defer func() { s.judging += s.clock.elapsed() - began }()
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
		if stage(at) == graded {
			gate = s.gate
		}
		judge := func(ctx context.Context, i int, subject *checks.Subject, lane *cassette.Lane) {
			out[i] = s.verdict(ctx, compiled(list[i]), subject, gate, lane)
		}
		s.stage(ctx, s.atOnce(stage(at)), list, places, subject, judge)
		if stage(at) != graded && after != nil {
			after(list, places, out, subject.Turn)
		}
	}
	return out
}

// atOnce reports whether the checks of a stage run at once. Judges that are simulated answer at once anyway, and one
// after the other they are asked in the same order in every run.
func (s *session) atOnce(at stage) bool {
	if pool := s.trial.Project.judges; at == graded && pool != nil && pool.Simulated() {
		return false
	}
	return at >= outside
}

// stage judges at the given places, each on a subject of its own when they are judged at once.
func (s *session) stage(
	ctx context.Context, atOnce bool, list []scenario.Placed, places []int, subject *checks.Subject,
	judge func(context.Context, int, *checks.Subject, *cassette.Lane),
) {
	lanes := lanes{tape: s.tape}
	atOnce = atOnce && len(places) > 1
	var g errgroup.Group
	g.SetLimit(checksAtOnce)
	for _, i := range places {
		own, lane := subject, lanes.next(subject.Turn, "check", i+1, compiled(list[i]).Type)
		if atOnce || lane != nil {
			own = subject.Fork()
			s.reach(own, lane)
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
	_ = g.Wait() // judging returns no error
	s.judged(&lanes, atOnce)
}

// verdict judges one check. Once the run was stopped nothing outside of the process is asked any more. It is called by
// several goroutines at once.
func (s *session) verdict(
	ctx context.Context, c *checks.Compiled, subject *checks.Subject, gate string, lane *cassette.Lane,
) result.Verdict {
	if cause := stopping(ctx); cause != nil && stageOf(c.Needs()) != inside {
		return unjudged(c, result.Cancelled, notEvaluatedPrefix+cause.Error())
	}
	if gate != "" {
		return unjudged(c, result.Skipped, gate)
	}
	if err := s.blind(c); err != nil {
		return c.Unable(err)
	}
	began := s.opts.Now()
	v := c.Judge(ctx, subject)
	switch {
	case lane == nil && !s.clock.simulated:
		v.DurationMS = milliseconds(s.opts.Now().Sub(began))
	case !s.trial.Endpoint.Simulated:
		v.DurationMS = milliseconds(lane.Spent())
	}
	if cause := stopping(ctx); cause != nil && (v.Status == result.Errored || v.Status == result.Cancelled) {
		v.Status, v.SkipReason, v.Error = result.Cancelled, notEvaluatedPrefix+cause.Error(), ""
	}
	return v
}

// blind is why a check cannot judge a replay: it asks for arguments of which the recording does not hold the values.
func (s *session) blind(c *checks.Compiled) error {
	left := s.tape.LeftOut()
	if len(left) == 0 {
		return nil
	}
	for _, use := range c.Names() {
		if use.Kind == checks.ArgumentName && left[strings.ToLower(use.Name)] {
			return fmt.Errorf("the values of %s were left out when this was recorded (--redact), so nobody can tell", use.Name)
		}
	}
	return nil
}

// stopping is why the run ends; nil when it goes on, and when only the time of this trial is over.
func stopping(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, errStopped) || errors.Is(cause, errFailFast) {
		return cause
	}
	return nil
}

// shut closes the gate before the judges when a check that needs none did not hold, and the trial is to save them then.
// A check that may fail in some of the trials settles nothing.
func (s *session) shut(list []scenario.Placed, places []int, verdicts []result.Verdict, turn int) {
	if s.gate != "" || !s.trial.judgeGate(s.opts) {
		return
	}
	for _, i := range places {
		v := &verdicts[i]
		tolerated := v.PassThreshold != nil && *v.PassThreshold < 1
		if tolerated || v.Status != result.Failed && v.Status != result.Errored {
			continue
		}
		s.gate = fmt.Sprintf("judge_gate: %s failed", v.Name())
		if v.Status == result.Errored {
			s.gate = fmt.Sprintf("judge_gate: %s had an error", v.Name())
		}
		if turn >= 0 {
			s.gate += fmt.Sprintf(" in turn %d", turn+1)
		}
		return
	}
}

func (t *Trial) judgeGate(opts *Options) bool {
	if gate := first(opts.JudgeGate, t.Scenario.JudgeGate); gate != nil {
		return *gate
	}
	return t.Project.Defaults.JudgeGate
}

const notEvaluatedPrefix = "not evaluated: "

// notEvaluated are the verdicts of checks that had nothing to look at. They never pass.
func notEvaluated(list []scenario.Placed, reason string) []result.Verdict {
	out := make([]result.Verdict, len(list))
	for i, placed := range list {
		out[i] = unjudged(compiled(placed), result.Cancelled, notEvaluatedPrefix+reason)
	}
	return out
}

// unjudged is the verdict of a check that was not asked.
func unjudged(c *checks.Compiled, status result.Status, reason string) result.Verdict {
	v := c.Unjudged()
	v.Status, v.SkipReason = status, reason
	return v
}
