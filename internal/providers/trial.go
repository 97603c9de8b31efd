package providers

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Trial is the trial for which calls are made, for providers that are agents of their own: a program is told by its
// environment for whom it works, and what it keeps running ends with the trial. It is safe for concurrent use.
type Trial struct {
	ID       string
	Scenario string // id

	mu    sync.Mutex
	parts map[any]TrialPart
	order []TrialPart
	ended bool
}

// TrialPart is what a provider keeps for a trial: a process, a session of a server.
type TrialPart interface {
	// End lets go of it, and returns soon after ctx is done. An error is one of the trial: what was said is not all, or
	// not right. notices are what the user should know once. It is called once, and nothing is asked after it.
	End(ctx context.Context) (notices []string, err error)
}

// Keep is the part of the trial that a provider knows by a key, made by the first who asks. After the end of the trial
// there are none: ok is false.
func (t *Trial) Keep(key any, open func() TrialPart) (part TrialPart, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil, false
	}
	if part, ok = t.parts[key]; ok {
		return part, true
	}
	if t.parts == nil {
		t.parts = map[any]TrialPart{}
	}
	part = open()
	t.parts[key] = part
	t.order = append(t.order, part)
	return part, true
}

// End ends what providers keep for the trial, what began last first. Only the first call does anything.
func (t *Trial) End(ctx context.Context) (notices []string, err error) {
	t.mu.Lock()
	parts := t.order
	t.ended, t.parts, t.order = true, nil, nil
	t.mu.Unlock()
	var errs []error
	for _, part := range slices.Backward(parts) {
		noticesOfPart, err := part.End(ctx)
		notices, errs = append(notices, noticesOfPart...), append(errs, err)
	}
	return notices, errors.Join(errs...)
}

type trialKey struct{}

// InTrial says that calls under ctx are made for a trial.
func InTrial(ctx context.Context, t *Trial) context.Context {
	return context.WithValue(ctx, trialKey{}, t)
}

type variablesKey struct{}

// WithVariables gives the programs that calls under ctx start variables beside their own, as NAME=value.
func WithVariables(ctx context.Context, list []string) context.Context {
	return context.WithValue(ctx, variablesKey{}, list)
}

// Variables are those of WithVariables. Nobody may change them.
func Variables(ctx context.Context) []string {
	list, _ := ctx.Value(variablesKey{}).([]string)
	return list
}

// TrialOf is the trial for which calls under ctx are made; nil: for none.
func TrialOf(ctx context.Context) *Trial {
	t, _ := ctx.Value(trialKey{}).(*Trial)
	return t
}
