package result

// Counts counts trials by status.
type Counts struct {
	Trials    int `json:"trials" doc:"Trials that ended."`
	Passed    int `json:"passed" doc:"Trials by status."`
	Failed    int `json:"failed" doc:"The same."`
	Errors    int `json:"errors" doc:"The same."`
	Skipped   int `json:"skipped" doc:"The same."`
	Cancelled int `json:"cancelled" doc:"The same."`
}

// Count adds a trial. A trial without a status counts as an error.
func (c *Counts) Count(s Status) {
	c.Trials++
	switch s {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Skipped:
		c.Skipped++
	case Cancelled:
		c.Cancelled++
	case Errored, Undecided, Unset: // no trial is undecided
		c.Errors++
	}
}

// Ended is the number of trials that were neither stopped nor never started.
func (c *Counts) Ended() int { return c.Trials - c.Cancelled }

// Status folds the trials into the worst status among them. Without trials, which is possible for an empty plan that
// was allowed, it is skipped.
func (c *Counts) Status() Status {
	status := Skipped
	for _, of := range []struct {
		n      int
		status Status
	}{{c.Passed, Passed}, {c.Cancelled, Cancelled}, {c.Errors, Errored}, {c.Failed, Failed}} {
		if of.n > 0 {
			status = worse(status, of.status)
		}
	}
	return status
}
