package cli

import (
	"errors"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

// readBasis reads the baseline that was named.
func (f *mergeFlags) readBasis(app *App) error {
	if f.baseline == "" {
		return nil
	}
	diags := &diag.List{}
	if f.basis = openBasis(f.baseline, f.knownFailures, diags); f.basis == nil {
		app.showErrors(diags, 0)
		return exit(result.ExitUsage)
	}
	return nil
}

// takeBasis compares the merged run with the named baseline. It is an error if the shards asked for a baseline and none
// is named.
func (f *mergeFlags) takeBasis(h *result.JournalHeader) error {
	if f.baseline == "" {
		if slices.Contains(h.FailOn, result.FailOnRegressed) {
			return errors.New("fail_on: " + result.FailOnRegressed +
				", which counts here, compares the whole run with a baseline\nname it with --baseline")
		}
		return nil
	}
	h.Basis = f.basis
	h.Spec.Baseline, h.Spec.KnownFailures = f.baseline, f.knownFailures
	h.Command = slices.Clone(h.Command)
	if i := slices.Index(h.Command, "--baseline"); i >= 0 { // from a setting, which shards ignore
		h.Command = slices.Delete(h.Command, i, min(i+2, len(h.Command)))
	}
	h.Command = append(h.Command, "--baseline", f.baseline)
	if f.knownFailures {
		h.Command = append(h.Command, "--known-failures")
	}
	return nil
}

// fits refuses a run that cannot be compared with its baseline, and returns warnings about single groups.
func fits(run *result.Run) (warnings []string, err error) {
	if run.Basis == nil {
		return nil, nil
	}
	fit := result.Fit{Suite: run.Name, Gates: run.FailsOn(result.FailOnRegressed) || run.Basis.KnownFailures}
	for _, t := range run.Tallies() {
		fit.Groups = append(fit.Groups, result.Asking{Group: t.Name, Asked: t.Asked})
	}
	diags := &diag.List{}
	run.Basis.Mismatch(fit, diags)
	for _, d := range diags.Sorted() {
		if d.Severity == diag.Error {
			return nil, errors.New(d.Advice())
		}
		warnings = append(warnings, d.Advice())
	}
	return warnings, nil
}
