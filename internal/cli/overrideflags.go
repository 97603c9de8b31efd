package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/result"
)

// overrideFlags are asked of models and conversations, whatever the files say.
type overrideFlags struct {
	temperature float64
	seed        int64
	maxTokens   int
	trials      int
	onFailure   string
}

func (f *overrideFlags) register(fl *pflag.FlagSet) {
	fl.Float64Var(&f.temperature, "temperature", 0, "sampling temperature of every call, a `number` from 0 to 2")
	fl.Int64Var(&f.seed, "seed", 0,
		"sampling seed of the first trial, any whole `number`; each further trial has one more")
	fl.IntVar(&f.maxTokens, "max-tokens", 0, "limit every reply to `n` tokens")
	fl.IntVar(&f.trials, "trials", 0, "repeat every scenario `n` times instead of its own number")
	fl.StringVar(&f.onFailure, "on-failure", "", "`action` after a failed turn assertion: continue or stop")
}

func (f *overrideFlags) validate(g givenFlags) error {
	var errs []error
	if g.has("temperature") && !(f.temperature >= 0 && f.temperature <= 2) {
		errs = append(errs, fmt.Errorf("--temperature must be between 0 and 2, found %v", f.temperature))
	}
	return errors.Join(append(errs, g.atLeast(1, "max-tokens", f.maxTokens), g.atLeast(1, "trials", f.trials))...)
}

// validateAction refuses an unknown action.
func (f *overrideFlags) validateAction() error {
	return oneOf("on-failure", []string{f.onFailure}, "", "continue", "stop")
}

func (f *overrideFlags) ask(g givenFlags, s *result.Spec) {
	s.Temperature, s.Seed = pointerTo(g, "temperature", f.temperature), pointerTo(g, "seed", f.seed)
	s.MaxTokens, s.Trials, s.OnFailure = pointerTo(g, "max-tokens", f.maxTokens), f.trials, f.onFailure
}

func (f *overrideFlags) recall(g givenFlags, then *result.Spec) {
	recallPointer(g, "temperature", &f.temperature, then.Temperature)
	recallPointer(g, "seed", &f.seed, then.Seed)
	recallPointer(g, "max-tokens", &f.maxTokens, then.MaxTokens)
	recallValue(g, "trials", &f.trials, then.Trials)
	recallValue(g, "on-failure", &f.onFailure, then.OnFailure)
}
