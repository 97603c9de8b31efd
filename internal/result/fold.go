package result

// Settle derives the status of a finished trial from its error and its verdicts. It is the only place that does.
//
// A trial that broke is an error, unless an assertion failed as well: then the agent misbehaved, which is the more
// useful thing to say. A trial that was stopped keeps Cancelled unless something failed first.
func (t *Trial) Settle() {
	status := Passed
	if t.Status == Cancelled || t.Status == Skipped {
		status = t.Status
	}
	if t.Error != "" && status != Cancelled {
		status = Errored
	}
	t.Checks(func(_, _ int, v *Verdict) {
		v.Passed = v.Status == Passed || v.Status == Skipped
		v.Skipped = v.Status == Skipped
		switch v.Status {
		case Passed, Skipped:
		case Cancelled:
			if status == Passed {
				status = Cancelled
			}
		case Failed:
			status = Failed
		default: // Errored; and Unset, which never passes
			if status != Failed {
				status = worse(status, Errored)
			}
		}
	})
	t.Status, t.Passed = status, status == Passed
}
