package result

// Settle derives the status of a finished trial from its error, its verdicts and the thresholds of its evals. It is the
// only place that does.
//
// A trial with an error has the status error, unless an assertion failed as well: failed is more useful to know. A
// stopped trial is cancelled unless something failed first.
func (t *Trial) Settle() {
	t.Checks(func(_, _ int, v *Verdict) {
		v.Passed = v.Status == Passed || v.Status == Skipped
		v.Skipped = v.Status == Skipped
	})
	t.Status = t.settled()
	t.Passed = t.Status == Passed
	t.Flaky = t.Passed && len(t.Earlier) > 0
	t.Rejected = t.Rejected && t.Status == Errored
}

// settled is the status that Settle sets. For a settled trial it is the same.
func (t *Trial) settled() Status {
	status := Passed
	if t.Status == Cancelled || t.Status == Skipped {
		status = t.Status
	}
	if t.Error != "" && status != Cancelled {
		status = Errored
	}
	t.Checks(func(_, _ int, v *Verdict) {
		status = worseOf(status, v.Status)
	})
	for i := range t.Evals {
		if e := &t.Evals[i]; e.Gates() {
			status = worseOf(status, e.Status)
		}
	}
	return status
}

// worseOf returns the status of a trial after one more verdict.
func worseOf(status, decided Status) Status {
	switch decided {
	case Passed, Skipped:
	case Cancelled:
		if status == Passed {
			return Cancelled
		}
	case Failed:
		return Failed
	default: // Errored; and Unset, which never passes
		if status != Failed {
			return worse(status, Errored)
		}
	}
	return status
}
