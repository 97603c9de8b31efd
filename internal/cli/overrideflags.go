package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// overrideFlags override what the files say about models and conversations.
type overrideFlags struct {
	temperature float64
	seed        int64
	maxTokens   int
	trials      int
	passRate    float64
	tolerance   float64
	confidence  float64
	stop        string
	eager       bool
	onFailure   string
}

func (f *overrideFlags) register(fl *pflag.FlagSet) {
	fl.Float64Var(&f.temperature, "temperature", 0, "sampling temperature of every call, a `number` from 0 to 2")
	fl.Int64Var(&f.seed, "seed", 0,
		"sampling seed of the first trial, any whole `number`; each further trial has one more")
	fl.IntVar(&f.maxTokens, "max-tokens", 0, "limit every reply to `n` tokens")
	fl.IntVar(&f.trials, "trials", 0, "repeat every scenario `n` times instead of its own number; with a pass\n"+
		"rate at most that often")
	f.registerRule(fl)
	fl.BoolVar(&f.eager, "eager", false, "run trials that may not be needed rather than wait for those that may\n"+
		"decide: faster, for more calls")
	fl.StringVar(&f.onFailure, "on-failure", "", "`action` after a failed turn assertion: continue or stop")
}

// registerRule registers flags about groups of trials.
func (f *overrideFlags) registerRule(fl *pflag.FlagSet) {
	fl.Float64Var(&f.passRate, "pass-rate", 0, "have the trials of every scenario show that this `share` of them "+
		"passes,\nsuch as 0.8")
	fl.Float64Var(&f.tolerance, "tolerance", 0, "rates so much `below` the pass rate may pass too")
	fl.Float64Var(&f.confidence, "confidence", 0, "each claim is wrong in at most 1 - this `share` of runs (default 0.95)")
	fl.StringVar(&f.stop, "stop", "", "end trials `early`, once the rest cannot change the verdict, never, or\n"+
		"after the first 5 where these look no worse than the baseline (baseline)")
}

func (f *overrideFlags) validate(g givenFlags) error {
	var errs []error
	if g.has("temperature") && !(f.temperature >= 0 && f.temperature <= 2) {
		errs = append(errs, fmt.Errorf("--temperature must be between 0 and 2, found %v", f.temperature))
	}
	for _, c := range []struct {
		flag      string
		value     float64
		low, high float64
	}{{"pass-rate", f.passRate, 0, 1}, {"tolerance", f.tolerance, -1, 1}, {"confidence", f.confidence, 0.5, 1}} {
		if g.has(c.flag) && !(c.value > c.low && (c.value < c.high || c.flag == "pass-rate" && c.value == 1)) {
			err := fmt.Errorf("--%s must be a share above %v and below 1, found %v", c.flag, max(c.low, 0), c.value)
			if share, ok := node.PercentAsShare(fmt.Sprintf("%v%%", c.value)); ok && c.value > 1 && c.value < 100 {
				err = fmt.Errorf("%w\n%s", err, share)
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, g.atLeast(1, "max-tokens", f.maxTokens), g.atLeast(1, "trials", f.trials),
		oneOf("stop", []string{f.stop}, "", "early", "never", "baseline"))...)
}

// rule returns the flags about groups of trials.
func (f *overrideFlags) rule(g givenFlags, allowUndecided bool) runner.TrialOptions {
	return runner.TrialOptions{
		PassRate: pointerTo(g, "pass-rate", f.passRate), Tolerance: pointerTo(g, "tolerance", f.tolerance),
		Confidence: pointerTo(g, "confidence", f.confidence), Stop: f.stop, AllowUndecided: allowUndecided,
	}
}

// validateAction refuses an unknown action.
func (f *overrideFlags) validateAction() error {
	return oneOf("on-failure", []string{f.onFailure}, "", "continue", "stop")
}

func (f *overrideFlags) toSpec(g givenFlags, s *result.Spec) {
	s.Temperature, s.Seed = pointerTo(g, "temperature", f.temperature), pointerTo(g, "seed", f.seed)
	s.MaxTokens, s.Trials, s.OnFailure = pointerTo(g, "max-tokens", f.maxTokens), f.trials, f.onFailure
	s.PassRate, s.Tolerance = pointerTo(g, "pass-rate", f.passRate), pointerTo(g, "tolerance", f.tolerance)
	s.Confidence, s.Stop, s.Eager = pointerTo(g, "confidence", f.confidence), f.stop, f.eager
}

func (f *overrideFlags) recall(g givenFlags, then *result.Spec) {
	recallPointer(g, "temperature", &f.temperature, then.Temperature)
	recallPointer(g, "seed", &f.seed, then.Seed)
	recallPointer(g, "max-tokens", &f.maxTokens, then.MaxTokens)
	recallValue(g, "trials", &f.trials, then.Trials)
	recallPointer(g, "pass-rate", &f.passRate, then.PassRate)
	recallPointer(g, "tolerance", &f.tolerance, then.Tolerance)
	recallPointer(g, "confidence", &f.confidence, then.Confidence)
	recallValue(g, "stop", &f.stop, then.Stop)
	recallValue(g, "eager", &f.eager, then.Eager)
	recallValue(g, "on-failure", &f.onFailure, then.OnFailure)
}
